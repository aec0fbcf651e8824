//! Kernels that a queue knows, and memory of buffers that are gone.

use std::sync::atomic::AtomicUsize;

use offload_formats::property_set::PropertySets;

use super::*;
use crate::launch::{Asked, Call, Chosen, Larger, Plan, Start, Which};
use crate::plugin::Space;
use crate::plugin::stand_in::NoKernel;
use crate::registry::{self, Image, KernelInfo, Origin, Parameter, ParameterKind};

/// What a queue knows of a kernel whose functor is one value of so many bytes.
fn known(size: usize) -> Arc<Chosen> {
    let value = Parameter {
        kind: ParameterKind::Value,
        size,
        offset: 0,
    };
    Arc::new(Chosen {
        changes: registry::changes(),
        asked: "kernel".to_owned(),
        name: "kernel".into(),
        info: Arc::new(KernelInfo {
            functor: String::new(),
            functor_size: size,
            parameters: vec![value],
        }),
        origin: Origin(std::ptr::null()),
        image: Arc::new(Image::for_tests(1, PropertySets::new())),
        plan: Plan::default(),
        kernel: Arc::new(NoKernel),
        required_group: None,
        larger: Larger::default(),
    })
}

const SPACE: Space = Space {
    dimensions: 1,
    global: [4, 1, 1],
    local: None,
    offset: [0; 3],
};

impl Tested {
    /// Starts a kernel that the queue knows, with a functor that is not there any more afterwards.
    fn start(&self, value: &[u8], after: &[Event], uses: &[Uses]) -> Result<Event> {
        let mut functor = value.to_vec();
        let start = Start {
            chosen: &known(4),
            asked: Asked {
                origin: Origin::UNKNOWN,
                place: 0,
            },
            call: Call {
                name: "kernel",
                functor: &functor,
                space: &SPACE,
            },
        };
        let alone = match after.is_empty() && uses.is_empty() {
            true => (self.queue).start_alone(Which::Known(start.chosen), &functor, &SPACE)?,
            false => None,
        };
        let after: Vec<&Event> = after.iter().collect();
        let uses: Vec<Requirement<'_>> = uses.iter().map(whole).collect();
        // SAFETY: the driver touches no memory.
        let submit = |start| unsafe {
            self.queue
                .submit(Described::Start(start), None, &after, &uses)
        };
        let started = alone.map_or_else(|| submit(start).map(Arc::new), Ok);
        functor.fill(0xff);
        started.map(|event| Event::clone(&event))
    }
}

/// A queue whose driver tells the commands that it was given.
fn telling(in_order: bool) -> Arc<Tested> {
    let driver = Arc::new(StandInContext::default());
    let context = Arc::new(Context::of_driver(driver, Vec::new()));
    Tested::over(&context, StandInQueue::telling(7), in_order)
}

/// The next command that another thread submits.
fn soon(tested: &Tested) -> Submitted {
    loop {
        match tested.driver.take().pop() {
            Some(submitted) => return submitted,
            None => thread::yield_now(),
        }
    }
}

#[test]
fn the_last_command_of_a_driver_that_tells_it_stands_for_all_before_it() {
    for in_order in [true, false] {
        let tested = telling(in_order);
        assert!(tested.queue.is_empty());
        let started = [0; 3].map(|_| tested.start(b"1234", &[], &[]).unwrap());
        let submitted = tested.driver.take();
        assert!(submitted.iter().all(|each| each.after.is_empty()));
        assert!(!tested.queue.is_empty());
        // What the driver does for a buffer is no command of the queue's.
        (tested.driver.as_ref() as &dyn plugin::Queue)
            .barrier(&[])
            .unwrap();
        tested.one();
        if in_order {
            let last = tested.queue.last().unwrap().unwrap();
            assert_eq!(last.identity(), started[2].identity());
        }
        let broken = Error::new(Kind::Runtime, "broken");
        submitted[2].gate.open(Err(broken.clone()));
        tested.queue.wait().unwrap();
        assert_eq!(submitted[0].gate.asked(), 0);
        assert_eq!(tested.queue.take_failure(), Some(broken));
        assert_eq!(tested.queue.take_failure(), None);
        assert!(tested.queue.is_empty());
    }
}

#[test]
fn an_event_that_the_program_let_go_of_becomes_that_of_the_next_command() {
    for in_order in [true, false] {
        let tested = telling(in_order);
        let known = known(4);
        let start = || {
            let started = (tested.queue).start_alone(Which::Known(&known), b"1234", &SPACE);
            started.unwrap().unwrap()
        };
        let unwatched = || std::mem::take(&mut *tested.driver.unwatched.lock().unwrap());
        let first = start();
        let of_first = first.identity();
        let second = start();
        assert_ne!(of_first, second.identity());
        assert!(unwatched().is_empty());
        drop(second);
        // The queue has it still, so nobody can tell yet that the program has not.
        assert!(unwatched().is_empty());
        let third = start();
        assert_eq!(unwatched(), [1]);
        assert_eq!(first.identity(), of_first);
        let place = Arc::as_ptr(&third);
        let of_third = third.identity();
        drop(third);
        let fourth = start();
        assert_eq!(Arc::as_ptr(&fourth), place);
        assert_ne!(fourth.identity(), of_third);
        assert_eq!(unwatched(), [2]);
        // Who knows it weakly can tell when the program lets go of it.
        let weak = Arc::downgrade(&fourth);
        tested.queue.let_go();
        drop(fourth);
        assert!(weak.upgrade().is_none());
        assert_eq!(unwatched(), [3]);
        // So does any other command.
        let fifth = start();
        let weak = Arc::downgrade(&fifth);
        tested.fill(&[], &[]);
        drop(fifth);
        assert!(weak.upgrade().is_none());
        drop(first);
        assert_eq!(unwatched(), [4, 0]);
        for submitted in tested.driver.take() {
            submitted.gate.open(Ok(()));
        }
        tested.queue.wait().unwrap();
    }
}

#[test]
fn a_host_task_comes_between_the_kernels_of_an_in_order_queue_that_does_not_keep_them() {
    let tested = telling(true);
    tested.start(b"1234", &[], &[]).unwrap();
    let before = tested.one();
    let runs = Arc::new(AtomicBool::new(false));
    let task = {
        let runs = Arc::clone(&runs);
        tested.host_task(&[], &[], move || runs.store(true, Ordering::SeqCst))
    };
    tested.start(b"1234", &[], &[]).unwrap();
    before.gate.until_waited_for(1);
    assert!(!runs.load(Ordering::SeqCst) && tested.driver.take().is_empty());
    before.gate.open(Ok(()));
    ends(&task).unwrap();
    let queue = Arc::clone(&tested.queue);
    let waits = thread::spawn(move || queue.wait());
    let behind = soon(&tested);
    assert!(runs.load(Ordering::SeqCst));
    behind.gate.open(Ok(()));
    waits.join().unwrap().unwrap();
    // A copy is told of what it follows: the driver's order may not hold for it.
    tested.start(b"1234", &[], &[]).unwrap();
    let kernel = tested.one();
    tested.fill(&[], &[]);
    assert!(tested.one().follows(&kernel));
}

#[test]
fn a_kernel_that_a_host_task_starts_in_its_own_queue_is_part_of_it() {
    let tested = telling(true);
    let task = {
        let within = Arc::clone(&tested);
        tested.host_task(&[], &[], move || {
            within.start(b"1234", &[], &[]).unwrap();
        })
    };
    let kernel = soon(&tested);
    assert_eq!(kernel.after.len(), 0);
    tested.fill(&[], &[]);
    assert!(soon(&tested).follows(&kernel), "it comes after the task");
    kernel.gate.open(Ok(()));
    ends(&task).unwrap();
}

/// Two queues of one context whose drivers begin commands in their order.
fn two_in_line() -> [Arc<Tested>; 2] {
    let driver = Arc::new(StandInContext::default());
    let context = Arc::new(Context::of_driver(driver, Vec::new()));
    [7, 8].map(|line| {
        let driver = StandInQueue::in_line(line);
        Tested::over(&context, driver, false)
    })
}

#[test]
fn a_kernel_waits_for_what_uses_its_buffers_and_not_for_what_its_driver_holds_back_anyway() {
    let [own, other] = two_in_line();
    let (memory, unused) = (buffer(), buffer());
    let write = [(Arc::clone(&memory), WRITE)];
    let read = [(Arc::clone(&memory), READ)];
    own.start(b"1234", &[], &write).unwrap();
    let writer = own.one();
    assert_eq!((writer.what, writer.after.len()), ("kernel", 0));
    // Readers here, and one there.
    own.start(b"1234", &[], &read).unwrap();
    own.start(b"1234", &[], &read).unwrap();
    assert!(own.driver.take().iter().all(|each| each.after.is_empty()));
    other.start(b"1234", &[], &read).unwrap();
    let reader = other.one();
    assert!(reader.after.len() == 1 && reader.follows(&writer));
    // The next writer is told of that one alone.
    own.start(b"1234", &[], &write).unwrap();
    let writer = own.one();
    assert!(writer.after.len() == 1 && writer.follows(&reader));
    // A buffer that nothing else uses, and what the program says.
    let free = other.start(b"1234", &[], &[(unused, WRITE)]).unwrap();
    let free_command = other.one();
    assert_eq!(free_command.after.len(), 0);
    own.start(b"1234", &[free], &[]).unwrap();
    assert!(own.one().follows(&free_command));
    // What is no kernel is told of all: the driver's order may not hold for it.
    own.submit(Command::Barrier, &[], &read);
    let told = own.driver.take();
    assert!(told.iter().any(|each| each.follows(&writer)));
}

#[test]
fn a_writer_waits_for_the_last_reader_of_each_queue() {
    let [own, other] = two_in_line();
    let memory = buffer();
    let read = [(Arc::clone(&memory), READ)];
    for _ in 0..100 {
        own.start(b"1234", &[], &read).unwrap();
    }
    let readers = own.driver.take();
    other.start(b"1234", &[], &[(memory, WRITE)]).unwrap();
    let writer = other.one();
    assert!(writer.follows(&readers[99]));
    assert_eq!(writer.after.len(), 1, "ends of earlier ones are told by it");
    assert_eq!(readers[0].gate.asked(), 0);
}

#[test]
fn a_kernel_that_begins_later_has_the_functor_that_it_was_submitted_with() {
    let tested = Tested::new(false);
    let memory = buffer();
    let uses = [(Arc::clone(&memory), WRITE)];
    let (let_go, held) = mpsc::channel();
    let task = tested.host_task(&[], &uses, move || held.recv().unwrap());
    let kernel = tested.start(b"abcd", &[], &uses).unwrap();
    // It has its place from now on.
    let next = tested.start(b"efgh", &[], &uses).unwrap();
    assert_eq!(tested.driver.take().len(), 0);
    let_go.send(()).unwrap();
    ends(&task).unwrap();
    let kernel = kernel.on_device().unwrap();
    let next = next.on_device().unwrap();
    let submitted = tested.driver.take();
    let values: Vec<&Vec<u8>> = submitted.iter().flat_map(|each| &each.values).collect();
    assert_eq!(values, [b"abcd", b"efgh"]);
    assert!(submitted[1].follows(&submitted[0]));
    for (gate, event) in submitted.iter().zip([kernel, next]) {
        gate.gate.open(Ok(()));
        event.wait().unwrap();
    }
}

#[test]
fn a_functor_that_is_none_of_the_kernel_s_is_refused_before_anything_follows_it() {
    let tested = Tested::new(true);
    let memory = buffer();
    let uses = [(Arc::clone(&memory), WRITE)];
    let refused = tested.start(b"12345678", &[], &uses).err().unwrap();
    assert_eq!(refused.kind, Kind::KernelArgument);
    tested.start(b"1234", &[], &uses).unwrap();
    assert_eq!(tested.one().after.len(), 0);
}

/// A queue, and how many buffers of its context have memory.
fn with_little_room() -> (Arc<Tested>, Arc<AtomicUsize>) {
    let driver = StandInContext::default();
    let allocated = Arc::clone(&driver.allocated);
    let context = Arc::new(Context::of_driver(Arc::new(driver), Vec::new()));
    let tested = Tested::over(&context, StandInQueue::default(), false);
    (tested, allocated)
}

#[test]
fn memory_of_a_buffer_that_is_gone_stays_while_commands_use_it() {
    let (tested, allocated) = with_little_room();
    let count = || allocated.load(Ordering::SeqCst);
    let use_one = |how| {
        let memory = buffer();
        tested.start(b"1234", &[], &[(memory, how)]).unwrap();
        tested.one().gate
    };
    // Of what has ended by then a wait finds that.
    let memory = buffer();
    let uses = [(Arc::clone(&memory), WRITE)];
    tested.start(b"1234", &[], &uses).unwrap();
    tested.one().gate.open(Ok(()));
    drop((memory, uses));
    tested.queue.wait().unwrap();
    assert_eq!(count(), 0);
    let (written, read) = (use_one(WRITE), use_one(READ));
    assert_eq!(count(), 2);
    written.open(Ok(()));
    read.open(Err(Error::new(Kind::Runtime, "broken")));
    // SAFETY: there is no host memory.
    let large = Arc::new(unsafe { Memory::create(1 << 21, null_mut(), false) });
    let uses = [(large, WRITE)];
    tested.start(b"1234", &[], &uses).unwrap();
    assert_eq!(
        count(),
        1,
        "much memory is asked for after what can be is given back"
    );
}

#[test]
fn where_there_is_no_room_memory_of_buffers_that_are_gone_is_waited_for() {
    let (tested, allocated) = with_little_room();
    for _ in 0..4 {
        let uses = [(buffer(), WRITE)];
        tested.start(b"1234", &[], &uses).unwrap();
    }
    let under_way = tested.driver.take();
    thread::spawn(move || {
        under_way[3].gate.until_waited_for(1);
        for each in &under_way {
            each.gate.open(Ok(()));
        }
    });
    tested.start(b"1234", &[], &[(buffer(), WRITE)]).unwrap();
    assert_eq!(allocated.load(Ordering::SeqCst), 1);
}

#[test]
fn memory_of_a_buffer_that_is_gone_stays_until_the_driver_s_queue_has_ended() {
    let driver = StandInContext::default();
    let allocated = Arc::clone(&driver.allocated);
    let context = Arc::new(Context::of_driver(Arc::new(driver), Vec::new()));
    let mut queue = StandInQueue::default();
    let (tell, told) = mpsc::channel();
    let there = Arc::clone(&allocated);
    queue.at_end = Some(Box::new(move || {
        tell.send(there.load(Ordering::SeqCst)).unwrap();
    }));
    let tested = Tested::over(&context, queue, false);
    drop(context);
    let uses = [(buffer(), WRITE)];
    let others = [(buffer(), WRITE)];
    tested.start(b"1234", &[], &uses).unwrap();
    tested.start(b"1234", &[], &others).unwrap();
    drop(others);
    // The other buffer keeps context and queue longer than the program does.
    drop(tested);
    assert!(told.try_recv().is_err());
    drop(uses);
    assert_eq!(told.try_recv(), Ok(2));
    assert_eq!(allocated.load(Ordering::SeqCst), 0);
}

#[test]
fn memory_of_a_buffer_that_is_gone_before_its_kernel_begins_stays_too() {
    let (tested, allocated) = with_little_room();
    let count = || allocated.load(Ordering::SeqCst);
    let memory = buffer();
    let (let_go, held) = mpsc::channel();
    let task = tested.host_task(&[], &[], move || held.recv().unwrap());
    let kernel = tested
        .start(
            b"abcd",
            std::slice::from_ref(&task),
            &[(Arc::clone(&memory), WRITE)],
        )
        .unwrap();
    // The program's buffer goes.
    drop(memory);
    let_go.send(()).unwrap();
    ends(&task).unwrap();
    let _ = kernel.on_device();
    let command = tested.one();
    assert_eq!(command.what, "kernel");
    assert!(kernel.is_underway());
    assert_eq!(count(), 1, "the kernel is still running");
    command.gate.open(Ok(()));
}
