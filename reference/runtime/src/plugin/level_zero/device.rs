//! What a Level Zero device says of itself.

use std::any::Any;
use std::ffi::{c_char, c_void};
use std::ptr::null_mut;

use level_zero_sys as sys;
use offload_formats::aspects;
use offload_formats::registration::{ImageFormat, target};

use super::driver::{Api, Id, filled, listed};
use crate::abi::codes;
use crate::error::Result;
use crate::plugin::details::{Details, Gpu};
use crate::plugin::partition::{Domain, Partition};
use crate::plugin::{
    ATOMIC_SCOPES, Device, DeviceFacts, DeviceType, Form, MEM_BASE_ADDR_ALIGN, architectures,
};

/// One Level Zero device.
pub(super) struct LevelZeroDevice {
    id: Id,
    kind: DeviceType,
    facts: DeviceFacts,
}

/// All that is asked of a device.
struct Properties {
    general: sys::ze_device_properties_t,
    compute: sys::ze_device_compute_properties_t,
    module: sys::ze_device_module_properties_t,
    access: sys::ze_device_memory_access_properties_t,
    image: sys::ze_device_image_properties_t,
    memories: Vec<sys::ze_device_memory_properties_t>,
    caches: Vec<sys::ze_device_cache_properties_t>,
    /// Parts that share its memory among them.
    parts: usize,
}

impl Properties {
    fn of(api: Api, id: Id) -> Result<Properties> {
        const WHAT: &str = "tell a device's properties";
        // SAFETY of all calls: a device of the loader, and structures with their marks, in lists as
        // many as the count says.
        Ok(Properties {
            general: filled(WHAT, Default::default(), |place| unsafe {
                // SAFETY: as above.
                (api.device_get_properties)(id.0, place)
            })?,
            compute: filled(WHAT, Default::default(), |place| unsafe {
                // SAFETY: as above.
                (api.device_get_compute_properties)(id.0, place)
            })?,
            module: filled(WHAT, Default::default(), |place| unsafe {
                // SAFETY: as above.
                (api.device_get_module_properties)(id.0, place)
            })?,
            access: filled(WHAT, Default::default(), |place| unsafe {
                // SAFETY: as above.
                (api.device_get_memory_access_properties)(id.0, place)
            })?,
            image: filled(WHAT, Default::default(), |place| unsafe {
                // SAFETY: as above.
                (api.device_get_image_properties)(id.0, place)
            })?,
            memories: listed(WHAT, Default::default(), |count, items| unsafe {
                // SAFETY: as above.
                (api.device_get_memory_properties)(id.0, count, items)
            })?,
            caches: listed(WHAT, Default::default(), |count, items| unsafe {
                // SAFETY: as above.
                (api.device_get_cache_properties)(id.0, count, items)
            })?,
            parts: parts(api, id)?.len(),
        })
    }
}

impl LevelZeroDevice {
    pub fn new(api: Api, id: Id, version: &str, driver_version: &str) -> Result<LevelZeroDevice> {
        let properties = Properties::of(api, id)?;
        let kind = kind_of(properties.general.kind);
        let sizes = properties.compute.sub_group_sizes.iter().copied();
        let mut facts = DeviceFacts {
            name: text(&properties.general.name),
            vendor: vendor(properties.general.vendor_id),
            version: version.to_owned(),
            driver_version: driver_version.to_owned(),
            max_work_group_size: properties.compute.max_total_group_size.into(),
            sub_group_sizes: sizes
                .take(properties.compute.num_sub_group_sizes as usize)
                .collect(),
            uuid: Some(properties.general.uuid),
            ..DeviceFacts::default()
        };
        facts.aspects = aspects_of(&properties, kind, &facts.name);
        facts.numbers = numbers(&properties, kind, &facts);
        details(&properties, kind).tell(&mut facts);
        Ok(LevelZeroDevice { id, kind, facts })
    }

    pub fn id(&self) -> Id {
        self.id
    }

    /// It as a part of another one, by which it shares a memory.
    pub fn into_part(mut self) -> LevelZeroDevice {
        let shared = (codes::DEVICE_PARTITION_DOMAIN, vec![Domain::Numa as u64]);
        self.facts.numbers.push(shared);
        self
    }
}

fn details(properties: &Properties, kind: DeviceType) -> Details {
    let general = &properties.general;
    let memory = properties.memories.first();
    Details {
        id: Some(general.device_id),
        gpu: (kind == DeviceType::Gpu).then_some(Gpu {
            slices: general.num_slices,
            subslices_per_slice: general.num_subslices_per_slice,
            units_per_subslice: general.num_eus_per_subslice,
            threads_per_unit: general.num_threads_per_eu,
        }),
        simd_width: Some(general.physical_eu_simd_width),
        memory_clock_rate: memory.map(|memory| memory.max_clock_rate),
        memory_bus_width: memory.map(|memory| memory.max_bus_width),
        ..Details::default()
    }
}

/// What the driver divides a device into: where it has several memories, a part for each.
///
/// # Errors
/// When the driver refuses.
pub(super) fn parts(api: Api, whole: Id) -> Result<Vec<Id>> {
    let parts = listed("list a device's parts", null_mut(), |count, items| {
        // SAFETY: a device of the loader; places as `listed` gives them.
        unsafe { (api.device_get_sub_devices)(whole.0, count, items) }
    })?;
    Ok(parts.into_iter().map(Id).collect())
}

impl Device for LevelZeroDevice {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn kind(&self) -> DeviceType {
        self.kind
    }

    fn facts(&self) -> &DeviceFacts {
        &self.facts
    }

    fn accepts(&self, form: &Form<'_>) -> Option<u32> {
        match form.target {
            target::SPIR64_GEN if self.kind == DeviceType::Gpu => Some(2),
            target::SPIR64 if form.format == ImageFormat::SpirV => Some(1),
            _ => None,
        }
    }

    fn native(&self) -> *mut c_void {
        self.id.0
    }
}

fn kind_of(kind: sys::ze_device_type_t) -> DeviceType {
    match kind {
        sys::ZE_DEVICE_TYPE_GPU => DeviceType::Gpu,
        sys::ZE_DEVICE_TYPE_CPU => DeviceType::Cpu,
        sys::ZE_DEVICE_TYPE_FPGA => DeviceType::Accelerator,
        _ => DeviceType::Custom,
    }
}

fn vendor(id: u32) -> String {
    match id {
        0x8086 => "Intel(R) Corporation".to_owned(),
        id => format!("PCI vendor {id:#06x}"),
    }
}

/// Text that a driver wrote into a fixed place, up to its end mark.
fn text(place: &[c_char]) -> String {
    let bytes: Vec<u8> = place
        .iter()
        .map(|c| *c as u8)
        .take_while(|byte| *byte != 0)
        .collect();
    String::from_utf8_lossy(&bytes).trim().to_owned()
}

/// The aspects of SYCL 2020 and of FEAT's target architectures that the device has.
fn aspects_of(properties: &Properties, kind: DeviceType, name: &str) -> Vec<u32> {
    let module = |flag| properties.module.flags & flag != 0;
    let access = &properties.access;
    let (read_write, atomic) = (
        sys::ZE_MEMORY_ACCESS_CAP_FLAG_RW,
        sys::ZE_MEMORY_ACCESS_CAP_FLAG_ATOMIC,
    );
    let host = access.host_alloc_capabilities;
    let shared = access.shared_single_device_alloc_capabilities;
    let features = [
        ("cpu", kind == DeviceType::Cpu),
        ("gpu", kind == DeviceType::Gpu),
        ("accelerator", kind == DeviceType::Accelerator),
        ("custom", kind == DeviceType::Custom),
        ("fp16", module(sys::ZE_DEVICE_MODULE_FLAG_FP16)),
        ("fp64", module(sys::ZE_DEVICE_MODULE_FLAG_FP64)),
        ("atomic64", module(sys::ZE_DEVICE_MODULE_FLAG_INT64_ATOMICS)),
        ("image", properties.image.max_image_dims_2d > 0),
        // The interface demands both of every driver.
        ("online_compiler", true),
        ("online_linker", true),
        ("queue_profiling", true),
        ("ext_oneapi_fragment", true),
        ("ext_oneapi_chunk", true),
        // SPIR-V 1.3 has it.
        (
            "ext_oneapi_tangle",
            properties.module.spirv_version_supported >= 0x1_0003,
        ),
        ("usm_host_allocations", host & read_write != 0),
        (
            "usm_device_allocations",
            access.device_alloc_capabilities & read_write != 0,
        ),
        ("usm_shared_allocations", shared & read_write != 0),
        ("usm_atomic_host_allocations", host & atomic != 0),
        ("usm_atomic_shared_allocations", shared & atomic != 0),
        (
            "usm_system_allocations",
            access.shared_system_alloc_capabilities & read_write != 0,
        ),
    ];
    let features = features.iter().filter(|(_, has)| *has);
    let features = features.filter_map(|(name, _)| aspects::number(name));
    let architectures = architectures::of_spirv_device(kind, name, true);
    features.chain(architectures).collect()
}

/// Level Zero's flags of floating-point abilities as OpenCL numbers them, which SYCL's headers read:
/// the last two stand the other way round.
fn float_config(flags: u32) -> u64 {
    const SAME: u32 = 0x3f;
    const ROUNDED_DIVISION: u32 = 0x40;
    const IN_SOFTWARE: u32 = 0x80;
    let swapped = (flags & ROUNDED_DIVISION) << 1 | (flags & IN_SOFTWARE) >> 1;
    (flags & SAME | swapped).into()
}

/// The most work-groups of a launch along each dimension, and in all.
fn group_counts(compute: &sys::ze_device_compute_properties_t) -> Vec<u64> {
    let along = [
        compute.max_group_count_x,
        compute.max_group_count_y,
        compute.max_group_count_z,
    ]
    .map(u64::from);
    let in_all = along.iter().copied().fold(1, u64::saturating_mul);
    along.into_iter().chain([in_all]).collect()
}

fn numbers(properties: &Properties, kind: DeviceType, facts: &DeviceFacts) -> Vec<(u32, Vec<u64>)> {
    let (general, compute) = (&properties.general, &properties.compute);
    let one = |code, value: u64| (code, vec![value]);
    let number = |code, value: u32| (code, vec![u64::from(value)]);
    let units = [
        general.num_slices,
        general.num_subslices_per_slice,
        general.num_eus_per_subslice,
    ];
    let units = units.iter().fold(1, |n, each| n * u64::from(*each));
    let memory = properties.memories.iter().map(|m| m.total_size);
    let cache = properties.caches.iter().map(|c| c.cache_size as u64);
    let smallest_sub_group = facts.sub_group_sizes.iter().min().copied().unwrap_or(1);
    let float = |flags, feature| match feature {
        true => float_config(flags),
        false => 0,
    };
    let has = |flag| properties.module.flags & flag != 0;
    let module = &properties.module;
    let parts = properties.parts as u64;
    let bits = |bits: u64| if parts > 1 { bits } else { 0 };
    vec![
        one(codes::DEVICE_TYPE, kind as u64),
        number(codes::DEVICE_VENDOR_ID, general.vendor_id),
        one(codes::DEVICE_MAX_COMPUTE_UNITS, units),
        one(codes::DEVICE_MAX_WORK_GROUP_SIZE, facts.max_work_group_size),
        (
            codes::DEVICE_MAX_WORK_ITEM_SIZES,
            [
                compute.max_group_size_x,
                compute.max_group_size_y,
                compute.max_group_size_z,
            ]
            .map(u64::from)
            .to_vec(),
        ),
        (codes::DEVICE_MAX_WORK_GROUP_RANGE, group_counts(compute)),
        (
            codes::DEVICE_SUB_GROUP_SIZES,
            facts
                .sub_group_sizes
                .iter()
                .map(|s| u64::from(*s))
                .collect(),
        ),
        one(codes::DEVICE_GLOBAL_MEM_SIZE, memory.sum()),
        number(
            codes::DEVICE_LOCAL_MEM_SIZE,
            compute.max_shared_local_memory,
        ),
        one(codes::DEVICE_MAX_MEM_ALLOC_SIZE, general.max_mem_alloc_size),
        number(codes::DEVICE_MAX_CLOCK_FREQUENCY, general.core_clock_rate),
        one(codes::DEVICE_ADDRESS_BITS, 64),
        one(codes::DEVICE_AVAILABLE, 1),
        number(codes::DEVICE_MAX_PARAMETER_SIZE, module.max_arguments_size),
        number(
            codes::DEVICE_MAX_NUM_SUB_GROUPS,
            compute.max_total_group_size / smallest_sub_group.max(1),
        ),
        one(codes::DEVICE_MEM_BASE_ADDR_ALIGN, MEM_BASE_ADDR_ALIGN),
        one(
            codes::DEVICE_HALF_FP_CONFIG,
            float(module.fp16_flags, has(sys::ZE_DEVICE_MODULE_FLAG_FP16)),
        ),
        one(
            codes::DEVICE_SINGLE_FP_CONFIG,
            float(module.fp32_flags, true),
        ),
        one(
            codes::DEVICE_DOUBLE_FP_CONFIG,
            float(module.fp64_flags, has(sys::ZE_DEVICE_MODULE_FLAG_FP64)),
        ),
        one(codes::DEVICE_GLOBAL_MEM_CACHE_LINE_SIZE, 64),
        one(
            codes::DEVICE_GLOBAL_MEM_CACHE_SIZE,
            cache.max().unwrap_or(0),
        ),
        one(codes::DEVICE_PARTITION_MAX, parts.min(units)),
        one(
            codes::DEVICE_PARTITION_PROPERTIES,
            bits(1 << Partition::BY_DOMAIN),
        ),
        one(
            codes::DEVICE_PARTITION_DOMAINS,
            bits(1 << Domain::Numa as u64 | 1 << Domain::Next as u64),
        ),
        // All orders and scopes that SYCL has, as Level Zero's SPIR-V environment requires.
        one(codes::DEVICE_ATOMIC_ORDERS, 0b11_1011),
        (codes::DEVICE_ATOMIC_SCOPES, ATOMIC_SCOPES.to_vec()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_end_at_their_mark() {
        let place = b"Iris \0junk".map(|byte| byte as c_char);
        assert_eq!(text(&place), "Iris");
    }

    #[test]
    fn floating_point_flags_are_numbered_as_in_opencl() {
        assert_eq!(float_config(0x3f), 0x3f);
        assert_eq!(float_config(0x40), 0x80);
        assert_eq!(float_config(0x80), 0x40);
    }
}
