//! Rules applied to a fixpoint.
//!
//! Rules that look at one place go over the places whose neighbourhood has changed, until nothing does; then come those that
//! compare places or transitions with each other and look at the whole net, each once; and so on until a look at
//! everything finds nothing. A chain that can be joined is joined in one go. Rounds are few, and each takes time linear in
//! what it looks at. Where the budget ends, what has been done is kept.

use dalsegno_kripke::Budget;

use super::condition::Condition;
use super::draft::Draft;
use super::observed::Observed;
use super::result::{Reduced, finish};
use super::{
    Keep, Rule, constant_places, dead_transitions, dominated_transitions, equal_places,
    free_agglomeration, future_equivalent_places, implicit_places, no_effect_transitions,
    post_agglomeration, pre_agglomeration, sink_places, sink_transitions, slicing,
    source_transitions,
};
use crate::petri::net::PetriNet;
use crate::petri::structure::Structure;

/// The most rounds over the whole net.
const ROUNDS: usize = 100;

/// The most times that sums are looked for.
const IMPLICIT_ROUNDS: usize = 4;

/// Places between two looks at the budget.
const OFTEN: usize = 1024;

/// Reduces a net by all rules that keep what is asked for. What the structure proves is used if it is given. `None` if
/// nothing could be removed.
#[must_use]
pub fn reduce(
    net: &PetriNet,
    structure: Option<&Structure>,
    observed: &Observed,
    keep: Keep,
    budget: &Budget,
) -> Option<Reduced> {
    reduce_by(Rule::ALL, net, structure, observed, keep, budget)
}

/// As [`reduce`], by some rules only.
#[must_use]
pub fn reduce_by(
    rules: &[Rule],
    net: &PetriNet,
    structure: Option<&Structure>,
    observed: &Observed,
    keep: Keep,
    budget: &Budget,
) -> Option<Reduced> {
    reduce_without(None, rules, net, structure, observed, keep, budget)
}

/// As [`reduce_by`], where a side condition does not count: what is found then may be wrong, which tests of conditions
/// show.
#[must_use]
pub fn reduce_without(
    condition: Option<Condition>,
    rules: &[Rule],
    net: &PetriNet,
    structure: Option<&Structure>,
    observed: &Observed,
    keep: Keep,
    budget: &Budget,
) -> Option<Reduced> {
    // Who observes dead ends beside other things sees each step of what is enabled.
    let keep = if observed.dead_ends() {
        Keep::Steps
    } else {
        keep
    };
    let draft = Draft::new(net, observed, condition, budget)?;
    let mut reducer = Reducer {
        draft,
        keep,
        rules: Rule::ALL
            .iter()
            .map(|rule| rules.contains(rule) && rule.keeps(keep))
            .collect(),
        applied: vec![0; Rule::ALL.len()],
        budget,
    };
    if let Some(structure) = structure
        && reducer.has(Rule::DeadTransition)
    {
        let found = dead_transitions::by_structure(&mut reducer.draft, structure);
        reducer.applied[Rule::DeadTransition as usize] += found;
    }
    reducer.run();
    // Sums are looked for in a net that is as small as it can be, and what they show lets other rules apply again.
    for _ in 0..IMPLICIT_ROUNDS {
        if !reducer.has(Rule::ImplicitPlace) || budget.check().is_err() {
            break;
        }
        let found = implicit_places::all(&mut reducer.draft, net);
        if found == 0 {
            break;
        }
        reducer.applied[Rule::ImplicitPlace as usize] += found;
        reducer.run();
    }
    debug_assert!(condition.is_some() || reducer.draft.check_invariants());
    let applied: Vec<(Rule, usize)> = Rule::ALL
        .iter()
        .copied()
        .zip(reducer.applied)
        .filter(|(_, n)| *n > 0)
        .collect();
    if applied.is_empty() {
        return None;
    }
    finish(net, &reducer.draft, applied)
}

/// Applies a rule; how often it was applied.
type Look<'l> = &'l dyn Fn(&mut Draft) -> usize;

struct Reducer<'b> {
    draft: Draft,
    keep: Keep,
    /// Which rules are used, by their numbers.
    rules: Vec<bool>,
    applied: Vec<usize>,
    budget: &'b Budget,
}

impl Reducer<'_> {
    fn has(&self, rule: Rule) -> bool {
        self.rules[rule as usize]
    }

    fn run(&mut self) {
        for _ in 0..ROUNDS {
            let before = self.applied.clone();
            let all = 0..self.draft.places.len() as u32;
            self.draft.take_changed();
            let mut places: Vec<u32> = all.collect();
            while !places.is_empty() {
                for (i, &p) in places.iter().enumerate() {
                    if i.is_multiple_of(OFTEN) && self.budget.check().is_err() {
                        return;
                    }
                    self.place(p);
                }
                places = self.draft.take_changed();
                let changed = self.applied != before;
                if !changed {
                    break;
                }
            }
            if self.budget.check().is_err() {
                return;
            }
            self.net();
            if self.applied == before {
                return;
            }
        }
    }

    /// The rules that look at a place.
    fn place(&mut self, p: u32) {
        let keep = self.keep;
        let rules: [(Rule, Look<'_>); 6] = [
            (Rule::DeadTransition, &|draft| {
                dead_transitions::at(draft, p)
            }),
            (Rule::ConstantPlace, &|draft| constant_places::at(draft, p)),
            (Rule::SinkPlace, &|draft| sink_places::at(draft, p)),
            (Rule::PostAgglomeration, &|draft| {
                post_agglomeration::at(draft, p, keep)
            }),
            (Rule::PreAgglomeration, &|draft| {
                pre_agglomeration::at(draft, p, keep)
            }),
            (Rule::FreeAgglomeration, &|draft| {
                free_agglomeration::at(draft, p)
            }),
        ];
        for (rule, look) in rules {
            if self.has(rule) && self.draft.places[p as usize].exists {
                self.applied[rule as usize] += look(&mut self.draft);
            }
        }
    }

    /// The rules that look at the whole net.
    fn net(&mut self) {
        let keep = self.keep;
        let rules: [(Rule, Look<'_>); 7] = [
            (Rule::Slicing, &|draft| slicing::all(draft, keep)),
            (Rule::EqualPlace, &equal_places::all),
            (Rule::DominatedTransition, &dominated_transitions::all),
            (Rule::NoEffectTransition, &no_effect_transitions::all),
            (Rule::SinkTransition, &sink_transitions::all),
            (Rule::SourceTransition, &source_transitions::all),
            (Rule::FutureEquivalentPlace, &future_equivalent_places::all),
        ];
        for (rule, look) in rules {
            if self.has(rule) && self.budget.check().is_ok() {
                self.applied[rule as usize] += look(&mut self.draft);
            }
        }
    }
}
