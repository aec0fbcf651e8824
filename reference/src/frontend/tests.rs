//! The lowering as a whole, over raw modules as clang writes them, made small by hand.

use super::*;

/// A kernel wrapper whose functor has an accessor, a number and a pointer; its call operator calls
/// `middle`, which calls itself through `other` and uses a type that needs aspect 5.
const RAW: &str = r#"
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"
%"struct.sycl::detail::global_memory" = type { ptr addrspace(1), [3 x i64], [3 x i64], [3 x i64] }
%class.accessor = type { %"struct.sycl::detail::global_memory" }
%class.functor = type { %class.accessor, i32, ptr addrspace(4) }
%class.narrow = type { i16 }
%struct.outer = type { i32, [2 x %class.narrow] }
@type = global %class.narrow zeroinitializer
@kernel_text = private constant [12 x i8] c"sycl-kernel\00"
@has_text = private constant [16 x i8] c"sycl-device-has\00"
@uses_text = private constant [18 x i8] c"sycl-uses-aspects\00"
@file = private constant [6 x i8] c"a.cpp\00"
@name = private constant [8 x i8] c"_ZTS2K1\00"
@name_args = private constant { ptr } { ptr @name }
@aspects = private constant { i32 } { i32 5 }
@only_gpu = private constant { i32 } { i32 2 }
@llvm.global.annotations = appending global [3 x { ptr, ptr, ptr, i32, ptr }] [
  { ptr, ptr, ptr, i32, ptr } { ptr @wrapper, ptr @kernel_text, ptr @file, i32 1, ptr @name_args },
  { ptr, ptr, ptr, i32, ptr } { ptr @type, ptr @uses_text, ptr @file, i32 2, ptr @aspects },
  { ptr, ptr, ptr, i32, ptr } { ptr @call_operator, ptr @has_text, ptr @file, i32 3, ptr @only_gpu }
]
@llvm.compiler.used = appending global [1 x ptr] [ptr @wrapper]
define internal spir_func void @wrapper(ptr byval(%class.functor) align 8 %f) {
  call spir_func void @call_operator(ptr %f)
  ret void
}
define internal spir_func void @call_operator(ptr %this) {
  call spir_func void @middle()
  ret void
}
define linkonce_odr spir_func void @middle() {
  call spir_func void @other()
  ret void
}
define linkonce_odr spir_func void @other() {
  %o = alloca %struct.outer
  call spir_func void @middle()
  ret void
}
define linkonce_odr spir_func void @unreached() {
  call spir_func void @host()
  ret void
}
declare spir_func void @host()
"#;

pub(super) fn options() -> LowerOptions {
    LowerOptions {
        source: "a.cpp".into(),
        module_id: "unit".into(),
        opt_level: Some(OptLevel::O0),
        all_parameters: false,
        sub_group_size: None,
        debug: false,
        fixed_targets: Vec::new(),
        device_config: None,
        warnings: WarningOptions::default(),
        emit: Emit::Text,
    }
}

/// The raw module without its cycle, which device code must not have.
fn without_cycle() -> String {
    RAW.replacen(
        "  %o = alloca %struct.outer\n  call spir_func void @middle()\n",
        "  %o = alloca %struct.outer\n",
        1,
    )
}

#[test]
fn a_kernel_becomes_an_entry_point_and_a_part_of_the_header() {
    let lowered = lower(without_cycle().as_bytes(), &[], &options()).unwrap();
    let module = String::from_utf8(lowered.module).unwrap();
    let entry = module
        .lines()
        .find(|line| line.contains("spir_kernel"))
        .unwrap();
    assert!(
        entry.starts_with("define weak_odr spir_kernel void @_ZTS2K1(ptr addrspace(1) %_arg_0,"),
        "{entry}"
    );
    assert!(
        entry.contains("i32 %_arg_4, ptr addrspace(1) %_arg_5)"),
        "{entry}"
    );
    assert!(
        !module.contains("@unreached") && !module.contains("@host"),
        "{module}"
    );
    assert!(
        module.contains("\"sycl-module-id\"=\"unit\" \"sycl-optlevel\"=\"0\""),
        "{module}"
    );
    let header = lowered.integration_header;
    for part in [
        "accessor, 80, 0}",
        "value, 4, 80}",
        "pointer, 8, 88}",
        "{\"_ZTS2K1\", 96,",
    ] {
        assert!(header.contains(part), "{part} not in {header}");
    }
}

/// clang packs a class that ends in padding, which is aligned in the program all the same.
#[test]
fn packed_classes_are_aligned_as_their_members_and_places_are() {
    let alignments = |members: &str| {
        let raw = without_cycle().replace(
            "%class.functor = type { %class.accessor, i32, ptr addrspace(4) }",
            members,
        );
        let lowered = lower(raw.as_bytes(), &[], &options()).unwrap();
        let module = String::from_utf8(lowered.module).unwrap();
        let entry = module.lines().find(|line| line.contains("spir_kernel"));
        let by_value = entry.unwrap().split("byval").skip(1);
        let each = by_value.map(|rest| rest.split("align ").nth(1).unwrap()[..1].to_owned());
        each.collect::<Vec<_>>().join(" ")
    };
    let held = "%class.held = type <{ ptr addrspace(4), i32 }>\n";
    assert_eq!(
        alignments(&format!(
            "{held}%class.functor = type {{ %class.held, [4 x i8] }}"
        )),
        "8 1"
    );
    assert_eq!(
        alignments(&format!(
            "{held}%class.functor = type <{{ i32, %class.held }}>"
        )),
        "4"
    );
    let small = "%class.small = type <{ i16, i8 }>\n";
    assert_eq!(
        alignments(&format!(
            "{small}%class.functor = type {{ %class.small, i8 }}"
        )),
        "2"
    );
}

/// clang writes a host function along with a static variable of its own that a kernel refers to, and
/// that function starts the kernel.
#[test]
fn host_code_that_starts_a_kernel_goes_with_its_wrapper() {
    let starting = "
@own = internal addrspace(1) constant i32 42
define internal spir_func void @starts(i1 %again) {
  %f = alloca %class.functor
  br i1 %again, label %twice, label %once
twice:
  call spir_func void @wrapper(ptr byval(%class.functor) align 8 %f)
  br label %once
once:
  call spir_func void @wrapper(ptr byval(%class.functor) align 8 %f)
  ret void
}
";
    let raw = without_cycle() + starting;
    let lowered = lower(raw.as_bytes(), &[], &options()).unwrap();
    let module = String::from_utf8(lowered.module).unwrap();
    assert!(!module.contains("@starts"), "{module}");
    assert!(!module.contains("@wrapper"), "{module}");
}

#[test]
fn aspects_of_nested_types_reach_the_kernel_with_their_chain() {
    let lowered = lower(without_cycle().as_bytes(), &[], &options()).unwrap();
    let module = String::from_utf8(lowered.module).unwrap();
    assert!(module.contains("!{!\"class.narrow\", i32 5}"), "{module}");
    assert!(module.contains("!intel_used_aspects"), "{module}");
    assert_eq!(
        lowered.warnings,
        [
            "warning: function 'K1' uses aspect 'fp16' not listed in 'sycl::device_has' [-Wsycl-device-has]\n\
          use is from this call chain:\n  K1()\n  call_operator()\n  middle()\n  other()\n\
          compile with '-g' to get source location"
        ]
    );
}

#[test]
fn cycles_share_their_aspects_and_are_errors_of_device_code() {
    let context = llvm::context();
    let module = llvm::read::module(&context, RAW.as_bytes(), "a.ll").unwrap();
    let annotations = annotations::take(&module);
    let features = features::read(&annotations);
    features.write(&module, &[]);
    aspects::propagate(&module).unwrap();
    // What a called function declares is asked of its callers, too.
    for (name, expected) in [
        ("middle", vec![5]),
        ("other", vec![5]),
        ("call_operator", vec![5]),
        ("wrapper", vec![2, 5]),
    ] {
        let function = module.get_function(name).unwrap().as_global_value();
        let used = llvm::metadata::of_global(function, features::USED_ASPECTS);
        assert_eq!(used.unwrap().u32s(), Some(expected), "{name}");
    }
    let error = lower(RAW.as_bytes(), &[], &options())
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("cannot be recursive: 'middle' calls itself"),
        "{error}"
    );
}

#[test]
fn fixed_targets_are_held_to_what_they_support() {
    let mut options = options();
    options.fixed_targets = offload_formats::targets::parse_list("spir64_fpga").unwrap();
    let lowered = lower(without_cycle().as_bytes(), &[], &options).unwrap();
    assert!(
        lowered.warnings.iter().any(|w| w
            .contains("function 'other' uses aspect 'fp16' not supported by target 'spir64_fpga'")),
        "{:?}",
        lowered.warnings
    );
    let module = String::from_utf8(lowered.module).unwrap();
    assert!(module.contains("!{!\"spir64_fpga\"}"), "{module}");
}

#[test]
fn two_kernels_of_one_name_and_broken_modules_are_errors() {
    let twice = without_cycle()
        .replacen("[3 x { ptr, ptr, ptr, i32, ptr }] [", "[4 x { ptr, ptr, ptr, i32, ptr }] [\n  { ptr, ptr, ptr, i32, ptr } { ptr @second, ptr @kernel_text, ptr @file, i32 9, ptr @name_args },", 1)
        + "define internal spir_func void @second(ptr byval(%class.functor) align 8 %f) {\n  ret void\n}\n";
    let error = lower(twice.as_bytes(), &[], &options())
        .unwrap_err()
        .to_string();
    assert!(error.contains("two kernels have the name 'K1'"), "{error}");
    let error = lower(b"no module", &[], &options())
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("a.cpp: "), "{error}");
}
