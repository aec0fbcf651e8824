//! Which kernel a host compiler means by a name.
//!
//! The names of types within a lambda count the lambdas of their function, and host compilers
//! count differently: g++ 12 numbers a function's lambdas in one row, clang those of one signature.
//! So the numbers themselves say nothing; but the lambdas of one function and one signature have
//! numbers that grow in the order of the source with every compiler. (Where that is not certain, the
//! device compilation has refused: `reference/clang-plugin/closures.cpp`.) Kernels whose names
//! differ in these numbers alone are put in order on both sides, and stand for one another by their
//! places, if there are as many on both sides and their functors are of the same sizes.

/// A kernel as one side knows it: its name, without the tag of its unit, and its functor's size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Named<'a> {
    /// The mangled name.
    pub name: &'a str,
    /// In bytes.
    pub functor_size: usize,
}

/// Why a functor may have another size on the host than on the device, though both halves were made of
/// the same source, and what helps. Whether a constant is captured of which only the value is read is
/// answered otherwise by clang and g++ in templates, generic lambdas and lambdas within a kernel.
pub const CAPTURES: &str = "compilers differ in which constants a lambda captures: declare the \
                            constants that the kernel uses 'static constexpr'";

/// Why it cannot be told which kernel of the device a host kernel means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unclear {
    /// The device compilation has none that it could be.
    #[error("the device compilation of its translation unit has no such kernel")]
    None,
    /// The two halves have not the same kernels.
    #[error(
        "host and device compilation number the closures in its name differently, and there are \
         {host} such kernels on the host but {device} in the device code"
    )]
    Counts {
        /// Kernels of the host that it may be mistaken for, itself included.
        host: usize,
        /// Those of the device.
        device: usize,
    },
    /// The kernels that stand in the same place of the order are not alike.
    #[error(
        "host and device compilation number the closures in its name differently, and the \
         functors of such kernels have other sizes on the host than in the device code ({CAPTURES})"
    )]
    Sizes,
    /// One side has several kernels of the name.
    #[error("several kernels have the same name")]
    Twice,
}

/// The place in `device` of the kernel that the host means by `wanted`. Both lists hold kernels of one
/// binary and, where the name is a unit's own, of one unit; the host's has `wanted` in it.
///
/// # Errors
/// When that is not certain.
pub fn meant(wanted: &str, host: &[Named<'_>], device: &[Named<'_>]) -> Result<usize, Unclear> {
    // Parameters tell names apart, where both sides write them.
    match meant_by(Form::Written, wanted, host, device) {
        Err(Unclear::None) => meant_by(Form::WithoutParameters, wanted, host, device),
        found => found,
    }
}

/// The same by one form of the names.
fn meant_by(
    form: Form,
    wanted: &str,
    host: &[Named<'_>],
    device: &[Named<'_>],
) -> Result<usize, Unclear> {
    let kind = Numbered::of(form, wanted);
    let of_host = in_order(form, &kind.bare, host)?;
    let mut of_device = Vec::new();
    for bare in device_bares(&kind.bare) {
        if of_device.is_empty() {
            of_device = in_order(form, &bare, device)?;
        }
    }
    if of_device.is_empty() {
        return Err(Unclear::None);
    }
    if let ([], [(_, only)]) = (kind.numbers.as_slice(), of_device.as_slice()) {
        return Ok(*only);
    }
    if of_host.len() != of_device.len() {
        return Err(Unclear::Counts {
            host: of_host.len(),
            device: of_device.len(),
        });
    }
    let mut pairs = of_host.iter().zip(&of_device);
    let size = |kernels: &[Named<'_>], at: usize| kernels.get(at).map(|k| k.functor_size);
    if !pairs.all(|((_, one), (_, other))| size(host, *one) == size(device, *other)) {
        return Err(Unclear::Sizes);
    }
    let mut pairs = of_host.iter().zip(&of_device);
    let found = pairs.find(|((numbers, _), _)| *numbers == kind.numbers);
    found.map(|(_, (_, at))| *at).ok_or(Unclear::None)
}

/// The kernels of a kind in the order of their numbers, with their places in the list.
fn in_order(
    form: Form,
    bare: &str,
    kernels: &[Named<'_>],
) -> Result<Vec<(Vec<u64>, usize)>, Unclear> {
    let mut alike: Vec<(Vec<u64>, usize)> = Vec::new();
    for (at, kernel) in kernels.iter().enumerate() {
        let numbered = Numbered::of(form, kernel.name);
        let is_known = || {
            alike
                .iter()
                .any(|(_, other)| kernels.get(*other) == Some(kernel))
        };
        if numbered.bare == bare && !is_known() {
            alike.push((numbered.numbers, at));
        }
    }
    alike.sort();
    let is_twice =
        |pair: &[(Vec<u64>, usize)]| matches!(pair, [(one, _), (other, _)] if one == other);
    match alike.windows(2).any(is_twice) {
        true => Err(Unclear::Twice),
        false => Ok(alike),
    }
}

/// A name without what host compilers write differently.
#[must_use]
pub fn bare(name: &str) -> String {
    Numbered::of(Form::WithoutParameters, name).bare
}

/// What may be left of the device's name for a host kernel: the same as of the host's, or with the
/// complete constructor or destructor (`C1`, `D1`) in whose place g++ has one of its own (`C4`, `D4`).
#[must_use]
pub fn device_bares(host_bare: &str) -> [String; 2] {
    let same = host_bare.to_owned();
    let others = [("C4E", "C1E"), ("C4I", "C1I"), ("D4E", "D1E")];
    let replace = |name: String, (from, to): (&str, &str)| name.replace(from, to);
    let complete = others.into_iter().fold(same.clone(), replace);
    [same, complete]
}

/// What of a name is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// All but the numbers of closures.
    Written,
    /// And without what not all compilers say of template parameters.
    WithoutParameters,
}

/// A mangled name taken apart.
#[derive(Debug, PartialEq, Eq)]
struct Numbered {
    /// The name without the numbers of its closures and without marks of internal linkage.
    bare: String,
    /// The numbers from left to right, one more than written; 0 for none. A function's name stands
    /// before those of its closures, so that order by these numbers is order by function first.
    numbers: Vec<u64>,
}

impl Numbered {
    /// The number of a closure stands between the `E` that ends its parameters and a `_`, that of a
    /// type without a name between `Ut` and a `_`. What merely looks so, as the length of an
    /// identifier may, is equal in all names with the same rest.
    fn of(form: Form, name: &str) -> Self {
        let name = match form {
            Form::Written => without_linkage(name),
            Form::WithoutParameters => without_parameters(&without_linkage(name)),
        };
        let (mut bare, mut numbers) = (String::with_capacity(name.len()), Vec::new());
        let mut rest = name.as_str();
        while let Some(at) = rest.find(['E', 't']) {
            let (before, after) = rest.split_at(at + 1);
            bare.push_str(before);
            let unnumbered = after.trim_start_matches(|c: char| c.is_ascii_digit());
            let digits = after.strip_suffix(unnumbered).unwrap_or_default();
            let is_numbered =
                unnumbered.starts_with('_') && (before.ends_with('E') || before.ends_with("Ut"));
            rest = if is_numbered { unnumbered } else { after };
            if is_numbered {
                let number = digits.parse::<u64>().ok();
                numbers.push(number.map_or(0, |number| number.saturating_add(1)));
            }
        }
        bare.push_str(rest);
        Numbered { bare, numbers }
    }
}

/// A name without the mark of internal linkage (an `L` before a source name in the Itanium C++ ABI),
/// on which the compilers of the host and of the device may disagree.
pub fn without_linkage(name: &str) -> String {
    let next = name.chars().skip(1).chain(['\0']);
    let pairs = name.chars().zip(next);
    let kept = pairs.filter(|(c, next)| !(*c == 'L' && next.is_ascii_digit()));
    kept.map(|(c, _)| c).collect()
}

/// A name without what only some compilers say of template parameters, where that is no more than a
/// word: those that a lambda has itself (`Ty` and `Tn` behind `Ul`; not g++ 12), placeholders (`TnDa`) and
/// concepts (`Tk`, from g++ 14 on; the device's names are those of clang 17), and that a name is one of
/// `std` (`sr3stdE`; no g++).
fn without_parameters(name: &str) -> String {
    let mut kept = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(first) = rest.chars().next() {
        let behind = match kept.ends_with("Ul") {
            true => behind_own_parameter(rest),
            false => behind_parameter(rest),
        };
        if let Some(behind) = behind.or_else(|| rest.strip_prefix("sr3stdE")) {
            rest = behind;
        } else {
            kept.push(first);
            rest = rest.strip_prefix(first).unwrap_or_default();
        }
    }
    kept
}

/// What follows one of a lambda's own template parameters: a type or a number.
fn behind_own_parameter(rest: &str) -> Option<&str> {
    let rest = rest.strip_prefix("Tp").unwrap_or(rest);
    let number = || {
        let rest = rest.strip_prefix("Tn")?;
        rest.strip_prefix(|c: char| c.is_ascii_lowercase())
    };
    rest.strip_prefix("Ty").or_else(number)
}

/// What follows a parameter that is a placeholder, or one of a concept that has no more arguments.
fn behind_parameter(rest: &str) -> Option<&str> {
    let rest = match rest.strip_prefix("Tp") {
        Some(pack) if pack.starts_with('J') => return Some(pack),
        Some(pack) => pack,
        None => rest,
    };
    let placeholder = || {
        let rest = rest.strip_prefix("Tn")?.trim_start_matches(['P', 'R', 'K']);
        rest.strip_prefix("Da").or_else(|| rest.strip_prefix("Dc"))
    };
    let concept = || {
        let name = rest.strip_prefix("Tk")?;
        let name = name.strip_prefix("St").unwrap_or(name);
        let digits = name.find(|c: char| !c.is_ascii_digit())?;
        let length: usize = name.get(..digits)?.parse().ok()?;
        name.get(digits.checked_add(length)?..)
    };
    placeholder().or_else(concept)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernels<'a>(names: &[&'a str]) -> Vec<Named<'a>> {
        let named = |&name| Named {
            name,
            functor_size: 8,
        };
        names.iter().map(named).collect()
    }

    #[test]
    fn kernels_stand_for_one_another_by_their_order() {
        // `main` has other lambdas before, between and behind them.
        let device = kernels(&["_ZTSZ4mainEUlvE0_", "_ZTS1K", "_ZTSZ4mainEUlvE_"]);
        let host = kernels(&["_ZTSZ4mainEUlvE9_", "_ZTSZ4mainEUlvE10_", "_ZTS1K"]);
        assert_eq!(meant("_ZTSZ4mainEUlvE9_", &host, &device), Ok(2));
        assert_eq!(meant("_ZTSZ4mainEUlvE10_", &host, &device), Ok(0));
        assert_eq!(meant("_ZTS1K", &host, &device), Ok(1));
    }

    /// The name that a kernel of the device has by chance is another's.
    #[test]
    fn equal_numbers_mean_nothing() {
        let device = kernels(&["_ZTSZ4mainEUlvE_", "_ZTSZ4mainEUlvE0_"]);
        let host = kernels(&["_ZTSZ4mainEUlvE0_", "_ZTSZ4mainEUlvE1_"]);
        assert_eq!(meant("_ZTSZ4mainEUlvE0_", &host, &device), Ok(0));
        assert_eq!(meant("_ZTSZ4mainEUlvE1_", &host, &device), Ok(1));
    }

    #[test]
    fn functions_come_before_their_closures() {
        const OUTER: [&str; 2] = ["", "0"];
        let names = |inner: [&str; 2]| -> Vec<String> {
            let of =
                |outer: &&str, inner: &str| format!("_ZTSZZ1fvENKUlvE{outer}_clEvEUliE{inner}_");
            let both = OUTER
                .iter()
                .flat_map(|outer| inner.map(|inner| of(outer, inner)));
            both.collect()
        };
        let (device, host) = (names(["", "0"]), names(["3", "7"]));
        let [device, host] =
            [&device, &host].map(|l| l.iter().map(String::as_str).collect::<Vec<_>>());
        for (at, name) in host.iter().enumerate() {
            assert_eq!(meant(name, &kernels(&host), &kernels(&device)), Ok(at));
        }
    }

    #[test]
    fn nothing_is_guessed() {
        let device = kernels(&["_ZTSZ4mainEUlvE_"]);
        let host = kernels(&["_ZTSZ4mainEUlvE_", "_ZTSZ4mainEUlvE0_"]);
        let counts = Unclear::Counts { host: 2, device: 1 };
        assert_eq!(meant("_ZTSZ4mainEUlvE_", &host, &device), Err(counts));
        assert_eq!(meant("_ZTS3foo", &host, &device), Err(Unclear::None));
        let mut larger = kernels(&["_ZTSZ4mainEUlvE_"]);
        larger[0].functor_size = 16;
        assert_eq!(
            meant("_ZTSZ4mainEUlvE_", &larger, &device),
            Err(Unclear::Sizes)
        );
    }

    #[test]
    fn a_constructor_is_the_complete_one() {
        let device = kernels(&["_ZTSZN1AC1IiEET_EUlvE_", "_ZTSZN1AD1EvEUlvE_"]);
        let host = kernels(&["_ZTSZN1AC4IiEET_EUlvE_", "_ZTSZN1AD4EvEUlvE0_"]);
        assert_eq!(meant("_ZTSZN1AC4IiEET_EUlvE_", &host, &device), Ok(0));
        assert_eq!(meant("_ZTSZN1AD4EvEUlvE0_", &host, &device), Ok(1));
    }

    #[test]
    fn kernels_of_one_name_are_no_pair() {
        let device = kernels(&["_ZTS1aIL_Z1bEE", "_ZTS1aIL_ZL1bEE"]);
        let host = kernels(&["_ZTS1aIL_ZL1bEE", "_ZTS1aIL_ZL1bEE"]);
        assert_eq!(
            meant("_ZTS1aIL_ZL1bEE", &host, &device),
            Err(Unclear::Twice)
        );
    }

    #[test]
    fn the_mark_of_internal_linkage_makes_no_difference() {
        let clang = "_ZTS5NamedIL_ZN12_GLOBAL__N_16hiddenEEE";
        let gcc = "_ZTS5NamedIL_ZN12_GLOBAL__N_1L6hiddenEEE";
        let device = kernels(&[clang, "_ZTS5other"]);
        assert_eq!(meant(gcc, &kernels(&[gcc]), &device), Ok(0));
        let device = "_ZTS4nameIL_Z8coeff_idEE";
        assert_eq!(without_linkage("_ZTS4nameIL_ZL8coeff_idEE"), device);
        assert_eq!(without_linkage(device), device);
        assert_eq!(without_linkage(gcc), clang);
    }

    /// As clang 19 with clang 17's names, g++ 12 and g++ 14 write them.
    #[test]
    fn template_parameters_make_no_difference() {
        let own = "_ZTSZ2f9IiEvT_EUlTyTnmS0_E_";
        assert_eq!(bare(own), bare("_ZTSZ2f9IiEvT_EUlS0_E_"));
        assert_eq!(bare("_ZTSZ1gvEUlTpTyDpT_E_"), "_ZTSZ1gvEUlDpT_E_");
        let plain = "_ZTSZ2f3IJLi1ELi2EEEvvEUlvE_";
        assert_eq!(bare("_ZTSZ2f3ITpTnDaJLi1ELi2EEEvvEUlvE_"), plain);
        assert_eq!(bare(plain), plain);
        let plain = "_ZTSZ2f5IiEvT_EUlvE_";
        assert_eq!(bare("_ZTSZ2f5ITkSt8integraliEvT_EUlvE_"), plain);
        assert_eq!(bare("_ZTSZ2f5ITk2CciEvT_EUlvE_"), plain);
        let clang = "_ZTSZ2f8IiENSt9enable_ifIXsr3stdE13is_integral_vIT_EEvE4typeES1_EUlvE_";
        let gcc = "_ZTSZ2f8IiENSt9enable_ifIX13is_integral_vIT_EEvE4typeES1_EUlvE_";
        assert_eq!(bare(clang), gcc);
        assert_eq!(bare("_ZTS4Tk9_T"), "_ZTS4Tk9_T");
    }

    #[test]
    fn only_numbers_of_closures_are_left_out() {
        assert_eq!(bare("_ZTSZ4mainEUlvE12_"), "_ZTSZ4mainEUlvE_");
        assert_eq!(bare("_ZTSZ4mainEUt3_"), "_ZTSZ4mainEUt_");
        assert_eq!(bare("_ZTSN1a1bE10K"), "_ZTSN1a1bE10K");
        assert_eq!(bare("_ZTS1t3_ab"), "_ZTS1t3_ab");
    }
}
