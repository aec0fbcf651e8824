//! Where instructions stand in a function: which blocks lead to which, and what comes before and behind the places
//! where work-items wait for one another.

use std::collections::{HashMap, HashSet};

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::basic_block::BasicBlock;
use inkwell::values::{FunctionValue, InstructionOpcode, InstructionValue, PhiValue};

use super::waiting::Waiting;
use crate::llvm::calls;

/// One operand of an instruction.
pub(super) struct Use<'ctx> {
    /// The instruction.
    pub user: InstructionValue<'ctx>,
    /// Which of its operands.
    pub operand: u32,
}

/// Where the instructions of a function stand, and what comes before and behind the places where work-items wait.
pub(super) struct Places<'ctx> {
    instructions: HashMap<InstructionValue<'ctx>, (usize, usize)>,
    blocks: HashMap<BasicBlock<'ctx>, usize>,
    pub waits: Vec<Wait>,
    /// Calls of functions that are here and wait.
    calls: HashSet<InstructionValue<'ctx>>,
    /// Whether compilers may have in registers what lies in private memory.
    pub is_optimized: bool,
}

/// A place where work-items wait.
pub(super) struct Wait {
    block: usize,
    place: usize,
    /// For each block, whether all of it may come before the place, and behind it.
    pub before: Vec<bool>,
    behind: Vec<bool>,
}

impl<'ctx> Places<'ctx> {
    /// Those of a function.
    pub fn of(flow: &Flow<'ctx>, waiting: &Waiting<'ctx>) -> Places<'ctx> {
        let (mut instructions, mut found, mut calls) = (HashMap::new(), Vec::new(), HashSet::new());
        for (i, block) in flow.blocks.iter().enumerate() {
            for (place, each) in block.get_instructions().enumerate() {
                instructions.insert(each, (i, place));
                if let Some(callee) = calls::callee(each).filter(|f| waiting.functions.contains(f))
                {
                    found.push((i, place));
                    if callee.count_basic_blocks() > 0 {
                        calls.insert(each);
                    }
                }
            }
        }
        let waits = found.into_iter().map(|(block, place)| Wait {
            block,
            place,
            before: reachable(block, &flow.last),
            behind: reachable(block, &flow.next),
        });
        Places {
            waits: waits.collect(),
            instructions,
            blocks: flow.numbers.clone(),
            calls,
            is_optimized: flow.is_optimized,
        }
    }

    /// Whether work-items may wait between the value and the use, or in it.
    pub fn is_behind(&self, value: InstructionValue<'ctx>, each: &Use<'ctx>) -> bool {
        if self.calls.contains(&each.user) {
            return true;
        }
        let (Some(value), Some(user)) = (self.instructions.get(&value), self.at(each)) else {
            return false;
        };
        self.waits.iter().any(|wait| {
            let before = wait.before[value.0] || (value.0 == wait.block && value.1 < wait.place);
            before && (wait.behind[user.0] || (user.0 == wait.block && user.1 > wait.place))
        })
    }

    /// Whether work-items may wait behind an instruction.
    pub fn waits_behind(&self, each: InstructionValue<'ctx>) -> bool {
        let Some((block, place)) = self.instructions.get(&each) else {
            return false;
        };
        let mut waits = self.waits.iter();
        waits.any(|wait| wait.before[*block] || (*block == wait.block && *place < wait.place))
    }

    /// Where the value is used: what is to be chosen between, where its block ends.
    fn at(&self, each: &Use<'ctx>) -> Option<(usize, usize)> {
        if each.user.get_opcode() != InstructionOpcode::Phi {
            return self.instructions.get(&each.user).copied();
        }
        let phi = PhiValue::try_from(each.user).ok()?;
        let (_, block) = phi.get_incoming(each.operand)?;
        self.blocks.get(&block).map(|block| (*block, usize::MAX))
    }
}

/// The blocks of a function, and which lead to which.
pub(super) struct Flow<'ctx> {
    /// The blocks, by their numbers.
    pub blocks: Vec<BasicBlock<'ctx>>,
    numbers: HashMap<BasicBlock<'ctx>, usize>,
    next: Vec<Vec<usize>>,
    last: Vec<Vec<usize>>,
    is_optimized: bool,
}

impl<'ctx> Flow<'ctx> {
    /// Those of a function.
    pub fn of(function: FunctionValue<'ctx>) -> Flow<'ctx> {
        let blocks: Vec<BasicBlock<'_>> = function.get_basic_block_iter().collect();
        let numbered = blocks.iter().enumerate().map(|(i, block)| (*block, i));
        let numbers: HashMap<_, _> = numbered.collect();
        let (mut next, mut last) = (
            vec![Vec::new(); blocks.len()],
            vec![Vec::new(); blocks.len()],
        );
        for (i, block) in blocks.iter().enumerate() {
            let ends = block.get_terminator();
            let ends = ends.filter(|ends| ends.get_opcode() != InstructionOpcode::Return);
            let operands = ends.iter().flat_map(|ends| {
                (0..ends.get_num_operands()).filter_map(|i| ends.get_operand(i)?.block())
            });
            for to in operands.filter_map(|to| numbers.get(&to).copied()) {
                next[i].push(to);
                last[to].push(i);
            }
        }
        let unoptimized = Attribute::get_named_enum_kind_id("optnone");
        let unoptimized = function.get_enum_attribute(AttributeLoc::Function, unoptimized);
        Flow {
            blocks,
            numbers,
            next,
            last,
            is_optimized: unoptimized.is_none(),
        }
    }

    /// The blocks whose choices between values are made by where this one leads to, and some more: those that several
    /// of the ways from it come to, and those that it comes back to.
    pub fn decided_by(&self, block: usize) -> impl Iterator<Item = usize> {
        let ways = self.next[block].iter();
        let ways: Vec<Vec<bool>> = ways
            .map(|to| {
                let mut reached = reachable(*to, &self.next);
                reached[*to] = true;
                reached
            })
            .collect();
        let back = reachable(block, &self.last);
        let ahead = reachable(block, &self.next);
        (0..self.blocks.len()).filter(move |each| {
            let ways = ways.iter().filter(|way| way[*each]).count();
            ways > 1 || (back[*each] && ahead[*each])
        })
    }
}

/// The blocks that one or more steps lead to.
fn reachable(from: usize, steps: &[Vec<usize>]) -> Vec<bool> {
    let mut reached = vec![false; steps.len()];
    let mut open = vec![from];
    while let Some(block) = open.pop() {
        for &to in &steps[block] {
            if !std::mem::replace(&mut reached[to], true) {
                open.push(to);
            }
        }
    }
    reached
}
