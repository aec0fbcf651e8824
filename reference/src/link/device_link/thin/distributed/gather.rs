//! The last step: images that other processes made, in the place of a link.

use std::path::Path;

use offload_formats::device_input::DeviceInput;

use super::plan::{
    File, Unit, UnitPlan, first_change, images_of, plan_of, read, shared_files, unit_of, versions,
};
use crate::link::LinkError;
use crate::link::device_link::thin::finished;
use crate::link::device_link::thin::made::Made;
use crate::link::device_link::thin::summarized::Summarized;
use crate::link::images::maker::ImageMaker;
use crate::link::inputs::group::LinkGroup;
use crate::store::{Key, unsealed};
use crate::wrap::DeviceImage;

/// The images of a group's bitcode as `folder` has them.
///
/// # Errors
/// When a file is not there, or was made of other units or with other options; and when images do not go
/// together.
pub(in crate::link::device_link::thin) fn gathered(
    group: &LinkGroup,
    folder: &Path,
    maker: &ImageMaker<'_>,
) -> Result<Vec<DeviceImage>, LinkError> {
    let target = &group.target;
    let folder = folder.join(target.file_name());
    maker.trace.stage(|| {
        let (modules, folder) = (group.bitcode.len(), folder.display());
        format!("ThinLTO for {target}: images of {modules} modules from '{folder}'")
    });
    let libraries = maker.tools.device_libraries(target)?;
    let summarized = Summarized::of(group, &libraries)?;
    let others = group.bitcode.len().checked_sub(summarized.modules);
    if others != Some(0) {
        return Err(LinkError::Option(format!(
            "--thinlto-from={}: an input was not compiled with -foffload-lto=thin",
            folder.display()
        )));
    }
    let now = Now {
        indexed: digests(summarized.indexed.iter().copied()),
        lazy: digests(summarized.lazy.iter().copied()),
        whole: digests(&libraries.whole),
        spirv: digests(&group.spirv),
        shared: shared_files(maker.shared)?,
        tools: versions(group, maker.wishes, maker.tools),
    };
    let made = (0..summarized.modules).map(|number| {
        let unit = unit_of(&folder, number);
        let (plan, key) = UnitPlan::read(&unit)?;
        let of_this = plan.number == number && plan.is_for(&maker.wishes.image_words);
        let changed = match of_this {
            true => now.change(&plan),
            false => Some("its number or an option".to_owned()),
        };
        if let Some(changed) = changed {
            return Err(LinkError::Option(format!(
                "'{}': not of this link: {changed} changed since; run --thinlto-index-only again",
                plan_of(&unit).display()
            )));
        }
        let path = images_of(&unit);
        let bytes = read(&path)?;
        let made = unsealed(&key, &bytes).and_then(Made::of_bytes);
        made.ok_or_else(|| {
            LinkError::Option(format!(
                "'{}': no images of what its plan says now; run its command again",
                path.display()
            ))
        })
    });
    let made = made.collect::<Result<_, LinkError>>()?;
    finished(made, Vec::new(), &summarized, target)
}

/// What the link has now, as origins and hashes.
struct Now {
    indexed: Vec<(String, String)>,
    lazy: Vec<(String, String)>,
    whole: Vec<(String, String)>,
    spirv: Vec<(String, String)>,
    shared: Vec<File>,
    tools: String,
}

fn digests<'i>(inputs: impl IntoIterator<Item = &'i DeviceInput>) -> Vec<(String, String)> {
    let digest =
        |input: &DeviceInput| (input.origin.to_string(), Key::of(&input.bytes).to_string());
    inputs.into_iter().map(digest).collect()
}

impl Now {
    /// What is not as the plan says.
    fn change(&self, plan: &UnitPlan) -> Option<String> {
        let is_changed = |near: &&Unit| {
            let now = self.indexed.get(near.number);
            now.is_none_or(|(_, digest)| *digest != near.digest)
        };
        if let Some(near) = plan.near.iter().find(is_changed) {
            return Some(near.file.origin.clone());
        }
        let lists = [
            (&plan.lazy, &self.lazy),
            (&plan.whole, &self.whole),
            (&plan.spirv, &self.spirv),
        ];
        for (planned, now) in lists {
            let now = now.iter().map(|(origin, digest)| (&**origin, &**digest));
            if let Some(changed) = first_change(planned, now) {
                return Some(changed.to_owned());
            }
        }
        let shared = self.shared.iter();
        let shared = shared.map(|file| (&*file.origin, &*file.digest));
        let tools = || (plan.tools != self.tools).then(|| "a tool".to_owned());
        let shared = first_change(&plan.shared, shared).map(str::to_owned);
        shared.or_else(tools)
    }
}
