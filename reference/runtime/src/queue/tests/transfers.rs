//! Copies and fills of buffers: what becomes the driver's, and from where.

use super::*;
use crate::boxes::{Box3, Rows};
use crate::command::Region;

const ALL: Rows = Rows {
    planes: 1,
    rows: 1,
    row_size: 16,
};

fn in_buffer(memory: &Arc<Memory>, first: usize) -> Region {
    Region {
        memory: Some(Arc::clone(memory)),
        pointer: null_mut(),
        bounds: Box3 {
            first,
            ..ALL.packed()
        },
    }
}

fn at(bytes: &mut [u8]) -> Region {
    Region {
        memory: None,
        pointer: bytes.as_mut_ptr(),
        bounds: ALL.packed(),
    }
}

fn half() -> Rows {
    Rows { row_size: 8, ..ALL }
}

/// What the driver was told.
fn told(tested: &Tested) -> Vec<&'static str> {
    tested.driver.take().iter().map(|each| each.what).collect()
}

#[test]
fn buffers_are_copied_and_filled_by_the_driver() {
    let tested = Tested::new(true);
    let (memory, other) = (buffer(), buffer());
    let mut bytes = [0u8; 16];
    let write = [(Arc::clone(&memory), WRITE)];
    let read = [(Arc::clone(&memory), READ)];
    let fill = Command::FillBox {
        to: in_buffer(&memory, 0),
        pattern: vec![7],
        rows: ALL,
    };
    tested.submit(fill, &[], &write);
    tested.submit(
        Command::copy(at(&mut bytes), in_buffer(&memory, 0), ALL),
        &[],
        &read,
    );
    tested.submit(
        Command::copy(in_buffer(&memory, 0), at(&mut bytes), ALL),
        &[],
        &write,
    );
    let both = [(Arc::clone(&memory), READ), (Arc::clone(&other), WRITE)];
    tested.submit(
        Command::copy(in_buffer(&other, 0), in_buffer(&memory, 0), ALL),
        &[],
        &both,
    );
    assert_eq!(
        told(&tested),
        ["fill-box", "read-box", "write-box", "copy-box"]
    );
}

#[test]
fn what_is_on_the_host_is_copied_from_there() {
    let tested = Tested::new(true);
    let (from, to) = (buffer(), buffer());
    let uses = [(Arc::clone(&from), READ), (Arc::clone(&to), WRITE)];
    let copy = || Command::copy(in_buffer(&to, 0), in_buffer(&from, 0), ALL);
    tested.submit(copy(), &[], &uses);
    let first = tested.one();
    assert_eq!(first.what, "write-box");
    // Who changes the bytes on the host waits for the copy.
    let (done, ends) = mpsc::channel();
    let changed = Arc::clone(&from);
    thread::spawn(move || {
        changed.host_acquire(WRITE, Span::ALL).unwrap();
        changed.host_release(WRITE, Span::ALL);
        done.send(()).unwrap();
    });
    first.gate.until_waited_for(1);
    assert!(ends.try_recv().is_err());
    first.gate.open(Ok(()));
    ends.recv_timeout(LONG).expect("an accessor waits for ever");
}

#[test]
fn the_hosts_bytes_stay_until_they_are_copied() {
    let tested = Tested::new(false);
    let (from, to) = (buffer(), buffer());
    let uses = [(Arc::clone(&from), READ), (Arc::clone(&to), WRITE)];
    let copy = Command::copy(in_buffer(&to, 0), in_buffer(&from, 0), ALL);
    tested.submit(copy, &[], &uses);
    let copied = tested.one();
    // The program's buffer is gone, and nothing of it was to be written back.
    let seen = Arc::downgrade(&from);
    drop((from, uses));
    copied.gate.until_waited_for(1);
    assert!(seen.upgrade().is_some());
    copied.gate.open(Ok(()));
    let begun = std::time::Instant::now();
    while seen.upgrade().is_some() {
        assert!(begun.elapsed() < LONG, "the source is kept for ever");
        thread::yield_now();
    }
}

#[test]
fn a_copy_within_a_buffer_is_the_hosts_as_its_rows_may_overlap() {
    let tested = Tested::new(true);
    let memory = buffer();
    let bytes = memory.host_acquire(WRITE, Span::ALL).unwrap();
    for place in 0..16u8 {
        // SAFETY: the buffer has 16 bytes, which the host has now.
        unsafe { bytes.add(place.into()).write(place) };
    }
    memory.host_release(WRITE, Span::ALL);
    let uses = [(Arc::clone(&memory), Access(3))];
    let copy = Command::copy(in_buffer(&memory, 2), in_buffer(&memory, 0), half());
    ends(&tested.submit(copy, &[], &uses)).unwrap();
    assert!(told(&tested).is_empty());
    let bytes = memory.host_acquire(READ, Span::ALL).unwrap();
    // SAFETY: as above.
    let bytes = unsafe { std::slice::from_raw_parts(bytes, 16) };
    assert_eq!(bytes[..12], [0, 1, 0, 1, 2, 3, 4, 5, 6, 7, 10, 11]);
}

#[test]
fn rows_that_leave_a_buffer_and_buffers_that_are_not_required_are_refused() {
    let tested = Tested::new(true);
    let memory = buffer();
    let refusal = |command, uses: &[Uses]| {
        let submitted = tested.try_submit(command, None, &[], uses);
        submitted.err().unwrap().reason
    };
    let fill = |first| Command::FillBox {
        to: in_buffer(&memory, first),
        pattern: vec![7],
        rows: ALL,
    };
    let uses = [(Arc::clone(&memory), WRITE)];
    assert!(refusal(fill(1), &uses).contains("byte 17 of a buffer of 16"));
    assert!(refusal(fill(0), &[]).contains("does not require"));
    assert!(told(&tested).is_empty());
}

#[test]
fn what_a_copy_needs_is_kept_until_it_has_ended() {
    let tested = Tested::new(true);
    let memory = buffer();
    let mut bytes = [0u8; 16];
    let uses = [(Arc::clone(&memory), READ)];
    let needed = Arc::new(());
    let kept: Kept = Some(Box::new(Arc::clone(&needed)));
    let copy = Command::copy(at(&mut bytes), in_buffer(&memory, 0), ALL);
    tested.try_submit(copy, kept, &[], &uses).unwrap();
    let copy = tested.one();
    copy.gate.until_waited_for(1);
    assert_eq!(Arc::strong_count(&needed), 2);
    copy.gate.open(Ok(()));
    while Arc::strong_count(&needed) > 1 {
        thread::yield_now();
    }
}

#[test]
fn rows_of_no_bytes_are_nothing_to_do() {
    let tested = Tested::new(true);
    let memory = buffer();
    let uses = [(Arc::clone(&memory), WRITE)];
    let fill = Command::FillBox {
        to: in_buffer(&memory, 16),
        pattern: vec![7],
        rows: Rows { rows: 0, ..ALL },
    };
    ends(&tested.submit(fill, &[], &uses)).unwrap();
    assert!(told(&tested).is_empty());
}
