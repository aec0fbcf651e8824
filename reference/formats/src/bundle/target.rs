//! Whom a part of a bundle is for.

use std::fmt;
use std::str::FromStr;

use super::architectures;

/// The offload kinds: upstream's, and those of DPC++ for SYCL and for the FPGA's intermediate files.
const KINDS: [&str; 6] = ["host", "openmp", "hip", "hipv4", "sycl", "fpga"];

/// Whom a part of a bundle is for: `<kind>-<triple>[-<arch>]`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TargetId {
    /// The offload kind: `host`, `sycl`, `openmp`, `hip`, `hipv4`, …
    pub kind: String,
    /// The triple, with no empty component at its end.
    pub triple: String,
    /// The architecture within the triple, with its features; empty when there is none.
    pub arch: String,
}

impl TargetId {
    /// Says what of the target nobody knows: the kind, or the architecture that its triple begins with.
    ///
    /// # Errors
    /// Names the target with what is unknown in it.
    pub fn check(&self) -> Result<(), String> {
        let architecture = self.triple.split('-').next().unwrap_or_default();
        let mut unknown = Vec::new();
        if !KINDS.contains(&&*self.kind) {
            unknown.push(format!(
                "unknown offload kind '{}' (there are {})",
                self.kind,
                KINDS.join(", ")
            ));
        }
        if !architectures::is_known(architecture) {
            unknown.push(format!("unknown triple '{}'", self.triple));
        }
        match &unknown[..] {
            [] => Ok(()),
            _ => Err(format!("invalid target '{self}': {}", unknown.join(", "))),
        }
    }

    /// Whether the code of a part for this target serves `wanted`: same kind and triple, and an
    /// architecture of the same processor that asks for no feature which `wanted` does not name.
    #[must_use]
    pub fn serves(&self, wanted: &TargetId) -> bool {
        let (processor, features) = split_arch(&self.arch);
        let (wanted_processor, wanted_features) = split_arch(&wanted.arch);
        self.kind == wanted.kind
            && self.components() == wanted.components()
            && processor == wanted_processor
            && features.iter().all(|f| wanted_features.contains(f))
    }

    /// Whether both cannot be in one bundle, as no device could tell which of them to take: for the
    /// same processor, they say different features, where one leaves a feature open that the other
    /// settles.
    #[must_use]
    pub fn conflicts(&self, other: &TargetId) -> bool {
        let (processor, features) = split_arch(&self.arch);
        let (other_processor, other_features) = split_arch(&other.arch);
        let names = |features: &[&str]| -> std::collections::BTreeSet<String> {
            let names = features
                .iter()
                .map(|name| name.trim_end_matches(['+', '-']));
            names.map(str::to_owned).collect()
        };
        self.kind == other.kind
            && self.triple == other.triple
            && processor == other_processor
            && names(&features) != names(&other_features)
    }

    /// What the triple says: without unknown components at its end, and without the environment
    /// `sycldevice` that SYCL's triples had in old releases of DPC++.
    fn components(&self) -> Vec<&str> {
        let mut components: Vec<&str> = self.triple.split('-').collect();
        if self.kind == "sycl" && components.get(3) == Some(&"sycldevice") {
            components.truncate(3);
        }
        while components
            .last()
            .is_some_and(|last| ["", "unknown"].contains(last))
        {
            components.pop();
        }
        components
    }

    /// Whether this is the host's part.
    #[must_use]
    pub fn is_host(&self) -> bool {
        self.kind == "host"
    }
}

impl FromStr for TargetId {
    type Err = String;

    /// Reads an id as any release of the bundler writes it: with the triple of three or four
    /// components, padded or not.
    fn from_str(id: &str) -> Result<Self, String> {
        let wrong = || format!("'{id}' is no bundle target: <kind>-<triple>[-<arch>] is asked for");
        let (kind, rest) = id.split_once('-').ok_or_else(wrong)?;
        let mut parts: Vec<&str> = rest.splitn(5, '-').collect();
        let arch = match parts.as_slice() {
            [_, _, _, _, arch] => Some(*arch),
            [_, _, .., last] if is_gpu_arch(last) => Some(*last),
            _ => None,
        };
        if arch.is_some() {
            parts.pop();
        }
        let triple = parts.join("-").trim_end_matches('-').to_owned();
        let plain = |text: &str| text.bytes().all(|b| b.is_ascii_graphic());
        if kind.is_empty() || triple.is_empty() || !plain(id) {
            return Err(wrong());
        }
        Ok(TargetId {
            kind: kind.to_owned(),
            triple,
            arch: arch.unwrap_or_default().to_owned(),
        })
    }
}

/// The processor and the features of an architecture like `gfx90a:xnack+:sramecc-`.
fn split_arch(arch: &str) -> (&str, Vec<&str>) {
    let mut parts = arch.split(':');
    (parts.next().unwrap_or_default(), parts.collect())
}

fn is_gpu_arch(text: &str) -> bool {
    text.starts_with("sm_") || text.starts_with("gfx")
}

/// The form that today's bundler writes: the triple padded to four components, then the
/// architecture.
impl fmt::Display for TargetId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.kind, self.triple)?;
        let components = self.triple.split('-').count();
        let dashes = 4usize.saturating_sub(components) + 1;
        write!(f, "{}{}", "-".repeat(dashes), self.arch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_all_releases_read_alike() {
        for (id, kind, triple, arch) in [
            (
                "sycl-spir64-unknown-unknown",
                "sycl",
                "spir64-unknown-unknown",
                "",
            ),
            (
                "sycl-spir64-unknown-unknown--",
                "sycl",
                "spir64-unknown-unknown",
                "",
            ),
            ("sycl-spir64", "sycl", "spir64", ""),
            (
                "hip-amdgcn-amd-amdhsa--gfx906:xnack+",
                "hip",
                "amdgcn-amd-amdhsa",
                "gfx906:xnack+",
            ),
            (
                "openmp-nvptx64-nvidia-cuda-sm_70",
                "openmp",
                "nvptx64-nvidia-cuda",
                "sm_70",
            ),
            (
                "host-x86_64-unknown-linux-gnu-",
                "host",
                "x86_64-unknown-linux-gnu",
                "",
            ),
            (
                "host-x86_64-unknown-linux-gnu",
                "host",
                "x86_64-unknown-linux-gnu",
                "",
            ),
        ] {
            let target: TargetId = id.parse().unwrap();
            assert_eq!(
                (&*target.kind, &*target.triple, &*target.arch),
                (kind, triple, arch)
            );
            assert_eq!(target.to_string().parse::<TargetId>().unwrap(), target);
        }
        let padded: TargetId = "openmp-nvptx64-nvidia-cuda-sm_70".parse().unwrap();
        assert_eq!(padded.to_string(), "openmp-nvptx64-nvidia-cuda--sm_70");
        let host: TargetId = "host-x86_64-unknown-linux-gnu".parse().unwrap();
        assert_eq!(host.to_string(), "host-x86_64-unknown-linux-gnu-");
    }

    #[test]
    fn code_that_asks_for_no_more_features_serves() {
        let id = |arch: &str| {
            format!("hip-amdgcn-amd-amdhsa--{arch}")
                .parse::<TargetId>()
                .unwrap()
        };
        assert!(id("gfx90a").serves(&id("gfx90a:xnack+")));
        assert!(id("gfx90a:xnack+").serves(&id("gfx90a:xnack+")));
        assert!(!id("gfx90a:xnack+").serves(&id("gfx90a")));
        assert!(!id("gfx906").serves(&id("gfx90a")));
    }

    #[test]
    fn what_is_no_id_is_refused() {
        for id in ["", "sycl", "-spir64", "sycl-", "sycl-spir64\n"] {
            assert!(id.parse::<TargetId>().is_err(), "{id:?}");
        }
    }

    #[test]
    fn old_and_shortened_triples_serve() {
        let id = |id: &str| id.parse::<TargetId>().unwrap();
        let wanted = id("sycl-spir64-unknown-unknown");
        assert!(id("sycl-spir64-unknown-unknown-sycldevice").serves(&wanted));
        assert!(wanted.serves(&id("sycl-spir64-unknown-unknown-sycldevice")));
        assert!(id("sycl-spir64").serves(&wanted));
        assert!(!id("sycl-spir64_gen-unknown-unknown-sycldevice").serves(&wanted));
        assert!(!id("openmp-spir64-unknown-unknown-sycldevice").serves(&id("openmp-spir64")));
        assert!(!id("sycl-spir64-unknown-linux").serves(&wanted));
    }

    #[test]
    fn unknown_kinds_and_triples_are_named() {
        let check = |id: &str| id.parse::<TargetId>().unwrap().check();
        for known in [
            "host-x86_64-unknown-linux-gnu",
            "openmp-powerpc64le-ibm-linux-gnu",
            "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+",
            "sycl-spir64_fpga-unknown-unknown",
            "sycl-spirv64v1.5-unknown-unknown",
            "sycl-native_cpu",
            "sycl-fpga_aoco-intel-unknown",
            "openmp-armv7a-linux-gnueabihf",
            "host-i686-pc-windows-msvc",
        ] {
            check(known).unwrap();
        }
        let error = check("hxst-powerpcxxle-ibm-linux-gnu").unwrap_err();
        assert!(error.contains("'hxst'") && error.contains("'powerpcxxle-ibm-linux-gnu'"));
        for unknown in [
            "cuda-nvptx64",
            "openmp-x86_xx-pc-linux-gnu",
            "openmp-i286",
            "sycl-armx",
        ] {
            check(unknown).unwrap_err();
        }
    }
}
