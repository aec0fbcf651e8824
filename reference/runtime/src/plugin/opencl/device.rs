//! What an OpenCL device says of itself.

use std::any::Any;
use std::ffi::c_void;

use offload_formats::aspects;
use offload_formats::registration::{ImageFormat, target};
use opencl3::device as cl;
use opencl3::device::Device as ClDevice;
use opencl3::platform::Platform;
use opencl3::types::{cl_device_id, cl_device_info};

use super::{emulator, language, partition, waiting};
use crate::abi::codes;
use crate::plugin::details::{Details, Gpu};
use crate::plugin::sources::{Compiler, OpenClC, SourceLanguage};
use crate::plugin::{ATOMIC_SCOPES, Device, DeviceFacts, DeviceType, Form, architectures};

/// A device's identifier, which lives as long as the process.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Id(pub cl_device_id);

// SAFETY: devices are usable from any thread; parts of others are never released.
unsafe impl Send for Id {}
// SAFETY: as above.
unsafe impl Sync for Id {}

// Questions of extensions that opencl3 has no functions for.
const CL_DEVICE_UUID_KHR: cl_device_info = 0x106A;
const CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR: cl_device_info = 0x1076;
const CL_DEVICE_SUB_GROUP_SIZES_INTEL: cl_device_info = 0x4108;
const CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL: cl_device_info = 0x4190;
const CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL: cl_device_info = 0x4191;
const CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL: cl_device_info = 0x4192;
const CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL: cl_device_info = 0x4194;
/// Bit of the capabilities above: atomic operations work there.
const ATOMIC_ACCESS: u64 = 2;

/// One OpenCL device.
pub(super) struct OpenClDevice {
    id: Id,
    /// The place of the device that it is a part of.
    whole: Option<usize>,
    kind: DeviceType,
    facts: DeviceFacts,
    /// Whether it takes SPIR-V.
    takes_spirv: bool,
    /// Whether its driver is Intel's, whose compilers make the images that are compiled ahead of time.
    is_of_intel: bool,
}

impl OpenClDevice {
    /// A device, which may be a part of that at the place `whole`.
    pub fn new(id: Id, whole: Option<usize>) -> OpenClDevice {
        let device = ClDevice::new(id.0);
        let kind = kind_of(&device);
        let mut facts = DeviceFacts {
            name: clean(device.name().unwrap_or_default()),
            vendor: clean(device.vendor().unwrap_or_default()),
            version: clean(device.version().unwrap_or_default()),
            driver_version: clean(device.driver_version().unwrap_or_default()),
            opencl_c_version: clean(device.opencl_c_version().unwrap_or_default()),
            extensions: clean(device.extensions().unwrap_or_default()),
            max_work_group_size: device.max_work_group_size().unwrap_or(1) as u64,
            uuid: uuid(&device),
            ..DeviceFacts::default()
        };
        // There are drivers without the extension that answer its question all the same, with every
        // number that a work-group has.
        if facts.has_extension("cl_intel_required_subgroup_size") {
            facts.sub_group_sizes = sub_group_sizes(&device);
        } else if emulator::is_named(&facts.name) {
            facts.sub_group_sizes = emulator::sub_group_size().into_iter().collect();
        }
        let il = device.il_version().unwrap_or_default();
        let takes_spirv = il.contains("SPIR-V") || facts.has_extension("cl_khr_il_program");
        let is_of_intel = is_of_intel(&device);
        if is_of_intel && kind != DeviceType::Gpu {
            waiting::take_turns();
        }
        facts.aspects = aspects_of(&device, kind, &facts, takes_spirv);
        let targets = architectures::of_spirv_device(kind, &facts.name, is_of_intel);
        facts.aspects.extend(targets);
        facts.numbers = numbers(&device, kind, &facts);
        details_of(&device, kind, &facts).tell(&mut facts);
        OpenClDevice {
            id,
            whole,
            kind,
            facts,
            takes_spirv,
            is_of_intel,
        }
    }

    pub fn id(&self) -> Id {
        self.id
    }

    pub fn whole(&self) -> Option<usize> {
        self.whole
    }
}

impl Device for OpenClDevice {
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
        let is_native = form.format != ImageFormat::SpirV;
        let kind = match form.target {
            target::SPIR64_X86_64 => DeviceType::Cpu,
            target::SPIR64_GEN => DeviceType::Gpu,
            target::SPIR64_FPGA => DeviceType::Accelerator,
            target::SPIR64 => return (self.takes_spirv && !is_native).then_some(1),
            _ => return None,
        };
        (self.is_of_intel && self.kind == kind).then_some(2)
    }

    fn compiler(&self) -> Option<&dyn Compiler> {
        Some(self)
    }

    fn native(&self) -> *mut c_void {
        self.id.0
    }
}

impl Compiler for OpenClDevice {
    fn builds(&self, language: SourceLanguage) -> bool {
        let device = ClDevice::new(self.id.0);
        device.compiler_available().unwrap_or(false)
            && match language {
                SourceLanguage::OpenClC => true,
                SourceLanguage::SpirV => self.takes_spirv,
            }
    }

    fn opencl_c(&self, what: OpenClC) -> Vec<(String, u32)> {
        language::told(&ClDevice::new(self.id.0), &self.facts, what)
    }
}

/// Text of a driver: without terminators and blanks around it.
pub(super) fn clean(text: String) -> String {
    text.trim_matches(|c: char| c == '\0' || c.is_whitespace())
        .to_owned()
}

fn kind_of(device: &ClDevice) -> DeviceType {
    match device.dev_type().unwrap_or_default() {
        t if t & cl::CL_DEVICE_TYPE_CPU != 0 => DeviceType::Cpu,
        t if t & cl::CL_DEVICE_TYPE_GPU != 0 => DeviceType::Gpu,
        t if t & cl::CL_DEVICE_TYPE_ACCELERATOR != 0 => DeviceType::Accelerator,
        _ => DeviceType::Custom,
    }
}

/// Whether the device's driver is Intel's. The vendor of the device itself may be the processor's.
fn is_of_intel(device: &ClDevice) -> bool {
    let platform = device.platform().map(Platform::new);
    let vendor = platform.and_then(|platform| platform.vendor());
    vendor.is_ok_and(|vendor| vendor.contains("Intel"))
}

/// The answer to a question whose answer is one number of up to 8 bytes; 0 when there is none.
pub(super) fn number(device: &ClDevice, question: cl_device_info) -> u64 {
    let bytes = device.get_data(question).unwrap_or_default();
    let little = bytes.iter().take(8).rev();
    little.fold(0, |value, byte| value << 8 | u64::from(*byte))
}

/// What `cl_khr_device_uuid` tells devices apart by. There are drivers that answer with nothing but zeros,
/// whatever the device.
fn uuid(device: &ClDevice) -> Option<[u8; 16]> {
    let answer: [u8; 16] = device.get_data(CL_DEVICE_UUID_KHR).ok()?.try_into().ok()?;
    Some(answer).filter(|uuid| *uuid != [0; 16])
}

fn sub_group_sizes(device: &ClDevice) -> Vec<u32> {
    let bytes = device.get_data(CL_DEVICE_SUB_GROUP_SIZES_INTEL);
    let bytes = bytes.unwrap_or_default();
    let words = bytes.chunks_exact(size_of::<usize>());
    let sizes = words.filter_map(|word| Some(usize::from_ne_bytes(word.try_into().ok()?)));
    sizes.filter_map(|size| u32::try_from(size).ok()).collect()
}

/// The aspects of SYCL 2020 that the device has.
fn aspects_of(
    device: &ClDevice,
    kind: DeviceType,
    facts: &DeviceFacts,
    takes_spirv: bool,
) -> Vec<u32> {
    let is_emulator = emulator::is_named(&facts.name);
    let host = number(device, CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL);
    let shared = number(
        device,
        CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL,
    );
    let wide_atomics = facts.has_extension("cl_khr_int64_base_atomics")
        && facts.has_extension("cl_khr_int64_extended_atomics");
    // Those of the device, of its work-groups and of their sub-groups, a bit each.
    let clocks = match facts.has_extension("cl_khr_kernel_clock") {
        true => number(device, CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR),
        false => 0,
    };
    let features = [
        ("cpu", kind == DeviceType::Cpu),
        ("gpu", kind == DeviceType::Gpu),
        ("accelerator", kind == DeviceType::Accelerator),
        ("custom", kind == DeviceType::Custom),
        ("emulated", is_emulator),
        ("host_debuggable", kind == DeviceType::Cpu || is_emulator),
        ("fp16", facts.has_extension("cl_khr_fp16")),
        ("fp64", device.double_fp_config().unwrap_or(0) != 0),
        ("atomic64", wide_atomics),
        ("image", device.image_support().unwrap_or(false)),
        (
            "online_compiler",
            takes_spirv && device.compiler_available().unwrap_or(false),
        ),
        (
            "online_linker",
            takes_spirv && device.linker_available().unwrap_or(false),
        ),
        ("queue_profiling", true),
        // What parts of sub-groups pass values by (SPV_INTEL_subgroups).
        (
            "ext_oneapi_fragment",
            facts.has_extension("cl_intel_spirv_subgroups"),
        ),
        (
            "ext_oneapi_chunk",
            facts.has_extension("cl_intel_spirv_subgroups"),
        ),
        // SPIR-V has had who is in the same flow of control since 1.3.
        (
            "ext_oneapi_tangle",
            facts.has_extension("cl_intel_spirv_subgroups")
                && facts.has_extension("cl_khr_subgroup_ballot")
                && device
                    .il_version()
                    .unwrap_or_default()
                    .contains("SPIR-V_1.3"),
        ),
        (
            "ext_intel_legacy_image",
            device.image_support().unwrap_or(false),
        ),
        ("ext_oneapi_clock_device", clocks & 1 != 0),
        ("ext_oneapi_clock_work_group", clocks & 2 != 0),
        ("ext_oneapi_clock_sub_group", clocks & 4 != 0),
        ("usm_host_allocations", host != 0),
        (
            "usm_device_allocations",
            number(device, CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL) != 0,
        ),
        ("usm_shared_allocations", shared != 0),
        ("usm_atomic_host_allocations", host & ATOMIC_ACCESS != 0),
        ("usm_atomic_shared_allocations", shared & ATOMIC_ACCESS != 0),
        (
            "usm_system_allocations",
            number(device, CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL) != 0,
        ),
    ];
    let features = features.iter().filter(|(_, has)| *has);
    features
        .filter_map(|(name, _)| aspects::number(name))
        .collect()
}

fn numbers(device: &ClDevice, kind: DeviceType, facts: &DeviceFacts) -> Vec<(u32, Vec<u64>)> {
    let sizes = device.max_work_item_sizes().unwrap_or_default();
    let one = |code, value: u64| (code, vec![value]);
    vec![
        one(codes::DEVICE_TYPE, kind as u64),
        one(
            codes::DEVICE_VENDOR_ID,
            device.vendor_id().unwrap_or(0).into(),
        ),
        one(
            codes::DEVICE_MAX_COMPUTE_UNITS,
            device.max_compute_units().unwrap_or(0).into(),
        ),
        one(codes::DEVICE_MAX_WORK_GROUP_SIZE, facts.max_work_group_size),
        (
            codes::DEVICE_MAX_WORK_ITEM_SIZES,
            sizes.iter().map(|s| *s as u64).collect(),
        ),
        (
            codes::DEVICE_SUB_GROUP_SIZES,
            facts
                .sub_group_sizes
                .iter()
                .map(|s| u64::from(*s))
                .collect(),
        ),
        one(
            codes::DEVICE_GLOBAL_MEM_SIZE,
            device.global_mem_size().unwrap_or(0),
        ),
        one(
            codes::DEVICE_LOCAL_MEM_SIZE,
            device.local_mem_size().unwrap_or(0),
        ),
        one(
            codes::DEVICE_MAX_MEM_ALLOC_SIZE,
            device.max_mem_alloc_size().unwrap_or(0),
        ),
        one(
            codes::DEVICE_MAX_CLOCK_FREQUENCY,
            device.max_clock_frequency().unwrap_or(0).into(),
        ),
        one(
            codes::DEVICE_ADDRESS_BITS,
            device.address_bits().unwrap_or(0).into(),
        ),
        one(
            codes::DEVICE_AVAILABLE,
            device.available().unwrap_or(false).into(),
        ),
        one(
            codes::DEVICE_MAX_PARAMETER_SIZE,
            device.max_parameter_size().unwrap_or(0) as u64,
        ),
        one(
            codes::DEVICE_MAX_NUM_SUB_GROUPS,
            // One at least, as SYCL has it. Of OpenCL 1.2, which has no such question, no more is known than
            // that they are no more than the work-items, or how large they are.
            match device.max_num_sub_groups() {
                Ok(number) => number.max(1).into(),
                Err(_) => {
                    let size = facts.sub_group_sizes.first().copied().unwrap_or(1).max(1);
                    (device.max_work_group_size().unwrap_or(1) as u64).div_ceil(size.into())
                }
            },
        ),
        one(
            codes::DEVICE_MEM_BASE_ADDR_ALIGN,
            device.mem_base_addr_align().unwrap_or(0).into(),
        ),
        one(
            codes::DEVICE_HALF_FP_CONFIG,
            match facts.has_extension("cl_khr_fp16") {
                true => device.half_fp_config().unwrap_or(0),
                false => 0,
            },
        ),
        one(
            codes::DEVICE_SINGLE_FP_CONFIG,
            device.single_fp_config().unwrap_or(0),
        ),
        one(
            codes::DEVICE_DOUBLE_FP_CONFIG,
            device.double_fp_config().unwrap_or(0),
        ),
        one(
            codes::DEVICE_GLOBAL_MEM_CACHE_LINE_SIZE,
            device.global_mem_cacheline_size().unwrap_or(0).into(),
        ),
        one(
            codes::DEVICE_GLOBAL_MEM_CACHE_SIZE,
            device.global_mem_cache_size().unwrap_or(0),
        ),
        // All orders and scopes that SYCL has, as OpenCL's SPIR-V environment requires of devices
        // with a generic address space.
        one(codes::DEVICE_ATOMIC_ORDERS, 0b11_1011),
        (codes::DEVICE_ATOMIC_SCOPES, ATOMIC_SCOPES.to_vec()),
    ]
    .into_iter()
    .chain(details(device))
    .chain(partition::numbers(device))
    .collect()
}

/// What `cl_intel_device_attribute_query` and `cl_khr_pci_bus_info` tell.
fn details_of(device: &ClDevice, kind: DeviceType, facts: &DeviceFacts) -> Details {
    const ID: cl_device_info = 0x4251;
    const SLICES: cl_device_info = 0x4252;
    const SUBSLICES_PER_SLICE: cl_device_info = 0x4253;
    const UNITS_PER_SUBSLICE: cl_device_info = 0x4254;
    const THREADS_PER_UNIT: cl_device_info = 0x4255;
    const PCI_BUS_INFO: cl_device_info = 0x410F;

    let has_attributes = facts.has_extension("cl_intel_device_attribute_query");
    let attribute = |question| u32::try_from(number(device, question)).unwrap_or_default();
    let pci_address = || {
        let bytes: [u8; 16] = device.get_data(PCI_BUS_INFO).ok()?.try_into().ok()?;
        let words = bytes.chunks_exact(4).map(|word| {
            let word = word.try_into().unwrap_or_default();
            u32::from_ne_bytes(word)
        });
        words.collect::<Vec<u32>>().try_into().ok()
    };
    Details {
        id: has_attributes.then(|| attribute(ID)),
        pci_address: match facts.has_extension("cl_khr_pci_bus_info") {
            true => pci_address(),
            false => None,
        },
        gpu: (has_attributes && kind == DeviceType::Gpu).then(|| Gpu {
            slices: attribute(SLICES),
            subslices_per_slice: attribute(SUBSLICES_PER_SLICE),
            units_per_subslice: attribute(UNITS_PER_SUBSLICE),
            threads_per_unit: attribute(THREADS_PER_UNIT),
        }),
        ..Details::default()
    }
}

/// OpenCL's answers to what [`crate::plugin::unanswered`] says for devices that give none: those of
/// several numbers, and those of one.
fn details(device: &ClDevice) -> impl Iterator<Item = (u32, Vec<u64>)> {
    const SEVERAL: [(u32, &[cl_device_info]); 3] = [
        (
            codes::DEVICE_PREFERRED_VECTOR_WIDTHS,
            &[0x1006, 0x1007, 0x1008, 0x1009, 0x100A, 0x100B, 0x1034],
        ),
        (
            codes::DEVICE_NATIVE_VECTOR_WIDTHS,
            &[0x1036, 0x1037, 0x1038, 0x1039, 0x103A, 0x103B, 0x103C],
        ),
        (
            codes::DEVICE_IMAGE_LIMITS,
            &[
                cl::CL_DEVICE_MAX_READ_IMAGE_ARGS,
                cl::CL_DEVICE_MAX_WRITE_IMAGE_ARGS,
                cl::CL_DEVICE_MAX_SAMPLERS,
                cl::CL_DEVICE_IMAGE2D_MAX_WIDTH,
                cl::CL_DEVICE_IMAGE2D_MAX_HEIGHT,
                cl::CL_DEVICE_IMAGE3D_MAX_WIDTH,
                cl::CL_DEVICE_IMAGE3D_MAX_HEIGHT,
                cl::CL_DEVICE_IMAGE3D_MAX_DEPTH,
                cl::CL_DEVICE_IMAGE_MAX_BUFFER_SIZE,
                cl::CL_DEVICE_IMAGE_MAX_ARRAY_SIZE,
            ],
        ),
    ];
    const ONE: [(u32, cl_device_info); 11] = [
        (
            codes::DEVICE_MAX_CONSTANT_BUFFER_SIZE,
            cl::CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE,
        ),
        (
            codes::DEVICE_MAX_CONSTANT_ARGS,
            cl::CL_DEVICE_MAX_CONSTANT_ARGS,
        ),
        (codes::DEVICE_LOCAL_MEM_TYPE, cl::CL_DEVICE_LOCAL_MEM_TYPE),
        (
            codes::DEVICE_GLOBAL_MEM_CACHE_TYPE,
            cl::CL_DEVICE_GLOBAL_MEM_CACHE_TYPE,
        ),
        (
            codes::DEVICE_ERROR_CORRECTION,
            cl::CL_DEVICE_ERROR_CORRECTION_SUPPORT,
        ),
        (
            codes::DEVICE_HOST_UNIFIED_MEMORY,
            cl::CL_DEVICE_HOST_UNIFIED_MEMORY,
        ),
        (
            codes::DEVICE_PROFILING_TIMER_RESOLUTION,
            cl::CL_DEVICE_PROFILING_TIMER_RESOLUTION,
        ),
        (codes::DEVICE_ENDIAN_LITTLE, cl::CL_DEVICE_ENDIAN_LITTLE),
        (
            codes::DEVICE_EXECUTION_CAPABILITIES,
            cl::CL_DEVICE_EXECUTION_CAPABILITIES,
        ),
        (
            codes::DEVICE_PRINTF_BUFFER_SIZE,
            cl::CL_DEVICE_PRINTF_BUFFER_SIZE,
        ),
        (
            codes::DEVICE_PREFERRED_INTEROP_USER_SYNC,
            cl::CL_DEVICE_PREFERRED_INTEROP_USER_SYNC,
        ),
    ];
    let several = SEVERAL.into_iter().map(|(code, questions)| {
        let answers = questions.iter().map(|question| number(device, *question));
        (code, answers.collect())
    });
    let one = ONE.into_iter();
    let one = one.map(|(code, question)| (code, vec![number(device, question)]));
    several.chain(one)
}
