//! Under which keys the cache keeps the images of modules: a hash of all that they depend on.

use offload_formats::container::let_go_of;
use offload_formats::targets::Kind;

use crate::link::LinkError;
use crate::link::cache::parts_of_this_tool;
use crate::link::device_link::thin::summarized::{Summarized, name};
use crate::link::device_link::thin::units::Units;
use crate::link::images::maker::ImageMaker;
use crate::link::inputs::group::LinkGroup;
use crate::link::tools::DeviceLibraries;
use crate::llvm::lto::Optimized;
use crate::store::{Key, KeyParts};

/// The keys of a link's modules.
pub(super) struct Keys<'a> {
    /// What all of them depend on: target, options, tools, and what is linked by need.
    shared: KeyParts,
    /// Of each unit, as it was compiled and as it was optimized.
    units: Vec<Key>,
    around: &'a Units,
}

impl<'a> Keys<'a> {
    /// The keys of a link; none where images are made with files that nobody lists (FPGAs), or where the
    /// results of stages are to be seen.
    ///
    /// # Errors
    /// When a tool is missing.
    pub(super) fn new(
        (group, libraries): (&LinkGroup, &DeviceLibraries),
        summarized: &Summarized<'_>,
        (around, optimized): (&'a Units, &Optimized),
        maker: &ImageMaker<'_>,
    ) -> Result<Option<Self>, LinkError> {
        if group.target.kind() == Some(Kind::Fpga) || maker.trace.keeps_files() {
            return Ok(None);
        }
        let (target, wishes) = (&group.target, maker.wishes);
        let mut shared = parts_of_this_tool()
            .text("images")
            .text(&target.triple)
            .text(&target.arch)
            .text(&format!("{wishes:?}"));
        shared = maker.tools.versions(target, &wishes.variants, shared)?;
        shared = shared.text(&format!("{:?}", libraries.libdevice.is_some()));
        let inputs = libraries.whole.iter().chain(&group.spirv);
        for input in inputs.chain(summarized.lazy.iter().copied()) {
            shared = shared.bytes(&input.bytes);
        }
        for symbol in &around.counting.elsewhere {
            shared = shared.text(symbol);
        }
        let units = summarized
            .indexed
            .iter()
            .enumerate()
            .map(|(number, input)| {
                let optimized = optimized.module(&name(number, input))?;
                let key = KeyParts::default()
                    .bytes(&input.bytes)
                    .bytes(optimized)
                    .key();
                let_go_of(&input.bytes);
                let_go_of(optimized);
                Ok(key)
            });
        Ok(Some(Keys {
            shared,
            units: units.collect::<Result<_, LinkError>>()?,
            around,
        }))
    }

    /// The key of the images of a module.
    pub(super) fn of(&self, number: usize) -> Key {
        let near = self.around.compiled.near(number);
        let mut parts = self.shared.clone();
        for unit in near {
            let is_own = [u8::from(unit == number)];
            let key = self.units.get(unit).map_or(&[][..], Key::as_bytes);
            parts = parts.bytes(&is_own).bytes(key);
        }
        parts.key()
    }
}
