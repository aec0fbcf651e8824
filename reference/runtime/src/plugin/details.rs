//! What drivers tell of devices beyond SYCL 2020 (`sycl_ext_intel_device_info`): a device has the aspect of a
//! question that its driver answers.

use offload_formats::aspects;

use super::DeviceFacts;
use crate::abi::codes;

/// Numbers of a device, as far as its driver tells them.
#[derive(Debug, Clone, Copy, Default)]
pub struct Details {
    /// What its maker calls this kind of device on the PCI bus.
    pub id: Option<u32>,
    /// Its place there: domain, bus, device and function.
    pub pci_address: Option<[u32; 4]>,
    /// How a GPU of Intel's is made.
    pub gpu: Option<Gpu>,
    /// Numbers a lane of its units computes at once.
    pub simd_width: Option<u32>,
    /// MHz.
    pub memory_clock_rate: Option<u32>,
    /// Bits between it and its memory.
    pub memory_bus_width: Option<u32>,
}

/// How a GPU of Intel's is made.
#[derive(Debug, Clone, Copy)]
pub struct Gpu {
    /// Slices.
    pub slices: u32,
    /// Parts of a slice.
    pub subslices_per_slice: u32,
    /// Execution units of such a part.
    pub units_per_subslice: u32,
    /// Threads that a unit has at once.
    pub threads_per_unit: u32,
}

/// What Linux says that a device's maker calls it, at that place of the PCI bus; for drivers that do
/// not tell. `None` where nothing says it.
pub fn device_id([domain, bus, device, function]: [u32; 4]) -> Option<u32> {
    let place = format!("{domain:04x}:{bus:02x}:{device:02x}.{function:x}");
    let text = std::fs::read_to_string(format!("/sys/bus/pci/devices/{place}/device")).ok()?;
    u32::from_str_radix(text.trim().strip_prefix("0x")?, 16).ok()
}

impl Details {
    /// Adds them to what is known of the device.
    pub fn tell(self, facts: &mut DeviceFacts) {
        let mut tell = |aspect, code, number: Option<u32>| {
            if let Some(number) = number.filter(|number| *number != 0) {
                facts.numbers.push((code, vec![number.into()]));
                facts.aspects.extend(aspects::number(aspect));
            }
        };
        tell("ext_intel_device_id", codes::DEVICE_ID, self.id);
        let per_gpu = |part: fn(&Gpu) -> u32| self.gpu.as_ref().map(part);
        for (aspect, code, number) in [
            (
                "ext_intel_gpu_slices",
                codes::DEVICE_GPU_SLICES,
                per_gpu(|gpu| gpu.slices),
            ),
            (
                "ext_intel_gpu_subslices_per_slice",
                codes::DEVICE_GPU_SUBSLICES_PER_SLICE,
                per_gpu(|gpu| gpu.subslices_per_slice),
            ),
            (
                "ext_intel_gpu_eu_count_per_subslice",
                codes::DEVICE_GPU_EU_COUNT_PER_SUBSLICE,
                per_gpu(|gpu| gpu.units_per_subslice),
            ),
            (
                "ext_intel_gpu_eu_count",
                codes::DEVICE_GPU_EU_COUNT,
                per_gpu(|gpu| {
                    let subslices = gpu.slices.saturating_mul(gpu.subslices_per_slice);
                    subslices.saturating_mul(gpu.units_per_subslice)
                }),
            ),
            (
                "ext_intel_gpu_hw_threads_per_eu",
                codes::DEVICE_GPU_HW_THREADS_PER_EU,
                per_gpu(|gpu| gpu.threads_per_unit),
            ),
            (
                "ext_intel_gpu_eu_simd_width",
                codes::DEVICE_GPU_EU_SIMD_WIDTH,
                self.simd_width,
            ),
            (
                "ext_intel_memory_clock_rate",
                codes::DEVICE_MEMORY_CLOCK_RATE,
                self.memory_clock_rate,
            ),
            (
                "ext_intel_memory_bus_width",
                codes::DEVICE_MEMORY_BUS_WIDTH,
                self.memory_bus_width,
            ),
        ] {
            tell(aspect, code, number);
        }
        if let Some([domain, bus, device, function]) = self.pci_address {
            facts.pci_address = format!("{domain:04x}:{bus:02x}:{device:02x}.{function:x}");
            facts
                .aspects
                .extend(aspects::number("ext_intel_pci_address"));
        }
        if let Some(uuid) = facts.uuid {
            facts
                .numbers
                .push((codes::DEVICE_UUID, uuid.map(u64::from).to_vec()));
            facts
                .aspects
                .extend(aspects::number("ext_intel_device_info_uuid"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_has_the_aspects_of_what_is_told() {
        let mut facts = DeviceFacts::default();
        let gpu = Gpu {
            slices: 2,
            subslices_per_slice: 3,
            units_per_subslice: 8,
            threads_per_unit: 7,
        };
        Details {
            id: Some(0),
            pci_address: Some([0, 0x3a, 0, 1]),
            gpu: Some(gpu),
            ..Details::default()
        }
        .tell(&mut facts);
        assert_eq!(facts.pci_address, "0000:3a:00.1");
        assert_eq!(facts.number(codes::DEVICE_GPU_EU_COUNT), Some(48));
        assert_eq!(facts.number(codes::DEVICE_ID), None);
        let has = |name| facts.aspects.contains(&aspects::number(name).unwrap());
        assert!(has("ext_intel_gpu_eu_count") && has("ext_intel_pci_address"));
        assert!(!has("ext_intel_device_id") && !has("ext_intel_device_info_uuid"));
    }
}
