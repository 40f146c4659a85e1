//! The runner against doubles of its ports, in virtual time.
