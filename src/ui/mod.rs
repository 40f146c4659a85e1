//! The terminal screens: a fold of events and keys into frames. Knows nothing of sockets, files or the runner.
