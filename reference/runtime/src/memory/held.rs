//! A buffer while a command that uses it is submitted or begins: its place among the uses, and the moves
//! of the contents to where the command needs them.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::spans::Span;
use super::{Access, Copy, Held, Holders, Place, Usage};
use crate::context::Context;
use crate::error::Result;
use crate::event::Event;
use crate::guard::Lockable;
use crate::plugin::{Allocation, Queue};

const READS: Access = Access(1);

impl Held<'_> {
    /// Sees what the next use comes after if it is such a one.
    pub fn each_before<'a>(&'a self, usage: &Usage, see: impl FnMut(&'a Event)) {
        self.state.each_before(usage, see);
    }

    /// The place of the next use, which the caller says before it lets the buffer go.
    #[must_use]
    pub fn place(&self, usage: &Usage) -> Place {
        Place::next(&self.state, usage)
    }

    /// The program's mutex that uses of the buffer need.
    #[must_use]
    pub fn mutex(&self) -> Option<Lockable> {
        self.state.mutex
    }

    /// Leaves the contents in the program's memory on the host, if the buffer works on that, and has
    /// them there alone: the program may change them. No use of the buffer has begun that has not ended.
    /// What cannot be moved stays where it is: its command's queue tells the failure.
    pub fn leave_to_program(&mut self) {
        if self.state.host.owned.is_none() && !self.state.keeps_host {
            let _ = self.state.move_to_host(Access(3), Span::ALL);
        }
    }

    /// Makes later uses come after this one.
    pub fn used_by(&mut self, event: &Event, usage: &Usage) {
        self.state.used_by(event, usage);
    }

    /// The buffer in a context, with the current contents of what the use needs. What the use comes
    /// after must have begun; it has the next place where none is given.
    ///
    /// # Errors
    /// When there is no room or the contents cannot be moved.
    pub fn bring_to(
        &mut self,
        context: &Arc<Context>,
        queue: &Arc<dyn Queue>,
        place: Option<&Place>,
        usage: &Usage,
    ) -> Result<&Arc<dyn Allocation>> {
        let index = self.copy_in(context, queue)?;
        let needed = usage.parts().filter(|(access, _)| access.needs_contents());
        let missing = needed.flat_map(|(_, span)| self.state.missing(index, span));
        let missing: Vec<Span> = missing.collect();
        for span in missing {
            self.wait_for_writes(place, span)?;
            self.state.move_to_host(READS, span)?;
            let state = &mut *self.state;
            let copy = &state.copies[index];
            let bytes = state.host.part(span);
            copy.queue
                .write(copy.allocation.as_ref(), span.begin, bytes)?;
            let all = state.holders.over_mut(span);
            all.for_each(|holders| holders.add_copy(index));
            state.holders.join();
        }
        Ok(&self.state.copies[index].allocation)
    }

    /// Whether the context has the current contents of what is used.
    #[must_use]
    pub fn is_current_in(&self, context: &Arc<Context>, usage: &Usage) -> bool {
        let index = self.state.copy_of(context);
        let is_there =
            |(_, span)| index.is_some_and(|i| self.state.missing(i, span).next().is_none());
        usage.parts().all(is_there)
    }

    /// The buffer's bytes on the host, with the current contents of what is used, for a use that only
    /// reads. They stay where they are until it has ended. What the use comes after must have begun; it has
    /// the next place where none is given.
    ///
    /// # Errors
    /// When a command that wrote the buffer failed or the contents cannot be moved.
    pub fn bring_to_host(&mut self, place: Option<&Place>, usage: &Usage) -> Result<*mut u8> {
        for (_, span) in usage.parts() {
            self.wait_for_writes(place, span)?;
            self.state.move_to_host(READS, span)?;
        }
        Ok(self.state.host.pointer)
    }

    /// Waits for what wrote a span that a use of the place, or the next one, has to do with.
    fn wait_for_writes(&self, place: Option<&Place>, span: Span) -> Result<()> {
        match place {
            Some(place) => place.wait_for_writes(span),
            None => Place::next(&self.state, &Usage::of(READS, span)).wait_for_writes(span),
        }
    }

    /// Remembers that a command in the context has begun that uses the buffer so.
    pub fn written_in(&mut self, context: &Arc<Context>, usage: &Usage) {
        let state = &mut *self.state;
        let index = state.copy_of(context);
        for (_, span) in usage.parts().filter(|(access, _)| access.writes()) {
            state.leave_image();
            state.holders.fill(span, Holders::copy_alone(index));
            state.holders.join();
        }
    }

    /// Where the context's copy stands, made when there is none.
    fn copy_in(&mut self, context: &Arc<Context>, queue: &Arc<dyn Queue>) -> Result<usize> {
        if let Some(index) = self.state.copy_of(context) {
            return Ok(index);
        }
        let copies = &mut self.state.copies;
        copies.push(Copy {
            context: Arc::clone(context),
            queue: Arc::clone(queue),
            allocation: context.allocate(self.memory.size.max(1))?,
            parts: BTreeMap::new(),
        });
        Ok(copies.len() - 1)
    }
}
