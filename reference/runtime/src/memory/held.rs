//! A buffer while a command that uses it is submitted or begins: its place among the uses, and the moves
//! of the contents to where the command needs them.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Access, Copy, Held, Place};
use crate::context::Context;
use crate::error::Result;
use crate::event::Event;
use crate::guard::Lockable;
use crate::plugin::{Allocation, Queue};

impl Held<'_> {
    /// What the next use comes after if it is such a one.
    pub fn before(&self, access: Access) -> impl Iterator<Item = &Event> {
        self.state.before(access)
    }

    /// The place of the next use, which the caller says before it lets the buffer go.
    #[must_use]
    pub fn place(&self, access: Access) -> Place {
        self.state.place(access)
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
            let _ = self.state.move_to_host(Access(3));
        }
    }

    /// Makes later uses come after this one.
    pub fn used_by(&mut self, event: &Event, access: Access) {
        self.state.used_by(event, access);
    }

    /// The buffer in a context, with the current contents when the use needs them. What the use comes
    /// after must have begun; it has the next place where none is given.
    ///
    /// # Errors
    /// When there is no room or the contents cannot be moved.
    pub fn bring_to(
        &mut self,
        context: &Arc<Context>,
        queue: &Arc<dyn Queue>,
        place: Option<&Place>,
        access: Access,
    ) -> Result<&Arc<dyn Allocation>> {
        let index = self.copy_in(context, queue)?;
        let needed = access.needs_contents() && self.memory.size > 0;
        if needed && !self.state.copies[index].is_current {
            self.bring_to_host(place)?;
            let state = &mut *self.state;
            let copy = &mut state.copies[index];
            copy.queue
                .write(copy.allocation.as_ref(), state.host.bytes(), &[])?;
            copy.is_current = true;
        }
        Ok(&self.state.copies[index].allocation)
    }

    /// Whether the context has the current contents.
    #[must_use]
    pub fn is_current_in(&self, context: &Arc<Context>) -> bool {
        let mut copies = self.state.copies.iter();
        copies.any(|copy| copy.is_current && Arc::ptr_eq(&copy.context, context))
    }

    /// The buffer's bytes on the host, with the current contents, for a use that only reads. They stay
    /// where they are until it has ended. What the use comes after must have begun; it has the next place
    /// where none is given.
    ///
    /// # Errors
    /// When a command that wrote the buffer failed or the contents cannot be moved.
    pub fn bring_to_host(&mut self, place: Option<&Place>) -> Result<*mut u8> {
        const READS: Access = Access(1);
        match place {
            Some(place) => self.state.bring_to_host(place, READS)?,
            None => {
                let next = self.state.place(READS);
                self.state.bring_to_host(&next, READS)?;
            }
        }
        Ok(self.state.host.pointer)
    }

    /// Remembers that a command in the context has begun that writes.
    pub fn written_in(&mut self, context: &Arc<Context>) {
        let state = &mut *self.state;
        state.host_is_current = false;
        state.leave_image();
        for copy in &mut state.copies {
            copy.is_current = Arc::ptr_eq(&copy.context, context);
        }
    }

    /// Where the context's copy stands, made when there is none.
    fn copy_in(&mut self, context: &Arc<Context>, queue: &Arc<dyn Queue>) -> Result<usize> {
        let copies = &mut self.state.copies;
        if let Some(place) = copies.iter().position(|c| Arc::ptr_eq(&c.context, context)) {
            return Ok(place);
        }
        copies.push(Copy {
            context: Arc::clone(context),
            queue: Arc::clone(queue),
            allocation: context.allocate(self.memory.size.max(1))?,
            parts: BTreeMap::new(),
            is_current: false,
        });
        Ok(copies.len() - 1)
    }
}
