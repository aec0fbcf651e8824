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
use super::discovery::all_that_open;
use super::{Answer, Backend, Context, Device, Platform};
use crate::abi::codes;
use crate::error::Result;

/// One Level Zero driver.
struct LevelZeroPlatform {
    api: Api,
    driver: Id,
    version: String,
    devices: Vec<Box<dyn Device>>,
    ids: Vec<Id>,
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
        .filter(|platform| !platform.devices.is_empty());
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
        let id = Id(ids[number]);
        let device = LevelZeroDevice::new(api, id, &version, &driver_version)?;
        Ok((id, Box::new(device) as Box<dyn Device>))
    })?;
    let (ids, devices) = opened.into_iter().unzip();
    Ok(LevelZeroPlatform {
        api,
        driver,
        version,
        devices,
        ids,
    })
}

impl Platform for LevelZeroPlatform {
    fn backend(&self) -> Backend {
        Backend::LevelZero
    }

    fn text(&self, what: u32) -> Option<String> {
        let text = match what {
            codes::PLATFORM_NAME => "Level Zero",
            codes::PLATFORM_VENDOR => &self.devices.first()?.facts().vendor,
            codes::PLATFORM_VERSION => &self.version,
            codes::PLATFORM_EXTENSIONS => "",
            _ => return None,
        };
        Some(text.to_owned())
    }

    fn devices(&self) -> &[Box<dyn Device>] {
        &self.devices
    }

    fn create_context(&self, devices: &[usize]) -> Result<Arc<dyn Context>> {
        let context = LevelZeroContext::create(self.api, self.driver, &self.ids, devices)?;
        Ok(Arc::new(context))
    }
}
