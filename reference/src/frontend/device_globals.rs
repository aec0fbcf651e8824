//! Device globals (`sycl_ext_oneapi_device_global`): variables that the host copies to and from, and so
//! has to find by name in an image.

use inkwell::module::{Linkage, Module};
use inkwell::types::AnyTypeEnum;
use inkwell::values::GlobalValue;

use super::annotations::{Annotation, Argument, DEVICE_GLOBAL};
use crate::llvm::{attributes, values};

/// Attribute of a variable: the name that host and device share. Ours is its symbol.
const UNIQUE_ID: &str = "sycl-unique-id";
/// Attribute of a variable: the size of its value in bytes.
const SIZE: &str = "sycl-device-global-size";
/// Attribute of a variable that one image alone has.
const IMAGE_SCOPE: &str = "sycl-device-image-scope";
/// Attribute of a variable that begins with the pointer to its value: where in it the initial value
/// stands, in bytes.
pub const INITIAL_VALUE_AT: &str = "plumbline-initial-value-at";

/// The type of a device global, as clang calls it in IR; a number may follow.
const TYPE: &str = "class.sycl::ext::oneapi::experimental::device_global";
/// The size of the pointer at the beginning, in bytes.
const POINTER_SIZE: i64 = 8;

/// A device global that a translation unit defines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceGlobal {
    /// The symbol of the object on the host.
    pub host_symbol: String,
    /// What images call it.
    pub name: String,
}

/// Gives each device global of a raw module its name: one that is the unit's own gets the unit's tag.
/// What is defined stays visible, and no optimization knows what the host puts into it.
pub fn name(module: &Module<'_>, annotations: &[Annotation<'_>], tag: &str) -> Vec<DeviceGlobal> {
    let mut named = Vec::new();
    for annotation in annotations.iter().filter(|a| a.name == DEVICE_GLOBAL) {
        let variable = annotation.entity;
        let [size, alignment, image_scope] = annotation.arguments.as_slice() else {
            continue;
        };
        let host_symbol = values::name(variable);
        if values::is_declaration(variable) {
            attributes::set_on_variable(variable, UNIQUE_ID, &host_symbol);
            continue;
        }
        let name = match variable.get_linkage() {
            Linkage::Internal | Linkage::Private => format!("{host_symbol}{tag}"),
            _ => host_symbol.clone(),
        };
        variable.set_name(&name);
        variable.set_linkage(match variable.get_linkage() {
            Linkage::Internal | Linkage::Private | Linkage::External => Linkage::External,
            // Several units may define it.
            _ => Linkage::WeakODR,
        });
        values::leave_comdat(variable);
        variable.set_constant(false);
        variable.set_externally_initialized(true);
        attributes::set_on_variable(variable, UNIQUE_ID, &name);
        attributes::set_on_variable(variable, SIZE, &number(size).to_string());
        if number(image_scope) != 0 {
            attributes::set_on_variable(variable, IMAGE_SCOPE, "true");
        } else {
            let alignment = number(alignment).max(1);
            let offset = (POINTER_SIZE + alignment - 1) / alignment * alignment;
            attributes::set_on_variable(variable, INITIAL_VALUE_AT, &offset.to_string());
        }
        named.push(DeviceGlobal { host_symbol, name });
    }
    // clang writes no annotations of what is only declared.
    for variable in module.get_globals() {
        if values::is_declaration(variable) && has_type(variable) {
            attributes::set_on_variable(variable, UNIQUE_ID, &values::name(variable));
        }
    }
    named
}

fn number(argument: &Argument) -> i64 {
    match argument {
        Argument::Number(number) => *number,
        Argument::Text(_) => 0,
    }
}

fn has_type(variable: GlobalValue<'_>) -> bool {
    let AnyTypeEnum::StructType(ty) = variable.get_value_type() else {
        return false;
    };
    let name = ty.get_name().and_then(|name| name.to_str().ok());
    let rest = name.and_then(|name| name.strip_prefix(TYPE));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}
