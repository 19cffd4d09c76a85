//! Linear proofs of safety: the multipliers that the state equation finds, written as the checker reads them.
//!
//! The constraints are the checker's own reading of the property, and transitions are left out of the equation only if
//! a siphon without tokens shows that they never fire. Cost: that of the state equation (`dalsegno-models`).

use dalsegno_kripke::Budget;
use dalsegno_models::petri::state_equation::{Goal, Refutation, StateEquation};
use dalsegno_verify::claim::Header;
use dalsegno_verify::linear;
use dalsegno_verify::net::Net;

use super::Unproved;
use super::encode::number;
use super::subject::Subject;

/// A linear proof of what a claim says never holds, as a file; none if there is no proof of this kind.
pub(super) fn prove(subject: &Subject<'_>, budget: &Budget) -> Result<Option<Vec<u8>>, Unproved> {
    let claim = &subject.claim;
    let (Some(never), Some(net)) = (claim.never(), subject.problem.net()) else {
        return Ok(None);
    };
    let Ok(goal) = linear::goal(&subject.net, &claim.formulas, never) else {
        return Ok(None);
    };
    let Some(goal) = converted(&goal) else {
        return Ok(None);
    };
    let marked = markable(&subject.net);
    let its = &subject.net.transitions;
    let fires = |t: usize| its[t].least.iter().all(|&(p, _)| marked[p]);
    let equation = StateEquation::of_firing(net, |t| fires(t.index()), budget)?;
    let Some(found) = equation.refute(net, &goal, budget)? else {
        return Ok(None);
    };
    let siphon: Vec<usize> = (0..marked.len()).filter(|&p| !marked[p]).collect();
    let facts = siphon.iter().map(|&p| Goal::Row(vec![(p as u32, -1)], 0));
    let facts: Vec<Goal> = facts.collect();
    // What is no part of the goal is a trap.
    let mut writer = Writer::new(&facts, &goal);
    writer.write(&found);
    let traps = std::mem::take(&mut writer.missing);
    let known: Vec<Goal> = facts.into_iter().chain(traps.iter().cloned()).collect();
    let mut writer = Writer::new(&known, &goal);
    writer.write(&found);
    if !writer.missing.is_empty() {
        return Ok(None);
    }
    let header = Header {
        linear: true,
        ..subject.header.clone()
    };
    let mut out = header.show().into_bytes();
    number(&mut out, siphon.len() as u64);
    for &p in &siphon {
        number(&mut out, p as u64);
    }
    number(&mut out, traps.len() as u64);
    for trap in &traps {
        if let Goal::Row(terms, _) = trap {
            number(&mut out, terms.len() as u64);
            for &(p, _) in terms {
                number(&mut out, u64::from(p));
            }
        }
    }
    out.extend(writer.out);
    Ok(Some(out))
}

/// The places that may get tokens, whatever the numbers; the others are a siphon without tokens.
fn markable(net: &Net) -> Vec<bool> {
    let mut marked: Vec<bool> = net.places.iter().map(|(_, tokens)| *tokens > 0).collect();
    let mut waits: Vec<usize> = Vec::new();
    let mut waiting: Vec<Vec<usize>> = vec![Vec::new(); marked.len()];
    let mut open: Vec<usize> = Vec::new();
    for (i, t) in net.transitions.iter().enumerate() {
        let missing = t.least.iter().filter(|(p, _)| !marked[*p]);
        let missing: Vec<usize> = missing.map(|&(p, _)| p).collect();
        waits.push(missing.len());
        if missing.is_empty() {
            open.push(i);
        }
        for p in missing {
            waiting[p].push(i);
        }
    }
    while let Some(t) = open.pop() {
        for &(p, _) in net.transitions[t].change.iter().filter(|(_, n)| *n > 0) {
            if !std::mem::replace(&mut marked[p], true) {
                for &other in &waiting[p] {
                    waits[other] -= 1;
                    if waits[other] == 0 {
                        open.push(other);
                    }
                }
            }
        }
    }
    marked
}

/// The checker's constraints as those of the state equation; none if a number is too large.
fn converted(goal: &linear::Goal) -> Option<Goal> {
    let list = |parts: &[linear::Goal]| parts.iter().map(converted).collect::<Option<Vec<Goal>>>();
    Some(match goal {
        linear::Goal::Row(terms, least) => {
            let terms = terms.iter().map(|&(p, c)| (p as u32, c)).collect();
            Goal::Row(terms, i64::try_from(*least).ok()?)
        }
        linear::Goal::All(parts) => Goal::All(list(parts)?),
        linear::Goal::Any(parts) => Goal::Any(list(parts)?),
    })
}

/// Writes a refutation, and knows constraints and alternatives by the numbers that the checker gives them.
struct Writer {
    rows: Vec<Goal>,
    open: Vec<Vec<Goal>>,
    /// Constraints that have no number.
    missing: Vec<Goal>,
    out: Vec<u8>,
}

impl Writer {
    fn new(facts: &[Goal], goal: &Goal) -> Self {
        let mut writer = Writer {
            rows: facts.to_vec(),
            open: Vec::new(),
            missing: Vec::new(),
            out: Vec::new(),
        };
        writer.assume(goal);
        writer
    }

    fn assume(&mut self, goal: &Goal) {
        match goal {
            Goal::Row(..) => self.rows.push(goal.clone()),
            Goal::All(parts) => parts.iter().for_each(|part| self.assume(part)),
            Goal::Any(parts) => self.open.push(parts.clone()),
        }
    }

    fn write(&mut self, refutation: &Refutation) {
        let (parts, cases) = match refutation {
            Refutation::Leaf(z, u) => {
                number(&mut self.out, 0);
                number(&mut self.out, z.len() as u64);
                for (row, z) in z {
                    let at = self.rows.iter().position(|other| other == row);
                    if at.is_none() && !self.missing.contains(row) {
                        self.missing.push(row.clone());
                    }
                    number(&mut self.out, at.unwrap_or_default() as u64);
                    number(&mut self.out, *z);
                }
                number(&mut self.out, u.len() as u64);
                for &(place, weight) in u {
                    number(&mut self.out, u64::from(place));
                    number(&mut self.out, weight);
                }
                return;
            }
            Refutation::Cases(parts, cases) => {
                let at = self.open.iter().position(|other| other == parts);
                number(&mut self.out, 1);
                number(&mut self.out, at.unwrap_or_default() as u64);
                if at.is_none() {
                    // No alternative of the goal: there is nothing that could be written.
                    self.missing.push(Goal::Any(parts.clone()));
                    return;
                }
                (parts.clone(), cases.as_slice())
            }
            Refutation::Split(place, tokens, cases) => {
                number(&mut self.out, 2);
                number(&mut self.out, u64::from(*place));
                number(&mut self.out, *tokens);
                let least = i64::try_from(*tokens).unwrap_or(i64::MAX - 1);
                let less = Goal::Row(vec![(*place, -1)], -least);
                let more = Goal::Row(vec![(*place, 1)], least + 1);
                (vec![less, more], cases.as_slice())
            }
        };
        let (rows, open) = (self.rows.len(), self.open.len());
        for (part, case) in parts.iter().zip(cases) {
            self.assume(part);
            self.write(case);
            self.rows.truncate(rows);
            self.open.truncate(open);
        }
    }
}
