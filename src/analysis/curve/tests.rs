//! The contention curve, the doubt and the posterior on made-up sweeps.
