//! LTL properties, searched one by one in several rounds.
//!
//! The first round takes a small part of the time, the next ones search in other orders what is still
//! open, and the last one has all the time that is left.

use std::io::Write;
use std::time::Instant;

use dalsegno_explicit::emptiness;
use dalsegno_explicit::order::Order;
use dalsegno_kripke::{Budget, Predicate, Verdict};
use dalsegno_logic::{FormulaId, FormulaStore, Node, PropId};
use dalsegno_models::petri::properties::{PropertySet, Question};

use super::{ContestError, EXPLICIT, Request, answer, cannot_compute, truth};
use crate::check::{CheckOptions, check_ltl};
use crate::session::Session;

/// The searches for LTL properties: each takes a part of the time that is left, and each order finds
/// cycles that the others miss. A property that holds needs one long search, so the last gets most of it.
/// All but the one with a limit of depth are complete, if they come to an end.
const ROUNDS: [(u32, emptiness::Config); 7] = {
    const fn round(order: Order, depth: Option<usize>) -> emptiness::Config {
        emptiness::Config {
            order,
            depth,
            bits: None,
        }
    }
    [
        (16, round(Order::Declared, None)),
        (15, round(Order::Local, None)),
        (14, round(Order::Reversed, None)),
        (13, round(Order::VisibleFirst, None)),
        (12, round(Order::VisibleLast, None)),
        (11, round(Order::Random(1), Some(2_000))),
        (1, round(Order::Declared, None)),
    ]
};

pub(super) fn linear(
    session: &Session,
    store: &mut FormulaStore,
    set: &PropertySet,
    request: &Request<'_>,
    out: &mut impl Write,
) -> Result<bool, ContestError> {
    let start = Instant::now();
    let all_atoms: Vec<(PropId, Predicate)> =
        set.atoms.iter().map(|(&p, m)| (p, m.clone())).collect();
    let mut open: Vec<(&str, FormulaId)> = Vec::new();
    for property in &set.properties {
        if let Question::Formula(f) = property.question {
            let path = match store.node(f) {
                Node::Forall(path) => path,
                _ => f,
            };
            open.push((&property.id, path));
        }
    }
    for (part, search) in ROUNDS {
        let options = CheckOptions {
            search,
            ..CheckOptions::default()
        };
        let mut still_open = Vec::new();
        let count = open.len() as u32;
        let left = request.time.saturating_sub(start.elapsed());
        let spare = left.saturating_sub(left / part);
        for (i, (id, f)) in (0..).zip(open) {
            let left = request.time.saturating_sub(start.elapsed());
            let time = left.saturating_sub(spare) / (count - i);
            if left.is_zero() {
                still_open.push((id, f));
                continue;
            }
            let budget = Budget::unlimited()
                .with_time(time)
                .with_bytes(request.bytes);
            let used = store.propositions(f);
            let atoms: Vec<(PropId, Predicate)> = all_atoms
                .iter()
                .filter(|(p, _)| used.contains(p))
                .cloned()
                .collect();
            let checked = check_ltl(session, store, f, &atoms, &options, &budget, |_| {});
            match checked.map(|outcome| outcome.verdict) {
                Ok(Verdict::Holds) => answer(out, EXPLICIT, id, truth(true))?,
                Ok(Verdict::Fails(_)) => answer(out, EXPLICIT, id, truth(false))?,
                Ok(Verdict::Unknown(_)) | Err(_) => still_open.push((id, f)),
            }
        }
        open = still_open;
        if open.is_empty() {
            return Ok(true);
        }
    }
    cannot_compute(out)
}
