//! The functions of OpenCL C, 3.0 and the extensions of Khronos, by their names: what device compilers
//! define for SPIR-V. Families of functions are told by their parts, never by how a name begins, for a
//! program may have an `is_prime` or a `get_weight` of its own.

/// Functions that stand alone.
const NAMES: &[&str] = &[
    "abs",
    "abs_diff",
    "acos",
    "acosh",
    "acospi",
    "add_sat",
    "all",
    "any",
    "asin",
    "asinh",
    "asinpi",
    "async_work_group_copy",
    "async_work_group_copy_2D2D",
    "async_work_group_copy_3D3D",
    "async_work_group_strided_copy",
    "atan",
    "atan2",
    "atan2pi",
    "atanh",
    "atanpi",
    "atomic_flag_clear",
    "atomic_flag_clear_explicit",
    "atomic_flag_test_and_set",
    "atomic_flag_test_and_set_explicit",
    "atomic_init",
    "atomic_work_item_fence",
    "barrier",
    "bit_reverse",
    "bitfield_extract_signed",
    "bitfield_extract_unsigned",
    "bitfield_insert",
    "bitselect",
    "capture_event_profiling_info",
    "cbrt",
    "ceil",
    "clamp",
    "clock_read_device",
    "clock_read_hilo_device",
    "clock_read_hilo_sub_group",
    "clock_read_hilo_work_group",
    "clock_read_sub_group",
    "clock_read_work_group",
    "clz",
    "copysign",
    "cos",
    "cosh",
    "cospi",
    "create_user_event",
    "cross",
    "ctz",
    "degrees",
    "distance",
    "dot",
    "dot_4x8packed_ss_int",
    "dot_4x8packed_su_int",
    "dot_4x8packed_us_int",
    "dot_4x8packed_uu_uint",
    "dot_acc_sat",
    "dot_acc_sat_4x8packed_ss_int",
    "dot_acc_sat_4x8packed_su_int",
    "dot_acc_sat_4x8packed_us_int",
    "dot_acc_sat_4x8packed_uu_uint",
    "enqueue_marker",
    "erf",
    "erfc",
    "exp",
    "exp10",
    "exp2",
    "expm1",
    "fabs",
    "fast_distance",
    "fast_length",
    "fast_normalize",
    "fdim",
    "floor",
    "fma",
    "fmax",
    "fmin",
    "fmod",
    "fract",
    "frexp",
    "get_default_queue",
    "get_enqueued_local_size",
    "get_enqueued_num_sub_groups",
    "get_fence",
    "get_global_id",
    "get_global_linear_id",
    "get_global_offset",
    "get_global_size",
    "get_group_id",
    "get_image_array_size",
    "get_image_channel_data_type",
    "get_image_channel_order",
    "get_image_depth",
    "get_image_dim",
    "get_image_height",
    "get_image_num_mip_levels",
    "get_image_num_samples",
    "get_image_width",
    "get_local_id",
    "get_local_linear_id",
    "get_local_size",
    "get_max_sub_group_size",
    "get_num_groups",
    "get_num_sub_groups",
    "get_pipe_max_packets",
    "get_pipe_num_packets",
    "get_sub_group_eq_mask",
    "get_sub_group_ge_mask",
    "get_sub_group_gt_mask",
    "get_sub_group_id",
    "get_sub_group_le_mask",
    "get_sub_group_local_id",
    "get_sub_group_lt_mask",
    "get_sub_group_size",
    "get_work_dim",
    "hadd",
    "hypot",
    "ilogb",
    "is_valid_event",
    "is_valid_reserve_id",
    "isequal",
    "isfinite",
    "isgreater",
    "isgreaterequal",
    "isinf",
    "isless",
    "islessequal",
    "islessgreater",
    "isnan",
    "isnormal",
    "isnotequal",
    "isordered",
    "isunordered",
    "ldexp",
    "length",
    "lgamma",
    "lgamma_r",
    "log",
    "log10",
    "log1p",
    "log2",
    "logb",
    "mad",
    "mad24",
    "mad_hi",
    "mad_sat",
    "max",
    "maxmag",
    "mem_fence",
    "min",
    "minmag",
    "mix",
    "modf",
    "mul24",
    "mul_hi",
    "nan",
    "ndrange_1D",
    "ndrange_2D",
    "ndrange_3D",
    "nextafter",
    "normalize",
    "popcount",
    "pow",
    "pown",
    "powr",
    "prefetch",
    "printf",
    "radians",
    "read_imagef",
    "read_imageh",
    "read_imagei",
    "read_imageui",
    "read_mem_fence",
    "release_event",
    "remainder",
    "remquo",
    "retain_event",
    "rhadd",
    "rint",
    "rootn",
    "rotate",
    "round",
    "rsqrt",
    "select",
    "set_user_event_status",
    "shuffle",
    "shuffle2",
    "sign",
    "signbit",
    "sin",
    "sincos",
    "sinh",
    "sinpi",
    "smoothstep",
    "sqrt",
    "step",
    "sub_group_ballot",
    "sub_group_ballot_bit_count",
    "sub_group_ballot_bit_extract",
    "sub_group_ballot_exclusive_scan",
    "sub_group_ballot_find_lsb",
    "sub_group_ballot_find_msb",
    "sub_group_ballot_inclusive_scan",
    "sub_group_broadcast_first",
    "sub_group_clustered_rotate",
    "sub_group_elect",
    "sub_group_inverse_ballot",
    "sub_group_non_uniform_all",
    "sub_group_non_uniform_all_equal",
    "sub_group_non_uniform_any",
    "sub_group_non_uniform_broadcast",
    "sub_group_rotate",
    "sub_group_shuffle",
    "sub_group_shuffle_down",
    "sub_group_shuffle_up",
    "sub_group_shuffle_xor",
    "sub_sat",
    "tan",
    "tanh",
    "tanpi",
    "tgamma",
    "to_global",
    "to_local",
    "to_private",
    "trunc",
    "upsample",
    "wait_group_events",
    "write_imagef",
    "write_imageh",
    "write_imagei",
    "write_imageui",
    "write_mem_fence",
];

/// Functions that come as `native_` and as `half_` too.
const RELAXED: &[&str] = &[
    "cos", "divide", "exp", "exp10", "exp2", "log", "log10", "log2", "powr", "recip", "rsqrt",
    "sin", "sqrt", "tan",
];

/// Scalar types.
const TYPES: &[&str] = &[
    "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "half", "float", "double",
];

/// Numbers of a vector's elements.
const WIDTHS: &[&str] = &["2", "3", "4", "8", "16"];

/// How conversions round.
const ROUNDINGS: &[&str] = &["_rte", "_rtz", "_rtp", "_rtn"];

/// Atomic operations of OpenCL 1, as `atomic_` and as `atom_`.
const ATOMICS_1: &[&str] = &[
    "add", "and", "cmpxchg", "dec", "inc", "max", "min", "or", "sub", "xchg", "xor",
];

/// Atomic operations of OpenCL 2, as `atomic_`, with and without `_explicit`.
const ATOMICS_2: &[&str] = &[
    "compare_exchange_strong",
    "compare_exchange_weak",
    "exchange",
    "fetch_add",
    "fetch_and",
    "fetch_max",
    "fetch_min",
    "fetch_or",
    "fetch_sub",
    "fetch_xor",
    "load",
    "store",
];

/// What reductions and scans compute.
const OPERATIONS: &[&str] = &[
    "add",
    "and",
    "logical_and",
    "logical_or",
    "logical_xor",
    "max",
    "min",
    "mul",
    "or",
    "xor",
];

/// Whether OpenCL C has a function of that name.
pub fn is_function(name: &str) -> bool {
    NAMES.contains(&name)
        || is_relaxed(name)
        || is_conversion(name)
        || is_vector_access(name)
        || is_atomic(name)
        || is_of_group(name)
}

fn is_relaxed(name: &str) -> bool {
    let bare = name.strip_prefix("native_").or(name.strip_prefix("half_"));
    bare.is_some_and(|bare| RELAXED.contains(&bare))
}

/// `as_int4`, `convert_uchar3_sat_rte`.
fn is_conversion(name: &str) -> bool {
    if let Some(to) = name.strip_prefix("as_") {
        return is_type(to);
    }
    let to = name.strip_prefix("convert_").map(without_rounding);
    to.is_some_and(|to| is_type(to.strip_suffix("_sat").unwrap_or(to)))
}

fn is_type(name: &str) -> bool {
    let scalar = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let width = &name[scalar.len()..];
    TYPES.contains(&scalar) && (width.is_empty() || WIDTHS.contains(&width))
}

fn without_rounding(name: &str) -> &str {
    let mut endings = ROUNDINGS.iter();
    let bare = endings.find_map(|ending| name.strip_suffix(ending));
    bare.unwrap_or(name)
}

/// `vload4`, `vstore_half`, `vstorea_half16_rtz`.
fn is_vector_access(name: &str) -> bool {
    let is_width = |width: &str| WIDTHS.contains(&width);
    let access = name.strip_prefix("vload").or_else(|| {
        let store = name.strip_prefix("vstore")?;
        Some(if store.contains("_half") {
            without_rounding(store)
        } else {
            store
        })
    });
    access.is_some_and(|access| {
        let half = access.strip_prefix("_half");
        let aligned = access.strip_prefix("a_half");
        is_width(access)
            || half.is_some_and(|width| width.is_empty() || is_width(width))
            || aligned.is_some_and(|width| width.is_empty() || is_width(width))
    })
}

fn is_atomic(name: &str) -> bool {
    if let Some(operation) = name.strip_prefix("atom_") {
        return ATOMICS_1.contains(&operation);
    }
    name.strip_prefix("atomic_").is_some_and(|operation| {
        let bare = operation.strip_suffix("_explicit").unwrap_or(operation);
        ATOMICS_1.contains(&operation) || ATOMICS_2.contains(&bare)
    })
}

/// `work_group_barrier`, `sub_group_non_uniform_scan_inclusive_add`.
fn is_of_group(name: &str) -> bool {
    let of_work_group = name.strip_prefix("work_group_");
    let Some(does) = of_work_group.or(name.strip_prefix("sub_group_")) else {
        return false;
    };
    const COMPUTING: &[&str] = &["reduce_", "scan_exclusive_", "scan_inclusive_"];
    let does = match of_work_group {
        Some(_) => does,
        None => {
            let parts = ["non_uniform_", "clustered_"];
            parts
                .iter()
                .find_map(|part| does.strip_prefix(part))
                .unwrap_or(does)
        }
    };
    matches!(does, "all" | "any" | "barrier" | "broadcast")
        || COMPUTING.iter().any(|computing| {
            let operation = does.strip_prefix(computing);
            operation.is_some_and(|operation| OPERATIONS.contains(&operation))
        })
}

#[cfg(test)]
mod tests {
    use super::is_function;

    #[test]
    fn families_are_told_by_their_parts() {
        for function in [
            "as_int4",
            "convert_float",
            "convert_uchar16_sat_rtz",
            "native_divide",
            "half_recip",
            "vload3",
            "vload_half",
            "vloada_half8",
            "vstore16",
            "vstore_half_rte",
            "vstorea_half2_rtn",
            "atom_inc",
            "atomic_add",
            "atomic_load_explicit",
            "atomic_fetch_max",
            "isnan",
            "get_image_dim",
            "read_imageui",
            "work_group_barrier",
            "work_group_reduce_add",
            "work_group_scan_exclusive_max",
            "sub_group_all",
            "sub_group_shuffle_xor",
            "sub_group_clustered_reduce_logical_or",
            "sub_group_non_uniform_scan_inclusive_mul",
            "dot_acc_sat_4x8packed_us_int",
            "async_work_group_copy_3D3D",
            "ndrange_2D",
        ] {
            assert!(is_function(function), "{function}");
        }
    }

    #[test]
    fn a_name_that_only_begins_like_one_is_the_programs_own() {
        for other in [
            "is_prime",
            "island",
            "get_weight",
            "get_global_ids",
            "as_",
            "as_int5",
            "as_string",
            "convert_",
            "convert_all",
            "convert_int_rte_sat",
            "half_of",
            "native_words",
            "vload",
            "vload5",
            "vstore_all",
            "atomic_counter",
            "atom_count",
            "read_image_file",
            "work_group_elect",
            "sub_group_sum",
            "sub_group_reduce_",
        ] {
            assert!(!is_function(other), "{other}");
        }
    }
}
