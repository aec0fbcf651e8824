//! Kernels for larger work-groups than their driver's compiler has left room for.
//!
//! A GPU's work-group shares its registers: a kernel that was given many of them cannot be started in the largest
//! groups that the device has (`info::kernel_device_specific::work_group_size` tells, but few programs ask). Where
//! the driver's compiler can be told a bound, such a start has the kernel built once more.

use std::sync::{Arc, Mutex, PoisonError};

use super::arguments::Plan;
use super::known::Chosen;
use crate::abi::codes;
use crate::device_globals;
use crate::plugin::Space;
use crate::queue::Queue;
use crate::select;
use crate::trace::trace;

/// What a kernel is for larger work-groups, by the build options that make room for them.
#[derive(Default)]
pub struct Larger(Mutex<Vec<(String, Option<Arc<Chosen>>)>>);

/// The kernel for the work-groups of a space that are too large for it; `None` where there is no way to have them.
pub(super) fn of(queue: &Queue, chosen: &Chosen, space: &Space) -> Option<Arc<Chosen>> {
    let items = space.local?.iter().map(|items| *items as u64).product();
    let most = chosen.kernel.query(codes::KERNEL_WORK_GROUP_SIZE).ok()?;
    if items <= most || chosen.required_group.is_some() {
        return None;
    }
    let options = queue.device.driver().options_for_group(items)?;
    let all = chosen.larger.0.lock();
    let mut all = all.unwrap_or_else(PoisonError::into_inner);
    if let Some((_, known)) = all.iter().find(|(known, _)| *known == options) {
        return known.clone();
    }
    let built = build(queue, chosen, &options, items);
    all.push((options, built.clone()));
    built
}

/// The kernel from the best image that is not compiled yet, where that builds with room for so many work-items.
fn build(queue: &Queue, chosen: &Chosen, options: &str, items: u64) -> Option<Arc<Chosen>> {
    let images = select::images_for(&chosen.name, chosen.origin, queue.device).ok()?;
    let mut images = images.iter().filter(|linked| {
        let image = linked.image();
        !image.form().is_machine_code && !device_globals::has_own_variables(image)
    });
    images.find_map(|linked| {
        let (name, image) = (&chosen.name, linked.image());
        let kernel = queue
            .context
            .kernel(queue.device, linked, name, &[], options);
        let told = kernel.inspect_err(|error| {
            trace(|| format!("kernel {name} does not build for work-groups of {items}: {error}"));
        });
        let kernel = told.ok()?;
        if kernel.query(codes::KERNEL_WORK_GROUP_SIZE).ok()? < items {
            return None;
        }
        trace(|| format!("kernel {name} built once more for work-groups of {items} ({options})"));
        Some(Arc::new(Chosen {
            changes: chosen.changes,
            asked: chosen.asked.clone(),
            name: Arc::clone(name),
            info: Arc::clone(&chosen.info),
            origin: chosen.origin,
            plan: Plan::of(image, name, &chosen.info.parameters),
            image: Arc::clone(image),
            required_group: kernel.required_group(),
            kernel,
            larger: Larger::default(),
        }))
    })
}
