//! Variables in local memory (`sycl_ext_oneapi_work_group_static`): `static work_group_static<T> name;`, in a
//! function also without `static`.
//!
//! clang 19 has all variables in global memory. It names their class wherever it writes one of them, and takes
//! no part of it but through member functions, so that its text says plainly which are to lie elsewhere. Once
//! the text is read, every constant that has the address would have to be made anew.

use std::borrow::Cow;
use std::sync::LazyLock;

use inkwell::AddressSpace;
use inkwell::module::{Linkage, Module};
use inkwell::types::BasicTypeEnum;
use inkwell::values::{AnyValueEnum, GlobalValue, InstructionOpcode, InstructionValue};
use regex::bytes::{Captures, Regex};

use super::local_memory::LOCAL;
use crate::llvm::demangle::demangled;
use crate::llvm::{calls, values};

/// The class in IR; a number may follow.
const CLASS_NAME: &str = "class.sycl::ext::oneapi::experimental::work_group_static";

/// The same in the text. Most modules have none.
static CLASS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(&regex::escape(CLASS_NAME)).ok());

/// A definition or a declaration: the symbol, what comes before the space, the type, the first value.
static VARIABLE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let pattern = concat!(
        r#"(?m)^(@(?:"[^"]*"|[\w.$-]+)) = ([^\n]*?)addrspace\(1\) global "#,
        r#"(%"class\.sycl::ext::oneapi::experimental::work_group_static(?:\.\d+)?")( zeroinitializer)?"#,
    );
    Regex::new(pattern).ok()
});

/// A symbol where its address is an operand.
static ADDRESS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"ptr addrspace\(1\) (@(?:"[^"]*"|[\w.$-]+))"#).ok());

/// The module's text with the variables in local memory, which begins with no value.
#[must_use]
pub fn place(text: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    let (Some(class), Some(variable), Some(address)) = (&*CLASS, &*VARIABLE, &*ADDRESS) else {
        return text;
    };
    if !class.is_match(&text) {
        return text;
    }
    let symbols: Vec<Vec<u8>> = variable
        .captures_iter(&text)
        .map(|found| found[1].to_vec())
        .collect();
    if symbols.is_empty() {
        return text;
    }
    let moved = variable.replace_all(&text, |found: &Captures<'_>| {
        let value: &[u8] = match found.get(4) {
            Some(_) => b" undef",
            None => b"",
        };
        [
            &found[1],
            b" = ",
            &found[2],
            b"addrspace(3) global ",
            &found[3],
            value,
        ]
        .concat()
    });
    let moved = address.replace_all(&moved, |found: &Captures<'_>| {
        match symbols.iter().any(|symbol| symbol == &found[1]) {
            true => [b"ptr addrspace(3) ", &found[1]].concat(),
            false => found[0].to_vec(),
        }
    });
    Cow::Owned(moved.into_owned())
}

/// Has variables of functions that say no `static` be as those that do, as the extension means them.
///
/// # Errors
/// When an array or an object of a function's holds such a variable, or one's address is taken where it cannot be
/// one of local memory; with the function.
pub fn make_static(module: &Module<'_>) -> Result<(), String> {
    for function in values::defined_functions(module) {
        let variables: Vec<_> = values::instructions(function)
            .filter(|instruction| instruction.get_opcode() == InstructionOpcode::Alloca)
            .filter_map(|variable| Some((variable, variable.get_allocated_type().ok()?)))
            .filter(|(_, ty)| holds_class(*ty))
            .collect();
        for (number, (variable, ty)) in variables.into_iter().enumerate() {
            let refused = |why: &str| {
                let function = demangled(&values::function_name(function));
                Err(format!("{why} (in '{function}')"))
            };
            if !is_class(ty) {
                return refused(
                    "an array or an object holds a variable of a work-group, which must be by itself",
                );
            }
            let name = format!("{}.variable.{number}", values::function_name(function));
            let made = module.add_global(ty, Some(AddressSpace::from(LOCAL)), &name);
            // All units that have the function have one variable, too.
            made.set_linkage(match function.get_linkage() {
                Linkage::LinkOnceODR | Linkage::WeakODR => Linkage::LinkOnceODR,
                _ => Linkage::Internal,
            });
            made.set_initializer(&ty.into_struct_type().get_undef());
            made.set_alignment(variable.get_alignment().unwrap_or(1));
            if !stand_for(module, variable, made) {
                return refused("a variable of a work-group must be 'static' here");
            }
        }
    }
    Ok(())
}

/// Whether a type is the class.
fn is_class(ty: BasicTypeEnum<'_>) -> bool {
    let BasicTypeEnum::StructType(class) = ty else {
        return false;
    };
    class
        .get_name()
        .is_some_and(|name| name.to_bytes().starts_with(CLASS_NAME.as_bytes()))
}

/// Whether a type is the class or has it within.
fn holds_class(ty: BasicTypeEnum<'_>) -> bool {
    match ty {
        _ if is_class(ty) => true,
        BasicTypeEnum::ArrayType(array) => holds_class(array.get_element_type()),
        BasicTypeEnum::StructType(members) => members.get_field_types_iter().any(holds_class),
        _ => false,
    }
}

/// Puts a variable of the module in the place of a function's. Whether it can be.
fn stand_for<'ctx>(
    module: &Module<'ctx>,
    variable: InstructionValue<'ctx>,
    made: GlobalValue<'ctx>,
) -> bool {
    let made = made.as_pointer_value();
    for user in users_of(variable) {
        if calls::is_of_lifetime(user) || clears(user) {
            user.erase_from_basic_block();
        } else if user.get_opcode() == InstructionOpcode::AddrSpaceCast {
            for user in users_of(user).into_iter().filter(|user| clears(*user)) {
                user.erase_from_basic_block();
            }
            let generic = user.get_type().into_pointer_type();
            calls::replace(user, made.const_address_space_cast(generic).into());
        }
    }
    // Only for NVIDIA's GPUs have variables of functions generic addresses.
    let is_generic = module
        .get_triple()
        .as_str()
        .to_bytes()
        .starts_with(b"nvptx");
    if variable.get_first_use().is_some() && !is_generic {
        return false;
    }
    let own = variable.get_type().into_pointer_type();
    calls::replace(variable, made.const_address_space_cast(own).into());
    true
}

/// The instructions that have a variable's address.
fn users_of(variable: InstructionValue<'_>) -> Vec<InstructionValue<'_>> {
    let users = std::iter::successors(variable.get_first_use(), |each| each.get_next_use());
    let users = users.filter_map(|each| match each.get_user() {
        AnyValueEnum::PointerValue(cast) => cast.as_instruction(),
        other => InstructionValue::try_from(other).ok(),
    });
    users.collect()
}

/// Whether an instruction gives a variable that is declared with `{}` its zeros, which nothing gives one of a
/// work-group: each work-item would.
fn clears(user: InstructionValue<'_>) -> bool {
    calls::callee(user)
        .is_some_and(|function| values::function_name(function).starts_with("llvm.memset."))
}

/// Whether a variable lies in local memory and is the same for all units that have it: the device link makes one
/// of them. That of a function of one unit, or of a namespace without a name, is that unit's own.
#[must_use]
pub fn is_of_all_units(variable: GlobalValue<'_>) -> bool {
    let space = variable.as_pointer_value().get_type().get_address_space();
    let is_shared = matches!(
        variable.get_linkage(),
        Linkage::LinkOnceODR | Linkage::WeakODR
    );
    space == AddressSpace::from(LOCAL) && is_shared
}

/// Whether a module has such variables. ThinLTO takes its unit as one without a summary: what it imports elsewhere
/// would come with variables of its own.
#[must_use]
pub fn are_shared(module: &Module<'_>) -> bool {
    module.get_globals().any(is_of_all_units)
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::{make_static, place};
    use crate::llvm::{context, read, write};

    const CLASS: &str = "\"class.sycl::ext::oneapi::experimental::work_group_static\"";

    #[test]
    fn variables_of_the_class_lie_in_local_memory_and_no_others() {
        let raw = r#"
%"class.sycl::ext::oneapi::experimental::work_group_static" = type { i32 }
%"class.sycl::ext::oneapi::experimental::work_group_static.7" = type { [4 x i32] }
@_ZZ1fvE3mem = internal addrspace(1) global %"class.sycl::ext::oneapi::experimental::work_group_static.7" zeroinitializer, align 4
@one = external addrspace(1) global %"class.sycl::ext::oneapi::experimental::work_group_static", align 4
@one.more = linkonce_odr addrspace(1) global i32 0, comdat, align 4
define void @f() {
  call void @g(ptr addrspace(4) align 4 addrspacecast (ptr addrspace(1) @_ZZ1fvE3mem to ptr addrspace(4)))
  call void @g(ptr addrspace(4) align 4 addrspacecast (ptr addrspace(1) @one to ptr addrspace(4)))
  call void @g(ptr addrspace(4) align 4 addrspacecast (ptr addrspace(1) @one.more to ptr addrspace(4)))
}
"#;
        let expected = raw
            .replace(
                "@_ZZ1fvE3mem = internal addrspace(1)",
                "@_ZZ1fvE3mem = internal addrspace(3)",
            )
            .replace(".7\" zeroinitializer", ".7\" undef")
            .replace(
                "@one = external addrspace(1)",
                "@one = external addrspace(3)",
            )
            .replace(
                "ptr addrspace(1) @_ZZ1fvE3mem",
                "ptr addrspace(3) @_ZZ1fvE3mem",
            )
            .replace("ptr addrspace(1) @one to", "ptr addrspace(3) @one to");
        let placed = place(Cow::Borrowed(raw.as_bytes()));
        assert_eq!(String::from_utf8_lossy(&placed), expected);
        let other = "@one = addrspace(1) global i32 0";
        assert!(matches!(
            place(Cow::Borrowed(other.as_bytes())),
            Cow::Borrowed(_)
        ));
    }

    #[test]
    fn variables_of_functions_become_variables_of_the_module() {
        let text = |generic: &str, triple: &str| {
            format!(
                "target triple = \"{triple}\"\n\
                 %{CLASS} = type {{ i32 }}\n\
                 declare void @llvm.lifetime.start.p0(i64, ptr)\n\
                 define i32 @f() {{\n\
                   %one = alloca %{CLASS}, align 4\n\
                   %two = alloca %{CLASS}, align 4\n\
                   %own = alloca i32\n\
                   call void @llvm.lifetime.start.p0(i64 4, ptr %one)\n\
                   {generic}\n\
                 }}\n"
            )
        };
        let cast = "%a = addrspacecast ptr %one to ptr addrspace(4)\n\
             %b = addrspacecast ptr %two to ptr addrspace(4)\n\
             store i32 7, ptr addrspace(4) %b\n\
             %r = load i32, ptr addrspace(4) %a\n\
             ret i32 %r";
        let plain = "store i32 7, ptr %two\n%r = load i32, ptr %one\nret i32 %r";
        for (generic, triple, is_right) in [
            (cast, "spir64-unknown-unknown", true),
            (plain, "nvptx64-nvidia-cuda", true),
            (plain, "spir64-unknown-unknown", false),
        ] {
            let context = context();
            let text = text(generic, triple);
            let module = read::module(&context, text.as_bytes(), "test").unwrap();
            assert_eq!(make_static(&module).is_ok(), is_right);
            if is_right {
                write::verify(&module).unwrap();
                let text = write::text(&module);
                let made = text.matches("internal addrspace(3) global %\"class");
                assert_eq!(made.count(), 2, "{text}");
                assert_eq!(text.matches("alloca").count(), 1, "{text}");
            }
        }
    }
}
