//! Commands of the host and what comes after them.

use super::*;
use crate::boxes::{Box3, Rows};
use crate::command::Region;

/// A host task that runs until told otherwise.
fn held(tested: &Tested, uses: &[Uses]) -> (Event, mpsc::Sender<()>) {
    let (let_go, goes) = mpsc::channel::<()>();
    let task = tested.host_task(&[], uses, move || {
        let _ = goes.recv_timeout(LONG);
    });
    (task, let_go)
}

/// Waits until a driver has the command.
pub(super) fn settles(event: &Event) {
    let start = std::time::Instant::now();
    while event.unsettled().is_some() {
        assert!(start.elapsed() < LONG, "a command never begins");
        thread::yield_now();
    }
}

#[test]
fn what_comes_after_a_host_task_is_submitted_at_once_and_begins_when_it_has_ended() {
    for in_order in [true, false] {
        let tested = Tested::new(in_order);
        let uses = [(buffer(), WRITE)];
        let uses = if in_order { &[][..] } else { &uses };
        let (task, let_go) = held(&tested, uses);
        let event = tested.fill(&[], uses);
        let second = tested.host_task(&[], uses, || {});
        assert_eq!(event.state(), Ok(EventState::Submitted));
        assert_eq!(tested.driver.take().len(), 0);
        drop(let_go);
        ends(&task).unwrap();
        settles(&event);
        let fill = tested.one();
        assert_eq!(event.state(), Ok(EventState::Running));
        fill.gate.until_waited_for(1);
        assert_eq!(second.state(), Ok(EventState::Submitted));
        fill.gate.open(Ok(()));
        ends(&second).unwrap();
        assert_eq!(event.state(), Ok(EventState::Complete));
    }
}

#[test]
fn commands_that_wait_for_a_host_task_keep_their_order() {
    let tested = Tested::new(true);
    let (_, let_go) = held(&tested, &[]);
    let fills: Vec<Event> = (0..100).map(|_| tested.fill(&[], &[])).collect();
    drop(let_go);
    settles(&fills[99]);
    let submitted = tested.driver.take();
    assert_eq!(submitted.len(), 100);
    for pair in submitted.windows(2) {
        assert!(pair[1].follows(&pair[0]));
    }
}

#[test]
fn a_thread_that_a_host_task_waits_for_submits_to_the_tasks_queue() {
    let tested = Tested::new(true);
    let (submitted, fills) = mpsc::channel();
    let task = {
        let own = Arc::clone(&tested);
        tested.host_task(&[], &[], move || {
            let thread = thread::spawn(move || own.fill(&[], &[]));
            submitted.send(thread.join().unwrap()).unwrap();
        })
    };
    ends(&task).unwrap();
    settles(&fills.recv().unwrap());
    assert_eq!(tested.one().what, "fill");
}

#[test]
fn what_a_host_task_submits_to_its_own_queue_is_part_of_it() {
    let tested = Tested::new(true);
    let (inner, given) = mpsc::channel();
    let task = {
        let own = Arc::clone(&tested);
        tested.host_task(&[], &[], move || {
            let event = own.fill(&[], &[]);
            assert_eq!(event.state(), Ok(EventState::Running));
            inner.send(own.one()).unwrap();
            // The task itself is not among what it waits for.
            own.queue.wait().unwrap();
        })
    };
    let after = tested.fill(&[], &[]);
    let inner = given.recv_timeout(LONG).unwrap();
    inner.gate.until_waited_for(1);
    assert_eq!(task.state(), Ok(EventState::Running));
    inner.gate.open(Ok(()));
    ends(&task).unwrap();
    settles(&after);
    assert!(tested.one().follows(&inner));
}

#[test]
fn a_host_task_is_told_when_it_would_wait_for_what_comes_after_it() {
    let (tested, other) = (Tested::new(true), Tested::new(false));
    let uses = [(buffer(), WRITE)];
    let (told, tells) = mpsc::channel();
    let task = {
        let (own, other, uses) = (Arc::clone(&tested), Arc::clone(&other), uses.clone());
        tested.host_task(&[], &uses.clone(), move || {
            // For the buffer's sake it comes after the task, so it is no part of it.
            let same = own.fill(&[], &uses);
            let elsewhere = other.fill(&[], &uses);
            let running = order::running();
            told.send(same.stands_on(&running)).unwrap();
            told.send(elsewhere.stands_on(&running)).unwrap();
            told.send(uses[0].0.host_acquire(READ, Span::ALL).is_err())
                .unwrap();
        })
    };
    ends(&task).unwrap();
    let told: Vec<bool> = (0..3).map(|_| tells.recv_timeout(LONG).unwrap()).collect();
    assert_eq!(told, [true; 3]);
    // Nothing stays behind that waits for another context's device.
    let same = loop {
        match tested.driver.take().pop() {
            Some(same) => break same,
            None => thread::yield_now(),
        }
    };
    same.gate.open(Ok(()));
}

#[test]
fn host_tasks_wait_for_each_other_however_many_there_are() {
    fn nested(tested: &Arc<Tested>, depth: usize) -> Event {
        let own = Arc::clone(tested);
        tested.host_task(&[], &[], move || {
            if depth > 0 {
                nested(&own, depth - 1).wait().unwrap();
            }
        })
    }
    let tested = Tested::new(false);
    ends(&nested(&tested, 100)).unwrap();
    // Those in a chain that wait need no thread.
    let (first, let_go) = held(&tested, &[]);
    let mut last = first;
    for _ in 0..5000 {
        last = tested.host_task(&[last], &[], || {});
    }
    drop(let_go);
    ends(&last).unwrap();
    tested.queue.wait().unwrap();
}

#[test]
fn commands_of_the_host_keep_what_they_need_until_they_end() {
    let tested = Tested::new(false);
    let memory = buffer();
    let uses = [(Arc::clone(&memory), WRITE)];
    let (task, let_go) = held(&tested, &uses);
    let to = Region {
        memory: Some(Arc::clone(&memory)),
        pointer: null_mut(),
        bounds: Box3 {
            first: 4,
            plane_stride: 16,
            row_stride: 16,
        },
    };
    let rows = Rows {
        planes: 1,
        rows: 1,
        row_size: 8,
    };
    let mut sevens = [7u8; 8];
    let from = Region {
        memory: None,
        pointer: sevens.as_mut_ptr(),
        bounds: rows.packed(),
    };
    let fill = Command::Host(HostCommand::Copy { to, from, rows });
    let needed = Arc::new(());
    let kept: Kept = Some(Box::new(Arc::clone(&needed)));
    let fill = tested.try_submit(fill, kept, &[], &uses).unwrap();
    let queue = Arc::downgrade(&tested.queue);
    drop((uses, tested));
    assert!(queue.strong_count() > 0 && Arc::strong_count(&needed) == 2);
    drop(let_go);
    ends(&task).unwrap();
    ends(&fill).unwrap();
    let bytes = memory.host_acquire(READ, Span::ALL).unwrap();
    // SAFETY: the buffer has 16 bytes, which the host has now.
    let bytes = unsafe { std::slice::from_raw_parts(bytes, 16) };
    assert_eq!(bytes[..4], [0; 4]);
    assert_eq!(bytes[4..12], [7; 8]);
    while queue.strong_count() > 0 || Arc::strong_count(&needed) > 1 {
        thread::yield_now();
    }
}

#[test]
fn a_host_accessor_holds_back_commands_and_not_who_submits_them() {
    let tested = Tested::new(true);
    let memory = buffer();
    memory.host_acquire(READ, Span::ALL).unwrap();
    // Who reads may read again, also while a writer waits.
    let writes = tested.fill(&[], &[(Arc::clone(&memory), WRITE)]);
    memory.host_acquire(READ, Span::ALL).unwrap();
    assert!(memory.host_acquire(WRITE, Span::ALL).is_err());
    memory.host_release(READ, Span::ALL);
    assert!(writes.unsettled().is_some());
    memory.host_release(READ, Span::ALL);
    settles(&writes);
    let writer = tested.one();
    // The next accessor waits for the writer.
    let (done, ends) = mpsc::channel();
    thread::spawn(move || {
        memory.host_acquire(WRITE, Span::ALL).unwrap();
        memory.host_release(WRITE, Span::ALL);
        done.send(()).unwrap();
    });
    writer.gate.until_waited_for(1);
    writer.gate.open(Ok(()));
    ends.recv_timeout(LONG).expect("an accessor waits for ever");
}

#[test]
fn a_barrier_waits_for_host_tasks_and_what_comes_after_them() {
    let tested = Tested::new(false);
    let (task, let_go) = held(&tested, &[]);
    tested.fill(&[task], &[]);
    tested.submit(Command::Barrier, &[], &[]);
    let held_back = tested.fill(&[], &[]);
    assert_eq!(tested.driver.take().len(), 0);
    drop(let_go);
    settles(&held_back);
    let submitted = tested.driver.take();
    let what: Vec<&str> = submitted.iter().map(|each| each.what).collect();
    assert_eq!(what, ["fill", "barrier", "barrier", "fill"]);
    assert!(submitted[2].follows(&submitted[0]) && submitted[2].follows(&submitted[1]));
    assert!(submitted[3].follows(&submitted[2]));
}

#[test]
fn a_host_task_without_its_buffers_contents_fails_and_lets_others_go_on() {
    let tested = Tested::new(true);
    let uses = [(buffer(), WRITE)];
    tested.fill(&[], &uses);
    let writer = tested.one();
    let task = tested.host_task(&[], &uses, || panic!("it has no contents to work on"));
    let after = tested.host_task(&[], &[], || {});
    let broken = Error::new(Kind::Runtime, "broken");
    writer.gate.open(Err(broken.clone()));
    assert_eq!(ends(&task), Err(broken.clone()));
    ends(&after).unwrap();
    tested.queue.wait().unwrap();
    // The writer's failure and the task's.
    for _ in 0..2 {
        assert_eq!(tested.queue.take_failure(), Some(broken.clone()));
    }
    assert_eq!(tested.queue.take_failure(), None);
    assert_eq!(uses[0].0.host_acquire(READ, Span::ALL), Err(broken));
}
