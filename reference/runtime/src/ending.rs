//! The end of the program. A driver's library has an end of its own, which comes before the destructors of
//! static objects that were made before the library was loaded. What these still ask is answered without
//! the driver: there is nothing left to wait for, as commands were waited for in time; what they let go of,
//! the system takes back; and new commands are refused.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Error, Kind, Result};
use crate::pool;

/// Whether drivers may have ended.
static HAS_COME: AtomicBool = AtomicBool::new(false);

/// Whether the end has come: no driver is to be called any more.
pub fn has_come() -> bool {
    HAS_COME.load(Ordering::Relaxed)
}

/// Refuses what needs a driver.
///
/// # Errors
/// When the end has come.
pub fn refuse() -> Result<()> {
    if has_come() {
        let reason = "the program ends, and the devices' drivers have ended before this object";
        return Err(Error::new(Kind::Runtime, reason));
    }
    Ok(())
}

/// Says that the end has come; commands have been waited for.
pub fn comes() {
    HAS_COME.store(true, Ordering::Relaxed);
}

/// Has the end come when the program's does. To be called when a driver is loaded: what is registered
/// later comes first.
pub fn after_driver() {
    static AT_EXIT: Once = Once::new();
    AT_EXIT.call_once(|| pool::at_exit(come_at_exit));
}

extern "C" fn come_at_exit() {
    // A job that ends the program still has what it uses.
    if pool::wait_until_quiet() {
        comes();
    }
}
