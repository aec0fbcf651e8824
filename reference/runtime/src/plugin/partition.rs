//! Dividing a device into parts (SYCL 2020, "Device class", `create_sub_devices`).

use super::DeviceFacts;
use crate::abi::codes;
use crate::error::{Error, Kind, Result};

/// How a device is divided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Partition {
    /// Into as many parts of so many compute units as there are.
    Equally(u64),
    /// Into a part of so many compute units for each number that is not 0.
    ByCounts(Vec<u64>),
    /// Into parts that share what the domain says.
    ByDomain(Domain),
}

/// What the compute units of a part share, with the numbers of `sycl::info::partition_affinity_domain`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u64)]
pub enum Domain {
    /// A NUMA node.
    Numa = 1,
    /// A cache of level 4.
    Cache4 = 2,
    /// A cache of level 3.
    Cache3 = 3,
    /// A cache of level 2.
    Cache2 = 4,
    /// A cache of level 1.
    Cache1 = 5,
    /// Whatever comes first in this list that the device can be divided by.
    Next = 6,
}

impl Domain {
    /// All of them, in the order of their numbers.
    pub const ALL: [Domain; 6] = [
        Domain::Numa,
        Domain::Cache4,
        Domain::Cache3,
        Domain::Cache2,
        Domain::Cache1,
        Domain::Next,
    ];
}

impl Partition {
    /// Numbers of `sycl::info::partition_property`.
    pub const EQUALLY: u64 = 1;
    /// The second of them.
    pub const BY_COUNTS: u64 = 2;
    /// The third of them.
    pub const BY_DOMAIN: u64 = 3;

    /// What a program asks for: a number of `sycl::info::partition_property`, and what goes with it.
    ///
    /// # Errors
    /// `Invalid` for what is no division.
    pub fn read(how: u64, values: &[u64]) -> Result<Partition> {
        let domain = |number| Domain::ALL.into_iter().find(|d| *d as u64 == number);
        match (how, values) {
            (Partition::EQUALLY, [units]) => Ok(Partition::Equally(*units)),
            (Partition::BY_COUNTS, counts) => {
                let counts = counts.iter().copied().filter(|count| *count != 0);
                Ok(Partition::ByCounts(counts.collect()))
            }
            (Partition::BY_DOMAIN, [number]) => domain(*number)
                .map(Partition::ByDomain)
                .ok_or_else(|| not_offered("by that affinity domain")),
            _ => Err(Error::new(Kind::Invalid, "no such division of a device")),
        }
    }

    /// Its number of `sycl::info::partition_property`.
    #[must_use]
    pub fn number(&self) -> u64 {
        match self {
            Partition::Equally(_) => Partition::EQUALLY,
            Partition::ByCounts(_) => Partition::BY_COUNTS,
            Partition::ByDomain(_) => Partition::BY_DOMAIN,
        }
    }

    /// Whether a device can be divided so.
    ///
    /// # Errors
    /// As SYCL has them: `FeatureNotSupported` where it is never divided that way, `Invalid` where it
    /// has not as many compute units or parts.
    pub fn check(&self, device: &DeviceFacts) -> Result<()> {
        let number = |code| device.number(code).unwrap_or(0);
        let units = number(codes::DEVICE_MAX_COMPUTE_UNITS);
        if number(codes::DEVICE_PARTITION_PROPERTIES) & 1 << self.number() == 0 {
            return Err(not_offered(match self {
                Partition::Equally(_) => "equally",
                Partition::ByCounts(_) => "by counts",
                Partition::ByDomain(_) => "by affinity domain",
            }));
        }
        let wanted = match self {
            Partition::Equally(0) => {
                let reason = "a part of a device has at least one compute unit";
                return Err(Error::new(Kind::Invalid, reason));
            }
            Partition::Equally(each) => *each,
            Partition::ByCounts(counts) => {
                let most = number(codes::DEVICE_PARTITION_MAX);
                if counts.len() as u64 > most {
                    let reason = format!("the device is divided into {most} parts at most");
                    return Err(Error::new(Kind::Invalid, reason));
                }
                counts
                    .iter()
                    .fold(0, |sum: u64, each| sum.saturating_add(*each))
            }
            Partition::ByDomain(domain) => {
                if number(codes::DEVICE_PARTITION_DOMAINS) & 1 << *domain as u64 == 0 {
                    return Err(not_offered("by that affinity domain"));
                }
                0
            }
        };
        if wanted > units {
            let reason = format!("{wanted} compute units of a device that has {units}");
            return Err(Error::new(Kind::Invalid, reason));
        }
        Ok(())
    }
}

fn not_offered(how: &str) -> Error {
    let reason = format!("the device cannot be divided {how} into sub-devices");
    Error::new(Kind::FeatureNotSupported, reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(units: u64, parts: u64, properties: u64, domains: u64) -> DeviceFacts {
        DeviceFacts {
            numbers: vec![
                (codes::DEVICE_MAX_COMPUTE_UNITS, vec![units]),
                (codes::DEVICE_PARTITION_MAX, vec![parts]),
                (codes::DEVICE_PARTITION_PROPERTIES, vec![properties]),
                (codes::DEVICE_PARTITION_DOMAINS, vec![domains]),
            ],
            ..DeviceFacts::default()
        }
    }

    #[test]
    fn a_device_is_divided_as_it_says_and_within_its_units() {
        let device = device(8, 3, 0b1110, 0b100_0010);
        let refusal = |how: u64, values: &[u64]| {
            let partition = Partition::read(how, values).and_then(|p| p.check(&device));
            partition.err().map(|error| error.kind)
        };
        let (invalid, unsupported) = (Some(Kind::Invalid), Some(Kind::FeatureNotSupported));
        assert_eq!(refusal(1, &[8]), None);
        assert_eq!(refusal(1, &[9]), invalid);
        assert_eq!(refusal(1, &[0]), invalid);
        assert_eq!(refusal(1, &[]), invalid);
        assert_eq!(refusal(2, &[3, 0, 4, 1]), None);
        assert_eq!(refusal(2, &[3, 0, 4, 2]), invalid);
        assert_eq!(refusal(2, &[u64::MAX, 2]), invalid);
        assert_eq!(refusal(2, &[1, 1, 1, 1]), invalid);
        assert_eq!(refusal(3, &[1]), None);
        assert_eq!(refusal(3, &[6]), None);
        assert_eq!(refusal(3, &[2]), unsupported);
        assert_eq!(refusal(3, &[0]), unsupported);
        assert_eq!(refusal(4, &[1]), invalid);
    }

    #[test]
    fn a_device_that_is_never_divided_refuses_even_what_is_too_much() {
        let device = device(8, 0, 0, 0);
        for how in [
            Partition::Equally(9),
            Partition::ByCounts(vec![9]),
            Partition::ByDomain(Domain::Next),
        ] {
            let error = how.check(&device).unwrap_err();
            assert_eq!(error.kind, Kind::FeatureNotSupported, "{how:?}");
        }
    }
}
