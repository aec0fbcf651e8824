//! Wrapping by a thread of its own, which sets LLVM's code generation up while outside tools work on
//! the images.

use std::sync::Once;
use std::sync::mpsc::{self, Sender};
use std::thread::{self, JoinHandle};

use super::{DeviceImage, HostTarget, WrapError, Wrapped, wrap_on};

/// A thread that waits for images. When this goes away, so does the thread: the process must not
/// end while it is inside LLVM. Where the system gives no thread, wrapping is done when it is asked for.
#[derive(Debug)]
pub struct WrapAhead {
    host: HostTarget,
    orders: Option<Sender<Order>>,
    set_up: Once,
    thread: Option<JoinHandle<Option<Result<Wrapped, WrapError>>>>,
}

#[derive(Debug)]
enum Order {
    /// LLVM does some of its work when it is first used.
    SetUp,
    /// The images to wrap, and whether the module's text is wanted.
    Wrap(Vec<DeviceImage>, bool),
}

impl WrapAhead {
    /// Starts the thread, which wraps for `host`.
    #[must_use]
    pub fn new(host: HostTarget) -> Self {
        let (orders, received) = mpsc::channel();
        let host_of_thread = host.clone();
        let work = move || {
            let host = host_of_thread;
            let mut machine = None;
            for order in received {
                let known = machine.take().map_or_else(|| host.machine(), Ok);
                let ready = match (known, order) {
                    (Ok(ready), Order::Wrap(images, text)) => {
                        return Some(wrap_on(&ready, &images, &host, text));
                    }
                    (Err(error), Order::Wrap(..)) => return Some(Err(error)),
                    (Ok(ready), Order::SetUp) => ready,
                    // What goes wrong now goes wrong again where it counts.
                    (Err(_), Order::SetUp) => continue,
                };
                let _ = wrap_on(&ready, &[], &host, false);
                machine = Some(ready);
            }
            None
        };
        WrapAhead {
            host,
            orders: Some(orders),
            set_up: Once::new(),
            thread: thread::Builder::new().spawn(work).ok(),
        }
    }

    /// Sets up what wrapping needs. To be called when this process has little to do; later calls do
    /// nothing.
    pub fn set_up(&self) {
        self.set_up.call_once(|| self.order(Order::SetUp));
    }

    /// Wraps `images`, in that order, as [`super::wrap`] does.
    ///
    /// # Errors
    /// Those of [`super::wrap`].
    pub fn wrap(mut self, images: Vec<DeviceImage>, text: bool) -> Result<Wrapped, WrapError> {
        if self.thread.is_none() {
            return super::wrap(&images, &self.host, text);
        }
        self.order(Order::Wrap(images, text));
        let lost = || WrapError::Emit("the thread that wraps ended".to_owned());
        self.join().ok_or_else(lost)?
    }

    fn order(&self, order: Order) {
        if let Some(orders) = &self.orders {
            // A thread that has gone is noticed when its result is wanted.
            let _ = orders.send(order);
        }
    }

    fn join(&mut self) -> Option<Result<Wrapped, WrapError>> {
        self.orders = None;
        self.thread.take()?.join().ok()?
    }
}

impl Drop for WrapAhead {
    fn drop(&mut self) {
        let _ = self.join();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_object_is_the_same_with_and_without_setting_up() {
        let host = HostTarget::default();
        let expected = super::super::wrap(&[], &host, true).unwrap();
        for set_up in [false, true] {
            let ahead = WrapAhead::new(host.clone());
            if set_up {
                ahead.set_up();
                ahead.set_up();
            }
            let wrapped = ahead.wrap(Vec::new(), true).unwrap();
            assert_eq!(wrapped.object, expected.object);
            assert_eq!(wrapped.text, expected.text);
        }
    }

    #[test]
    fn without_a_thread_the_object_is_the_same() {
        let host = HostTarget::default();
        let expected = super::super::wrap(&[], &host, false).unwrap();
        let mut ahead = WrapAhead::new(host);
        let _ = ahead.join();
        assert_eq!(
            ahead.wrap(Vec::new(), false).unwrap().object,
            expected.object
        );
    }

    #[test]
    fn a_host_that_llvm_does_not_know_is_an_error() {
        let triple = "nowhere-unknown-unknown".to_owned();
        let ahead = WrapAhead::new(HostTarget { triple });
        ahead.set_up();
        assert!(matches!(
            ahead.wrap(Vec::new(), false),
            Err(WrapError::Host { .. })
        ));
    }
}
