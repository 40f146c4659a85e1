//! Drives an experiment through the ports and emits its events.
