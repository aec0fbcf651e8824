//! The device aspects: the numbers of `enum class aspect` and their names.
//!
//! The values are those of SYCL 2020 as DPC++ 2026.2 numbers them (its `sycl/info/aspects.def`), so
//! that images of either toolchain mean the same to either runtime. Every target architecture is an
//! aspect of its own too (FEAT, "Create the SYCL/device requirements property set"); those numbers
//! come from [`crate::targets`].

/// The name of each aspect, at the index that is its number.
const NAMES: [&str; 100] = [
    "host",
    "cpu",
    "gpu",
    "accelerator",
    "custom",
    "fp16",
    "fp64",
    "int64_base_atomics",
    "int64_extended_atomics",
    "image",
    "online_compiler",
    "online_linker",
    "queue_profiling",
    "usm_device_allocations",
    "usm_host_allocations",
    "usm_shared_allocations",
    "usm_restricted_shared_allocations",
    "usm_system_allocations",
    "ext_intel_pci_address",
    "ext_intel_gpu_eu_count",
    "ext_intel_gpu_eu_simd_width",
    "ext_intel_gpu_slices",
    "ext_intel_gpu_subslices_per_slice",
    "ext_intel_gpu_eu_count_per_subslice",
    "ext_intel_max_mem_bandwidth",
    "usm_atomic_host_allocations",
    "usm_atomic_shared_allocations",
    "atomic64",
    "ext_intel_device_info_uuid",
    "ext_oneapi_srgb",
    "ext_oneapi_native_assert",
    "host_debuggable",
    "ext_intel_gpu_hw_threads_per_eu",
    "ext_oneapi_cuda_async_barrier",
    "ext_intel_free_memory",
    "ext_intel_device_id",
    "ext_intel_memory_clock_rate",
    "ext_intel_memory_bus_width",
    "emulated",
    "ext_intel_legacy_image",
    "ext_oneapi_bindless_images",
    "ext_oneapi_bindless_images_shared_usm",
    "ext_oneapi_bindless_images_1d_usm",
    "ext_oneapi_bindless_images_2d_usm",
    "ext_oneapi_external_memory_import",
    "ext_oneapi_external_semaphore_import",
    "ext_oneapi_mipmap",
    "ext_oneapi_mipmap_anisotropy",
    "ext_oneapi_mipmap_level_reference",
    "ext_intel_esimd",
    "ext_oneapi_fragment",
    "ext_oneapi_chunk",
    "ext_oneapi_tangle",
    "ext_intel_matrix",
    "ext_oneapi_is_composite",
    "ext_oneapi_is_component",
    "ext_oneapi_graph",
    "ext_oneapi_limited_graph",
    "ext_oneapi_private_alloca",
    "ext_oneapi_cubemap",
    "ext_oneapi_cubemap_seamless_filtering",
    "ext_oneapi_bindless_sampled_image_fetch_1d_usm",
    "ext_oneapi_bindless_sampled_image_fetch_1d",
    "ext_oneapi_bindless_sampled_image_fetch_2d_usm",
    "ext_oneapi_bindless_sampled_image_fetch_2d",
    "ext_oneapi_bindless_sampled_image_fetch_3d",
    "ext_oneapi_queue_profiling_tag",
    "ext_oneapi_virtual_mem",
    "ext_oneapi_cuda_cluster_group",
    "ext_oneapi_image_array",
    "ext_oneapi_unique_addressing_per_dim",
    "ext_oneapi_bindless_images_sample_1d_usm",
    "ext_oneapi_bindless_images_sample_2d_usm",
    "ext_oneapi_atomic16",
    "ext_oneapi_virtual_functions",
    "ext_intel_spill_memory_size",
    "ext_oneapi_bindless_images_gather",
    "ext_intel_current_clock_throttle_reasons",
    "ext_intel_fan_speed",
    "ext_intel_power_limits",
    "ext_oneapi_async_memory_alloc",
    "ext_intel_device_info_luid",
    "ext_intel_device_info_node_mask",
    "ext_oneapi_exportable_device_mem",
    "ext_oneapi_clock_sub_group",
    "ext_oneapi_clock_work_group",
    "ext_oneapi_clock_device",
    "ext_oneapi_is_integrated_gpu",
    "ext_oneapi_ipc_memory",
    "ext_oneapi_device_wait",
    "ext_intel_xe_stack_count",
    "ext_intel_xe_regions_per_stack",
    "ext_intel_xe_clusters_per_region",
    "ext_intel_xe_cores_per_cluster",
    "ext_intel_eus_per_xe_core",
    "ext_intel_max_lanes_per_hw_thread",
    "ext_oneapi_ipc_physical_memory",
    "ext_oneapi_register_host_memory",
    "ext_oneapi_per_event_profiling",
    "ext_oneapi_ipc_event",
];

/// Former spellings that `device_has` and configuration files still meet.
const ALIASES: [(&str, &str); 1] = [("usm_system_allocator", "usm_system_allocations")];

/// 16-bit floating point.
pub const FP16: u32 = 5;
/// 64-bit floating point: what every use of `double` needs.
pub const FP64: u32 = 6;
/// 64-bit atomic operations.
pub const ATOMIC64: u32 = 27;
const INT64_BASE_ATOMICS: u32 = 7;
const INT64_EXTENDED_ATOMICS: u32 = 8;
const USM_SHARED_ALLOCATIONS: u32 = 15;
const USM_RESTRICTED_SHARED_ALLOCATIONS: u32 = 16;

/// The name of an aspect, of a feature or of a target architecture; `None` for a number that is
/// no aspect.
#[must_use]
pub fn name(aspect: u32) -> Option<&'static str> {
    match NAMES.get(aspect as usize) {
        Some(name) => Some(name),
        None => crate::targets::by_aspect(aspect).map(|target| target.name),
    }
}

/// The name of an aspect as messages show it: a number that is no known aspect stays a number.
#[must_use]
pub fn display_name(aspect: u32) -> String {
    name(aspect).map_or_else(|| aspect.to_string(), str::to_owned)
}

/// The number of an aspect from its name, with or without `aspect::` in front.
#[must_use]
pub fn number(name: &str) -> Option<u32> {
    let name = name.rsplit("::").next().unwrap_or(name);
    let name = ALIASES
        .iter()
        .find(|(old, _)| *old == name)
        .map_or(name, |(_, new)| new);
    NAMES
        .iter()
        .position(|known| *known == name)
        .and_then(|index| u32::try_from(index).ok())
        .or_else(|| crate::targets::find(name).map(|target| target.aspect()))
}

/// The aspect by which SYCL 2020 asks what an older one asked; the aspect itself where it is none of
/// those. (No device is a `host` device any more.)
#[must_use]
pub fn current(aspect: u32) -> u32 {
    match aspect {
        INT64_BASE_ATOMICS | INT64_EXTENDED_ATOMICS => ATOMIC64,
        USM_RESTRICTED_SHARED_ALLOCATIONS => USM_SHARED_ALLOCATIONS,
        aspect => aspect,
    }
}

/// Every feature aspect as (number, name), in the order of the numbers.
pub fn all() -> impl Iterator<Item = (u32, &'static str)> {
    (0..).zip(NAMES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_are_inverse() {
        for (value, aspect) in all() {
            assert_eq!(number(aspect), Some(value));
            assert_eq!(name(value), Some(aspect));
        }
        assert_eq!(number("sycl::aspect::fp16"), Some(FP16));
        assert_eq!(number("fp64"), Some(FP64));
        assert_eq!(number("aspect::atomic64"), Some(ATOMIC64));
        assert_eq!(number("usm_system_allocator"), Some(17));
    }

    #[test]
    fn older_aspects_ask_what_newer_ones_do() {
        let asks =
            |older, newer| assert_eq!(current(number(older).unwrap()), number(newer).unwrap());
        asks("int64_base_atomics", "atomic64");
        asks("int64_extended_atomics", "atomic64");
        asks(
            "usm_restricted_shared_allocations",
            "usm_shared_allocations",
        );
        asks("host", "host");
    }

    #[test]
    fn a_target_is_an_aspect_and_nonsense_is_not() {
        let tgl = number("intel_gpu_tgl").unwrap();
        assert_eq!(name(tgl), Some("intel_gpu_tgllp"));
        assert_eq!(number("fp65"), None);
        assert_eq!(name(999), None);
        assert_eq!(display_name(999), "999");
    }

    #[test]
    fn the_headers_have_the_same_numbers() {
        let table = include_str!("../../include/sycl/info/aspects.def");
        let former = include_str!("../../include/sycl/info/aspects_deprecated.def");
        let header = include_str!("../../include/sycl/aspects.hpp");
        let row = |line: &'static str| line.split_once('(')?.1.split_once(')')?.0.split_once(", ");
        let stated = |line: &&str| line.starts_with("__SYCL_ASPECT");
        let rows = table.lines().filter(stated).filter_map(row);
        let former = former.lines().filter(stated).filter_map(row);
        let former = former.map(|(name, rest)| (name, rest.split_once(", ").unwrap().0));
        let lines = header
            .lines()
            .filter_map(|line| line.trim().strip_suffix(',')?.split_once(" = "))
            .filter(|(_, number)| number.bytes().all(|byte| byte.is_ascii_digit()));
        let mut enumerators: Vec<(u32, &str)> = rows
            .chain(former)
            .chain(lines)
            .map(|(name, number)| (number.parse().unwrap(), name))
            .collect();
        enumerators.sort_by_key(|(number, _)| *number);
        let architectures = crate::targets::all().iter().flat_map(|target| {
            let names = std::iter::once(target.name).chain(target.aliases.iter().copied());
            let identifiers = names.filter(|name| !name.contains('-'));
            identifiers.map(|name| (target.aspect(), name))
        });
        let expected: Vec<(u32, &str)> = all().chain(architectures).collect();
        assert_eq!(enumerators, expected);
    }
}
