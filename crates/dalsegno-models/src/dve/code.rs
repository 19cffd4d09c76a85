//! Expressions as flat code for a machine with one register and a small stack, and the action of a
//! group that runs it.
//!
//! Code works on a *frame*, and there is code for two of them. One is a whole state, which a search has
//! at hand: nothing is copied. The other has the values of the variables that the group reads, and
//! behind them those of the variables that it only writes, for engines that ask about these alone;
//! guards look at the values where the caller has them, and only a transition that is enabled copies
//! them. Nothing is allocated unless a frame or a stack is larger than any program needs.

use dalsegno_kripke::{Cases, InPlace, Opaque, Undefined};

use super::cases;
use super::compile::Step;
use super::outline::Outline;
use super::syntax::{Binary, Unary};

/// How a number is kept in a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// 8 bits without a sign.
    Byte,
    /// 16 bits with a sign, as the number plus [`SIGNED_ZERO`].
    Int,
    /// The number of a location of a process.
    Location,
}

/// What stands for 0 in a variable of kind [`Kind::Int`].
pub(super) const SIGNED_ZERO: u32 = 1 << 15;

impl Kind {
    #[inline]
    pub(super) fn number(self, value: u32) -> i32 {
        match self {
            Kind::Int => value.cast_signed() - SIGNED_ZERO.cast_signed(),
            Kind::Byte | Kind::Location => value.cast_signed(),
        }
    }

    /// The value that is kept for a number: what does not fit wraps around.
    #[inline]
    pub(super) fn value(self, number: i32) -> u32 {
        match self {
            Kind::Byte => number.cast_unsigned() & 0xff,
            Kind::Int => (number.cast_unsigned() & 0xffff) ^ SIGNED_ZERO,
            Kind::Location => number.cast_unsigned(),
        }
    }

    /// The number that is read where a number was kept.
    #[inline]
    pub(super) fn wrapped(self, number: i32) -> i32 {
        self.number(self.value(number))
    }
}

/// A variable in a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Slot {
    pub at: u32,
    pub kind: Kind,
}

/// Elements of an array in a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Slots {
    pub first: u32,
    pub len: u32,
    pub kind: Kind,
}

/// An instruction: what becomes of the register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Op {
    Const(i32),
    Load(Slot),
    /// The register is the index.
    LoadElement(Slots),
    Unary(Unary),
    /// What is left of the register in a variable.
    Wrap(Kind),
    /// There is no value.
    Fail,
    /// Whether the register is not 0.
    Truth,
    WithConst(Binary, i32),
    WithLoad(Binary, Slot),
    Push,
    /// The left operand is on the stack, the right one in the register.
    WithPop(Binary),
    /// Goes on elsewhere if the register is 0.
    IfZero(u32),
    /// Goes on elsewhere if the register is not 0.
    IfNot(u32),
}

/// Code of one expression.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Code {
    pub ops: Vec<Op>,
    /// The most values on the stack.
    pub stack: usize,
}

const DIVISION: Undefined = Undefined("division by zero");
const INDEX: Undefined = Undefined("an index of an array is out of range");

/// A binary operator on numbers of 32 bits that wrap around; `None` for a division by zero.
#[inline]
pub(super) fn binary(operator: Binary, left: i32, right: i32) -> Option<i32> {
    Some(match operator {
        Binary::Imply => i32::from(left == 0 || right != 0),
        Binary::Or => i32::from(left != 0 || right != 0),
        Binary::And => i32::from(left != 0 && right != 0),
        Binary::BitOr => left | right,
        Binary::BitXor => left ^ right,
        Binary::BitAnd => left & right,
        Binary::Eq => i32::from(left == right),
        Binary::Ne => i32::from(left != right),
        Binary::Lt => i32::from(left < right),
        Binary::Le => i32::from(left <= right),
        Binary::Gt => i32::from(left > right),
        Binary::Ge => i32::from(left >= right),
        Binary::ShiftLeft => left.wrapping_shl(right.cast_unsigned()),
        Binary::ShiftRight => left.wrapping_shr(right.cast_unsigned()),
        Binary::Add => left.wrapping_add(right),
        Binary::Subtract => left.wrapping_sub(right),
        Binary::Multiply => left.wrapping_mul(right),
        Binary::Divide if right != 0 => left.wrapping_div(right),
        Binary::Remainder if right != 0 => left.wrapping_rem(right),
        Binary::Divide | Binary::Remainder => return None,
    })
}

#[inline]
pub(super) fn unary(operator: Unary, operand: i32) -> i32 {
    match operator {
        Unary::Negate => operand.wrapping_neg(),
        Unary::Not => i32::from(operand == 0),
        Unary::Complement => !operand,
    }
}

/// The stack that nearly all code fits into.
const SMALL: usize = 8;

impl Code {
    pub(super) fn run(&self, frame: &[u32]) -> Result<i32, Undefined> {
        if self.stack <= SMALL {
            run(&self.ops, frame, &mut [0; SMALL])
        } else {
            run(&self.ops, frame, &mut vec![0; self.stack])
        }
    }
}

#[inline]
fn run(ops: &[Op], frame: &[u32], stack: &mut [i32]) -> Result<i32, Undefined> {
    let mut register = 0;
    let mut height = 0;
    let mut at = 0;
    let load = |slot: Slot| slot.kind.number(frame[slot.at as usize]);
    while let Some(&op) = ops.get(at) {
        at += 1;
        match op {
            Op::Const(number) => register = number,
            Op::Load(slot) => register = load(slot),
            Op::LoadElement(slots) => {
                let index = u32::try_from(register).ok().filter(|&i| i < slots.len);
                let index = index.ok_or(INDEX)?;
                register = slots.kind.number(frame[(slots.first + index) as usize]);
            }
            Op::Unary(operator) => register = unary(operator, register),
            Op::Wrap(kind) => register = kind.wrapped(register),
            Op::Fail => return Err(INDEX),
            Op::Truth => register = i32::from(register != 0),
            Op::WithConst(operator, number) => {
                register = binary(operator, register, number).ok_or(DIVISION)?;
            }
            Op::WithLoad(operator, slot) => {
                register = binary(operator, register, load(slot)).ok_or(DIVISION)?;
            }
            Op::Push => {
                stack[height] = register;
                height += 1;
            }
            Op::WithPop(operator) => {
                height -= 1;
                register = binary(operator, stack[height], register).ok_or(DIVISION)?;
            }
            Op::IfZero(target) if register == 0 => at = target as usize,
            Op::IfNot(target) if register != 0 => at = target as usize,
            Op::IfZero(_) | Op::IfNot(_) => {}
        }
    }
    Ok(register)
}

/// An assignment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Effect {
    Variable(Slot, Code),
    /// An element, its index and its value.
    Element(Slots, Code, Code),
}

/// What a group does: code for both frames.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Action {
    pub local: Transition,
    pub global: Transition,
    /// What both were made from, and its parts.
    pub step: Step,
    pub outline: Outline,
}

/// What a group does on one kind of frame.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Transition {
    /// Locations that must be current, as places in the frame and numbers.
    pub from: Vec<(u32, u32)>,
    pub guard: Option<Code>,
    pub effects: Vec<Effect>,
    /// Locations that become current.
    pub to: Vec<(u32, u32)>,
    /// The places in the frame of the variables written.
    pub written: Vec<u32>,
    /// The size of the frame.
    pub frame: usize,
}

/// The frame that nearly all groups fit into, and one for programs with large arrays.
const SMALL_FRAME: usize = 32;
const LARGE_FRAME: usize = 512;

impl Transition {
    fn is_enabled(&self, read: &[u32]) -> Result<bool, Undefined> {
        let mut from = self.from.iter();
        if !from.all(|&(at, location)| read[at as usize] == location) {
            return Ok(false);
        }
        match &self.guard {
            None => Ok(true),
            Some(guard) => Ok(guard.run(read)? != 0),
        }
    }

    #[inline]
    fn apply(&self, frame: &mut [u32]) -> Result<(), Undefined> {
        for effect in &self.effects {
            match effect {
                Effect::Variable(slot, value) => {
                    frame[slot.at as usize] = slot.kind.value(value.run(frame)?);
                }
                Effect::Element(slots, index, value) => {
                    let index = u32::try_from(index.run(frame)?).ok();
                    let index = index.filter(|&i| i < slots.len).ok_or(INDEX)?;
                    let value = slots.kind.value(value.run(frame)?);
                    frame[(slots.first + index) as usize] = value;
                }
            }
        }
        for &(at, location) in &self.to {
            frame[at as usize] = location;
        }
        Ok(())
    }

    #[inline]
    fn fire(&self, read: &[u32], write: &mut [u32], frame: &mut [u32]) -> Result<(), Undefined> {
        frame[..read.len()].copy_from_slice(read);
        self.apply(frame)?;
        for (value, &at) in write.iter_mut().zip(&self.written) {
            *value = frame[at as usize];
        }
        Ok(())
    }
}

impl InPlace for Transition {
    fn enabled_in(&self, state: &[u32]) -> bool {
        self.is_enabled(state).unwrap_or(true)
    }

    fn fire_in(&self, state: &[u32], next: &mut [u32]) -> Result<bool, Undefined> {
        if !self.is_enabled(state)? {
            return Ok(false);
        }
        self.apply(next)?;
        Ok(true)
    }
}

impl Opaque for Action {
    /// A guard without a meaning counts as enabled, so that whoever fires it is told.
    fn enabled(&self, read: &[u32]) -> bool {
        self.local.is_enabled(read).unwrap_or(true)
    }

    fn in_place(&self) -> Option<&dyn InPlace> {
        Some(&self.global)
    }

    fn needs(&self) -> Option<(usize, u32)> {
        let &(at, location) = self.local.from.first()?;
        Some((at as usize, location))
    }

    fn outline(&self) -> Option<&dyn dalsegno_kripke::Outline> {
        Some(&self.outline)
    }

    fn cases(&self) -> Option<Cases> {
        cases::cases(&self.step)
    }

    fn successors(
        &self,
        read: &[u32],
        write: &mut [u32],
        emit: &mut dyn FnMut(&[u32]),
    ) -> Result<(), Undefined> {
        let local = &self.local;
        if !local.is_enabled(read)? {
            return Ok(());
        }
        if local.frame <= SMALL_FRAME {
            local.fire(read, write, &mut [0; SMALL_FRAME])?;
        } else if local.frame <= LARGE_FRAME {
            local.fire(read, write, &mut [0; LARGE_FRAME])?;
        } else {
            local.fire(read, write, &mut vec![0; local.frame])?;
        }
        emit(write);
        Ok(())
    }
}
