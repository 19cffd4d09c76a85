//! Letters among which a step may leave an automaton where it is, or as good as that.
//!
//! P14 eq. 1 saturates by steps that change nothing that is observed: there a TGTA stays. Many automata
//! may stay as well whatever some propositions do: a TGBA by a self-loop, a TGTA, each of whose states
//! knows the letter, in a state per letter that lead to each other. Letters that agree on the other
//! propositions, with such a state for each, make a block. Its model states are saturated
//! together by all steps that keep the other propositions; if there are none, by all steps.
//!
//! A block grows from one letter, proposition by proposition. Cost: per proposition a look at the
//! automaton for every two letters of the block.

use std::rc::Rc;

use dalsegno_automata::observer::Kind;
use dalsegno_kripke::Letter;
use dalsegno_mdd::Stop;

use super::letters::Class;
use super::product::{Product, Saturation};
use super::product_set::Key;

/// Keys of different letters, between which the automaton may go along with every step.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) keys: Vec<Key>,
    pub(super) class: Class,
}

/// Reachable letters beyond which a block is one letter.
const MOST_LETTERS: usize = 64;

impl Product<'_> {
    /// The block of a key, all of whose keys are allowed, if saturation by such steps is wanted and
    /// the automaton may stay.
    pub(super) fn block(
        &mut self,
        key: Key,
        allowed: &dyn Fn(Key) -> bool,
    ) -> Result<Option<Rc<Block>>, Stop> {
        let wide = match self.saturation {
            Saturation::Off => return Ok(None),
            Saturation::Stuttering if self.kind() != Kind::Tgta => return Ok(None),
            Saturation::Stuttering => false,
            Saturation::Loops => self.letters.classes().len() <= MOST_LETTERS,
        };
        if !self.goes(key, key) {
            return Ok(None);
        }
        if wide {
            if !self.blocks.contains_key(&key) {
                let block = self.grow(key)?;
                self.blocks.insert(key, block);
            }
            let block = &self.blocks[&key];
            if block.keys.iter().all(|&key| allowed(key)) {
                return Ok(Some(block.clone()));
            }
        }
        Ok(Some(Rc::new(Block {
            keys: vec![key],
            class: self.letters.of(key.1).clone(),
        })))
    }

    /// Whether the automaton may go from a key to another whenever the model does.
    fn goes(&mut self, (q, from): Key, (p, to): Key) -> bool {
        let class = self.letters.of(from);
        !class.leads_to(from, to) || self.step(q, from, to).iter().any(|&(r, _)| r == p)
    }

    /// The block of letters that agree with that of a key on as few propositions as possible.
    fn grow(&mut self, key: Key) -> Result<Rc<Block>, Stop> {
        let letter = key.1;
        let mut keys = vec![key];
        let mut free = 0;
        for i in 0..self.letters.propositions() {
            let more = free | 1 << i;
            let reachable = self.letters.classes().keys().copied();
            let new: Vec<Letter> = reachable
                .filter(|&to| (to ^ letter).0 & !more == 0 && (to ^ letter).0 & !free != 0)
                .collect();
            let mut wider = keys.clone();
            if new.into_iter().all(|to| self.widen(&mut wider, to)) {
                free = more;
                keys = wider;
            }
        }
        let class = if keys.len() == 1 {
            self.letters.of(letter).clone()
        } else {
            let letters: Vec<Letter> = keys.iter().map(|key| key.1).collect();
            self.class_of(&letters, letter, free)?
        };
        Ok(Rc::new(Block { keys, class }))
    }

    /// Adds a key with a letter to a block, if there is one.
    fn widen(&mut self, keys: &mut Vec<Key>, letter: Letter) -> bool {
        let mut candidates: Vec<Key> = Vec::new();
        for &(q, from) in &*keys {
            if self.letters.of(from).leads_to(from, letter) {
                let next = self.step(q, from, letter).iter();
                candidates.extend(next.map(|&(p, _)| (p, letter)));
                break;
            }
        }
        let fits = |&new: &Key| {
            let mut keys = keys.iter();
            self.goes(new, new) && keys.all(|&key| self.goes(key, new) && self.goes(new, key))
        };
        let found = candidates.into_iter().find(fits);
        keys.extend(found);
        found.is_some()
    }
}
