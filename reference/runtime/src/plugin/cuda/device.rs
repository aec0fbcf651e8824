//! What a CUDA device says of itself.

use std::any::Any;
use std::collections::HashMap;
use std::ffi::{c_int, c_void};
use std::sync::{Mutex, MutexGuard, PoisonError};

use cuda_driver_sys as sys;
use offload_formats::registration::{ImageFormat, target};
use offload_formats::{aspects, targets};

use super::driver::{Api, Primary, attribute, done, filled, name};
use crate::abi::codes;
use crate::error::{Error, Result};
use crate::plugin::details::{Details, device_id};
use crate::plugin::{
    ATOMIC_SCOPES, Device, DeviceFacts, DeviceType, Form, MEM_BASE_ADDR_ALIGN, Peer, architectures,
};

/// The maker of all these devices.
pub(super) const VENDOR: &str = "NVIDIA Corporation";

/// One CUDA device.
pub(super) struct CudaDevice {
    api: Api,
    handle: sys::CUdevice,
    facts: DeviceFacts,
    capability: (u32, u32),
    /// The most work-items of a work-group.
    max_group_size: u32,
    /// Registers of a work-group.
    registers: u32,
    /// What bounds its launches.
    pub limits: Limits,
    /// The devices whose memory it may reach: only as long as the driver has its context and theirs.
    peers: Mutex<HashMap<sys::CUdevice, [Primary; 2]>>,
}

/// What bounds launches.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// Work-items of a group in each dimension.
    pub group: [usize; 3],
    /// Work-items that run together.
    pub warp: u32,
    /// Local memory of a group that needs no asking.
    pub local: usize,
}

/// The numbers of a device that its facts are made of.
struct Properties {
    capability: (u32, u32),
    total_memory: u64,
    units: u32,
    clock: u32,
    cache: u32,
    most_local: u32,
    max_group_size: u32,
    /// Registers of a work-group.
    registers: u32,
    managed: bool,
    managed_at_once: bool,
    any_host_memory: bool,
}

impl Limits {
    fn of(api: Api, device: sys::CUdevice) -> Result<Limits> {
        let number = |which| Ok(attribute(api, device, which)?.unsigned_abs());
        let mut group = [0; 3];
        for (which, limit) in (sys::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X..).zip(&mut group) {
            *limit = number(which)? as usize;
        }
        Ok(Limits {
            group,
            warp: number(sys::CU_DEVICE_ATTRIBUTE_WARP_SIZE)?,
            local: number(sys::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK)? as usize,
        })
    }
}

impl Properties {
    fn of(api: Api, device: sys::CUdevice) -> Result<Properties> {
        let number = |which| Ok(attribute(api, device, which)?.unsigned_abs());
        let yes = |which| Ok(attribute(api, device, which)? != 0);
        let memory = filled(api, "tell a device's memory", 0, |size| {
            // SAFETY: a device of the driver, and a place for the number.
            unsafe { (api.device_total_mem)(size, device) }
        })?;
        Ok(Properties {
            capability: (
                number(sys::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
                number(sys::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
            ),
            total_memory: memory as u64,
            units: number(sys::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
            clock: number(sys::CU_DEVICE_ATTRIBUTE_CLOCK_RATE)? / 1000,
            cache: number(sys::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)?,
            most_local: number(sys::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?,
            max_group_size: number(sys::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
            registers: number(sys::CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK)?,
            managed: yes(sys::CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY)?,
            managed_at_once: yes(sys::CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS)?,
            any_host_memory: yes(sys::CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS)?,
        })
    }
}

/// How many registers a work-item may have of those of a work-group of so many; `None` where kernels cannot do
/// with so few. The device gives them to four warps at once, and each work-item eight at a time.
fn registers_for(items: u64, all: u32, warp: u32) -> Option<u64> {
    let rows = items.max(1).next_multiple_of(4 * u64::from(warp.max(1)));
    let most = u64::from(all) / rows / 8 * 8;
    (most >= 16).then_some(most)
}

/// What a driver need not tell.
fn details(api: Api, device: sys::CUdevice) -> Details {
    let number = |which| Some(attribute(api, device, which).ok()?.unsigned_abs());
    let pci_address = || {
        Some([
            number(sys::CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID)?,
            number(sys::CU_DEVICE_ATTRIBUTE_PCI_BUS_ID)?,
            number(sys::CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID)?,
            0,
        ])
    };
    let pci_address = pci_address();
    Details {
        id: pci_address.and_then(device_id),
        pci_address,
        memory_clock_rate: number(sys::CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE).map(|khz| khz / 1000),
        memory_bus_width: number(sys::CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH),
        ..Details::default()
    }
}

impl CudaDevice {
    pub fn new(api: Api, device: sys::CUdevice, driver_version: &str) -> Result<CudaDevice> {
        let properties = Properties::of(api, device)?;
        let limits = Limits::of(api, device)?;
        let uuid = filled(
            api,
            "tell a device's number",
            sys::CUuuid::default(),
            |uuid| {
                // SAFETY: a device of the driver, and a place for the bytes.
                unsafe { (api.device_get_uuid)(uuid, device) }
            },
        );
        let (major, minor) = properties.capability;
        let mut facts = DeviceFacts {
            name: name(api, device)?,
            vendor: VENDOR.to_owned(),
            version: format!("compute capability {major}.{minor}"),
            driver_version: driver_version.to_owned(),
            max_work_group_size: properties.max_group_size.into(),
            sub_group_sizes: vec![limits.warp],
            aspects: aspects_of(&properties),
            numbers: numbers(&properties, &limits),
            uuid: uuid.ok().map(|uuid| uuid.bytes),
            ..DeviceFacts::default()
        };
        details(api, device).tell(&mut facts);
        Ok(CudaDevice {
            api,
            handle: device,
            facts,
            max_group_size: properties.max_group_size,
            registers: properties.registers,
            capability: properties.capability,
            limits,
            peers: Mutex::default(),
        })
    }
}

impl CudaDevice {
    fn peers(&self) -> MutexGuard<'_, HashMap<sys::CUdevice, [Primary; 2]>> {
        self.peers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Device for CudaDevice {
    fn options_for_group(&self, items: u64) -> Option<String> {
        let most = registers_for(items, self.registers, self.limits.warp)?;
        let fits = items <= u64::from(self.max_group_size);
        fits.then(|| format!("-maxrregcount={most}"))
    }

    /// One more than its number, for null is no handle.
    fn native(&self) -> *mut c_void {
        std::ptr::without_provenance_mut(self.handle as usize + 1)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn peer(&self, other: &dyn Device) -> Result<Peer> {
        let Some(other) = other.as_any().downcast_ref::<CudaDevice>() else {
            return Ok(Peer::default());
        };
        let (own, other) = (self.handle, other.handle);
        let yes = |what, ask: &dyn Fn(*mut c_int) -> sys::CUresult| {
            filled(self.api, what, 0, ask).map(|number| number != 0)
        };
        let access = yes("tell of another device's memory", &|place| {
            // SAFETY: devices of the driver, and a place for the number.
            unsafe { (self.api.device_can_access_peer)(place, own, other) }
        })?;
        let atomics = access
            && yes("tell of the way to another device", &|place| {
                let which = sys::CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED;
                // SAFETY: as above.
                unsafe { (self.api.device_get_p2p_attribute)(place, which, own, other) }
            })?;
        Ok(Peer { access, atomics })
    }

    fn reach_peer(&self, other: &dyn Device, may: bool) -> Result<()> {
        let other = other.as_any().downcast_ref::<CudaDevice>();
        let mut peers = self.peers();
        if other.is_some_and(|other| peers.contains_key(&other.handle)) == may {
            return Err(Error::peer_is(may));
        }
        let Some(other) = other else {
            return Err(Error::no_way_to_peer());
        };
        if may && !self.peer(other)?.access {
            return Err(Error::no_way_to_peer());
        }
        // A share each: what is allowed holds as long as both contexts do.
        let own = Primary::of(self.api, self.handle)?;
        let others = Primary::of(self.api, other.handle)?;
        let entered = own.enter()?;
        // SAFETY: the device's own context is current, and the other one is alive.
        let result = unsafe {
            match may {
                true => (self.api.ctx_enable_peer_access)(others.handle(), 0),
                false => (self.api.ctx_disable_peer_access)(others.handle()),
            }
        };
        drop(entered);
        // What the program did with the driver itself is as good.
        let is_so = match may {
            true => sys::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED,
            false => sys::CUDA_ERROR_PEER_ACCESS_NOT_ENABLED,
        };
        if result != is_so {
            done(self.api, "change what a device reaches", result)?;
        }
        match may {
            true => drop(peers.insert(other.handle, [own, others])),
            false => drop(peers.remove(&other.handle)),
        }
        Ok(())
    }

    fn kind(&self) -> DeviceType {
        DeviceType::Gpu
    }

    fn facts(&self) -> &DeviceFacts {
        &self.facts
    }

    fn free_memory(&self) -> Option<u64> {
        let primary = Primary::of(self.api, self.handle).ok()?;
        let _entered = primary.enter().ok()?;
        let mut whole = 0;
        let free = filled(self.api, "tell what memory is free", 0, |free| {
            // SAFETY: the device's context is current, and both places are ours.
            unsafe { (self.api.mem_get_info)(free, &raw mut whole) }
        });
        free.ok().map(|bytes: usize| bytes as u64)
    }

    fn accepts(&self, form: &Form<'_>) -> Option<u32> {
        let is_ours = form.target == target::NVPTX64 && form.format != ImageFormat::SpirV;
        is_ours.then(|| rank(self.capability, form)).flatten()
    }
}

/// The aspects of SYCL 2020 and of FEAT's target architectures that the device has.
fn aspects_of(properties: &Properties) -> Vec<u32> {
    let features = [
        ("gpu", true),
        // Half precision arithmetic came with compute capability 5.3; every one has double.
        ("fp16", properties.capability >= (5, 3)),
        ("fp64", true),
        ("atomic64", true),
        ("queue_profiling", true),
        // Images are memory, with which kernels compute what samplers give.
        ("image", true),
        ("ext_intel_legacy_image", true),
        ("ext_oneapi_fragment", true),
        ("ext_oneapi_chunk", true),
        ("ext_intel_free_memory", true),
        ("ext_oneapi_native_assert", true),
        ("ext_oneapi_clock_device", true),
        ("ext_oneapi_clock_work_group", true),
        ("ext_oneapi_clock_sub_group", true),
        ("usm_host_allocations", true),
        ("usm_device_allocations", true),
        ("usm_shared_allocations", properties.managed),
        ("usm_atomic_shared_allocations", properties.managed_at_once),
        ("usm_system_allocations", properties.any_host_memory),
    ];
    let features = features.iter().filter(|(_, has)| *has);
    let features = features.filter_map(|(name, _)| aspects::number(name));
    features
        .chain(architectures::aspects(architecture(properties.capability)))
        .collect()
}

/// How gladly a device takes an image: machine code first, then what is for the latest architecture.
/// Later GPUs take all PTX, and those of the same generation the machine code of one before them;
/// what is for the features of one architecture (`sm_90a`) only that one takes.
fn rank((major, minor): (u32, u32), form: &Form<'_>) -> Option<u32> {
    const MACHINE_CODE: u32 = 1 << 16;
    let architecture = form.architecture.and_then(targets::find);
    let Some(named) = architecture.and_then(|target| target.device.strip_prefix("sm_")) else {
        return Some(1);
    };
    let number = named.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let is_of_one = number.len() < named.len();
    let number: u32 = number.parse().ok()?;
    let takes = match (is_of_one, form.is_machine_code) {
        (true, _) => number == 10 * major + minor,
        (false, true) => number / 10 == major && number % 10 <= minor,
        (false, false) => number <= 10 * major + minor,
    };
    let machine_code = if form.is_machine_code {
        MACHINE_CODE
    } else {
        0
    };
    takes.then_some(machine_code + 2 * number + u32::from(is_of_one))
}

/// The target architectures that a device of this compute capability is one of.
fn architecture((major, minor): (u32, u32)) -> Vec<&'static str> {
    let own = format!("sm_{major}{minor}");
    let all = targets::all().iter();
    let named = all.filter(|t| t.kind == targets::Kind::Nvidia);
    let own = named.filter(|t| t.device.is_empty() || t.device == own);
    own.map(|target| target.name).collect()
}

/// The sizes of images that GPUs since compute capability 7.5 have in hardware, though none is used: how many a
/// kernel reads, writes and samples, widths and heights of two dimensions, sizes of three, pixels of one,
/// images of an array.
const IMAGE_LIMITS: [u64; 10] = [
    128,
    128,
    16,
    131_072,
    65_536,
    16_384,
    16_384,
    16_384,
    1 << 27,
    2_048,
];

fn numbers(properties: &Properties, limits: &Limits) -> Vec<(u32, Vec<u64>)> {
    // All that IEEE 754 asks for: what OpenCL calls denormals, infinities and NaNs, four ways of
    // rounding and fused multiply-add; single precision divides and takes roots rightly rounded.
    const FLOAT: u64 = 0x3f;
    const ROUNDED_DIVISION: u64 = 0x80;
    let one = |code, value: u64| (code, vec![value]);
    let number = |code, value: u32| (code, vec![u64::from(value)]);
    let has_half = properties.capability >= (5, 3);
    vec![
        one(codes::DEVICE_TYPE, DeviceType::Gpu as u64),
        one(codes::DEVICE_VENDOR_ID, 0x10de),
        number(codes::DEVICE_MAX_COMPUTE_UNITS, properties.units),
        number(codes::DEVICE_MAX_WORK_GROUP_SIZE, properties.max_group_size),
        (
            codes::DEVICE_MAX_WORK_ITEM_SIZES,
            limits.group.map(|n| n as u64).to_vec(),
        ),
        number(codes::DEVICE_SUB_GROUP_SIZES, limits.warp),
        one(codes::DEVICE_GLOBAL_MEM_SIZE, properties.total_memory),
        number(codes::DEVICE_LOCAL_MEM_SIZE, properties.most_local),
        one(codes::DEVICE_MAX_MEM_ALLOC_SIZE, properties.total_memory),
        number(codes::DEVICE_MAX_CLOCK_FREQUENCY, properties.clock),
        one(codes::DEVICE_ADDRESS_BITS, 64),
        one(codes::DEVICE_AVAILABLE, 1),
        // What kernels of every architecture may take.
        one(codes::DEVICE_MAX_PARAMETER_SIZE, 4096),
        number(
            codes::DEVICE_MAX_NUM_SUB_GROUPS,
            properties.max_group_size / limits.warp.max(1),
        ),
        one(codes::DEVICE_MEM_BASE_ADDR_ALIGN, MEM_BASE_ADDR_ALIGN),
        one(
            codes::DEVICE_HALF_FP_CONFIG,
            if has_half { FLOAT } else { 0 },
        ),
        one(codes::DEVICE_SINGLE_FP_CONFIG, FLOAT | ROUNDED_DIVISION),
        one(codes::DEVICE_DOUBLE_FP_CONFIG, FLOAT),
        one(codes::DEVICE_GLOBAL_MEM_CACHE_LINE_SIZE, 128),
        number(codes::DEVICE_GLOBAL_MEM_CACHE_SIZE, properties.cache),
        (codes::DEVICE_IMAGE_LIMITS, IMAGE_LIMITS.to_vec()),
        // Relaxed, acquire, release, acquire-release and sequentially consistent; all scopes.
        one(codes::DEVICE_ATOMIC_ORDERS, 0b11_1011),
        (codes::DEVICE_ATOMIC_SCOPES, ATOMIC_SCOPES.to_vec()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_of_its_own_architecture_and_of_ptx() {
        assert_eq!(architecture((9, 0)), ["ptx64", "nvidia_gpu_sm_90"]);
        assert_eq!(architecture((77, 0)), ["ptx64"]);
    }

    #[test]
    fn a_device_takes_its_own_machine_code_before_the_latest_ptx_that_it_can_compile() {
        let rank = |capability, name, is_machine_code| {
            let form = Form {
                format: ImageFormat::Native,
                target: target::NVPTX64,
                architecture: name,
                is_machine_code,
            };
            rank(capability, &form)
        };
        let (hopper, ada) = ((9, 0), (8, 9));
        let order = [
            (Some("nvidia_gpu_sm_90a"), true),
            (Some("nvidia_gpu_sm_90"), true),
            (Some("nvidia_gpu_sm_90a"), false),
            (Some("nvidia_gpu_sm_90"), false),
            (Some("nvidia_gpu_sm_80"), false),
            (None, false),
        ];
        let ranks = order.map(|(name, code)| rank(hopper, name, code).unwrap());
        assert!(ranks.is_sorted_by(|a, b| a > b), "{ranks:?}");
        assert_eq!(rank(hopper, Some("nvidia_gpu_sm_89"), true), None);
        assert!(rank(ada, Some("nvidia_gpu_sm_80"), true).is_some());
        assert_eq!(rank((8, 0), Some("nvidia_gpu_sm_86"), true), None);
        for name in ["nvidia_gpu_sm_90", "nvidia_gpu_sm_90a"] {
            assert_eq!(rank(ada, Some(name), false), None);
        }
        assert!(rank(ada, None, true).is_some());
    }
}
