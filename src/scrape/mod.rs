//! Reads metrics: exposition pages of the service and the figures of this machine.
