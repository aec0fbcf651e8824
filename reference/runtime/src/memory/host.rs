//! Host accessors: the host's turns among the uses of a buffer.

use std::sync::Arc;
use std::thread;

use super::{Access, HostAccessor, Memory, Place, Span, Usage};
use crate::error::{Error, Kind, Result};
use crate::event::Event;
use crate::guard::{self, Lockable, Request};
use crate::later::Later;
use crate::order;

impl Memory {
    /// Waits until the host may use a part of the buffer, and gives the buffer's bytes there. Those of the part
    /// stay with the host until [`Memory::host_release`].
    ///
    /// # Errors
    /// When it never may, for what stands in the way has to be ended by the calling thread; when a
    /// command that wrote the buffer failed; when the contents cannot be moved.
    pub fn host_acquire(self: &Arc<Self>, access: Access, span: Span) -> Result<*mut u8> {
        let mut state = self.lock();
        let thread = thread::current().id();
        let of_thread = |accessor: &&HostAccessor| accessor.thread == thread;
        let own = state.accessors.iter().filter(of_thread);
        // Who reads already may read again, whoever waits for the end of that.
        let mut reading = own.clone().filter(|own| !own.access.writes());
        let reads = reading.find(|own| own.span.covers(span));
        if let Some(reads) = reads.filter(|_| !access.writes()) {
            let end = Arc::clone(&reads.end);
            state.accessors.push(HostAccessor {
                thread,
                access,
                span,
                end,
            });
            return Ok(state.host.pointer);
        }
        let own: Vec<Arc<Later>> = own.map(|own| Arc::clone(&own.end)).collect();
        let usage = Usage::of(access, span);
        let place = Place::next(&state, &usage);
        let after: Vec<Event> = place.after().collect();
        for (own, what) in [
            (own, "the calling thread has a host accessor of the buffer"),
            (order::running(), "the calling host task uses the buffer"),
        ] {
            if after.iter().any(|event| event.stands_on(&own)) {
                let reason = format!("{what}: its life must end before anything else can use it");
                return Err(Error::new(Kind::Invalid, reason));
            }
        }
        let mutex = state.mutex;
        let request = Request::of([(mutex, self)].into_iter(), &after);
        let end = Later::new(after);
        state.used_by(&Event::of_later(&end), &usage);
        drop(state);
        place.wait();
        if let Some(request) = request {
            request.make_for_host(Event::of_later(&end));
        }
        let mut state = self.lock();
        if let Err(error) = state.bring_to_host(&place, access, span) {
            drop(state);
            ended(mutex, &end, Err(error.clone()));
            return Err(error);
        }
        state.accessors.push(HostAccessor {
            thread,
            access,
            span,
            end,
        });
        Ok(state.host.pointer)
    }

    /// Ends a use that [`Memory::host_acquire`] began.
    pub fn host_release(&self, access: Access, span: Span) {
        let mut state = self.lock();
        // An accessor may end on another thread than it began; then any of its kind stands for it.
        let thread = thread::current().id();
        let alike =
            |other: &HostAccessor| other.access.writes() == access.writes() && other.span == span;
        let accessors = &mut state.accessors;
        let own = accessors
            .iter()
            .position(|a| a.thread == thread && alike(a));
        let Some(place) = own.or_else(|| accessors.iter().position(alike)) else {
            return;
        };
        let end = accessors.swap_remove(place).end;
        let last = !accessors.iter().any(|other| Arc::ptr_eq(&other.end, &end));
        let mutex = state.mutex;
        drop(state);
        if last {
            ended(mutex, &end, Ok(()));
        }
    }

    /// Brings the contents to the host, and to memory of the driver's that the program made the buffer of, unless
    /// they wait for something or somebody has them.
    pub fn come_home(self: &Arc<Self>) {
        const READ: Access = Access(1);
        {
            let state = self.lock();
            let place = Place::next(&state, &Usage::of(Access(3), Span::ALL));
            let mut uses = place.after();
            if !state.accessors.is_empty() || uses.any(|event| event.unsettled().is_some()) {
                return;
            }
        }
        // There is nobody to tell of a refusal; who asks for the contents hears of it.
        let _ = self.settle();
        let mut state = self.lock();
        let place = Place::next(&state, &Usage::of(READ, Span::ALL));
        let _ = state.bring_to_host(&place, READ, Span::ALL);
    }

    /// Waits until nothing uses the buffer but the calling thread, and, where that does not, until the
    /// runtime has given the buffer's mutex back: for the end of a buffer. Gives whether memory of the
    /// program's that the buffer works on has the contents.
    pub fn leave(self: &Arc<Self>) -> bool {
        let thread = thread::current().id();
        let (uses, own, mutex) = {
            let state = self.lock();
            let of_thread = state.accessors.iter().filter(|a| a.thread == thread);
            let mut own: Vec<Arc<Later>> = of_thread.map(|a| Arc::clone(&a.end)).collect();
            own.extend(order::running());
            let all = Usage::of(Access(3), Span::ALL);
            let mut uses: Vec<Event> = Vec::new();
            state.each_before(&all, |each| uses.push(each.clone()));
            (uses, own, state.mutex)
        };
        let (kept, others): (Vec<Event>, Vec<Event>) =
            uses.into_iter().partition(|event| event.stands_on(&own));
        for event in others {
            // Its failure is told by its queue.
            let _ = event.wait();
        }
        if let Some(mutex) = mutex.filter(|_| kept.is_empty()) {
            guard::leave(self, mutex);
        }
        let state = self.lock();
        let mut holders = state.holders.over(Span::ALL);
        state.host.owned.is_none() && holders.all(|(_, holders)| holders.host)
    }
}

/// Ends an accessor for those who wait for it.
fn ended(mutex: Option<Lockable>, end: &Arc<Later>, outcome: Result<()>) {
    let ends = || end.becomes(Event::ended(outcome));
    match mutex {
        Some(mutex) => guard::end_for_host(mutex, ends),
        None => ends(),
    }
}
