//! A ThinLTO link whose modules are worked on by other processes (`--thinlto-index-only`), which share
//! nothing with it but files.
//!
//! | step | who | from → to |
//! |---|---|---|
//! | the index ([`index`]) | the link of `--thinlto-index-only` | units, in their objects → `N.bc`, `N.bc.thinlto.bc`, `N.bc.imports`, `N.opt.json`, `N.json`; the commands of all that is left to do |
//! | optimize ([`optimize`]) | `--thinlto-optimize=N.bc` | `N.opt.json`, the unit, its index, and the units that it imports from → `N.bc.opt.bc` |
//! | images ([`images`]) | `--thinlto-images=N.bc` | `N.json`, and the units that its images can have something of, as they were compiled and optimized → `N.bc.images` |
//! | the link ([`gather`]) | the link of `--thinlto-from=` | `N.bc.images` of all units → the program |
//!
//! A unit has two commands, as an image is completed from optimized units: what LLVM's link inlines is known
//! when all of them are. Which units a command reads is known from the index on. A file is written only
//! where its contents change, so that build systems find what is left to do by times as well.

mod gather;
mod images;
mod index;
mod optimize;
mod plan;

pub(super) use gather::gathered;
pub(in crate::link) use images::images;
pub(in crate::link) use index::index;
pub(in crate::link) use optimize::optimize;
