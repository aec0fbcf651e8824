//! Parts of OpenCL devices.

use opencl3::device as cl;
use opencl3::device::{Device as ClDevice, create_sub_devices};
use opencl3::types::cl_device_partition_property as Property;

use super::device::{Id, OpenClDevice, number};
use super::refused;
use crate::abi::codes;
use crate::error::Result;
use crate::plugin::Device as _;
use crate::plugin::devices::Devices;
use crate::plugin::partition::{Domain, Partition};

/// OpenCL's bit of an affinity domain: SYCL numbers them in the same order.
fn bit(domain: Domain) -> u64 {
    1 << (domain as u64 - 1)
}

/// What a device says of its parts, and of how it became one.
pub(super) fn numbers(device: &ClDevice) -> impl Iterator<Item = (u32, Vec<u64>)> {
    let units = u64::from(device.max_compute_units().unwrap_or(0));
    let most = u64::from(device.partition_max_sub_devices().unwrap_or(0)).min(units);
    // SYCL has no way of dividing that leaves a device whole. Nor may every device be asked more:
    // Intel's emulator crashes over a part that has nothing to answer.
    let [ways, domains] = match most > 1 {
        true => ways(device),
        false => [0, 0],
    };
    let shared = shared_domain(&device.partition_type().unwrap_or_default());
    [
        (codes::DEVICE_PARTITION_MAX, vec![most]),
        (codes::DEVICE_PARTITION_PROPERTIES, vec![ways]),
        (codes::DEVICE_PARTITION_DOMAINS, vec![domains]),
        (codes::DEVICE_PARTITION_DOMAIN, vec![shared]),
    ]
    .into_iter()
}

/// How a device can be divided, and by which domains, a bit for each number of SYCL's.
fn ways(device: &ClDevice) -> [u64; 2] {
    let offered = device.partition_properties().unwrap_or_default();
    let all = [
        (Partition::EQUALLY, cl::CL_DEVICE_PARTITION_EQUALLY),
        (Partition::BY_COUNTS, cl::CL_DEVICE_PARTITION_BY_COUNTS),
        (
            Partition::BY_DOMAIN,
            cl::CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
        ),
    ];
    let offered = all.into_iter().filter(|(_, way)| offered.contains(way));
    let ways = offered.fold(0, |bits, (way, _)| bits | 1 << way);
    let by_domain = 1 << Partition::BY_DOMAIN;
    match number(device, cl::CL_DEVICE_PARTITION_AFFINITY_DOMAIN) {
        0 => [ways & !by_domain, 0],
        domains if ways & by_domain != 0 => [ways, domains << 1],
        _ => [ways, 0],
    }
}

/// The number of the affinity domain by which a part was divided from its whole; 0 for none.
fn shared_domain(partition: &[Property]) -> u64 {
    let [cl::CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, domain, ..] = partition else {
        return 0;
    };
    let mut all = Domain::ALL.into_iter();
    all.find(|each| bit(*each) == *domain as u64)
        .map_or(0, |each| each as u64)
}

/// Divides the device at a place, and says where the parts are.
///
/// # Errors
/// When the driver refuses.
pub(super) fn divide(
    devices: &Devices<OpenClDevice>,
    place: usize,
    how: &Partition,
) -> Result<Vec<usize>> {
    let whole = devices.at(place)?;
    let units = whole.facts().number(codes::DEVICE_MAX_COMPUTE_UNITS);
    let list = properties(how, units.unwrap_or(0));
    let parts = create_sub_devices(whole.id().0, &list);
    let parts = parts.map_err(|error| refused("divide a device")(error.into()))?;
    let parts = parts.into_iter().map(|id| {
        let part = OpenClDevice::new(Id(id), Some(place));
        devices.add(part)
    });
    Ok(parts.collect())
}

/// The division in OpenCL's words, of a device with so many compute units.
fn properties(how: &Partition, units: u64) -> Vec<Property> {
    let by_counts = |counts: &[u64]| {
        let counts = counts.iter().map(|count| *count as Property);
        [cl::CL_DEVICE_PARTITION_BY_COUNTS]
            .into_iter()
            .chain(counts)
            .chain([cl::CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0])
            .collect()
    };
    match how {
        // Intel's driver divides equally into two parts at least.
        Partition::Equally(each) if each * 2 > units => by_counts(&[*each]),
        Partition::Equally(each) => vec![cl::CL_DEVICE_PARTITION_EQUALLY, *each as Property, 0],
        Partition::ByCounts(counts) => by_counts(counts),
        Partition::ByDomain(domain) => vec![
            cl::CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
            bit(*domain) as Property,
            0,
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn divisions_are_written_in_the_words_of_opencl() {
        let list = |how| properties(&how, 8);
        assert_eq!(list(Partition::Equally(4)), [0x1086, 4, 0]);
        assert_eq!(list(Partition::Equally(5)), [0x1087, 5, 0, 0]);
        assert_eq!(list(Partition::ByCounts(vec![1, 7])), [0x1087, 1, 7, 0, 0]);
        let next = Partition::ByDomain(Domain::Next);
        assert_eq!(list(next), [0x1088, 1 << 5, 0]);
    }

    #[test]
    fn a_part_says_what_its_units_share() {
        assert_eq!(shared_domain(&[0x1088, 1 << 2, 0]), Domain::Cache3 as u64);
        assert_eq!(shared_domain(&[0x1086, 1, 0]), 0);
        assert_eq!(shared_domain(&[]), 0);
    }
}
