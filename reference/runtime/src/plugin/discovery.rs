//! Asking the interfaces for their platforms.
//!
//! Only those are loaded that the user's choice leaves open, side by side: on a machine without one
//! of them it costs the failed search for a library.

use std::thread;

use super::{Backend, Platform, cuda, level_zero, opencl};

/// The platforms of an interface, or why it has none.
pub type Answer = Result<Vec<Box<dyn Platform>>, String>;

/// What one interface said.
pub struct Asked {
    /// The interface.
    pub backend: Backend,
    /// What it said; `None` when it was not asked.
    pub answer: Option<Answer>,
}

/// Asks every interface that is `wanted`, and tells of all of them in the order in which devices are
/// preferred.
#[must_use]
pub fn ask(wanted: impl Fn(Backend) -> bool) -> Vec<Asked> {
    let mut asked: Vec<Asked> = Backend::ALL
        .iter()
        .map(|backend| Asked {
            backend: *backend,
            answer: None,
        })
        .collect();
    thread::scope(|scope| {
        let mut open: Vec<&mut Asked> = asked.iter_mut().filter(|a| wanted(a.backend)).collect();
        // One of them can use this thread.
        let last = open.pop();
        for one in open {
            scope.spawn(|| one.answer = Some(platforms(one.backend)));
        }
        if let Some(one) = last {
            one.answer = Some(platforms(one.backend));
        }
    });
    asked
}

fn platforms(backend: Backend) -> Answer {
    match backend {
        Backend::OpenCl => opencl::platforms(),
        Backend::LevelZero => level_zero::platforms(),
        Backend::Cuda => cuda::platforms(),
    }
}
