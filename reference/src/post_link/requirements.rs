//! What an image needs of its device, and what its functions need beyond what its kernels say
//! (FEAT, "Error checking for `SYCL_EXTERNAL` functions").

use std::collections::{BTreeSet, HashSet};

use super::error::Warning;
use super::facts::{FunctionFacts, GlobalId, ModuleFacts};

/// The requirements of one image.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Requirements {
    /// FEAT's *FinalUsedAspects*.
    pub aspects: BTreeSet<u32>,
    /// FEAT's *FinalSubGroup*.
    pub sub_group_sizes: BTreeSet<u32>,
    /// FEAT's *FinalWorkGroup*.
    pub work_group_sizes: BTreeSet<super::facts::WorkGroupSize>,
    /// FEAT's *FinalFixedTargets*, for an image of fixed targets.
    pub fixed_targets: Option<BTreeSet<String>>,
    /// The level that the image is to be built with.
    pub opt_level: Option<u32>,
}

/// The requirements of an image with these entry points and members, and the warnings of the check.
#[must_use]
pub fn requirements(
    facts: &ModuleFacts,
    entries: &[GlobalId],
    members: &[GlobalId],
) -> (Requirements, Vec<Warning>) {
    let mut warnings = Vec::new();
    let mut found = of_entries(facts, entries, &mut warnings);
    let functions = members
        .iter()
        .filter(|id| !entries.contains(id))
        .filter_map(|&id| Some((facts.name(id), facts.function(id)?)));
    match &mut found.fixed_targets {
        None => {
            let entries = entries.iter().filter_map(|&id| facts.function(id));
            check_features(entries, functions, &mut found, &mut warnings);
        }
        Some(targets) => check_targets(functions, targets, &mut warnings),
    }
    // ThinLTO may leave a function and what stands for inlined calls of it.
    let mut told = HashSet::new();
    warnings.retain(|warning| told.insert(warning.to_string()));
    (found, warnings)
}

/// What the entry points say of themselves.
fn of_entries(
    facts: &ModuleFacts,
    entries: &[GlobalId],
    warnings: &mut Vec<Warning>,
) -> Requirements {
    let mut found = Requirements::default();
    let mut levels: Vec<(Option<u32>, GlobalId)> = Vec::new();
    for &entry in entries {
        let Some(function) = facts.function(entry) else {
            continue;
        };
        levels.push((function.opt_level, entry));
        match &function.fixed_targets {
            Some(targets) if !targets.is_empty() => found.fixed_targets = Some(targets.clone()),
            _ => {
                found.aspects.extend(function.all_aspects());
                found.sub_group_sizes.extend(function.sub_group_size);
                found
                    .work_group_sizes
                    .extend(function.work_group_size.clone());
            }
        }
    }
    // Fixed targets bring several levels together (see `split`), and so do ThinLTO's imports. The lowest that was asked for
    // keeps what it was chosen for, that the code can be debugged; what was to be fast still runs
    // right. Code without a level asks for none.
    let given = || levels.iter().filter(|(level, _)| level.is_some());
    if let Some(&(Some(level), low)) = given().min() {
        found.opt_level = Some(level);
        let other = given().max().filter(|high| high.0 != Some(level));
        let without = levels.iter().find(|(level, _)| level.is_none());
        if let Some(&(_, other)) = other.or(without) {
            warnings.push(Warning::MixedOptLevels {
                entries: [low, other].map(|id| facts.name(id).to_owned()),
                level,
            });
        }
    }
    found
}

fn check_features<'f>(
    entries: impl Iterator<Item = &'f FunctionFacts>,
    functions: impl Iterator<Item = (&'f str, &'f FunctionFacts)>,
    found: &mut Requirements,
    warnings: &mut Vec<Warning>,
) {
    let expected = found.aspects.clone();
    let mut sizes: BTreeSet<(&str, u32)> = entries.flat_map(called_sizes).collect();
    for (name, function) in functions {
        for aspect in &function.all_aspects() - &expected {
            found.aspects.insert(aspect);
            warnings.push(Warning::Aspect {
                function: name.to_owned(),
                aspect,
            });
        }
        sizes.extend(function.sub_group_size.map(|size| (name, size)));
        sizes.extend(called_sizes(function));
    }
    // One function may be there and be told of by those that it was inlined into.
    let expected_sizes = found.sub_group_sizes.clone();
    for (name, size) in sizes {
        if !expected_sizes.contains(&size) {
            found.sub_group_sizes.insert(size);
            warnings.push(Warning::SubGroup {
                function: name.to_owned(),
                size,
            });
        }
    }
}

/// The sizes of functions that one was compiled with and that may be inlined by now.
fn called_sizes(function: &FunctionFacts) -> impl Iterator<Item = (&str, u32)> {
    let sizes = function.called_sub_group_sizes.iter();
    sizes.map(|(name, &size)| (name.as_str(), size))
}

fn check_targets<'f>(
    functions: impl Iterator<Item = (&'f str, &'f FunctionFacts)>,
    targets: &mut BTreeSet<String>,
    warnings: &mut Vec<Warning>,
) {
    let expected = targets.clone();
    for (name, function) in functions {
        let Some(own) = &function.fixed_targets else {
            continue;
        };
        // A function compiled without the switch is meant for every device: it takes none away.
        if !own.is_empty() {
            if own.is_subset(&expected) {
                continue;
            }
            *targets = &*targets & own;
        }
        warnings.push(Warning::FixedTargets {
            function: name.to_owned(),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::facts::{GlobalFacts, WorkGroupSize};
    use super::*;

    fn check(functions: &[(&str, FunctionFacts)]) -> (Requirements, Vec<String>) {
        let facts = ModuleFacts {
            globals: functions
                .iter()
                .map(|(name, function)| GlobalFacts {
                    name: (*name).to_owned(),
                    function: Some(function.clone()),
                    ..GlobalFacts::default()
                })
                .collect(),
            ..ModuleFacts::default()
        };
        let members: Vec<_> = (0..functions.len() as u32).map(GlobalId).collect();
        let (found, warnings) = requirements(&facts, &[GlobalId(0)], &members);
        (found, warnings.iter().map(ToString::to_string).collect())
    }

    fn with(change: impl FnOnce(&mut FunctionFacts)) -> FunctionFacts {
        let mut function = FunctionFacts::default();
        change(&mut function);
        function
    }

    #[test]
    fn an_image_asks_for_what_its_kernel_says() {
        let size = WorkGroupSize {
            dimensions: vec![2, 3],
            metadata: vec![3, 2],
            written_dimensions: None,
        };
        let kernel = with(|f| {
            f.used_aspects = [5].into();
            f.declared_aspects = [6].into();
            f.sub_group_size = Some(16);
            f.work_group_size = Some(size.clone());
            f.opt_level = Some(2);
        });
        let (found, warnings) = check(&[("k", kernel)]);
        assert_eq!(found.aspects, [5, 6].into());
        assert_eq!(found.sub_group_sizes, [16].into());
        assert_eq!(found.work_group_sizes, [size].into());
        assert_eq!((found.fixed_targets, found.opt_level), (None, Some(2)));
        assert!(warnings.is_empty());
    }

    #[test]
    fn what_a_callee_adds_is_warned_of_and_required() {
        let callee = with(|f| {
            f.used_aspects = [6].into();
            f.sub_group_size = Some(32);
        });
        let (found, warnings) = check(&[
            ("k", with(|f| f.sub_group_size = Some(16))),
            ("foo", callee),
        ]);
        assert_eq!(found.aspects, [6].into());
        assert_eq!(found.sub_group_sizes, [16, 32].into());
        assert_eq!(
            warnings,
            [
                "function 'foo' uses aspect 'fp64' not expected by its calling kernel. \
                 Missing [[sycl::device_has()]] on SYCL_EXTERNAL function?",
                "function 'foo' has required sub-group size '32' that does not match its calling \
                 kernel. Missing [[sycl::reqd_sub_group()]] attribute on SYCL_EXTERNAL function?"
            ]
        );
    }

    #[test]
    fn sizes_of_inlined_functions_count_once() {
        let inner = || ("inner".to_owned(), 8);
        let kernel = with(|f| f.called_sub_group_sizes = [inner()].into());
        let (found, inlined) = check(&[("k", kernel.clone())]);
        assert_eq!(found.sub_group_sizes, [8].into());
        let still_there = with(|f| f.sub_group_size = Some(8));
        let (_, called) = check(&[("k", kernel), ("inner", still_there)]);
        assert_eq!(inlined, called);
        assert_eq!(inlined.len(), 1);
    }

    #[test]
    fn one_image_of_fixed_targets_has_the_lowest_level_and_a_warning() {
        let entry = |level| {
            with(|f| {
                f.kernel = true;
                f.opt_level = level;
                f.fixed_targets = Some(["x".to_owned()].into());
            })
        };
        let level = |levels: &[Option<u32>]| {
            let facts = ModuleFacts {
                globals: levels
                    .iter()
                    .map(|&level| GlobalFacts {
                        function: Some(entry(level)),
                        ..GlobalFacts::default()
                    })
                    .collect(),
                ..ModuleFacts::default()
            };
            let entries: Vec<_> = (0..levels.len() as u32).map(GlobalId).collect();
            let (found, warnings) = requirements(&facts, &entries, &entries);
            (found.opt_level, warnings.len())
        };
        assert_eq!(level(&[None, None]), (None, 0));
        assert_eq!(level(&[Some(2), Some(2)]), (Some(2), 0));
        assert_eq!(level(&[Some(2), None]), (Some(2), 1));
        assert_eq!(level(&[None, Some(2), Some(0)]), (Some(0), 1));
    }

    #[test]
    fn fixed_targets_shrink_to_what_all_functions_share() {
        let targets = |names: &[&str]| {
            let names = names.iter().map(|n| (*n).to_owned()).collect();
            with(|f| f.fixed_targets = Some(names))
        };
        let fixed = |functions: &[(&str, FunctionFacts)]| {
            let (found, warnings) = check(functions);
            let names: Vec<_> = found.fixed_targets.into_iter().flatten().collect();
            (names.join(" "), warnings.len())
        };
        let kernel = ("k", targets(&["x", "y"]));
        assert_eq!(
            fixed(&[kernel.clone(), ("same", targets(&["x", "y"]))]),
            ("x y".to_owned(), 0)
        );
        assert_eq!(
            fixed(&[kernel.clone(), ("other", targets(&["y", "z"]))]),
            ("y".to_owned(), 1)
        );
        assert_eq!(
            fixed(&[kernel.clone(), ("none", targets(&["z"]))]),
            (String::new(), 1)
        );
        assert_eq!(
            fixed(&[kernel.clone(), ("free", targets(&[]))]),
            ("x y".to_owned(), 1)
        );
        assert_eq!(
            fixed(&[kernel, ("unknown", with(|_| {}))]),
            ("x y".to_owned(), 0)
        );
    }
}
