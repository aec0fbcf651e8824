//! The conformance harness.
