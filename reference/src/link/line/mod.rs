//! The wrapper's command line, and in it the host linker's: which inputs it names and what it asks
//! for. No other stage reads options; each gets what it needs.

pub(super) mod device_words;
pub(super) mod library_folders;
pub mod linker_line;
mod linker_script;
pub(super) mod options;
mod pieces;
pub mod stage_options;
pub mod symbol_options;
pub mod thin_options;
