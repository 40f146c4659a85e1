//! The judge: from what was measured to a verdict with its uncertainty, or the reason why none can be given. Pure.
