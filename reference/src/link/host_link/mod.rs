//! The host link, with the object of the images in it.

mod dependency_list;
pub mod host;
