//! The command line: parses arguments, wires the ports to their implementations, prints, and sets the exit code.
