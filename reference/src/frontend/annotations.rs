//! The annotations by which headers and plugin tell the lowering what a function is
//! (`reference/clang-plugin/annotations.h` has the same names).

use inkwell::module::{Linkage, Module};
use inkwell::values::{FunctionValue, GlobalValue};

use crate::llvm::constants::Constant;
use crate::llvm::location::Location;
use crate::llvm::values;

/// On a kernel wrapper; one argument, the kernel's name.
pub const KERNEL: &str = "sycl-kernel";
/// On a kernel wrapper whose kernel's name other translation units may give to kernels of theirs.
pub const NAME_OF_ONE_UNIT: &str = "sycl-name-of-one-unit";
/// The beginning of an annotation on a kernel wrapper: file and line of the functor follow.
pub const FUNCTOR_AT: &str = "sycl-functor-at ";
/// On a `SYCL_EXTERNAL` function.
pub const EXTERNAL: &str = "sycl-external";
/// The beginning of an annotation on a function, what a property before it says (`sycl_ext_oneapi_free_function_kernels`): which attribute it
/// stands for, and three numbers ([`Annotation::spelled_out`]).
const FUNCTION_PROPERTY: &str = "sycl-function-property ";
/// On a function that a system header defines.
pub const SYSTEM_CODE: &str = "sycl-system-code";

/// On a constant whose value only the host knows: its initializer runs there, before `main`.
pub const HOST_INITIALIZED: &str = "sycl-host-initialized";

/// On a function; the aspects that it may use.
pub const DEVICE_HAS: &str = "sycl-device-has";
/// On a function, or on a variable that stands for its type; the aspects that it uses.
pub const USES_ASPECTS: &str = "sycl-uses-aspects";
/// On a function; one to three sizes, outermost dimension first.
pub const WORK_GROUP_SIZE: &str = "sycl-reqd-work-group-size";
/// On a function; one to three sizes, outermost dimension first, that it runs best with.
pub const WORK_GROUP_HINT: &str = "sycl-work-group-size-hint";
/// On a function; one size.
pub const SUB_GROUP_SIZE: &str = "sycl-reqd-sub-group-size";
/// On a function: memory that a kernel reaches by one of its pointers or accessors and writes, it reaches by
/// no other.
pub const ARGS_RESTRICT: &str = "sycl-kernel-args-restrict";
/// On a function: what it calls counts as called by its caller, as far as attributes go.
pub const PART_OF_CALLER: &str = "sycl-part-of-caller";
/// The same of the kernel of `parallel_for_work_group`, of which one work-item stands for a work-group:
/// required sizes are those of the groups that the program sees.
pub const LOGICAL_GROUPS: &str = "sycl-logical-groups";
/// On a function of the headers: its body takes the place of each of its calls.
pub const IN_PLACE: &str = "sycl-in-place";
/// On a variable: it is a device global; the size and the alignment of its value, and whether it has
/// image scope.
pub const DEVICE_GLOBAL: &str = "sycl-device-global";
/// On a function; the place of a name in [`NAMED_SUB_GROUP_SIZES`].
pub const NAMED_SUB_GROUP_SIZE: &str = "sycl-named-sub-group-size";

/// What the named sub-group sizes, `automatic` and `primary`, are in metadata.
pub const NAMED_SUB_GROUP_SIZES: [u32; 2] = [0, u32::MAX];

/// The variables in which clang lists annotations and keeps entities alive.
const LISTS: [&str; 3] = ["llvm.global.annotations", "llvm.compiler.used", "llvm.used"];

/// One annotation of one function or variable.
#[derive(Debug, Clone)]
pub struct Annotation<'ctx> {
    /// What carries it.
    pub entity: GlobalValue<'ctx>,
    /// Its first string.
    pub name: String,
    /// Its further arguments.
    pub arguments: Vec<Argument>,
    /// Where the entity stands in the source.
    pub location: Option<Location>,
}

impl<'ctx> Annotation<'ctx> {
    /// The annotation of the attribute that a property stands for; none for one that says nothing here. A
    /// function that is a kernel is `SYCL_EXTERNAL`, if other units can have it.
    fn spelled_out(mut self) -> Option<Self> {
        if !self.name.starts_with(FUNCTION_PROPERTY) {
            return Some(self);
        }
        let numbers = self.arguments.iter().map(|argument| match argument {
            Argument::Number(number) => *number,
            Argument::Text(_) => 0,
        });
        let numbers: Vec<i64> = numbers.collect();
        let (kind, numbers) = numbers.split_first()?;
        let name = match kind {
            1 => WORK_GROUP_SIZE,
            2 => WORK_GROUP_HINT,
            3 => SUB_GROUP_SIZE,
            4 => DEVICE_HAS,
            5 if self.entity.get_linkage() != Linkage::Internal => EXTERNAL,
            _ => return None,
        };
        let bits = |(word, bits): (i64, &i64)| {
            let bits = *bits;
            let set = (0..64).filter(move |bit| bits >> bit & 1 == 1);
            set.map(move |bit| 64 * word + bit)
        };
        let numbers: Vec<i64> = match *kind {
            4 => (0..).zip(numbers).flat_map(bits).collect(),
            _ => numbers.iter().copied().filter(|n| *n != 0).collect(),
        };
        name.clone_into(&mut self.name);
        self.arguments = numbers.into_iter().map(Argument::Number).collect();
        Some(self)
    }

    /// The function that carries it, if it is a function.
    #[must_use]
    pub fn function(&self) -> Option<FunctionValue<'ctx>> {
        values::as_function(self.entity)
    }

    /// The arguments that are numbers no attribute of ours refuses.
    #[must_use]
    pub fn numbers(&self) -> Vec<u32> {
        let number = |argument: &Argument| match argument {
            Argument::Number(number) => u32::try_from(*number).ok(),
            Argument::Text(_) => None,
        };
        self.arguments.iter().filter_map(number).collect()
    }

    /// The arguments that are sizes of work-groups, which are a `size_t` in the source. Those that
    /// metadata has no room for are the largest it has room for, which no device has either.
    #[must_use]
    pub fn sizes(&self) -> Vec<u32> {
        let size = |argument: &Argument| match argument {
            // Of a `size_t`, the largest half reads as negative numbers.
            Argument::Number(number) => Some(u32::try_from(*number).unwrap_or(u32::MAX)),
            Argument::Text(_) => None,
        };
        self.arguments.iter().filter_map(size).collect()
    }
}

/// An argument of an annotation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Argument {
    /// A number.
    Number(i64),
    /// A string.
    Text(String),
}

/// Reads the annotations of a module, in their order, and removes the lists, so that
/// nothing but real uses keeps a function alive afterwards.
pub fn take<'ctx>(module: &Module<'ctx>) -> Vec<Annotation<'ctx>> {
    let annotations = module
        .get_global(LISTS[0])
        .and_then(Constant::of_initializer)
        .map(read_list)
        .unwrap_or_default();
    let annotations = annotations.into_iter();
    let annotations = annotations.filter_map(Annotation::spelled_out).collect();
    for list in LISTS {
        if let Some(variable) = module.get_global(list) {
            // SAFETY: nothing uses a list; LLVM reads it by its name alone.
            unsafe { variable.delete() };
        }
    }
    annotations
}

fn read_list(list: Constant<'_>) -> Vec<Annotation<'_>> {
    match list {
        Constant::Aggregate(entries) => entries.into_iter().filter_map(read_entry).collect(),
        _ => Vec::new(),
    }
}

/// One entry of the list: {global, text, file, line, arguments}.
fn read_entry(entry: Constant<'_>) -> Option<Annotation<'_>> {
    let Constant::Aggregate(fields) = entry else {
        return None;
    };
    let [
        Constant::Global(global),
        name,
        file,
        Constant::Integer(line),
        arguments,
    ] = fields.as_slice()
    else {
        return None;
    };
    let location = file.text().and_then(|file| {
        let line = u32::try_from(*line).ok().filter(|line| *line > 0)?;
        Some(Location {
            file,
            line,
            column: 0,
        })
    });
    Some(Annotation {
        entity: *global,
        name: name.text()?,
        arguments: read_arguments(arguments),
        location,
    })
}

fn read_arguments(arguments: &Constant<'_>) -> Vec<Argument> {
    let Constant::Global(variable) = arguments else {
        return Vec::new();
    };
    let variable: GlobalValue<'_> = *variable;
    match Constant::of_initializer(variable) {
        Some(Constant::Aggregate(fields)) => fields.iter().filter_map(read_argument).collect(),
        // One number that is 0 makes the whole structure zeros.
        Some(Constant::Null) => vec![Argument::Number(0); field_count(variable)],
        _ => Vec::new(),
    }
}

fn field_count(variable: GlobalValue<'_>) -> usize {
    use inkwell::types::AnyTypeEnum;
    match variable.get_value_type() {
        AnyTypeEnum::StructType(fields) => fields.count_fields() as usize,
        _ => 0,
    }
}

fn read_argument(argument: &Constant<'_>) -> Option<Argument> {
    match argument {
        Constant::Integer(number) => Some(Argument::Number(*number)),
        Constant::Null => Some(Argument::Number(0)),
        other => other.text().map(Argument::Text),
    }
}
