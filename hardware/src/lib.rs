//! Device discovery and the hardware tier.
