//! Short evidence: after a violation of linear time is known, a shorter one is looked for.
//!
//! A search returns the first violation that it meets. The product of the model with the automaton over letters that the search
//! had, or a small one, is searched breadth first: for a shortest path after which nothing can satisfy the property, and for a
//! shortest run. What was found is folded where the model repeats a state. With a tight automaton
//! (`Translation::tight`) a shortest run of the product is a shortest one of the model.
//!
//! It costs a part of what the search has looked at, or what it takes if the shortest one was asked for.

use std::sync::Arc;

use dalsegno_automata::observer::Observer;
use dalsegno_automata::{Automaton, terminal_states};
use dalsegno_branching::Evaluator;
use dalsegno_certify::{replay, treated_unfairly};
use dalsegno_explicit::product::Product;
use dalsegno_explicit::shortest::{self, Found, Limits};
use dalsegno_explicit::space::{Error, Space};
use dalsegno_explicit::view::View;
use dalsegno_kripke::{Budget, DeadEnds, FairSet, Fairness, Predicate, Run, Step, Strength};
use dalsegno_logic::{FormulaStore, Fragment, Node};
use dalsegno_symbolic::ctl::Backward;
use dalsegno_symbolic::mdd::with_stack;

use crate::answer::Evidence;
use crate::method::{Negation, build, negation_over_letters};
use crate::plan::{SHORT_LAYERS, SHORT_NODES, SHORT_STEPS, SHORT_TIME, SHORTEST_TIME};
use crate::predicate::predicate;
use crate::problem::Problem;
use crate::question::Property;
use crate::settings::Settings;

/// A violation of a property.
pub(crate) struct Violation<'a> {
    pub(crate) problem: &'a Problem,
    pub(crate) store: &'a FormulaStore,
    pub(crate) property: &'a Property,
    /// The automaton of the search that found it, if there was one.
    pub(crate) searched: Option<Arc<Negation>>,
    pub(crate) settings: &'a Settings,
}

/// Evidence, and whether no other is shorter.
pub(crate) struct Short {
    pub(crate) evidence: Evidence,
    pub(crate) proved: bool,
}

impl Violation<'_> {
    /// The shortest evidence that is found in a part of the budget, which is larger the more nodes a search has
    /// looked at.
    pub(crate) fn shorten(&self, known: Evidence, looked_at: u64, budget: &Budget) -> Short {
        let shortest = self.settings.shortest;
        let mut share = budget.part();
        let mut limits = Limits {
            nodes: u64::MAX,
            steps: u64::MAX,
        };
        if shortest {
            // What is known is told in the end.
            if let Some(left) = budget.time_left() {
                share = share.with_time(left / 100 * SHORTEST_TIME);
            }
        } else {
            let nodes = SHORT_NODES.0.max(looked_at / 100 * SHORT_NODES.1);
            limits = Limits {
                nodes,
                steps: nodes.saturating_mul(SHORT_STEPS),
            };
            if let Some(left) = budget.time_left() {
                share = share.with_time(left / 100 * SHORT_TIME);
            }
        }
        let mut best = Short {
            evidence: self.cut(known),
            proved: false,
        };
        // Which steps are taken is observed in another model, and was searched there.
        if !self.property.fires.is_empty() {
            return best;
        }
        let mut store = self.store.clone();
        let mut space = Space::new(self.problem.model());
        // A cycle of the model may take the smallest automaton round more than once, and a tight one is larger.
        for tight in [false, true] {
            let Some((automaton, predicates)) = self.automaton(&mut store, tight, &share) else {
                continue;
            };
            let exact = automaton.is_deterministic();
            let terminal = !tight && terminal_states(&automaton).is_some();
            let parts = (automaton, predicates);
            let mut view = self.view(&parts, Fairness::NONE);
            let mut product = Product::new(&mut space, &mut view);
            if self.prefixes()
                && !tight
                && let Some((path, proved)) = self.prefix(&mut product, limits, exact, &share)
                && (terminal || path.len() <= length(&best.evidence) + 1)
            {
                best = Short {
                    evidence: Evidence::Prefix(path),
                    proved,
                };
                if terminal {
                    return best;
                }
            }
            let refined = self.fair_run(&mut space, &parts, length(&best.evidence), limits, &share);
            let Some((found, exact)) = refined else {
                break;
            };
            let proved = found.proved && tight && exact;
            match found.shortest {
                Some(run) => {
                    best = Short {
                        evidence: Evidence::Run(self.fold(run)),
                        proved,
                    };
                }
                None if matches!(best.evidence, Evidence::Run(_)) => best.proved |= proved,
                None => {}
            }
        }
        best
    }

    fn view(&self, (automaton, predicates): &(Automaton, Vec<Predicate>), fair: Fairness) -> View {
        let (model, dead_ends) = (self.problem.model(), self.property.dead_ends);
        let observer = Observer::new(automaton.clone());
        View::new(model, predicates.clone(), observer, dead_ends).fair(fair)
    }

    /// A shortest run of a product that violates the property, and whether what was asked of it is no more than that.
    ///
    /// Fairness is asked for as far as it matters: a run is looked for that is fair to none of the sets, then to those that
    /// the runs before were not fair to.
    fn fair_run(
        &self,
        space: &mut Space,
        parts: &(Automaton, Vec<Predicate>),
        bound: usize,
        limits: Limits,
        budget: &Budget,
    ) -> Option<(Found<Run>, bool)> {
        let mut asked: Vec<FairSet> = Vec::new();
        loop {
            let mut view = self.view(parts, Fairness::new(asked.clone()));
            let mut product = Product::new(space, &mut view);
            let found = run_in_stages(&mut product, bound, limits, budget).ok()?;
            let exact = asked.iter().all(|set| set.strength == Strength::Weak);
            let Some(run) = &found.shortest else {
                return Some((found, exact));
            };
            if self.is_violation(run) {
                return Some((found, exact));
            }
            let model = self.problem.model();
            let before = asked.len();
            asked.extend(treated_unfairly(model, run, &self.property.fairness).cloned());
            let marks = 64 - product.all_marks().0.leading_zeros() as usize;
            if asked.len() == before || asked.len() + marks > MOST_ASKED {
                let none = Found {
                    shortest: None,
                    proved: false,
                };
                return Some((none, false));
            }
        }
    }

    /// A shortest bad prefix, breadth first in the product, or by layers of diagrams if that takes too much; and whether no
    /// other is shorter, which is so in the product if its automaton is `exact`.
    fn prefix(
        &self,
        product: &mut Product<'_>,
        limits: Limits,
        exact: bool,
        budget: &Budget,
    ) -> Option<(Vec<Step>, bool)> {
        // Layers of diagrams are tried soon: they find what lies deep at little cost, or are given up.
        let nodes = SHORT_NODES.0 / 4;
        let few = Limits {
            nodes: limits.nodes.min(nodes),
            steps: limits.steps.min(nodes * SHORT_STEPS),
        };
        let found = shortest::prefix(product, few, budget).ok()?;
        if let Some(path) = found.shortest.filter(|path| self.is_bad(path)) {
            return Some((path, exact));
        }
        if found.proved {
            return None;
        }
        if let Some(path) = self.by_layers(budget) {
            return Some((path, true));
        }
        if few == limits {
            return None;
        }
        let found = shortest::prefix(product, limits, budget).ok()?;
        let path = found.shortest.filter(|path| self.is_bad(path))?;
        Some((path, exact))
    }

    /// A shortest path to a state that violates an invariant, by layers of decision diagrams, if the property is one and the
    /// reachable states are few enough for a small part of the time.
    fn by_layers(&self, budget: &Budget) -> Option<Vec<Step>> {
        let Node::Globally(invariant) = self.store.node(self.property.formula) else {
            return None;
        };
        if !self.store.is(invariant, Fragment::BOOLEAN) {
            return None;
        }
        let goal = predicate(self.store, invariant, &self.property.atoms).negate();
        let most = if self.settings.shortest {
            SHORT_LAYERS * 10
        } else {
            SHORT_LAYERS
        };
        let most = budget.time_left().map_or(most, |left| left.min(most));
        let share = budget.part().with_time(most);
        let levels = self.problem.model().variables().len() as u32;
        with_stack(levels, || {
            let (mut space, _) = build(self.problem, None, &share).ok()?;
            space.encoding().set_budget(&share);
            let sets = Backward::new(&mut space, DeadEnds::Stutter);
            let path = Evaluator::new(sets, &share).path_to(&goal).ok()??;
            self.is_bad(&path).then_some(path)
        })
        .ok()?
    }

    /// An automaton over letters of the negation: that of the search, or a small one, or a tight one.
    fn automaton(
        &self,
        store: &mut FormulaStore,
        tight: bool,
        budget: &Budget,
    ) -> Option<(Automaton, Vec<Predicate>)> {
        if !tight
            && let Some(searched) = &self.searched
            && let Some(automaton) = searched.over_letters()
        {
            return Some((automaton.clone(), searched.predicates.clone()));
        }
        let (f, atoms) = (self.property.formula, &self.property.atoms);
        negation_over_letters(store, f, atoms, tight, budget)
    }

    /// Whether the beginning of a run may be shown: a path that may end shows nothing.
    fn prefixes(&self) -> bool {
        !self.settings.lasso && self.property.dead_ends == DeadEnds::Stutter
    }

    fn is_violation(&self, run: &Run) -> bool {
        let (model, property) = (self.problem.model(), self.property);
        let (f, atoms) = (property.formula, property.meaning());
        replay::refute(model, run, property.dead_ends, self.store, f, atoms).is_ok()
            && replay::is_fair(model, run, &property.fairness).is_ok()
    }

    fn is_bad(&self, path: &[Step]) -> bool {
        let model = self.problem.model();
        let (f, atoms) = (self.property.formula, self.property.meaning());
        replay::refute_prefix(model, path, self.store, f, atoms).is_ok()
    }

    /// Evidence without the steps that it does not need.
    fn cut(&self, known: Evidence) -> Evidence {
        match known {
            Evidence::Run(run) => {
                let path: Vec<Step> = run.stem.iter().chain(&run.cycle).cloned().collect();
                if self.prefixes()
                    && let Some(bad) = self.least_bad(&path)
                {
                    return Evidence::Prefix(bad);
                }
                Evidence::Run(self.fold(run))
            }
            Evidence::Prefix(path) => match self.least_bad(&path) {
                Some(bad) if self.prefixes() => Evidence::Prefix(bad),
                _ => Evidence::Prefix(path),
            },
            other => other,
        }
    }

    /// The shortest beginning of a path that violates the property whatever comes next, if there is one: longer ones
    /// do so too, so that it is found by halving.
    fn least_bad(&self, path: &[Step]) -> Option<Vec<Step>> {
        let beginning = |length: usize| {
            let mut part = path[..length].to_vec();
            if let Some(last) = part.last_mut() {
                last.group = None;
            }
            part
        };
        if !self.is_bad(path) {
            return None;
        }
        let (mut good, mut bad) = (0, path.len());
        while bad - good > 1 {
            let middle = usize::midpoint(good, bad);
            if self.is_bad(&beginning(middle)) {
                bad = middle;
            } else {
                good = middle;
            }
        }
        Some(beginning(bad))
    }

    /// A run without detours: where a state comes again, what lies between is left out, or repeated for ever, if
    /// that still violates the property.
    fn fold(&self, mut run: Run) -> Run {
        if run.len() > MOST_FOLDED {
            return run;
        }
        while let Some(shorter) = self.folded_once(&run) {
            run = shorter;
        }
        run
    }

    fn folded_once(&self, run: &Run) -> Option<Run> {
        let sign = run.stem.len();
        for i in 0..run.len() {
            // The longest detour first.
            for j in (i + 1..run.len()).rev() {
                if run.get(i).state != run.get(j).state {
                    continue;
                }
                let steps = |from: usize, to: usize| (from..to).map(|at| run.get(at).clone());
                let mut tried: Vec<Run> = vec![Run::new(
                    steps(0, i).collect(),
                    steps(i, j).collect::<Vec<_>>(),
                )];
                if j < sign || (j == sign && i < sign) {
                    let stem = steps(0, i).chain(steps(j, sign)).collect();
                    tried.push(Run::new(stem, run.cycle.clone()));
                }
                if i >= sign {
                    let cycle: Vec<Step> = steps(sign, i).chain(steps(j, run.len())).collect();
                    tried.push(Run::new(run.stem.clone(), cycle));
                }
                let shorter = |other: &Run| other.len() < run.len();
                let mut tried = tried.into_iter().filter(shorter);
                if let Some(found) = tried.find(|other| self.is_violation(other)) {
                    return Some(found);
                }
            }
        }
        None
    }
}

/// The most marks and fair sets that a short run is looked for with.
const MOST_ASKED: usize = 48;

/// A shortest run, looked for among few nodes first: what is found there leaves less to look at.
fn run_in_stages(
    product: &mut Product<'_>,
    mut bound: usize,
    limits: Limits,
    budget: &Budget,
) -> Result<Found<Run>, Error> {
    let mut best = None;
    let mut nodes = FIRST_STAGE.min(limits.nodes);
    loop {
        let stage = Limits { nodes, ..limits };
        let found = shortest::run(product, bound, stage, budget)?;
        if let Some(run) = found.shortest {
            bound = run.len();
            best = Some(run);
        }
        if found.proved || nodes >= limits.nodes || budget.check().is_err() {
            return Ok(Found {
                shortest: best,
                proved: found.proved,
            });
        }
        nodes = nodes.saturating_mul(8).min(limits.nodes);
    }
}

/// Nodes among which a short run is looked for first.
const FIRST_STAGE: u64 = 2_000;

/// Longer runs are not folded: pairs of their states are compared.
const MOST_FOLDED: usize = 300;

/// The steps of evidence; a run has those of its stem and of its cycle.
fn length(evidence: &Evidence) -> usize {
    match evidence {
        Evidence::Run(run) => run.len(),
        Evidence::Prefix(path) | Evidence::Path(path) => path.len().saturating_sub(1),
        Evidence::Explanation(_) => 0,
    }
}
