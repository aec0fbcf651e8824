//! Errors that sanitizers have to find, in builds that are made for them: a run that finds none has
//! looked at nothing. No other build has this.

use std::cell::UnsafeCell;
use std::hint::black_box;
use std::thread;

/// What [`plsycl_seeded_error`] does wrong.
const USE_AFTER_FREE: u32 = 1;
const RACE: u32 = 2;

struct Shared(UnsafeCell<u64>);

// SAFETY: none: this is the error.
unsafe impl Sync for Shared {}

static SHARED: Shared = Shared(UnsafeCell::new(0));

/// Does wrong what the number says, and nothing for another number.
#[unsafe(no_mangle)]
pub extern "C" fn plsycl_seeded_error(what: u32) -> u64 {
    match what {
        USE_AFTER_FREE => use_after_free(),
        RACE => race(),
        _ => 0,
    }
}

fn use_after_free() -> u64 {
    let gone = black_box(Box::into_raw(Box::new(42_u64)));
    // SAFETY: the allocation is this function's own.
    drop(unsafe { Box::from_raw(gone) });
    // SAFETY: none: this is the error.
    unsafe { black_box(gone).read_volatile() }
}

fn race() -> u64 {
    let add = || {
        for _ in 0..1000 {
            // SAFETY: none: both threads write.
            unsafe { *black_box(SHARED.0.get()) += 1 };
        }
    };
    thread::scope(|scope| {
        scope.spawn(add);
        scope.spawn(add);
    });
    // SAFETY: nobody writes any more.
    unsafe { *SHARED.0.get() }
}
