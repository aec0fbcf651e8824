//! `-fsycl-force-target=`: device code for one target is linked as if it were for another.

use offload_formats::targets::{Kind, Target};

use crate::link::inputs::collect::Collected;
use crate::link::{DeviceTarget, LinkError};

/// Takes all device code for `from` as being for the one target that the link expects.
///
/// # Errors
/// When the link expects several targets or none, or one whose code has another form.
pub fn retarget(
    collected: &mut Collected,
    from: &Target,
    expected: &[&'static Target],
) -> Result<(), LinkError> {
    let [to] = expected else {
        return Err(LinkError::Usage(format!(
            "'-fsycl-force-target={}' needs the one target that the device code is for: \
             '-fsycl-targets=TARGET'",
            from.name
        )));
    };
    if is_ptx(from) != is_ptx(to) {
        return Err(LinkError::Usage(format!(
            "'-fsycl-force-target={}' cannot serve '{}': the code of one becomes PTX, that of the \
             other SPIR-V",
            from.name, to.name
        )));
    }
    let old = DeviceTarget::new(from.triple(), from.device);
    let new = DeviceTarget::new(to.triple(), to.device);
    let lists = [
        &mut collected.whole,
        &mut collected.taken,
        &mut collected.lazy,
    ];
    for input in lists.into_iter().flatten() {
        if DeviceTarget::new(&input.triple, &input.arch).is_same(&old) {
            input.triple.clone_from(&new.triple);
            input.arch.clone_from(&new.arch);
        }
    }
    Ok(())
}

fn is_ptx(target: &Target) -> bool {
    target.kind == Kind::Nvidia
}
