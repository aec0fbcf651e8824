//! A program's functions, and who calls whom.

use suites::generated::Random;

/// The kernels of every program, each of which calls a function of its own.
pub const ENTRIES: usize = 6;

/// A program: its units, whose kernels are the same in all programs.
#[derive(Debug, Clone)]
pub struct Program {
    pub units: Vec<Unit>,
    /// Functions that every unit defines alike.
    pub shared: usize,
    /// Device globals that every unit sees.
    pub globals: usize,
    /// Weak functions, by the two units that define each.
    pub weak: Vec<(usize, usize)>,
    /// The function that each kernel calls, as (unit, function).
    pub entries: Vec<(usize, usize)>,
    /// How the link that does not use ThinLTO splits device code.
    pub split: &'static str,
}

#[derive(Debug, Clone)]
pub struct Unit {
    /// The level that it is compiled with.
    pub level: &'static str,
    pub debug: bool,
    /// It comes in an archive.
    pub in_archive: bool,
    /// Functions that other units may call.
    pub functions: Vec<Function>,
    /// Its own, whose names other units have too.
    pub own: Vec<Function>,
    /// Its definitions of functions that count for nothing, as theirs that other units have are not weak.
    pub replaced: Vec<((usize, usize), Function)>,
    /// Its definitions of the program's weak functions.
    pub weak: Vec<(usize, Function)>,
}

/// What all units of a program have in common.
#[derive(Debug, Clone)]
struct Frame {
    /// How many functions each unit has that others may call, and of its own.
    sizes: Vec<(usize, usize)>,
    shared: usize,
    /// The units that come in an archive.
    archived: Vec<bool>,
    weak: Vec<(usize, usize)>,
    /// Functions are replaced and have other names.
    beyond: bool,
    /// Units call each other in circles. SYCL has no recursion; where one unit does not see it, it is
    /// compiled all the same, and the CPU's compiler has it compute right where functions hold nothing in
    /// memory of their own.
    circles: bool,
}

/// A function of (x, depth): it calls others while `depth` is not 0.
#[derive(Debug, Clone)]
pub struct Function {
    pub attribute: &'static str,
    pub steps: Vec<Step>,
}

/// What a function does, one after the other.
#[derive(Debug, Clone)]
pub enum Step {
    Mix(u32),
    /// Looks into the table of a unit that all see, or into the unit's own.
    Table(Option<usize>),
    /// Computes with `double`, exactly: a kernel that reaches it has an aspect.
    Double(u32),
    Loop(u32),
    /// Passes structures.
    Pair(u32),
    Shared(usize),
    /// Calls a function of some unit, and so perhaps itself by way of others.
    Call(usize, usize),
    /// The same by the function's other name.
    ByOtherName(usize, usize),
    /// Calls a weak function.
    Weak(usize),
    /// Calls one of the unit's own functions.
    Own(usize),
    /// Calls one or the other.
    Either((usize, usize), (usize, usize)),
}

impl Program {
    /// The program of a number, perhaps with weak functions and other names.
    pub fn of(number: u64, beyond: bool) -> Self {
        let random = &mut Random::of(number);
        let sizes = (0..2 + random.below(5)).map(|_| (1 + random.below(5), random.below(4)));
        let sizes: Vec<_> = sizes.collect();
        let archived: Vec<bool> = sizes.iter().map(|_| random.one_in(4)).collect();
        let frame = &Frame {
            shared: random.below(4),
            beyond,
            weak: (0..if beyond { random.below(3) } else { 0 })
                .filter_map(|_| two_units(random, archived.len()))
                .collect(),
            archived,
            sizes,
            circles: random.one_in(3),
        };
        let units = (0..frame.sizes.len()).map(|unit| Unit::random(random, unit, frame));
        let units: Vec<Unit> = units.collect();
        let entries = (0..ENTRIES).map(|_| frame.function(random));
        Program {
            entries: entries.collect(),
            units,
            shared: frame.shared,
            globals: Random::of(!number).below(4),
            weak: frame.weak.clone(),
            split: random
                .of_these(&["auto", "per_source", "per_kernel", "off"])
                .copied()
                .unwrap_or("auto"),
        }
    }
}

/// Two units of so many.
fn two_units(random: &mut Random, count: usize) -> Option<(usize, usize)> {
    let (one, other) = (random.below(count), random.below(count));
    (one != other).then_some((one, other))
}

/// Whether a function that all units see has another name (`alias`).
pub fn has_other_name((unit, place): (usize, usize)) -> bool {
    (unit + place) % 3 == 0
}

impl Frame {
    /// Any function that all units see.
    fn function(&self, random: &mut Random) -> (usize, usize) {
        let unit = random.below(self.sizes.len());
        let functions = self.sizes.get(unit).map_or(1, |(functions, _)| *functions);
        (unit, random.below(functions))
    }

    /// Weak definitions in one unit of functions that others define.
    fn replaced(&self, random: &mut Random, unit: usize) -> Vec<((usize, usize), Function)> {
        if !self.beyond {
            return Vec::new();
        }
        let called = (0..random.below(3)).map(|_| self.function(random));
        let called: std::collections::BTreeSet<_> = called.collect();
        let apart = called.into_iter().filter(|called| called.0 != unit);
        apart
            .map(|called| (called, Function::weak(random, self)))
            .collect()
    }

    /// Whether a function may call one that all units see. Within a unit none reaches itself.
    fn is_allowed(&self, from: (usize, usize), to: (usize, usize)) -> bool {
        to > from || self.circles && to.0 != from.0
    }
}

impl Unit {
    fn random(random: &mut Random, unit: usize, frame: &Frame) -> Self {
        let (functions, own) = frame.sizes.get(unit).copied().unwrap_or_default();
        let levels = ["-O1", "-O2", "-O2", "-O3", "-Os", "-O0"];
        let levels = levels.get(..levels.len() - usize::from(frame.circles));
        Unit {
            level: random
                .of_these(levels.unwrap_or_default())
                .unwrap_or(&"-O2"),
            debug: random.one_in(6),
            in_archive: frame.archived.get(unit) == Some(&true),
            functions: (0..functions)
                .map(|place| Function::random(random, (unit, place), own, frame))
                .collect(),
            own: (0..own)
                .map(|place| Function::own(random, unit, place + 1..own, frame))
                .collect(),
            replaced: frame.replaced(random, unit),
            weak: (0..frame.weak.len())
                .filter(|&number| {
                    let (first, second) = frame.weak.get(number).copied().unwrap_or_default();
                    unit == first || unit == second
                })
                .map(|number| (number, Function::weak(random, frame)))
                .collect(),
        }
    }
}

impl Function {
    fn attribute(random: &mut Random) -> &'static str {
        let all = ["", "", "__attribute__((noinline)) ", "inline_hint "];
        random.of_these(&all).copied().unwrap_or_default()
    }

    fn random(random: &mut Random, place: (usize, usize), own: usize, frame: &Frame) -> Self {
        let attribute = Function::attribute(random);
        let mut steps = Vec::new();
        for _ in 0..1 + random.below(5) {
            let (one, other) = (frame.function(random), frame.function(random));
            let (one, other) = match (frame.is_allowed(place, one), frame.is_allowed(place, other))
            {
                (true, true) => (Some(one), Some(other)),
                (true, false) => (Some(one), None),
                (false, true) => (Some(other), None),
                (false, false) => (None, None),
            };
            steps.push(match (random.below(10), one, other) {
                (0..=3, Some(called), _) => Step::call(random, called, frame),
                (4 | 5, Some(one), Some(other)) => Step::Either(one, other),
                (6, ..) if own > 0 => Step::Own(random.below(own)),
                _ => Step::plain(random, frame),
            });
        }
        Function { attribute, steps }
    }

    /// One that another may replace.
    fn weak(random: &mut Random, frame: &Frame) -> Self {
        let steps = (0..1 + random.below(3)).map(|_| Step::plain(random, frame));
        Function {
            attribute: "__attribute__((weak)) ",
            steps: steps
                .filter(|step| !matches!(step, Step::Weak(_)))
                .collect(),
        }
    }

    /// One that calls those `after` it of its unit alone, and what comes later than the whole unit.
    fn own(random: &mut Random, unit: usize, after: std::ops::Range<usize>, frame: &Frame) -> Self {
        let attribute = Function::attribute(random);
        let mut steps = Vec::new();
        for _ in 0..1 + random.below(3) {
            let called = frame.function(random);
            let is_allowed = frame.is_allowed((unit, usize::MAX), called);
            steps.push(match random.below(6) {
                0 if !after.is_empty() => Step::Own(after.start + random.below(after.len())),
                1 | 2 if is_allowed => Step::call(random, called, frame),
                _ => Step::plain(random, frame),
            });
        }
        Function { attribute, steps }
    }
}

impl Step {
    fn call(random: &mut Random, called: (usize, usize), frame: &Frame) -> Self {
        match frame.beyond && has_other_name(called) && random.one_in(2) {
            true => Step::ByOtherName(called.0, called.1),
            false => Step::Call(called.0, called.1),
        }
    }

    /// One that calls nothing of another unit.
    fn plain(random: &mut Random, frame: &Frame) -> Self {
        let number = u32::try_from(random.below(1000)).unwrap_or_default();
        match random.below(10) {
            9 if !frame.weak.is_empty() => Step::Weak(random.below(frame.weak.len())),
            0 => Step::Table(Some(random.below(frame.sizes.len()))),
            1 | 2 => Step::Table(None),
            3 if random.one_in(3) => Step::Double(number % 50),
            4 => Step::Loop(number),
            5 if !frame.circles => Step::Pair(number),
            6 | 7 if frame.shared > 0 && !frame.circles => Step::Shared(random.below(frame.shared)),
            _ => Step::Mix(number),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_make_programs_that_stay_the_same_and_differ() {
        let text = |number| format!("{:?}", Program::of(number, true));
        assert_eq!(text(7), text(7));
        let all: std::collections::BTreeSet<String> = (0..50).map(text).collect();
        assert_eq!(all.len(), 50);
    }

    #[test]
    fn programs_have_of_everything() {
        let programs: Vec<Program> = (0..50).map(|number| Program::of(number, true)).collect();
        let text = format!("{programs:?}");
        for what in [
            "Table(Some",
            "Table(None",
            "Double",
            "Loop",
            "Pair",
            "Shared",
            "Call",
            "ByOtherName",
            "Weak(",
            "replaced: [((",
            "Own",
            "Either",
            "-O0",
            "-O3",
            "noinline",
            "debug: true",
            "in_archive: true",
            "per_kernel",
        ] {
            assert!(text.contains(what), "{what}");
        }
        assert!(programs.iter().any(|program| program.globals > 0));
        // Units that reach each other in a circle.
        let circles = programs.iter().filter(|program| {
            let calls = |from: usize, to: usize| {
                let unit = format!("{:?}", program.units[from].functions);
                from != to && unit.contains(&format!("Call({to}, "))
            };
            let units = program.units.len();
            (0..units).any(|a| (0..units).any(|b| calls(a, b) && calls(b, a)))
        });
        assert!(circles.count() > 5);
    }
}
