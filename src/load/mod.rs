//! The load engine: HTTP requests at a planned rate or from closed users, timed from the intended start.
