//! Raw Level Zero bindings, loaded at run time.
