//! The recording: one SQLite file a session.
