//! Devices through Level Zero.

mod context;
mod device;
mod driver;
mod event;
mod program;
mod queue;
mod transfer;

use std::sync::Arc;

use level_zero_sys::ze_driver_properties_t;

use self::context::LevelZeroContext;
use self::device::LevelZeroDevice;
use self::driver::{Api, Id, filled, listed};
use super::devices::Devices;
use super::discovery::all_that_open;
use super::partition::Partition;
use super::{Answer, Backend, Context, Device, Platform};
use crate::abi::codes;
use crate::error::Result;

/// One Level Zero driver.
struct LevelZeroPlatform {
    api: Api,
    driver: Id,
    version: String,
    driver_version: String,
    devices: Arc<Devices<LevelZeroDevice>>,
}

/// Every driver with a device.
pub(super) fn platforms() -> Answer {
    let api = driver::api()?;
    let drivers = listed("list drivers", std::ptr::null_mut(), |count, items| {
        // SAFETY: places for the count and, when not null, for as many handles.
        unsafe { (api.driver_get)(count, items) }
    });
    let drivers = drivers.map_err(|e| e.reason)?;
    let opened = all_that_open("Level Zero driver", 0..drivers.len(), |number| {
        open(api, Id(drivers[number]))
    });
    let with_devices = opened
        .map_err(|e| e.reason)?
        .into_iter()
        .filter(|platform| !platform.devices.all().is_empty());
    let platforms: Vec<_> = with_devices
        .map(|platform| Box::new(platform) as Box<dyn Platform>)
        .collect();
    match platforms.is_empty() {
        true => Err("no driver has a device".to_owned()),
        false => Ok(platforms),
    }
}

fn open(api: Api, driver: Id) -> Result<LevelZeroPlatform> {
    let version = filled("tell its version", 0, |version| {
        // SAFETY: a driver of the loader, and a place for the number.
        unsafe { (api.driver_get_api_version)(driver.0, version) }
    })?;
    let properties = filled(
        "tell a driver's properties",
        ze_driver_properties_t::default(),
        // SAFETY: a driver of the loader, and a structure with its mark.
        |place| unsafe { (api.driver_get_properties)(driver.0, place) },
    )?;
    let ids = listed("list devices", std::ptr::null_mut(), |count, items| {
        // SAFETY: a driver of the loader; places as above.
        unsafe { (api.device_get)(driver.0, count, items) }
    })?;
    let version = format!("Level Zero {}.{}", version >> 16, version & 0xffff);
    let number = properties.driver_version;
    let driver_version = format!(
        "{}.{}.{}",
        number >> 24,
        number >> 16 & 0xff,
        number & 0xffff
    );
    let opened = all_that_open("Level Zero device", 0..ids.len(), |number| {
        LevelZeroDevice::new(api, Id(ids[number]), &version, &driver_version)
    })?;
    Ok(LevelZeroPlatform {
        api,
        driver,
        version,
        driver_version,
        devices: Arc::new(Devices::new(opened)),
    })
}

impl Platform for LevelZeroPlatform {
    fn backend(&self) -> Backend {
        Backend::LevelZero
    }

    fn text(&self, what: u32) -> Option<String> {
        let text = match what {
            codes::PLATFORM_NAME => "Level Zero",
            codes::PLATFORM_VENDOR => &self.devices.at(0).ok()?.facts().vendor,
            codes::PLATFORM_VERSION => &self.version,
            codes::PLATFORM_EXTENSIONS => "",
            _ => return None,
        };
        Some(text.to_owned())
    }

    fn devices(&self) -> Vec<&'static dyn Device> {
        self.devices.listed()
    }

    fn device(&self, place: usize) -> Result<&'static dyn Device> {
        Ok(self.devices.at(place)?)
    }

    /// The parts that the driver has, which are all that its devices are divided into.
    fn divide(&self, place: usize, _how: &Partition) -> Result<Vec<usize>> {
        let parts = device::parts(self.api, self.devices.at(place)?.id())?;
        let parts = parts.into_iter().map(|id| {
            let part = LevelZeroDevice::new(self.api, id, &self.version, &self.driver_version)?;
            Ok(self.devices.add(part.into_part()))
        });
        parts.collect()
    }

    fn create_context(&self, devices: &[usize]) -> Result<Arc<dyn Context>> {
        let context = LevelZeroContext::create(self.api, self.driver, &self.devices, devices)?;
        Ok(Arc::new(context))
    }
}
