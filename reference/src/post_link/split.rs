//! Which entry points share an image (FEAT, "Changes to the device code split algorithm"; OPT for
//! optimization levels).

use std::collections::{BTreeMap, BTreeSet};

use super::entry_points::is_entry_point;
use super::facts::{FunctionFacts, GlobalFacts, GlobalId, ModuleFacts};
use super::options::{Options, SplitMode};
use super::reach::{self, Needs};

/// The entry points of one image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// What they have in common.
    pub key: GroupKey,
    /// The entry points, in module order; none when the module has none, and the image then holds
    /// the whole module.
    pub entries: Vec<GlobalId>,
}

/// What the entry points of one image have in common. The order of images is the falling order of
/// these keys. No document asks for an order, only for the same one every time, as build systems
/// need; DPC++'s tool takes the last of its sorted groups first, so its numbers are met where the
/// names in the keys decide.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct GroupKey {
    /// The set of functions that are called through pointers, for functions of such a set: one image
    /// holds them, however the code is split.
    pub indirect_set: Option<String>,
    /// Targets of `-fsycl-fixed-targets`; empty without.
    pub fixed_targets: BTreeSet<String>,
    /// What the user asked to split by: a translation unit, a function, or nothing.
    pub scope: String,
    /// What must be equal as well, where the targets are not fixed.
    pub features: Option<Features>,
}

/// Optional features that two entry points of one image must share.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Features {
    /// FEAT's *UsedAspects*.
    pub aspects: BTreeSet<u32>,
    /// The required work-group size, in the order of the attribute.
    pub work_group_size: Option<Vec<u32>>,
    /// The numeric required sub-group size.
    pub sub_group_size: Option<u32>,
    /// The optimization level.
    pub opt_level: Option<u32>,
    /// Aspects and sub-group sizes of functions that they call, beyond their own ([`reach`]).
    pub called_aspects: BTreeSet<u32>,
    /// See `called_aspects`.
    pub called_sub_group_sizes: BTreeSet<u32>,
    /// DPC++'s marks.
    pub marks: BTreeSet<i32>,
}

/// The groups of a module, in the order of the images; at least one.
#[must_use]
pub fn groups(facts: &ModuleFacts, options: &Options) -> Vec<Group> {
    let mut groups: BTreeMap<GroupKey, Vec<GlobalId>> = BTreeMap::new();
    let needs = reach::needs(facts);
    for (id, global, function) in facts.functions() {
        if is_entry_point(global, function, options.only_kernels_as_entry_points) {
            let key = match options.whole {
                true => GroupKey::default(),
                false => {
                    let needs = needs.get(id.0 as usize).cloned().unwrap_or_default();
                    key(global, function, options.split, &needs)
                }
            };
            groups.entry(key).or_default().push(id);
        }
    }
    if groups.is_empty() {
        groups.insert(GroupKey::default(), Vec::new());
    }
    groups
        .into_iter()
        .rev()
        .map(|(key, entries)| Group { key, entries })
        .collect()
}

fn key(
    global: &GlobalFacts,
    function: &FunctionFacts,
    split: SplitMode,
    needs: &Needs,
) -> GroupKey {
    let fixed_targets = function.fixed_targets.clone().unwrap_or_default();
    let scope = match split {
        _ if function.indirect_set.is_some() => String::new(),
        SplitMode::Off => String::new(),
        SplitMode::PerSource | SplitMode::Auto => function.module_id.clone().unwrap_or_default(),
        SplitMode::PerKernel => global.name.clone(),
    };
    // One function is its own group already, and fixed targets take the user at their word: FEAT
    // guarantees them an image exactly as asked for, since what does not share an image cannot be
    // on an FPGA at once, while a level that OPT would part them by changes only how the image is
    // built (`requirements` says with which level, and warns).
    let alone = split == SplitMode::PerKernel && function.indirect_set.is_none();
    let filtered = !alone && fixed_targets.is_empty();
    GroupKey {
        indirect_set: function.indirect_set.clone(),
        fixed_targets,
        scope,
        features: filtered.then(|| Features {
            aspects: function.all_aspects(),
            work_group_size: function
                .work_group_size
                .as_ref()
                .map(|size| size.dimensions.clone()),
            sub_group_size: function.sub_group_size,
            opt_level: function.opt_level,
            called_aspects: &needs.aspects - &function.all_aspects(),
            called_sub_group_sizes: without(&needs.sub_group_sizes, function.sub_group_size),
            marks: function.marks.clone(),
        }),
    }
}

fn without(sizes: &BTreeSet<u32>, own: Option<u32>) -> BTreeSet<u32> {
    let other = sizes.iter().copied().filter(|&size| Some(size) != own);
    other.collect()
}

#[cfg(test)]
mod tests {
    use super::super::facts::WorkGroupSize;
    use super::*;

    fn kernel(name: &str, unit: &str, change: impl FnOnce(&mut FunctionFacts)) -> GlobalFacts {
        let mut function = FunctionFacts {
            kernel: true,
            module_id: Some(unit.to_owned()),
            ..FunctionFacts::default()
        };
        change(&mut function);
        GlobalFacts {
            name: name.to_owned(),
            function: Some(function),
            ..GlobalFacts::default()
        }
    }

    /// The groups as lists of names, in the order of the images.
    fn split(globals: Vec<GlobalFacts>, split: SplitMode) -> Vec<Vec<String>> {
        let facts = ModuleFacts {
            globals,
            ..ModuleFacts::default()
        };
        let options = Options {
            split,
            ..Options::default()
        };
        let name = |&id| facts.name(id).to_owned();
        groups(&facts, &options)
            .iter()
            .map(|group| group.entries.iter().map(name).collect())
            .collect()
    }

    #[test]
    fn modes_group_by_nothing_by_source_and_by_kernel() {
        let module = || {
            vec![
                kernel("k1", "a", |_| {}),
                kernel("k2", "b", |_| {}),
                kernel("k3", "a", |_| {}),
            ]
        };
        assert_eq!(split(module(), SplitMode::Off), [["k1", "k2", "k3"]]);
        let by_source = [vec!["k2"], vec!["k1", "k3"]];
        assert_eq!(split(module(), SplitMode::PerSource), by_source);
        assert_eq!(split(module(), SplitMode::Auto), by_source);
        assert_eq!(
            split(module(), SplitMode::PerKernel),
            [["k3"], ["k2"], ["k1"]]
        );
    }

    #[test]
    fn unequal_features_part_what_the_user_put_together() {
        let plain = || kernel("plain", "a", |_| {});
        let size = WorkGroupSize {
            dimensions: vec![8],
            metadata: vec![8],
            written_dimensions: None,
        };
        for other in [
            kernel("other", "a", |f| f.used_aspects = [6].into()),
            kernel("other", "a", |f| f.declared_aspects = [6].into()),
            kernel("other", "a", |f| f.sub_group_size = Some(16)),
            kernel("other", "a", |f| f.work_group_size = Some(size.clone())),
            kernel("other", "a", |f| f.opt_level = Some(0)),
        ] {
            assert_eq!(split(vec![plain(), other], SplitMode::Off).len(), 2);
        }
    }

    #[test]
    fn what_called_functions_need_parts_what_the_user_put_together() {
        let mut plain = kernel("plain", "a", |_| {});
        plain.needs = vec![GlobalId(3)];
        let mut caller = kernel("caller", "a", |_| {});
        caller.needs = vec![GlobalId(2), GlobalId(3)];
        for change in [
            (|f| f.used_aspects = [6].into()) as fn(&mut FunctionFacts),
            |f| f.declared_aspects = [6].into(),
            |f| f.sub_group_size = Some(16),
            |f| f.called_sub_group_sizes = [("inlined".to_owned(), 16)].into(),
        ] {
            let function = |name, change: fn(&mut FunctionFacts)| {
                kernel(name, "b", |f| {
                    f.kernel = false;
                    change(f);
                })
            };
            let called = function("called", change);
            let innocent = function("innocent", |_| {});
            let module = || {
                vec![
                    plain.clone(),
                    caller.clone(),
                    called.clone(),
                    innocent.clone(),
                ]
            };
            for mode in [SplitMode::Off, SplitMode::PerSource, SplitMode::Auto] {
                let groups = split(module(), mode);
                assert_eq!(groups, [["caller"], ["plain"]], "{mode:?}");
            }
        }
        // Said by the kernel itself, it is no more than that.
        let same = kernel("same", "a", |f| f.used_aspects = [6].into());
        let mut caller = same.clone();
        caller.needs = vec![GlobalId(0)];
        assert_eq!(split(vec![same, caller], SplitMode::Off).len(), 1);
    }

    #[test]
    fn sets_of_functions_for_indirect_calls_have_images_of_their_own() {
        let of_set = |name: &str, set: &str| {
            kernel(name, "a", |f| {
                f.kernel = false;
                f.indirect_set = Some(set.to_owned());
            })
        };
        let module = || {
            vec![
                kernel("k", "a", |_| {}),
                of_set("f", "one"),
                of_set("g", "two"),
                of_set("h", "two"),
            ]
        };
        for mode in [SplitMode::Off, SplitMode::PerSource, SplitMode::PerKernel] {
            assert_eq!(
                split(module(), mode),
                [vec!["g", "h"], vec!["f"], vec!["k"]],
                "{mode:?}"
            );
        }
    }

    #[test]
    fn aspects_used_and_declared_count_alike() {
        let one = kernel("one", "a", |f| f.used_aspects = [1, 2].into());
        let two = kernel("two", "a", |f| {
            f.used_aspects = [2].into();
            f.declared_aspects = [1, 2].into();
        });
        assert_eq!(split(vec![one, two], SplitMode::Off), [["one", "two"]]);
    }

    #[test]
    fn fixed_targets_split_exactly_as_asked() {
        let fixed = |name: &str, unit: &str, target: &str, aspect| {
            kernel(name, unit, |f| {
                f.fixed_targets = Some([target.to_owned()].into());
                f.used_aspects = [aspect].into();
            })
        };
        let module = || {
            vec![
                fixed("x1", "a", "x", 1),
                fixed("x2", "b", "x", 2),
                fixed("y1", "a", "y", 1),
                kernel("free", "a", |f| f.used_aspects = [1].into()),
            ]
        };
        let off = [vec!["y1"], vec!["x1", "x2"], vec!["free"]];
        assert_eq!(split(module(), SplitMode::Off), off);
        assert_eq!(split(module(), SplitMode::PerSource).len(), 4);
    }

    #[test]
    fn a_module_without_entry_points_is_one_group() {
        assert_eq!(split(vec![], SplitMode::PerKernel), [Vec::<String>::new()]);
    }
}
