//! What a queue promises, over a stand-in for a driver: each command ends when the test says so.

use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use super::*;
use crate::command::HostCommand;
use crate::plugin::EventState;
use crate::plugin::stand_in::{StandInContext, StandInQueue, Submitted};

mod host;
mod kernels;
mod parts;
mod transfers;

static DEVICE: Device = Device::NOWHERE;

const READ: Access = Access(1);
const WRITE: Access = Access(2);

/// Longer than anything takes that does not stand for ever.
const LONG: Duration = Duration::from_secs(20);

/// A buffer, and how a command uses it.
type Uses = (Arc<Memory>, Access);

/// A queue over a driver that runs nothing.
struct Tested {
    queue: Arc<Queue>,
    driver: Arc<StandInQueue>,
}

impl Tested {
    fn new(in_order: bool) -> Arc<Tested> {
        let driver = Arc::new(StandInContext::default());
        let context = Arc::new(Context::of_driver(driver, Vec::new()));
        Tested::over(&context, StandInQueue::default(), in_order)
    }

    fn over(context: &Arc<Context>, driver: StandInQueue, in_order: bool) -> Arc<Tested> {
        let driver = Arc::new(driver);
        let of_queue = Arc::clone(&driver) as Arc<dyn plugin::Queue>;
        let queue = Queue::over(Arc::clone(context), &DEVICE, of_queue, in_order, false);
        let queue = Arc::new(queue);
        Arc::new(Tested { queue, driver })
    }

    fn submit(&self, command: Command, after: &[Event], uses: &[Uses]) -> Event {
        self.try_submit(command, None, after, uses).unwrap()
    }

    fn try_submit(
        &self,
        command: Command,
        kept: Kept,
        after: &[Event],
        uses: &[Uses],
    ) -> Result<Event> {
        let command = Described::Whole(command);
        let after: Vec<&Event> = after.iter().collect();
        let uses: Vec<Requirement<'_>> = uses.iter().map(whole).collect();
        // SAFETY: the driver touches no memory.
        let submitted = unsafe { self.queue.submit(command, kept, &after, &uses) };
        submitted.map(|event| Event::clone(&event))
    }

    fn fill(&self, after: &[Event], uses: &[Uses]) -> Event {
        let fill = Command::Fill {
            to: null_mut(),
            pattern: vec![0],
            size: 1,
        };
        self.submit(fill, after, uses)
    }

    fn host_task(
        &self,
        after: &[Event],
        uses: &[Uses],
        task: impl FnOnce() + Send + 'static,
    ) -> Event {
        let task = HostCommand::Task(Box::new(task));
        self.submit(Command::Host(task), after, uses)
    }

    /// The only command since the last time.
    fn one(&self) -> Submitted {
        let mut submitted = self.driver.take();
        assert_eq!(submitted.len(), 1);
        submitted.remove(0)
    }
}

/// The requirement of all of a buffer.
fn whole((memory, access): &Uses) -> Requirement<'_> {
    (memory, *access, Span::ALL)
}

fn buffer() -> Arc<Memory> {
    // SAFETY: there is no host memory.
    Arc::new(unsafe { Memory::create(16, null_mut(), false) })
}

/// Waits for the command, which must not stand for ever.
fn ends(event: &Event) -> Result<()> {
    let (done, ends) = mpsc::channel();
    let event = event.clone();
    thread::spawn(move || done.send(event.wait()));
    ends.recv_timeout(LONG).expect("a command stands for ever")
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
fn the_last_command_of_a_queue_is_the_one_that_was_submitted_last() {
    let tested = Tested::new(true);
    let identity = || tested.queue.last().unwrap().map(|last| last.identity());
    assert!(identity().is_none());
    let last = |event: &Event| identity() == Some(event.identity());
    let nothing = tested.submit(Command::None, &[], &[]);
    assert!(last(&nothing));
    let fill = tested.fill(&[], &[]);
    assert!(last(&fill) && !last(&nothing));
    let gate = tested.one().gate;
    let task = tested.host_task(&[], &[], || ());
    assert!(last(&task) && !last(&fill));
    gate.open(Ok(()));
    ends(&task).unwrap();
    assert!(last(&task));
}

#[test]
fn what_comes_after_another_contexts_command_is_submitted_at_once_and_begins_when_that_has_ended() {
    let (own, other) = (Tested::new(true), Tested::new(true));
    // No driver waits for a command of another context.
    let before = [other.fill(&[], &[]), other.fill(&[], &[])];
    let gates: Vec<_> = other
        .driver
        .take()
        .into_iter()
        .map(|each| each.gate)
        .collect();
    let first: Vec<Event> = (0..8).map(|_| own.fill(&before, &[])).collect();
    let last = own.fill(&[], &[]);
    assert!(!own.queue.is_empty());
    let asked: Vec<usize> = gates.iter().map(|gate| gate.asked()).collect();
    let is_asked = |at: usize| gates[at].asked() > asked[at];
    let start = std::time::Instant::now();
    while !is_asked(0) || !is_asked(1) {
        assert!(start.elapsed() < LONG, "nobody asks for the commands' ends");
        thread::yield_now();
    }
    gates[0].open(Err(Error::new(Kind::Runtime, "told by its own queue")));
    assert!(first.iter().all(|event| event.unsettled().is_some()));
    assert_eq!(own.driver.take().len(), 0);
    gates[1].open(Ok(()));
    host::settles(&last);
    let submitted = own.driver.take();
    assert_eq!(submitted.len(), 9);
    assert!(submitted.windows(2).all(|two| two[1].follows(&two[0])));
    assert!(submitted[0].after.is_empty());
    // Nobody waits within the driver, however many wait for the command.
    assert!(gates.iter().all(|gate| gate.waited_for() == 0));
    submitted.iter().for_each(|each| each.gate.open(Ok(())));
    own.queue.wait().unwrap();
    assert_eq!(own.queue.take_failure(), None);
    // What has ended is waited for no more.
    own.fill(&before, &[]);
    own.one().gate.open(Ok(()));
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
    let early = Arc::new(AtomicBool::new(true));
    let task = {
        let early = Arc::clone(&early);
        tested.host_task(&[], &[], move || {
            assert!(!early.load(Ordering::SeqCst), "the host waits too");
        })
    };
    third.gate.until_waited_for(1);
    early.store(false, Ordering::SeqCst);
    third.gate.open(Ok(()));
    ends(&task).unwrap();
}

#[test]
fn a_command_of_nothing_is_a_place_in_the_queue() {
    let tested = Tested::new(false);
    let copy = || Command::Copy {
        to: null_mut(),
        from: null_mut(),
        size: 0,
    };
    let alone = tested.submit(copy(), &[], &[]);
    assert_eq!(alone.state(), Ok(EventState::Complete));
    assert_eq!(tested.driver.take().len(), 0);
    let before = tested.fill(&[], &[]);
    let fill = tested.one();
    tested.submit(copy(), &[before], &[]);
    let place = tested.one();
    assert!(place.what == "barrier" && place.follows(&fill));
}

#[test]
fn a_barrier_over_events_that_have_ended_waits_for_nothing() {
    let tested = Tested::new(false);
    let task = tested.host_task(&[], &[], || {});
    ends(&task).unwrap();
    tested.fill(&[], &[]);
    tested.driver.take();
    let barrier = tested.submit(Command::BarrierAfter, &[task, Event::done()], &[]);
    let nothing = tested.submit(Command::None, &[Event::done()], &[]);
    assert_eq!(tested.driver.take().len(), 0);
    assert_eq!(barrier.state(), Ok(EventState::Complete));
    assert_eq!(nothing.state(), Ok(EventState::Complete));
}

#[test]
fn a_command_tells_what_it_comes_after_for_its_buffers() {
    let tested = Tested::new(false);
    let (first, second) = (buffer(), buffer());
    let submit = |uses: &[Requirement<'_>]| {
        let fill = Command::Fill {
            to: null_mut(),
            pattern: vec![0],
            size: 1,
        };
        // SAFETY: the driver touches no memory.
        unsafe { tested.queue.submit(Described::Whole(fill), None, &[], uses) }.unwrap()
    };
    let told =
        |event: &Watched| -> Vec<_> { event.follows().iter().map(Event::identity).collect() };
    let write = submit(&[(&first, WRITE, Span::ALL)]);
    assert!(told(&write).is_empty());
    let both = submit(&[(&first, WRITE, Span::ALL), (&second, WRITE, Span::ALL)]);
    assert_eq!(told(&both), [write.identity()]);
    let read = submit(&[
        (&first, READ, Span::ALL),
        (&second, READ, Span::ALL),
        (&second, READ, Span::ALL),
    ]);
    assert_eq!(told(&read), [both.identity()]);
    let again = submit(&[(&second, WRITE, Span::ALL)]);
    assert_eq!(told(&again), [both.identity(), read.identity()]);
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
