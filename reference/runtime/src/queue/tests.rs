//! What a queue promises, over a stand-in for a driver: each command ends when the test says so.

use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use super::*;
use crate::plugin::stand_in::{StandInContext, StandInQueue, Submitted};

static DEVICE: Device = Device::NOWHERE;

const READ: Access = Access(1);
const WRITE: Access = Access(2);

/// Longer than anything takes that does not stand for ever.
const LONG: Duration = Duration::from_secs(20);

/// A queue over a driver that runs nothing.
struct Tested {
    queue: Queue,
    driver: Arc<StandInQueue>,
}

impl Tested {
    fn new(in_order: bool) -> Arc<Tested> {
        let driver = Arc::new(StandInQueue::default());
        let queue = Queue {
            context: Arc::new(Context::of_driver(Arc::new(StandInContext))),
            device: &DEVICE,
            driver: Arc::clone(&driver) as Arc<dyn plugin::Queue>,
            in_order,
            order: Order::default(),
            pending: Mutex::default(),
            failures: Mutex::default(),
        };
        Arc::new(Tested { queue, driver })
    }

    fn submit(&self, command: Command<'_>, after: &[Event], uses: &[Requirement]) -> Event {
        // SAFETY: the driver touches no memory.
        unsafe { self.queue.submit(command, after, uses) }.unwrap()
    }

    fn fill(&self, after: &[Event], uses: &[Requirement]) -> Event {
        let fill = Command::Fill {
            to: null_mut(),
            pattern: &[],
            size: 0,
        };
        self.submit(fill, after, uses)
    }

    fn host_task(&self, uses: &[Requirement], mut task: impl FnMut()) {
        self.submit(Command::HostTask(&mut task), &[], uses);
    }

    /// The only command since the last time.
    fn one(&self) -> Submitted {
        let mut submitted = self.driver.take();
        assert_eq!(submitted.len(), 1);
        submitted.remove(0)
    }
}

fn buffer() -> Arc<Memory> {
    // SAFETY: there is no host memory.
    Arc::new(unsafe { Memory::create(16, null_mut(), false) })
}

#[test]
fn a_failure_is_there_for_who_waited_for_the_event_alone() {
    let tested = Tested::new(false);
    let event = tested.fill(&[], &[]);
    assert_eq!(tested.queue.take_failure(), None);
    let broken = Error::new(Kind::Runtime, "broken");
    tested.one().gate.open(Err(broken.clone()));
    let _ = event.wait();
    assert_eq!(tested.queue.take_failure(), Some(broken));
    assert_eq!(tested.queue.take_failure(), None);
}

#[test]
fn a_submission_that_waits_for_one_buffer_keeps_no_other_from_the_host() {
    let tested = Tested::new(false);
    let mut buffers = [buffer(), buffer()];
    // The one that is not waited for comes first when both are taken.
    buffers.sort_by_key(Arc::as_ptr);
    let [first, second] = buffers;
    let uses = [(Arc::clone(&first), READ), (second, WRITE)];
    let (done, ends) = mpsc::channel();
    let starts = Arc::new(AtomicBool::new(false));
    let task = {
        let (tested, uses, starts) = (Arc::clone(&tested), uses.clone(), Arc::clone(&starts));
        let done = done.clone();
        move || {
            tested.host_task(&uses, || {
                starts.store(true, Ordering::SeqCst);
                // Time enough for the other thread to come to the second buffer.
                thread::sleep(Duration::from_millis(100));
                first.host_pointer();
            });
            done.send(()).unwrap();
        }
    };
    thread::spawn(task);
    thread::spawn(move || {
        while !starts.load(Ordering::SeqCst) {
            thread::yield_now();
        }
        tested.fill(&[], &uses);
        done.send(()).unwrap();
    });
    for _ in 0..2 {
        ends.recv_timeout(LONG).expect("a thread stands for ever");
    }
}

#[test]
fn commands_of_an_in_order_queue_follow_each_other_whoever_submits_them() {
    let tested = Tested::new(true);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..500 {
                    tested.fill(&[], &[]);
                }
            });
        }
    });
    let submitted = tested.driver.take();
    assert_eq!(submitted.len(), 2000);
    for pair in submitted.windows(2) {
        assert!(pair[1].follows(&pair[0]));
    }
}

#[test]
fn a_host_task_submits_to_its_own_queue_while_others_wait_for_its_end() {
    let tested = Tested::new(true);
    let (done, ends) = mpsc::channel();
    let (running, runs) = mpsc::channel();
    {
        let (tested, done) = (Arc::clone(&tested), done.clone());
        thread::spawn(move || {
            tested.host_task(&[], || {
                running.send(()).unwrap();
                thread::sleep(Duration::from_millis(100));
                tested.fill(&[], &[]);
                assert_eq!(tested.one().what, "fill");
                tested.fill(&[], &[]);
            });
            done.send(()).unwrap();
        });
    }
    runs.recv_timeout(LONG).expect("the host task runs");
    {
        let tested = Arc::clone(&tested);
        thread::spawn(move || {
            tested.submit(Command::None, &[], &[]);
            done.send(()).unwrap();
        });
    }
    for _ in 0..2 {
        ends.recv_timeout(LONG).expect("a thread stands for ever");
    }
    let submitted = tested.driver.take();
    let order: Vec<&str> = submitted.iter().map(|each| each.what).collect();
    assert_eq!(order, ["fill", "barrier"]);
    assert!(submitted[1].follows(&submitted[0]));
}

#[test]
fn a_buffer_that_the_host_has_stands_in_nobody_elses_way() {
    let tested = Tested::new(true);
    let memory = buffer();
    memory.host_acquire(WRITE).unwrap();
    let waits = {
        let (tested, memory) = (Arc::clone(&tested), Arc::clone(&memory));
        thread::spawn(move || tested.fill(&[], &[(memory, READ)]))
    };
    thread::sleep(Duration::from_millis(50));
    let (done, ends) = mpsc::channel();
    {
        let tested = Arc::clone(&tested);
        thread::spawn(move || {
            tested.fill(&[], &[]);
            done.send(()).unwrap();
        });
    }
    ends.recv_timeout(LONG)
        .expect("the queue is not kept meanwhile");
    memory.host_release(WRITE);
    waits.join().unwrap();
    let submitted = tested.driver.take();
    assert!(submitted[1].follows(&submitted[0]));
}

#[test]
fn a_barrier_holds_back_what_comes_after_it() {
    let tested = Tested::new(false);
    let before = tested.fill(&[], &[]);
    tested.driver.take();
    tested.submit(Command::Barrier, &[], &[]);
    let barrier = tested.one();
    assert_eq!((barrier.what, barrier.after.len()), ("barrier", 0));
    tested.fill(&[], &[]);
    assert!(tested.one().follows(&barrier));
    // One that waits for events does not forget the one before it.
    tested.submit(Command::BarrierAfter, &[before], &[]);
    let second = tested.one();
    assert!(second.after.len() == 2 && second.follows(&barrier));
    tested.fill(&[], &[]);
    assert!(tested.one().follows(&second));
    // One that waits for all commands has no list, which would make them fewer.
    tested.submit(Command::Barrier, &[], &[]);
    let third = tested.one();
    assert_eq!(third.after.len(), 0);
    let early = AtomicBool::new(true);
    thread::scope(|scope| {
        scope.spawn(|| {
            tested.host_task(&[], || {
                assert!(!early.load(Ordering::SeqCst), "the host waits too");
            });
        });
        third.gate.until_waited_for(1);
        early.store(false, Ordering::SeqCst);
        third.gate.open(Ok(()));
    });
}

#[test]
fn a_barrier_waits_for_all_commands_and_for_what_it_depends_on() {
    let tested = Tested::new(false);
    let memory = buffer();
    let event = tested.fill(&[], &[]);
    let command = tested.one();
    tested.fill(&[], &[(Arc::clone(&memory), WRITE)]);
    let writer = tested.one();
    tested.submit(Command::Barrier, &[event], &[(memory, READ)]);
    let submitted = tested.driver.take();
    let [all, barrier] = &submitted[..] else {
        panic!("{} commands instead of two barriers", submitted.len());
    };
    assert_eq!((all.what, all.after.len()), ("barrier", 0));
    assert_eq!((barrier.what, barrier.after.len()), ("barrier", 3));
    assert!(
        [all, &command, &writer]
            .iter()
            .all(|each| barrier.follows(each))
    );
    tested.fill(&[], &[]);
    assert!(tested.one().follows(barrier));
}

#[test]
fn a_host_task_without_its_buffers_contents_lets_others_go_on() {
    let (tested, other) = (Tested::new(true), Tested::new(true));
    let uses = [(buffer(), WRITE)];
    tested.fill(&[], &uses);
    let writer = tested.one();
    let (done, ends) = mpsc::channel();
    {
        let (tested, uses, done) = (Arc::clone(&tested), uses.clone(), done.clone());
        thread::spawn(move || {
            let task = Command::HostTask(&mut || {});
            // SAFETY: the driver touches no memory.
            let outcome = unsafe { tested.queue.submit(task, &[], &uses) };
            assert!(outcome.is_err());
            done.send(()).unwrap();
        });
    }
    writer.gate.until_waited_for(1);
    thread::spawn(move || {
        other.host_task(&[], || {
            tested.fill(&[], &uses);
        });
        done.send(()).unwrap();
    });
    // Time enough for the second thread to come to the buffer.
    thread::sleep(Duration::from_millis(100));
    let broken = Error::new(Kind::Runtime, "broken");
    writer.gate.open(Err(broken));
    for _ in 0..2 {
        ends.recv_timeout(LONG).expect("a thread stands for ever");
    }
}
