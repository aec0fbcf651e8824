//! Which target architectures of FEAT a device is one of. They are aspects.

use offload_formats::targets;

use super::DeviceType;

/// The aspects of the architectures that a device which takes SPIR-V is one of; `name` is as its
/// driver has it. All but `spir64` are targets of Intel's compilers, whose code no other driver takes.
pub(super) fn of_spirv_device(
    kind: DeviceType,
    name: &str,
    is_of_intel: bool,
) -> impl Iterator<Item = u32> {
    aspects(match is_of_intel {
        true => architectures(kind, name),
        false => vec!["spir64"],
    })
}

/// The aspects of the targets of these names.
pub(super) fn aspects(names: Vec<&'static str>) -> impl Iterator<Item = u32> {
    let targets = names.into_iter().filter_map(targets::find);
    targets.map(targets::Target::aspect)
}

/// The target architectures that the device is one of.
fn architectures(kind: DeviceType, name: &str) -> Vec<&'static str> {
    let mut found = vec!["spir64"];
    match kind {
        DeviceType::Cpu => found.extend(cpu_architectures()),
        DeviceType::Gpu => {
            found.push("spir64_gen");
            found.extend(gpu_architecture(name));
        }
        DeviceType::Accelerator => found.push("spir64_fpga"),
        DeviceType::Custom => {}
    }
    found
}

/// The x86 targets that this processor runs.
#[cfg(target_arch = "x86_64")]
fn cpu_architectures() -> Vec<&'static str> {
    let levels = [
        ("spir64_x86_64", true),
        ("x86_64_sse42", std::is_x86_feature_detected!("sse4.2")),
        ("x86_64_avx", std::is_x86_feature_detected!("avx")),
        ("x86_64_avx2", std::is_x86_feature_detected!("avx2")),
        ("x86_64_avx512", std::is_x86_feature_detected!("avx512f")),
    ];
    let supported = levels.iter().filter(|(_, has)| *has);
    supported.map(|(name, _)| *name).collect()
}

#[cfg(not(target_arch = "x86_64"))]
fn cpu_architectures() -> Vec<&'static str> {
    Vec::new()
}

/// The Intel GPU target whose compiler name the driver shows in brackets at the end of the
/// device's name (`… [0x9a49]` is a device id and names none).
fn gpu_architecture(name: &str) -> Option<&'static str> {
    let lower = name.to_lowercase();
    let all = targets::all().iter();
    let mut of_intel = all.filter(|t| t.kind == targets::Kind::IntelGpu && !t.device.is_empty());
    let words: Vec<&str> = lower
        .split(|c: char| !c.is_alphanumeric() && c != '-')
        .collect();
    of_intel.find(|t| words.contains(&t.device)).map(|t| t.name)
}
