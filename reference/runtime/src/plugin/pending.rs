//! Commands whose end nobody has seen, and what is kept for each until then.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};

use super::{Event, EventState};
use crate::error::{Error, Result};

/// So many commands may have ended before anyone looks at all of them.
const FEW: usize = 64;
/// So many of the newest are not asked: drivers are slow to let go of a command in the moment in which it ends.
const FRESH: usize = 1;
/// So many of the oldest are asked at a time whether they have ended, where that is quick: what has ended should
/// not be kept, as drivers search what there is for each command. More than are added, so that they become
/// fewer; and few, as much memory that is freed at once goes through locks that the driver's threads want too.
const OLDEST: usize = 2;

/// The commands that may not have ended, oldest first.
pub struct Pending<K> {
    commands: VecDeque<Command<K>>,
    /// The number of the next command.
    next: u64,
    /// With so many commands, those that ended are looked for: twice as many as were left the last
    /// time, so that each command is asked a few times only, however many are underway.
    many: usize,
}

struct Command<K> {
    /// Never used twice.
    number: u64,
    /// The number of the oldest command that it stands for.
    since: u64,
    event: Arc<dyn Event>,
    _kept: K,
}

impl<K> Default for Pending<K> {
    fn default() -> Self {
        Pending {
            commands: VecDeque::new(),
            next: 0,
            many: FEW,
        }
    }
}

impl Pending<()> {
    /// The same as [`Pending::add`], where nothing is kept: the command takes the place of the one before
    /// it if its end tells of that one's.
    pub fn follow(&mut self, event: Arc<dyn Event>, failed: impl FnMut(Error)) {
        let before = self.commands.back_mut();
        let before = before.filter(|before| {
            let line = before.event.line();
            line != 0 && line == event.line() && event.place_in_line().is_some()
        });
        match before {
            Some(before) => {
                // Another thread may have given the device its command first, and tell of it later.
                if event.place_in_line() > before.event.place_in_line() {
                    before.event = event;
                }
                before.number = self.next;
                self.next += 1;
            }
            None => self.push(event, (), failed),
        }
    }
}

impl<K> Pending<K> {
    /// Adds a command with what it needs until it ends. Of commands before it that are found to have
    /// ended, `failed` gets the failures.
    pub fn add(&mut self, event: Arc<dyn Event>, kept: K, mut failed: impl FnMut(Error)) {
        self.ask_oldest(&mut failed);
        self.push(event, kept, failed);
    }

    fn push(&mut self, event: Arc<dyn Event>, kept: K, failed: impl FnMut(Error)) {
        if self.commands.len() >= self.many {
            self.look(failed);
        }
        self.commands.push_back(Command {
            number: self.next,
            since: self.next,
            event,
            _kept: kept,
        });
        self.next += 1;
    }

    /// Forgets those of the oldest commands that are found to have ended, where that is quick to ask. Each
    /// is asked, as a command may fail and those after it not.
    pub fn ask_oldest(&mut self, mut failed: impl FnMut(Error)) {
        for _ in 0..OLDEST.min(self.commands.len().saturating_sub(FRESH)) {
            let quick = self.commands.front().map(|oldest| &oldest.event);
            let quick = quick.filter(|event| event.is_quick_to_ask());
            match quick.map(|event| event.state()) {
                Some(Ok(EventState::Complete)) => {}
                Some(Err(failure)) => failed(failure),
                Some(Ok(_)) | None => break,
            }
            self.commands.pop_front();
        }
    }

    /// Forgets the commands that are found to have ended; `failed` gets the failures.
    pub fn look(&mut self, failed: impl FnMut(Error)) {
        // The line of a command that has not ended: neither have those after it.
        let mut waits = 0;
        let outcome = |command: &Command<K>| {
            let line = command.event.line();
            if line != 0 && line == waits {
                return None;
            }
            match command.event.state() {
                Ok(EventState::Complete) => Some(Ok(())),
                Ok(_) => {
                    waits = line;
                    None
                }
                Err(failure) => Some(Err(failure)),
            }
        };
        self.let_go(outcome, failed);
    }

    /// Whether no command is in the list.
    pub fn is_empty(&self) -> bool {
        self.commands.is_empty()
    }

    /// Forgets the commands that have an outcome.
    fn let_go(
        &mut self,
        mut outcome: impl FnMut(&Command<K>) -> Option<Result<()>>,
        mut failed: impl FnMut(Error),
    ) {
        self.commands.retain(|command| match outcome(command) {
            None => true,
            Some(Ok(())) => false,
            Some(Err(failure)) => {
                failed(failure);
                false
            }
        });
        self.many = FEW.max(2 * self.commands.len());
    }
}

/// Waits for the commands that are in the list now, also when another thread does the same; `failed`
/// gets each failure that no other thread got.
pub fn wait_for_all<K>(list: &Mutex<Pending<K>>, failed: impl FnMut(Error)) {
    wait_for(list, |_| true, failed);
}

/// The same for those of the commands that are `wanted`.
pub fn wait_for<K>(
    list: &Mutex<Pending<K>>,
    wanted: impl Fn(&dyn Event) -> bool,
    mut failed: impl FnMut(Error),
) {
    let lock = || list.lock().unwrap_or_else(|e| e.into_inner());
    // When the last has ended, most others have: those are let go without a wait for each.
    let (last, after) = {
        let list = lock();
        let last = list.commands.iter().rev().find_map(|command| {
            let event = &command.event;
            wanted(event.as_ref()).then(|| Arc::clone(event))
        });
        (last, list.next)
    };
    let Some(last) = last else { return };
    // Whoever lets it go hears how it ended.
    let _ = last.wait();
    lock().look(&mut failed);
    // They stay in the list until they end, for others to wait for and for what is kept with them.
    let numbered = |command: &Command<K>| (command.number, Arc::clone(&command.event));
    let waited_for: Vec<_> = {
        let list = lock();
        let older = list.commands.iter().filter(|command| command.since < after);
        older.map(numbered).collect()
    };
    let ended = waited_for
        .into_iter()
        .filter(|(_, event)| wanted(event.as_ref()))
        .map(|(number, event)| (number, event.wait()));
    let mut ended: HashMap<u64, Result<()>> = ended.collect();
    lock().let_go(|command| ended.remove(&command.number), failed);
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;
    use std::time::Duration;

    use super::*;
    use crate::error::Kind;
    use crate::plugin::stand_in::Gate;

    fn failure(reason: &str) -> Result<()> {
        Err(Error::new(Kind::Runtime, reason))
    }

    fn nothing_failed(failure: Error) {
        panic!("{failure}");
    }

    #[test]
    fn two_threads_wait_for_the_same_command_and_one_hears_of_its_failure() {
        let gate = Arc::new(Gate::default());
        let kept = Arc::new(());
        let list = Mutex::new(Pending::default());
        let event = Arc::clone(&gate) as Arc<dyn Event>;
        list.lock()
            .unwrap()
            .add(event, Arc::clone(&kept), nothing_failed);
        let (done, ends) = mpsc::channel();
        thread::scope(|scope| {
            for _ in 0..2 {
                let (done, list) = (done.clone(), &list);
                scope.spawn(move || {
                    let mut failures = Vec::new();
                    wait_for_all(list, |failure| failures.push(failure));
                    done.send(failures).unwrap();
                });
            }
            gate.until_waited_for(2);
            let early = ends.recv_timeout(Duration::from_millis(50));
            let held = Arc::strong_count(&kept);
            gate.open(failure("broken"));
            assert!(early.is_err(), "a thread did not wait");
            assert_eq!(held, 2, "what the command needs was let go");
        });
        drop(done);
        let failures: Vec<Error> = ends.iter().flatten().collect();
        assert_eq!(failures, [failure("broken").unwrap_err()]);
        assert_eq!(Arc::strong_count(&kept), 1);
    }

    #[test]
    fn a_command_that_is_added_meanwhile_stays_in_the_list() {
        let list = Mutex::new(Pending::default());
        let (first, second) = (Arc::new(Gate::default()), Arc::new(Gate::default()));
        let add = |gate: &Arc<Gate>| {
            let event = Arc::clone(gate) as Arc<dyn Event>;
            list.lock().unwrap().add(event, (), nothing_failed);
        };
        add(&first);
        thread::scope(|scope| {
            let waits = scope.spawn(|| wait_for_all(&list, nothing_failed));
            // By then it has listed what it waits for.
            first.until_waited_for(1);
            add(&second);
            first.open(Ok(()));
            waits.join().unwrap();
        });
        assert_eq!(list.lock().unwrap().commands.len(), 1);
    }

    #[test]
    fn many_commands_underway_are_asked_a_few_times_each() {
        let gate = Arc::new(Gate::default());
        let mut list = Pending::default();
        for _ in 0..5000 {
            list.add(Arc::clone(&gate) as Arc<dyn Event>, (), nothing_failed);
        }
        let asked = gate.asked();
        assert!(asked < 2 * 5000, "asked {asked} times");
    }

    /// A command of a line, and its place if it tells of those before it.
    struct InLine(Arc<Gate>, Option<u64>);

    impl Event for InLine {
        fn as_any(&self) -> &dyn std::any::Any {
            self
        }
        fn wait(&self) -> Result<()> {
            self.0.wait()
        }
        fn state(&self) -> Result<EventState> {
            self.0.state()
        }
        fn profiling(&self, what: u32) -> Result<u64> {
            self.0.profiling(what)
        }
        fn line(&self) -> usize {
            1
        }
        fn place_in_line(&self) -> Option<u64> {
            self.1
        }
    }

    #[test]
    fn a_command_stands_for_those_of_its_line_of_which_it_tells() {
        let gate = Arc::new(Gate::default());
        let in_line = |place| Arc::new(InLine(Arc::clone(&gate), place)) as Arc<dyn Event>;
        let mut list = Pending::default();
        // Threads tell of their commands in any order.
        for place in [1, 3, 2] {
            list.follow(in_line(Some(place)), nothing_failed);
        }
        assert_eq!(list.commands.len(), 1);
        assert_eq!(list.commands[0].event.place_in_line(), Some(3));
        assert_eq!(list.commands[0].since, 0);
        list.follow(in_line(None), nothing_failed);
        list.follow(Arc::new(Gate::default()), nothing_failed);
        list.follow(in_line(Some(5)), nothing_failed);
        let numbers: Vec<u64> = list.commands.iter().map(|c| c.number).collect();
        assert_eq!(numbers, [2, 3, 4, 5]);
        gate.open(failure("broken"));
        let mut failures = Vec::new();
        list.look(|failure| failures.push(failure));
        assert_eq!((failures.len(), list.commands.len()), (3, 1));
    }

    #[test]
    fn what_stands_behind_a_command_in_its_line_is_not_asked() {
        let (waits, done) = (Arc::new(Gate::default()), Arc::new(Gate::default()));
        done.open(Ok(()));
        let mut list = Pending::default();
        for gate in [&done, &waits, &waits] {
            list.add(Arc::new(InLine(Arc::clone(gate), None)), (), nothing_failed);
        }
        list.look(nothing_failed);
        assert_eq!(list.commands.len(), 2);
        assert_eq!((waits.asked(), done.asked()), (1, 1));
        waits.open(Ok(()));
        list.look(nothing_failed);
        assert!(list.is_empty());
    }

    #[test]
    fn commands_that_ended_are_let_go_however_they_ended() {
        let (good, bad) = (Arc::new(Gate::default()), Arc::new(Gate::default()));
        good.open(Ok(()));
        bad.open(failure("broken"));
        let mut list = Pending::default();
        let mut failures = Vec::new();
        for number in 0..1000 {
            let gate = if number % 2 == 0 { &good } else { &bad };
            let event = Arc::clone(gate) as Arc<dyn Event>;
            list.add(event, (), |failure| failures.push(failure));
        }
        assert!(list.commands.len() <= FEW);
        let ended_badly = (1000 - list.commands.len()) / 2;
        assert_eq!(failures.len(), ended_badly);
    }
}
