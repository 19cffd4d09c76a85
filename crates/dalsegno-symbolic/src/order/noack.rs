//! Noack's and Tovchigrechko's greedy orders for Petri nets.
//!
//! Noack (1999) and Tovchigrechko (2008), with the weights as given by Heiner, Rohr and Schwarick
//! ("MARCIE's secrets of efficient model checking", 2016). The list grows from the bottom of the
//! diagrams upwards. The next place is the one with the largest weight: the mean over its
//! transitions of how many of their input and output places are chosen already, outputs counting
//! double. The two differ in what a transition without inputs or outputs counts.
//!
//! A model that is no net is taken as one: a group's inputs are what it reads, its outputs what it
//! writes.
//!
//! As defined, a step looks at the whole net. Weights never fall, so they are kept in a heap here.
//! A choice changes the weights of all places of its transitions, which would cost the square of
//! a transition's size; a transition with more than [`LARGE`] places passes its change on only
//! when a sixteenth of its places has been chosen since the last time. So the cost is the number of arcs
//! times a constant and a logarithm, and large transitions count with a small delay.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use dalsegno_kripke::{Action, Group, Model, Stop};

use super::hypergraph::Lists;
use super::ticker::Ticker;

/// Which weights to use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Variant {
    Noack,
    Tovchigrechko,
}

/// Transitions with more arcs than that pass changes on with a delay.
const LARGE: u32 = 32;

/// Counts of a transition.
#[derive(Clone, Copy, Default)]
struct Counts {
    inputs: u32,
    outputs: u32,
    chosen_inputs: u32,
    chosen_outputs: u32,
    /// The chosen ones that the weights of its places already reflect.
    passed_on: u32,
    /// What it adds to the weight of an input and of an output.
    shares: (f64, f64),
}

struct Greedy {
    variant: Variant,
    inputs: Lists,
    outputs: Lists,
    counts: Vec<Counts>,
    chosen: Vec<bool>,
    weight: Vec<f64>,
    /// One over the number of arcs of a place.
    scale: Vec<f64>,
    /// Whether the weight changed since the place was last pushed.
    dirty: Vec<bool>,
    changed: Vec<u32>,
}

/// A place in the heap: the largest weight first, then the smallest number.
#[derive(PartialEq)]
struct Entry {
    weight: f64,
    place: Reverse<u32>,
}

impl Eq for Entry {}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let weights = self.weight.total_cmp(&other.weight);
        weights.then(self.place.cmp(&other.place))
    }
}

/// A list of all variables, top of the diagrams first.
pub(super) fn order(
    model: &Model,
    variant: Variant,
    ticker: &mut Ticker<'_>,
) -> Result<Vec<u32>, Stop> {
    let places = model.variables().len();
    let mut inputs = Lists::default();
    let mut outputs = Lists::default();
    for group in model.groups() {
        let (takes, puts) = arcs(group);
        ticker.tick(takes.len() + puts.len())?;
        inputs.push(takes);
        outputs.push(puts);
    }
    let consumers = inputs.transposed(places);
    let producers = outputs.transposed(places);
    let arc_count = |p| (consumers.get(p).len() + producers.get(p).len()).max(1);
    let mut greedy = Greedy {
        variant,
        counts: vec![Counts::default(); inputs.len()],
        inputs,
        outputs,
        chosen: vec![false; places],
        weight: vec![0.0; places],
        scale: (0..places)
            .map(|p| 1.0 / f64::from(arc_count(p) as u32))
            .collect(),
        dirty: vec![false; places],
        changed: Vec::new(),
    };
    for t in 0..greedy.counts.len() {
        greedy.counts[t].inputs = greedy.inputs.get(t).len() as u32;
        greedy.counts[t].outputs = greedy.outputs.get(t).len() as u32;
        greedy.pass_on(t, ticker)?;
    }
    let entry = |place: u32, weight: f64| Entry {
        weight,
        place: Reverse(place),
    };
    let mut heap: BinaryHeap<Entry> = (0..places as u32)
        .map(|p| entry(p, greedy.weight[p as usize]))
        .collect();
    for p in greedy.changed.drain(..) {
        greedy.dirty[p as usize] = false;
    }
    let mut list = Vec::with_capacity(places);
    while let Some(Entry { weight, place }) = heap.pop() {
        let p = place.0 as usize;
        if greedy.chosen[p] || weight.total_cmp(&greedy.weight[p]).is_ne() {
            continue;
        }
        greedy.chosen[p] = true;
        list.push(place.0);
        for &t in consumers.get(p) {
            greedy.counts[t as usize].chosen_inputs += 1;
            greedy.notice(t as usize, ticker)?;
        }
        for &t in producers.get(p) {
            greedy.counts[t as usize].chosen_outputs += 1;
            greedy.notice(t as usize, ticker)?;
        }
        for q in greedy.changed.drain(..) {
            greedy.dirty[q as usize] = false;
            heap.push(entry(q, greedy.weight[q as usize]));
        }
    }
    list.reverse();
    Ok(list)
}

impl Greedy {
    /// Passes on that a place of `t` was chosen, unless `t` is large and little changed.
    fn notice(&mut self, t: usize, ticker: &mut Ticker<'_>) -> Result<(), Stop> {
        let counts = &self.counts[t];
        let size = counts.inputs + counts.outputs;
        let pending = counts.chosen_inputs + counts.chosen_outputs - counts.passed_on;
        if size > LARGE && pending < size / 16 {
            return ticker.tick(0);
        }
        self.pass_on(t, ticker)
    }

    /// Brings the weights of the places of `t` up to date.
    fn pass_on(&mut self, t: usize, ticker: &mut Ticker<'_>) -> Result<(), Stop> {
        let counts = &mut self.counts[t];
        ticker.tick((counts.inputs + counts.outputs) as usize)?;
        counts.passed_on = counts.chosen_inputs + counts.chosen_outputs;
        let shares = shares(self.variant, counts);
        let (more_in, more_out) = (shares.0 - counts.shares.0, shares.1 - counts.shares.1);
        counts.shares = shares;
        let inputs = self.inputs.get(t).iter().map(|&p| (p, more_in));
        let outputs = self.outputs.get(t).iter().map(|&p| (p, more_out));
        for (p, more) in inputs.chain(outputs) {
            let i = p as usize;
            if self.chosen[i] {
                continue;
            }
            self.weight[i] += more * self.scale[i];
            if !std::mem::replace(&mut self.dirty[i], true) {
                self.changed.push(p);
            }
        }
        Ok(())
    }
}

/// What a transition adds to the weight of each of its inputs and outputs, before it is divided
/// by their numbers of arcs.
fn shares(variant: Variant, counts: &Counts) -> (f64, f64) {
    let or = |n: u32, factor: f64, none: f64| match n {
        0 => none,
        n => factor * f64::from(n),
    };
    let per = |value: f64, n: u32| match n {
        0 => 0.0,
        n => value / f64::from(n),
    };
    let (inputs, outputs) = (counts.inputs, counts.outputs);
    let (chosen_in, chosen_out) = (counts.chosen_inputs, counts.chosen_outputs);
    let to_inputs =
        per(or(chosen_out, 2.0, 0.2), outputs) + per(f64::from(chosen_in) + 1.0, inputs);
    match variant {
        Variant::Noack if inputs == 0 || outputs == 0 => (0.0, 0.0),
        Variant::Noack => (
            to_inputs,
            per(or(chosen_in, 1.0, 0.1), inputs) + per(2.0 * f64::from(chosen_out), outputs),
        ),
        Variant::Tovchigrechko => (
            to_inputs,
            per(or(chosen_in, 1.0, 0.1), inputs) + per(or(chosen_out, 2.0, 0.1), outputs),
        ),
    }
}

/// The input and output places of a group; a place that is only tested is both.
fn arcs(group: &Group) -> (Vec<u32>, Vec<u32>) {
    match group.action() {
        Action::Linear(linear) => {
            let tested = linear.pre().iter().chain(linear.inhibit());
            let mut inputs: Vec<u32> = tested.map(|&(v, _)| v.0).collect();
            inputs.sort_unstable();
            inputs.dedup();
            let kept = |&&v: &&dalsegno_kripke::VarId| {
                linear.effect(v) + i64::from(linear.at_least(v)) > 0
            };
            let outputs = group.reads().iter().filter(kept).map(|v| v.0);
            (inputs, outputs.collect())
        }
        Action::Table(_) | Action::Opaque(_) => (
            group.reads().iter().map(|v| v.0).collect(),
            group.writes().iter().map(|v| v.0).collect(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::testing::{Random, random_model};
    use dalsegno_kripke::Budget;

    /// The weight of a place as defined, given the places that are chosen.
    fn weight(model: &Model, variant: Variant, chosen: &[bool], place: u32) -> f64 {
        let mut sum = 0.0;
        let mut arc_count = 0_u32;
        for group in model.groups() {
            let (inputs, outputs) = arcs(group);
            let count = |list: &[u32]| list.iter().filter(|&&p| chosen[p as usize]).count() as u32;
            let counts = Counts {
                inputs: inputs.len() as u32,
                outputs: outputs.len() as u32,
                chosen_inputs: count(&inputs),
                chosen_outputs: count(&outputs),
                ..Counts::default()
            };
            let (to_input, to_output) = shares(variant, &counts);
            if inputs.contains(&place) {
                sum += to_input;
                arc_count += 1;
            }
            if outputs.contains(&place) {
                sum += to_output;
                arc_count += 1;
            }
        }
        sum / f64::from(arc_count.max(1))
    }

    #[test]
    fn each_choice_has_the_largest_weight() {
        let mut random = Random(11);
        let budget = Budget::unlimited();
        for round in 0..60 {
            let model = random_model(&mut random);
            let variant = [Variant::Noack, Variant::Tovchigrechko][round % 2];
            let mut list = order(&model, variant, &mut Ticker::new(&budget).unwrap()).unwrap();
            list.reverse();
            let mut chosen = vec![false; list.len()];
            for &p in &list {
                let mine = weight(&model, variant, &chosen, p);
                let open = (0..list.len() as u32).filter(|&q| !chosen[q as usize]);
                let most = open
                    .map(|q| weight(&model, variant, &chosen, q))
                    .fold(0.0, f64::max);
                assert!(mine > most - 1e-9, "{mine} is less than {most}");
                chosen[p as usize] = true;
            }
        }
    }
}
