//! LTL properties, searched one by one in several rounds.
//!
//! The first round takes a small part of the time, the next ones search in other orders what is still
//! open, diagrams among them, and the last one has all the time that is left.

use std::io::Write;
use std::time::Duration;

use dalsegno_explicit::emptiness::{self, Prefixes};
use dalsegno_explicit::search_order::SearchOrder;
use dalsegno_kripke::{Budget, Predicate, Verdict};
use dalsegno_logic::{FormulaId, FormulaStore, Node, PropId};
use dalsegno_models::petri::properties::{PropertySet, Question};

use super::{ContestError, EXPLICIT, Request, SYMBOLIC, answer, cannot_compute, truth};
use crate::check::{CheckOptions, Checker};
use crate::proofs::Shares;
use crate::session::Session;
use crate::survey::Engine;

/// The searches for LTL properties: each takes a part of the time that is left, and each order finds
/// cycles that the others miss. A property that holds needs one long search, so the last gets most of it.
/// All but the one with a limit of depth are complete, if they come to an end.
const ROUNDS: [(u32, emptiness::Config); 7] = {
    const fn round(order: SearchOrder, depth: Option<usize>) -> emptiness::Config {
        emptiness::Config {
            order,
            depth,
            nodes: None,
            bits: None,
            prefixes: Prefixes::Ignore,
        }
    }
    [
        (16, round(SearchOrder::Declared, None)),
        (15, round(SearchOrder::Local, None)),
        (14, round(SearchOrder::Reversed, None)),
        (13, round(SearchOrder::VisibleFirst, None)),
        (12, round(SearchOrder::VisibleLast, None)),
        (11, round(SearchOrder::Random(1), Some(2_000))),
        (1, round(SearchOrder::Declared, None)),
    ]
};

/// The share of the time in which the state equation may prove parts of properties constant, in percent.
const PROOF_SHARE: u32 = 10;

/// After how many rounds propositions are proved constant: most properties need no proof.
const BEFORE_PROOFS: usize = 1;

/// After how many rounds diagrams are tried.
const BEFORE_DIAGRAMS: usize = 2;

/// The share of the time then left that diagrams may take, in percent.
const SYMBOLIC_SHARE: u32 = 50;

type Open<'p> = Vec<Property<'p>>;

/// A property without an answer yet.
struct Property<'p> {
    id: &'p str,
    path: FormulaId,
    /// Engines whose answer was refuted: they are not asked again.
    distrusted: Vec<Engine>,
}

pub(super) fn linear(
    session: &Session,
    store: &mut FormulaStore,
    set: &PropertySet,
    request: &Request<'_>,
    out: &mut impl Write,
) -> Result<bool, ContestError> {
    let mut open: Open<'_> = Vec::new();
    for property in &set.properties {
        if let Question::Formula(f) = property.question {
            let path = match store.node(f) {
                Node::Forall(path) => path,
                _ => f,
            };
            open.push(Property {
                id: &property.id,
                path,
                distrusted: Vec::new(),
            });
        }
    }
    let mut examination = Examination {
        atoms: set.atoms.iter().map(|(&p, m)| (p, m.clone())).collect(),
        checker: Checker::new(session),
        store,
        request,
    };
    let diagrams = CheckOptions {
        engine: Engine::Symbolic,
        ..CheckOptions::default()
    };
    if request.engine == Engine::Symbolic {
        let left = examination.left();
        open = examination.round(open, left, &diagrams, out)?;
        return if open.is_empty() {
            Ok(true)
        } else {
            cannot_compute(out)
        };
    }
    for (i, (part, search)) in ROUNDS.into_iter().enumerate() {
        if i == BEFORE_PROOFS {
            examination.prove(session, &open);
        }
        if i == BEFORE_DIAGRAMS && request.engine == Engine::Auto {
            let share = examination.left() * SYMBOLIC_SHARE / 100;
            open = examination.round(open, share, &diagrams, out)?;
        }
        let share = examination.left() / part;
        let options = CheckOptions {
            engine: Engine::Explicit,
            witness: false,
            search,
            ..CheckOptions::default()
        };
        open = examination.round(open, share, &options, out)?;
        if open.is_empty() {
            return Ok(true);
        }
    }
    cannot_compute(out)
}

/// What the rounds have in common.
struct Examination<'s, 'r> {
    atoms: Vec<(PropId, Predicate)>,
    checker: Checker<'s>,
    store: &'r mut FormulaStore,
    request: &'r Request<'r>,
}

impl Examination<'_, '_> {
    /// Looks for propositions of open properties that never change.
    fn prove(&mut self, session: &Session, open: &Open<'_>) {
        let budget = self.budget(self.left());
        let mut shares = Shares::new(session, &budget, PROOF_SHARE, self.left(), open.len());
        for property in open {
            let atoms = self.atoms_of(property.path);
            let budget = shares.next();
            self.checker
                .prove(self.store, property.path, &atoms, &budget);
        }
    }

    fn left(&self) -> Duration {
        self.request.left()
    }

    /// Tries all open properties within a share of the time; those that stay open.
    fn round<'p>(
        &mut self,
        open: Open<'p>,
        share: Duration,
        options: &CheckOptions,
        out: &mut impl Write,
    ) -> Result<Open<'p>, ContestError> {
        let spare = self.left().saturating_sub(share);
        let mut count = open.len() as u32;
        let mut still_open = Vec::new();
        // Reachable states are shared: what one property pays for, all have.
        let symbolic = options.engine == Engine::Symbolic;
        if symbolic {
            let budget = self.budget(share * 2 / 3);
            if !self.checker.prepare(options.order, &budget) {
                return Ok(open);
            }
        }
        let technique = if symbolic { SYMBOLIC } else { EXPLICIT };
        for mut property in open {
            let left = self.left();
            let time = left.saturating_sub(spare) / count;
            count -= 1;
            let budget = self.budget(time);
            let ended = self.request.budget.check().is_err();
            if ended || property.distrusted.contains(&options.engine) {
                still_open.push(property);
                continue;
            }
            let (id, f) = (property.id, property.path);
            let atoms = self.atoms_of(f);
            let checker = &mut self.checker;
            let checked = checker.check_ltl(self.store, f, &atoms, options, &budget, |_| {});
            match checked {
                Ok(outcome) if outcome.refuted => answer(out, technique, id, truth(false))?,
                Ok(outcome) if outcome.verdict == Verdict::Holds => {
                    answer(out, technique, id, truth(true))?;
                }
                Ok(_) => still_open.push(property),
                Err(error) => {
                    let engine = options.engine.name();
                    (self.request.on_defect)(&format!("{id}: {engine} engine: {error}"));
                    property.distrusted.push(options.engine);
                    still_open.push(property);
                }
            }
        }
        Ok(still_open)
    }

    /// What the propositions of a formula mean.
    fn atoms_of(&self, f: FormulaId) -> Vec<(PropId, Predicate)> {
        // Sorted, as the propositions of a formula are.
        let used = self.store.propositions(f);
        let atoms = self.atoms.iter();
        let atoms = atoms.filter(|(p, _)| used.binary_search(p).is_ok());
        atoms.cloned().collect()
    }

    fn budget(&self, time: Duration) -> Budget {
        self.request.budget.clone().with_time(time)
    }
}
