//! The shared library that programs built by the reference link against.
