//! The target of a device image: what the stages after the device link ask of it.

use std::fmt;

use offload_formats::Bytes;
use offload_formats::device_input::{DeviceInput, Origin};
use offload_formats::offload_binary::{ImageKind, OffloadKind};
use offload_formats::registration::target as registered;
use offload_formats::targets::{self, Kind, Target};

use crate::store::Key;

/// A triple and an architecture within it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeviceTarget {
    /// The triple, as the image's container names it.
    pub triple: String,
    /// The architecture; empty for the generic one.
    pub arch: String,
}

impl DeviceTarget {
    /// The target of a triple and an architecture as containers name them; `generic` stands for
    /// none. What a triple leaves out is the same for all of its kind: `spir64` is
    /// `spir64-unknown-unknown`.
    #[must_use]
    pub fn new(triple: &str, arch: &str) -> Self {
        DeviceTarget {
            triple: whole_triple(triple),
            arch: if arch == "generic" { "" } else { arch }.to_owned(),
        }
    }

    /// What compiles for it; `None` for a target that this toolchain does not know.
    #[must_use]
    pub fn kind(&self) -> Option<Kind> {
        match self.triple.split('-').next()? {
            "spirv64" | "spir64" => Some(Kind::Jit),
            first => targets::find(first).map(|target| target.kind),
        }
    }

    /// The name by which the runtime knows images of it.
    #[must_use]
    pub fn registered_name(&self) -> &'static str {
        match self.kind() {
            Some(Kind::IntelGpu) => registered::SPIR64_GEN,
            Some(Kind::Cpu) => registered::SPIR64_X86_64,
            Some(Kind::Fpga) => registered::SPIR64_FPGA,
            Some(Kind::Nvidia) => registered::NVPTX64,
            Some(Kind::Amd) => registered::AMDGCN,
            Some(Kind::Jit) | None => registered::SPIR64,
        }
    }

    /// Device code of this target that stands at `origin` in no container.
    #[must_use]
    pub fn input(&self, bytes: Bytes, image_kind: ImageKind, origin: Origin) -> DeviceInput {
        DeviceInput {
            kind: OffloadKind::Sycl,
            triple: self.triple.clone(),
            arch: self.arch.clone(),
            image_kind,
            bytes,
            properties: Default::default(),
            origin,
        }
    }

    /// The target as a part of file names. What names in objects have and file names should not, such as
    /// the way to another folder, is left out; a hash then tells such names apart.
    #[must_use]
    pub fn file_name(&self) -> String {
        let name = match self.arch.as_str() {
            "" => self.triple.clone(),
            arch => format!("{}.{arch}", self.triple),
        };
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "_.+-".contains(c);
        if name.chars().all(is_plain) && !name.starts_with('.') {
            return name;
        }
        let plain: String = name.chars().filter(|c| is_plain(*c)).take(64).collect();
        let hash = Key::of(name.as_bytes()).to_string();
        let hash = hash.get(..8).unwrap_or_default();
        format!("{}-{hash}", plain.trim_start_matches('.'))
    }

    /// Whether both are the same, by whichever names each calls it.
    #[must_use]
    pub fn is_same(&self, other: &DeviceTarget) -> bool {
        let architecture = self.architecture();
        let alike = architecture.is_some() && architecture == other.architecture();
        self.triple == other.triple && (self.arch == other.arch || alike)
    }

    /// The architecture in the table of targets, by its name, an alias, or the name that its
    /// compiler has for it.
    #[must_use]
    pub fn architecture(&self) -> Option<&'static Target> {
        targets::architecture(self.kind()?, &self.arch)
    }
}

/// What DPC++'s triples of device code ended with before 2021.4, behind one system or another.
const OLD_ENVIRONMENT: &str = "sycldevice";

/// A triple with the parts that its writer left out, where it is one of those that targets have.
fn whole_triple(triple: &str) -> String {
    let mut parts = triple.split('-');
    let first = parts.next().unwrap_or_default();
    let known = targets::all().iter().map(Target::triple);
    let known = known
        .chain(["spirv64-unknown-unknown"])
        .find(|known| known.split('-').next() == Some(first));
    let Some(known) = known else {
        return triple.to_owned();
    };
    let written: Vec<&str> = parts.collect();
    if written.get(2) == Some(&OLD_ENVIRONMENT) {
        return known.to_owned();
    }
    let part = |(number, default)| match written.get(number) {
        None | Some(&"") => default,
        Some(written) => *written,
    };
    let parts = known.split('-').skip(1).enumerate().map(part);
    let more = written.iter().skip(2).copied();
    let parts: Vec<&str> = std::iter::once(first).chain(parts).chain(more).collect();
    parts.join("-")
}

impl fmt::Display for DeviceTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.arch.as_str() {
            "" => write!(f, "target '{}'", self.triple),
            arch => write!(f, "target '{}', architecture '{arch}'", self.triple),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_out_of_an_object_stays_in_its_folder() {
        let name = |triple: &str, arch: &str| DeviceTarget::new(triple, arch).file_name();
        assert_eq!(name("spir64_gen", "pvc"), "spir64_gen-unknown-unknown.pvc");
        let led = name("spir64-unknown-unknown", "../../../evil");
        assert!(led.starts_with("spir64-unknown-unknown"), "{led}");
        for (triple, arch) in [
            ("..", ""),
            ("../x", ""),
            ("spir64", "a/b"),
            ("", "\n"),
            ("/", ""),
        ] {
            let name = name(triple, arch);
            assert!(
                !name.contains(['/', '\n']) && !name.starts_with('.'),
                "{name}"
            );
        }
        assert_ne!(name("spir64", "a/b"), name("spir64", "ab"));
        assert_ne!(name("spir64", "a/b"), name("spir64", "a:b"));
    }

    #[test]
    fn triples_of_the_documents_have_a_kind_and_a_registered_name() {
        for (triple, kind, name) in [
            ("spir64-unknown-unknown", Kind::Jit, "spir64"),
            ("spir64_gen-unknown-unknown", Kind::IntelGpu, "spir64_gen"),
            ("spir64_x86_64-unknown-unknown", Kind::Cpu, "spir64_x86_64"),
            ("spir64_fpga-unknown-unknown", Kind::Fpga, "spir64_fpga"),
            ("nvptx64-nvidia-cuda", Kind::Nvidia, "nvptx64"),
        ] {
            let target = DeviceTarget::new(triple, "generic");
            assert_eq!(target.kind(), Some(kind), "{triple}");
            assert_eq!(target.registered_name(), name);
            assert!(target.arch.is_empty());
        }
        assert_eq!(DeviceTarget::new("riscv64-unknown-elf", "").kind(), None);
    }

    #[test]
    fn a_triple_may_leave_out_what_is_always_the_same() {
        for (written, whole) in [
            ("spir64", "spir64-unknown-unknown"),
            ("spir64-unknown", "spir64-unknown-unknown"),
            ("spirv64--", "spirv64-unknown-unknown"),
            ("spir64_gen", "spir64_gen-unknown-unknown"),
            ("nvptx64", "nvptx64-nvidia-cuda"),
            ("spir64-unknown-linux", "spir64-unknown-linux"),
            ("spir64-a-b-c", "spir64-a-b-c"),
            ("riscv64", "riscv64"),
            (
                "spir64-unknown-unknown-sycldevice",
                "spir64-unknown-unknown",
            ),
            (
                "spir64_gen-unknown-linux-sycldevice",
                "spir64_gen-unknown-unknown",
            ),
            ("nvptx64-nvidia-cuda-sycldevice", "nvptx64-nvidia-cuda"),
            ("", ""),
        ] {
            assert_eq!(DeviceTarget::new(written, "").triple, whole, "{written}");
        }
    }

    #[test]
    fn one_architecture_under_two_names_is_one_target() {
        let gen_target = |arch| DeviceTarget::new("spir64_gen", arch);
        assert!(gen_target("pvc").is_same(&gen_target("intel_gpu_pvc")));
        assert!(!gen_target("pvc").is_same(&gen_target("skl")));
        assert!(!gen_target("").is_same(&gen_target("skl")));
        assert!(!gen_target("").is_same(&DeviceTarget::new("spir64", "")));
    }
}
