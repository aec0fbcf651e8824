//! Commands and accessors of the host that use parts of buffers.

use super::host::settles;
use super::*;

const BOTH: Access = Access(3);

fn part(begin: usize, end: usize) -> Span {
    Span { begin, end }
}

fn submit(tested: &Tested, uses: &[Requirement<'_>]) -> Event {
    let fill = Command::Fill {
        to: null_mut(),
        pattern: vec![0],
        size: 1,
    };
    let fill = Described::Whole(fill);
    // SAFETY: the driver touches no memory.
    let submitted = unsafe { tested.queue.submit(fill, None, &[], uses) };
    submitted.map(|event| Event::clone(&event)).unwrap()
}

#[test]
fn uses_that_share_no_byte_do_not_wait_for_each_other() {
    let tested = Tested::new(false);
    let memory = buffer();
    memory.host_acquire(WRITE, part(4, 8)).unwrap();
    memory.host_acquire(BOTH, part(8, 12)).unwrap();
    assert!(memory.host_acquire(READ, part(7, 9)).is_err());
    let beside = submit(
        &tested,
        &[(&memory, BOTH, part(0, 4)), (&memory, READ, part(12, 16))],
    );
    assert!(beside.unsettled().is_none());
    let first = tested.one();
    assert_eq!(
        tested.driver.take_moved(),
        [("write", 0..4), ("write", 12..16)]
    );
    let across = submit(&tested, &[(&memory, READ, part(2, 6))]);
    assert!(across.unsettled().is_some());
    memory.host_release(BOTH, part(8, 12));
    assert!(across.unsettled().is_some());
    memory.host_release(WRITE, part(4, 8));
    settles(&across);
    assert!(tested.one().follows(&first));
    assert_eq!(tested.driver.take_moved(), [("write", 4..6)]);
    // What was only read is written at once.
    submit(&tested, &[(&memory, WRITE, part(8, 12))]);
    assert!(!tested.one().follows(&first));
    assert_eq!(tested.driver.take_moved(), [("write", 8..12)]);
}

#[test]
fn what_uses_all_of_a_buffer_comes_after_all_parts_and_has_each_from_where_it_is() {
    let driver = Arc::new(StandInContext::default());
    let other = Arc::new(Context::of_driver(driver, Vec::new()));
    let (first, second) = (
        Tested::new(false),
        Tested::over(&other, StandInQueue::default(), false),
    );
    let memory = buffer();
    submit(&first, &[(&memory, BOTH, part(0, 6))]);
    submit(&second, &[(&memory, BOTH, part(6, 16))]);
    let (one, two) = (first.one(), second.one());
    first.driver.take_moved();
    assert_eq!(second.driver.take_moved(), [("write", 6..16)]);
    let all = submit(&second, &[(&memory, BOTH, Span::ALL)]);
    one.gate.open(Ok(()));
    settles(&all);
    assert!(second.one().follows(&two));
    assert_eq!(first.driver.take_moved(), [("read", 0..6)]);
    assert_eq!(second.driver.take_moved(), [("write", 0..6)]);
    two.gate.open(Ok(()));
    // One part again, which its last writer has.
    let bytes = submit(&second, &[(&memory, READ, part(3, 9))]);
    assert!(bytes.unsettled().is_none() && second.driver.take_moved().is_empty());
}

#[test]
fn a_part_that_a_host_accessor_reads_may_be_read_again_and_no_more_than_that() {
    let tested = Tested::new(true);
    let memory = buffer();
    memory.host_acquire(READ, part(0, 8)).unwrap();
    let writes = submit(&tested, &[(&memory, WRITE, part(4, 12))]);
    memory.host_acquire(READ, part(2, 6)).unwrap();
    // Its writer waits for this thread.
    assert!(memory.host_acquire(READ, part(4, 9)).is_err());
    memory.host_acquire(READ, part(12, 16)).unwrap();
    memory.host_release(READ, part(0, 8));
    assert!(writes.unsettled().is_some());
    memory.host_release(READ, part(2, 6));
    settles(&writes);
    memory.host_release(READ, part(12, 16));
}
