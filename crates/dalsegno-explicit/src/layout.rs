//! Packed states: every variable a field of some bits, several fields in a 64-bit word.
//!
//! ```text
//! word 0:  … | g value of variable 2 | g value of variable 1 | g value of variable 0 |
//! ```
//!
//! Above each value is one guard bit `g`, zero in every stored state. With it a guard and an effect work
//! on whole words: `(w | H) - P` keeps the guard bits `H` of exactly those fields that hold at least what
//! `P` asks for, and after `w + D` a guard bit that is set tells that a value has outgrown its field. So a
//! transition is a few additions and comparisons however many places it touches in a word.
//!
//! Invariants:
//!
//! 1. No field crosses a word; a field is `width + 1` bits, 1 ≤ width ≤ 32.
//! 2. Weights and effects of all groups fit in the width of the fields they touch, so neither the
//!    subtraction nor the addition reaches into the next field.

use dalsegno_kripke::{Group, Model};

/// Where a variable lives.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    pub word: usize,
    pub shift: u32,
    pub width: u32,
}

impl Field {
    #[inline]
    fn mask(self) -> u64 {
        (1 << self.width) - 1
    }

    fn guard(self) -> u64 {
        1 << (self.shift + self.width)
    }
}

/// The fields of all variables.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub fields: Vec<Field>,
    pub words: usize,
}

fn bits(value: u64) -> u32 {
    (64 - value.leading_zeros()).max(1)
}

impl Layout {
    /// The narrowest layout in which all that is known of the values fits.
    pub fn new(model: &Model) -> Self {
        let widths = model
            .variables()
            .iter()
            .enumerate()
            .map(|(i, variable)| {
                let expected = variable.bounds.expected();
                let initial = model.initial().iter().map(|s| s[i]).max().unwrap_or(0);
                bits(u64::from(expected.unwrap_or(0).max(initial.max(1))))
            })
            .collect();
        Self::with_widths(model, widths)
    }

    /// The same with one field at least one bit wider, or `None` if it has 32 bits already; with
    /// `others`, fields of variables without a known bound that are no wider grow with it.
    pub fn widened(&self, model: &Model, variable: usize, others: bool) -> Option<Self> {
        let mut widths: Vec<u32> = self.fields.iter().map(|f| f.width).collect();
        if widths[variable] >= 32 {
            return None;
        }
        let outgrown = widths[variable];
        for (i, width) in widths.iter_mut().enumerate() {
            let open =
                others && *width <= outgrown && model.variables()[i].bounds.expected().is_none();
            if i == variable || open {
                *width = (*width + 2).min(32);
            }
        }
        Some(Self::with_widths(model, widths))
    }

    fn with_widths(model: &Model, mut widths: Vec<u32>) -> Self {
        for linear in model.groups().iter().filter_map(Group::as_linear) {
            let tests = linear.pre().iter().chain(linear.inhibit());
            let tests = tests.map(|&(v, n)| (v, u64::from(n)));
            let effects = linear.delta().iter().map(|&(v, d)| (v, d.unsigned_abs()));
            for (v, n) in tests.chain(effects) {
                widths[v.index()] = widths[v.index()].max(bits(n));
            }
        }
        let (mut word, mut used) = (0, 0);
        let mut fields = Vec::with_capacity(widths.len());
        for width in widths {
            if used + width + 1 > 64 {
                (word, used) = (word + 1, 0);
            }
            fields.push(Field {
                word,
                shift: used,
                width,
            });
            used += width + 1;
        }
        Layout {
            fields,
            words: word + 1,
        }
    }

    /// The variable that each bit of each word belongs to, with the bit above its field; 0 of bits without one.
    pub fn owners(&self) -> Vec<u32> {
        let mut owners = vec![0; self.words * 64];
        for (i, f) in self.fields.iter().enumerate() {
            for bit in f.shift..=f.shift + f.width {
                owners[f.word * 64 + bit as usize] = i as u32;
            }
        }
        owners
    }

    /// The value of a variable in a packed state.
    #[inline]
    pub fn get(&self, state: &[u64], variable: usize) -> u32 {
        let f = self.fields[variable];
        (state[f.word] >> f.shift & f.mask()) as u32
    }

    /// Packs a state; false if a value does not fit.
    pub fn pack(&self, values: &[u32], out: &mut [u64]) -> Result<(), usize> {
        out.fill(0);
        for (i, (&value, &f)) in values.iter().zip(&self.fields).enumerate() {
            if u64::from(value) > f.mask() {
                return Err(i);
            }
            out[f.word] |= u64::from(value) << f.shift;
        }
        Ok(())
    }

    /// Unpacks a state.
    pub fn unpack(&self, state: &[u64], out: &mut [u32]) {
        for (slot, f) in out.iter_mut().zip(&self.fields) {
            *slot = (state[f.word] >> f.shift & f.mask()) as u32;
        }
    }

    /// Per word, the bits of values above the lowest `bits` ones.
    pub fn high(&self, bits: u32) -> Vec<u64> {
        let mut high = vec![0; self.words];
        for f in self.fields.iter().filter(|f| f.width > bits) {
            high[f.word] |= (f.mask() >> bits << bits) << f.shift;
        }
        high
    }

    /// A variable whose guard bit is set in a word.
    pub fn overgrown(&self, word: usize, value: u64) -> usize {
        let set = |f: &Field| f.word == word && value & f.guard() != 0;
        self.fields
            .iter()
            .position(set)
            .expect("a guard bit belongs to a field")
    }
}

/// A test on one word: the guard bits `h` of the fields tested and the numbers `p` they are tested for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Test {
    pub word: u32,
    h: u64,
    p: u64,
}

impl Test {
    /// The guard bits of the fields that have too little.
    #[inline]
    pub fn missing(&self, state: &[u64]) -> u64 {
        self.h & !(state[self.word as usize] | self.h).wrapping_sub(self.p)
    }
}

/// An effect on one word: what is added, and the guard bits of the fields that may outgrow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effect {
    pub word: u32,
    pub add: u64,
    pub guard: u64,
}

/// The first test of a group, and whether there are more: most groups fail here, or have no other.
#[derive(Clone, Copy, Debug)]
struct Head {
    test: Test,
    more: bool,
}

/// The groups of a model with guards and effects on packed states, flattened.
#[derive(Clone, Debug, Default)]
pub(crate) struct Compiled {
    heads: Vec<Head>,
    tests: Vec<Test>,
    inhibits: Vec<Test>,
    effects: Vec<Effect>,
    /// Per group the ends of its parts in the three lists; the starts are the ends of the one before.
    ends: Vec<[u32; 3]>,
    /// The variable that each bit of each word belongs to.
    owners: Vec<u32>,
}

impl Compiled {
    /// Compiles all groups; they must all be linear.
    pub fn new(model: &Model, layout: &Layout) -> Self {
        let mut compiled = Compiled {
            owners: layout.owners(),
            ..Compiled::default()
        };
        for group in model.groups() {
            let linear = group.as_linear().expect("only linear groups are compiled");
            for &(v, n) in linear.pre() {
                merge_test(
                    &mut compiled.tests,
                    compiled.ends.last().map_or(0, |e| e[0]),
                    layout,
                    v.index(),
                    n,
                );
            }
            for &(v, n) in linear.inhibit() {
                merge_test(
                    &mut compiled.inhibits,
                    compiled.ends.last().map_or(0, |e| e[1]),
                    layout,
                    v.index(),
                    n,
                );
            }
            let start = compiled.ends.last().map_or(0, |e| e[2]) as usize;
            for &(v, d) in linear.delta() {
                let f = layout.fields[v.index()];
                let add = d.cast_unsigned().wrapping_shl(f.shift);
                let guard = if d > 0 { f.guard() } else { 0 };
                match compiled.effects[start..]
                    .iter_mut()
                    .find(|e| e.word == f.word as u32)
                {
                    Some(e) => {
                        e.add = e.add.wrapping_add(add);
                        e.guard |= guard;
                    }
                    None => compiled.effects.push(Effect {
                        word: f.word as u32,
                        add,
                        guard,
                    }),
                }
            }
            let tests = &compiled.tests[compiled.ends.last().map_or(0, |e| e[0]) as usize..];
            let always = Test {
                word: 0,
                h: 0,
                p: 0,
            };
            compiled.heads.push(Head {
                test: tests.first().copied().unwrap_or(always),
                more: tests.len() > 1 || !linear.inhibit().is_empty(),
            });
            compiled.ends.push([
                compiled.tests.len() as u32,
                compiled.inhibits.len() as u32,
                compiled.effects.len() as u32,
            ]);
        }
        compiled
    }

    #[inline]
    fn start(&self, group: usize) -> [u32; 3] {
        if group == 0 {
            [0; 3]
        } else {
            self.ends[group - 1]
        }
    }

    /// Whether a group is enabled in a packed state.
    #[inline]
    pub fn enabled(&self, group: usize, state: &[u64]) -> bool {
        let Head { test, more } = self.heads[group];
        let left = (state[test.word as usize] | test.h).wrapping_sub(test.p) & test.h;
        left == test.h && (!more || self.passes_all(group, state))
    }

    /// Whether a group has inhibitors.
    #[inline]
    pub fn is_inhibited(&self, group: usize) -> bool {
        self.start(group)[1] != self.ends[group][1]
    }

    /// The tests of the inputs of a group.
    #[inline]
    pub fn tests(&self, group: usize) -> &[Test] {
        &self.tests[self.start(group)[0] as usize..self.ends[group][0] as usize]
    }

    /// The variable that a bit of a word belongs to.
    #[inline]
    pub fn owner(&self, word: u32, bit: u32) -> usize {
        self.owners[(64 * word + bit) as usize] as usize
    }

    fn passes_all(&self, group: usize, state: &[u64]) -> bool {
        let (start, end) = (self.start(group), self.ends[group]);
        let passes = |t: &Test| ((state[t.word as usize] | t.h).wrapping_sub(t.p)) & t.h;
        self.tests[start[0] as usize..end[0] as usize]
            .iter()
            .all(|t| passes(t) == t.h)
            && self.inhibits[start[1] as usize..end[1] as usize]
                .iter()
                .all(|t| passes(t) == 0)
    }

    /// The effects of a group.
    #[inline]
    pub fn effects(&self, group: usize) -> &[Effect] {
        let (start, end) = (self.start(group), self.ends[group]);
        &self.effects[start[2] as usize..end[2] as usize]
    }
}

fn merge_test(tests: &mut Vec<Test>, start: u32, layout: &Layout, variable: usize, n: u32) {
    let f = layout.fields[variable];
    let (h, p) = (f.guard(), u64::from(n) << f.shift);
    match tests[start as usize..]
        .iter_mut()
        .find(|t| t.word == f.word as u32)
    {
        Some(t) => {
            t.h |= h;
            t.p |= p;
        }
        None => tests.push(Test {
            word: f.word as u32,
            h,
            p,
        }),
    }
}
