//! The last step: images that other processes made, in the place of a link.

use std::path::Path;

use super::plan::{Unit, UnitPlan, images_of, plan_of, read, unit_of};
use crate::link::LinkError;
use crate::link::cache::{Key, unsealed};
use crate::link::device_link::thin::finished;
use crate::link::device_link::thin::made::Made;
use crate::link::device_link::thin::summarized::Summarized;
use crate::link::images::maker::ImageMaker;
use crate::link::inputs::group::LinkGroup;
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
    let digests = summarized.indexed.iter();
    let digests: Vec<String> = digests
        .map(|input| Key::of(&input.bytes).to_string())
        .collect();
    let made = (0..summarized.modules).map(|number| {
        let unit = unit_of(&folder, number);
        let (plan, key) = UnitPlan::read(&unit)?;
        let is_same = |near: &Unit| digests.get(near.number) == Some(&near.digest);
        let of_this = plan.number == number && plan.near.iter().all(is_same);
        if !of_this || !plan.is_for(&maker.wishes.image_words) {
            return Err(LinkError::Option(format!(
                "'{}': not of this link: units or options changed since; run --thinlto-index-only again",
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
    let others = group.bitcode.len().checked_sub(summarized.modules);
    if others != Some(0) {
        return Err(LinkError::Option(format!(
            "--thinlto-from={}: an input was not compiled with -foffload-lto=thin",
            folder.display()
        )));
    }
    finished(made, &summarized, target)
}
