//! Wrapping by a thread of its own, which sets LLVM's code generation up while outside tools work on
//! the images.

use std::path::{Path, PathBuf};
use std::sync::Once;
use std::sync::mpsc::{self, Sender};
use std::thread::{self, JoinHandle};

use super::{DeviceImage, HostTarget, WrapError, wrap_on};

/// A thread that waits for images. When this goes away, so does the thread: the process must not
/// end while it is inside LLVM. Where the system gives no thread, wrapping is done when it is asked for.
#[derive(Debug)]
pub struct WrapAhead {
    host: HostTarget,
    orders: Option<Sender<Order>>,
    set_up: Once,
    thread: Option<JoinHandle<Option<Wrapped>>>,
}

/// What wrapping comes to: the module's text where that is wanted.
type Wrapped = Result<Option<String>, WrapError>;

#[derive(Debug)]
enum Order {
    /// LLVM does some of its work when it is first used.
    SetUp,
    /// The images to wrap, whether the module's text is wanted, and where the object goes.
    Wrap(Vec<DeviceImage>, bool, PathBuf),
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
                    (Ok(ready), Order::Wrap(images, text, to)) => {
                        return Some(wrap_on(&ready, images, &host, text, &to));
                    }
                    (Err(error), Order::Wrap(..)) => return Some(Err(error)),
                    (Ok(ready), Order::SetUp) => ready,
                    // What goes wrong now goes wrong again where it counts.
                    (Err(_), Order::SetUp) => continue,
                };
                super::set_up(&ready, &host);
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

    /// Wraps `images`, in that order, into an object at `to`, as [`super::wrap`] does.
    ///
    /// # Errors
    /// Those of [`super::wrap`].
    pub fn wrap(mut self, images: Vec<DeviceImage>, text: bool, to: &Path) -> Wrapped {
        if self.thread.is_none() {
            return super::wrap(images, &self.host, text, to);
        }
        self.order(Order::Wrap(images, text, to.to_owned()));
        let lost = || WrapError::Emit("the thread that wraps ended".to_owned());
        self.join().ok_or_else(lost)?
    }

    fn order(&self, order: Order) {
        if let Some(orders) = &self.orders {
            // A thread that has gone is noticed when its result is wanted.
            let _ = orders.send(order);
        }
    }

    fn join(&mut self) -> Option<Wrapped> {
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
        let folder = tempfile::tempdir().unwrap();
        let (expected, file) = (folder.path().join("expected.o"), folder.path().join("a.o"));
        let host = HostTarget::default();
        let text = super::super::wrap(Vec::new(), &host, true, &expected).unwrap();
        for set_up in [false, true] {
            let ahead = WrapAhead::new(host.clone());
            if set_up {
                ahead.set_up();
                ahead.set_up();
            }
            assert_eq!(ahead.wrap(Vec::new(), true, &file).unwrap(), text);
            assert_eq!(
                std::fs::read(&file).unwrap(),
                std::fs::read(&expected).unwrap()
            );
        }
    }

    #[test]
    fn without_a_thread_the_object_is_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let (expected, file) = (folder.path().join("expected.o"), folder.path().join("a.o"));
        let host = HostTarget::default();
        super::super::wrap(Vec::new(), &host, false, &expected).unwrap();
        let mut ahead = WrapAhead::new(host);
        let _ = ahead.join();
        ahead.wrap(Vec::new(), false, &file).unwrap();
        assert_eq!(
            std::fs::read(&file).unwrap(),
            std::fs::read(&expected).unwrap()
        );
    }

    #[test]
    fn a_host_that_llvm_does_not_know_is_an_error() {
        let triple = "nowhere-unknown-unknown".to_owned();
        let ahead = WrapAhead::new(HostTarget { triple });
        ahead.set_up();
        assert!(matches!(
            ahead.wrap(Vec::new(), false, Path::new("none.o")),
            Err(WrapError::Host { .. })
        ));
    }
}
