//! Attributes of optional kernel features, from annotations to metadata (FEAT, "Changes to the
//! DPC++ front-end").

use std::collections::{BTreeSet, HashSet};

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::module::Module;
use inkwell::types::AnyTypeEnum;
use inkwell::values::{AsValueRef as _, FunctionValue};

use super::annotations::{self, Annotation, NAMED_SUB_GROUP_SIZES};
use super::kernels::Kernel;
use crate::llvm::metadata::{self, Node, Operand};
use crate::llvm::{attributes, calls, values};

/// On a function: the aspects that its `device_has` lists.
pub const DECLARED_ASPECTS: &str = "intel_declared_aspects";
/// On a function: the aspects that it and what it calls use.
pub const USED_ASPECTS: &str = "intel_used_aspects";
/// In the module: the types that use aspects.
pub const TYPES_THAT_USE_ASPECTS: &str = "intel_types_that_use_aspects";
/// On kernels and `SYCL_EXTERNAL` functions: the targets of `-fsycl-fixed-targets`.
pub const FIXED_TARGETS: &str = "intel_fixed_targets";
/// On a function: its required sub-group size, or the number that stands for a named one.
pub const SUB_GROUP_SIZE: &str = "intel_reqd_sub_group_size";
/// On a function: its required work-group size, fastest dimension first, three numbers.
pub const WORK_GROUP_SIZE: &str = "reqd_work_group_size";
/// On the kernel of `parallel_for_work_group`: the required size of the groups that the program sees, as
/// [`WORK_GROUP_SIZE`] has it. The device runs one work-item for each group.
pub const LOGICAL_WORK_GROUP_SIZE: &str = "plumbline_logical_work_group_size";
/// On a function: the work-group size that it runs best with, as the required one.
pub const WORK_GROUP_HINT: &str = "work_group_size_hint";
/// On a function: how many dimensions its required work-group size has.
pub const WORK_GROUP_DIMENSIONS: &str = "work_group_num_dim";

/// What attributes say, before it is on its functions.
#[derive(Debug)]
pub struct Features<'ctx> {
    annotations: Vec<Annotation<'ctx>>,
    /// For each kernel wrapper, in order, the functions whose attributes are the kernel's. Kernels may
    /// have other names than their wrappers say: those of one unit get its tag.
    operators: Vec<Vec<Operator<'ctx>>>,
}

/// A function whose attributes are a kernel's.
#[derive(Debug, Clone, Copy)]
struct Operator<'ctx> {
    function: FunctionValue<'ctx>,
    /// It takes a group of `parallel_for_work_group`.
    takes_logical_group: bool,
}

/// Reads the attributes while the kernel wrappers still are what the headers made them: a kernel's
/// attributes stand on the call operator, which its wrapper calls, and what properties say on functions
/// that are called beside it.
#[must_use]
pub fn read<'ctx>(annotations: &[Annotation<'ctx>]) -> Features<'ctx> {
    let decorated: HashSet<_> = annotations
        .iter()
        .filter(|a| is_feature(&a.name))
        .map(|a| a.entity.as_value_ref())
        .collect();
    let carriers = |name: &str| -> HashSet<_> {
        let named = annotations.iter().filter(|a| a.name == name);
        named.map(|a| a.entity.as_value_ref()).collect()
    };
    let seen_through = carriers(annotations::PART_OF_CALLER);
    let logical = carriers(annotations::LOGICAL_GROUPS);
    let operators = super::kernels::wrappers(annotations).map(|wrapper| {
        let mut called = Vec::new();
        let wrapper = wrapper.function().into_iter();
        let mut callers: Vec<_> = wrapper.map(|function| (function, false)).collect();
        while let Some((caller, takes_logical_group)) = callers.pop() {
            for function in calls::direct(caller) {
                let value = function.as_value_ref();
                if decorated.contains(&value) {
                    called.push(Operator {
                        function,
                        takes_logical_group,
                    });
                } else if seen_through.contains(&value) {
                    callers.push((function, takes_logical_group));
                } else if logical.contains(&value) {
                    callers.push((function, true));
                }
            }
        }
        called
    });
    Features {
        operators: operators.collect(),
        // Wrappers are gone when the metadata is written.
        annotations: annotations
            .iter()
            .filter(|a| is_feature(&a.name))
            .cloned()
            .collect(),
    }
}

impl<'ctx> Features<'ctx> {
    /// Writes the metadata: a kernel's onto its entry point, the others' onto their functions, the
    /// types' into the module. The kernels are those of the wrappers, in order.
    pub fn write(&self, module: &Module<'ctx>, kernels: &[Kernel<'ctx>]) {
        let mut moved = HashSet::new();
        for (kernel, operators) in kernels.iter().zip(&self.operators) {
            for operator in operators {
                self.write_all(module, *operator, kernel.entry);
                moved.insert(operator.function.as_value_ref());
            }
        }
        for annotation in &self.annotations {
            match annotation.function() {
                Some(function) if !moved.contains(&function.as_value_ref()) => {
                    write(module, annotation, function);
                }
                Some(_) => {}
                None => write_type(module, annotation),
            }
        }
    }

    fn write_all(&self, module: &Module<'ctx>, from: Operator<'ctx>, to: FunctionValue<'ctx>) {
        let entity = from.function.as_global_value();
        for annotation in self.annotations.iter().filter(|a| a.entity == entity) {
            match annotation.name.as_str() {
                annotations::WORK_GROUP_SIZE if from.takes_logical_group => {
                    let sizes: Vec<_> = annotation.sizes().into_iter().map(Operand::u32).collect();
                    let node = Node::new(module.get_context(), &sizes);
                    metadata::set_on_global(to.as_global_value(), LOGICAL_WORK_GROUP_SIZE, node);
                }
                annotations::WORK_GROUP_HINT if from.takes_logical_group => {}
                annotations::ARGS_RESTRICT => restrict(module, to),
                _ => write(module, annotation, to),
            }
        }
    }
}

/// Has kernels that require no sub-group size require this one.
pub fn require_sub_groups(module: &Module<'_>, kernels: &[Kernel<'_>], size: u32) {
    for kernel in kernels {
        let entry = kernel.entry.as_global_value();
        if metadata::of_global(entry, SUB_GROUP_SIZE).is_none() {
            let node = Node::new(module.get_context(), &[Operand::u32(size)]);
            metadata::set_on_global(entry, SUB_GROUP_SIZE, node);
        }
    }
}

fn is_feature(annotation: &str) -> bool {
    annotation == annotations::ARGS_RESTRICT || metadata_kind(annotation).is_some()
}

/// Says of each pointer of an entry point that what it leads to is reached by no other.
fn restrict(module: &Module<'_>, entry: FunctionValue<'_>) {
    let kind = Attribute::get_named_enum_kind_id("noalias");
    let alone = module.get_context().create_enum_attribute(kind, 0);
    for (index, parameter) in (0..).zip(entry.get_param_iter()) {
        if parameter.is_pointer_value() && attributes::by_value(entry, index).is_none() {
            entry.add_attribute(AttributeLoc::Param(index), alone);
        }
    }
}

fn metadata_kind(annotation: &str) -> Option<&'static str> {
    Some(match annotation {
        annotations::DEVICE_HAS => DECLARED_ASPECTS,
        annotations::USES_ASPECTS => USED_ASPECTS,
        annotations::WORK_GROUP_SIZE => WORK_GROUP_SIZE,
        annotations::WORK_GROUP_HINT => WORK_GROUP_HINT,
        annotations::SUB_GROUP_SIZE | annotations::NAMED_SUB_GROUP_SIZE => SUB_GROUP_SIZE,
        _ => return None,
    })
}

fn write<'ctx>(module: &Module<'ctx>, from: &Annotation<'ctx>, to: FunctionValue<'ctx>) {
    let Some(kind) = metadata_kind(&from.name) else {
        return;
    };
    let numbers = from.numbers();
    let operands: Vec<Operand<'ctx>> = match from.name.as_str() {
        annotations::DEVICE_HAS | annotations::USES_ASPECTS => {
            let ascending: BTreeSet<u32> = numbers.into_iter().collect();
            ascending.into_iter().map(Operand::u32).collect()
        }
        annotations::WORK_GROUP_SIZE => {
            let sizes = from.sizes();
            let dimensions = u32::try_from(sizes.len()).unwrap_or(0);
            let count = Node::new(module.get_context(), &[Operand::u32(dimensions)]);
            metadata::set_on_global(to.as_global_value(), WORK_GROUP_DIMENSIONS, count);
            padded(&sizes)
        }
        annotations::WORK_GROUP_HINT => padded(&from.sizes()),
        annotations::NAMED_SUB_GROUP_SIZE => numbers
            .iter()
            .filter_map(|&place| NAMED_SUB_GROUP_SIZES.get(place as usize))
            .map(|&number| Operand::u32(number))
            .collect(),
        _ => numbers.into_iter().map(Operand::u32).collect(),
    };
    let node = Node::new(module.get_context(), &operands);
    metadata::set_on_global(to.as_global_value(), kind, node);
}

/// Sizes as OpenCL has them: fastest dimension first, three of them.
fn padded<'ctx>(sizes: &[u32]) -> Vec<Operand<'ctx>> {
    let three = sizes.iter().rev().copied().chain(std::iter::repeat(1));
    three.take(3).map(Operand::u32).collect()
}

/// A variable that stands for its type: {type's name, aspects…}.
fn write_type<'ctx>(module: &Module<'ctx>, annotation: &Annotation<'ctx>) {
    let AnyTypeEnum::StructType(ty) = annotation.entity.get_value_type() else {
        return;
    };
    let Some(name) = ty.get_name().and_then(|name| name.to_str().ok()) else {
        return;
    };
    if annotation.name != annotations::USES_ASPECTS || values::is_declaration(annotation.entity) {
        return;
    }
    let aspects: BTreeSet<u32> = annotation.numbers().into_iter().collect();
    let operands: Vec<_> = std::iter::once(Operand::text(name))
        .chain(aspects.into_iter().map(Operand::u32))
        .collect();
    let node = Node::new(module.get_context(), &operands);
    metadata::add_named(module, TYPES_THAT_USE_ASPECTS, node);
}
