//! What is to be proved, in the words of the checker: its net, its formulas, and the order of levels.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use dalsegno_kripke::{Budget, DeadEnds, Model, Predicate, Relation};
use dalsegno_logic::{FormulaId, FormulaStore, Node, PropId};
use dalsegno_models::petri::PetriNet;
use dalsegno_verify::claim::{Claim, DeadEnds as Ends, Header, Logic};
use dalsegno_verify::formula::{Atom, Formulas, Id, Node as Its, not};
use dalsegno_verify::net::{Arc as ItsArc, Net};
use dalsegno_verify::{contest, text};
use rustc_hash::FxHashMap;

use super::Unproved;
use super::show::show;
use crate::answer::Value;
use crate::asked::{About, Asked, Understood};
use crate::method::orders;
use crate::problem::Problem;
use crate::question::{Global, Question};
use crate::survey::Ending;

/// A claim about a net.
pub(crate) struct Subject<'p> {
    pub(super) problem: &'p Problem,
    pub(super) net: Net,
    pub(super) header: Header,
    pub(super) claim: Claim,
    order: OnceLock<Vec<usize>>,
}

/// So many tokens of places in states are few.
const FEW_VALUES: usize = 1_000_000;

/// The net of a problem in the words of the checker. An unfolding is as `dalsegno convert` writes it, which gives places
/// and transitions plain identifiers.
pub(super) fn net_of(problem: &Problem) -> Result<Net, Unproved> {
    let no_net = || Unproved::Other("only Petri nets have proofs".to_owned());
    let own = problem.net().ok_or_else(no_net)?;
    match problem.colours() {
        None => net(own),
        Some(_) => net(&own.with_plain_ids()),
    }
}

/// A net in the words of the checker.
fn net(net: &PetriNet) -> Result<Net, Unproved> {
    let mut its = Net::default();
    let mut fits = true;
    for place in net.places() {
        fits &= its.add(&place.id, Some(place.initial));
    }
    for t in net.transitions() {
        fits &= its.add(&t.id, None);
    }
    for (number, t) in net.transitions().iter().enumerate() {
        let lists = [
            (ItsArc::Take, &t.pre),
            (ItsArc::Put, &t.post),
            (ItsArc::Test, &t.test),
            (ItsArc::Inhibit, &t.inhibit),
        ];
        let arcs = lists.into_iter().flat_map(|(kind, list)| {
            list.iter()
                .map(move |&(place, weight)| (kind, place.index(), weight))
        });
        fits &= its.connect(number, &arcs.collect::<Vec<_>>());
    }
    if !fits {
        let why = "the net has names that the checker refuses";
        return Err(Unproved::Other(why.to_owned()));
    }
    Ok(its)
}

impl<'p> Subject<'p> {
    /// The claim that a question about a net has an answer.
    pub(crate) fn new(
        problem: &'p Problem,
        asked: &Asked,
        understood: &Understood,
        store: &FormulaStore,
        value: &Value,
    ) -> Result<Self, Unproved> {
        match value {
            Value::Truth(holds) => Self::of_truth(problem, asked, understood, store, *holds),
            Value::Survey(survey) => match &survey.states {
                Some(count) if survey.ending == Ending::Complete => Self::of_count(problem, count),
                _ => Err(Unproved::Other("not all states were seen".to_owned())),
            },
            _ => Err(Unproved::Other(
                "this kind of answer has no proofs".to_owned(),
            )),
        }
    }

    fn of_truth(
        problem: &'p Problem,
        asked: &Asked,
        understood: &Understood,
        store: &FormulaStore,
        holds: bool,
    ) -> Result<Self, Unproved> {
        let net = net_of(problem)?;
        let (logic, dead_ends) = match &understood.question {
            Question::Linear(property) => {
                if !property.fairness.is_none() || !property.fires.is_empty() {
                    let why = "fair runs and atoms about steps have no proofs";
                    return Err(Unproved::Other(why.to_owned()));
                }
                (Logic::Ltl, property.dead_ends)
            }
            Question::Branching(property) => (Logic::Ctl, property.dead_ends),
            Question::Reach(_) | Question::Global(Global::Deadlock) => {
                (Logic::Ctl, DeadEnds::Finite)
            }
            _ => {
                return Err(Unproved::Other(
                    "this kind of question has no proofs".to_owned(),
                ));
            }
        };
        let dead_ends = match dead_ends {
            DeadEnds::Stutter => Ends::Stutter,
            DeadEnds::Finite => Ends::Finite,
            DeadEnds::Ignore => Ends::Ignore,
        };
        let text = property_text(problem, asked, understood, store, &net)?;
        let header = Header {
            net: net.digest(),
            logic,
            dead_ends,
            holds,
            property: text,
            linear: false,
        };
        Self::claiming(problem, net, header)
    }

    pub(super) fn claiming(
        problem: &'p Problem,
        net: Net,
        header: Header,
    ) -> Result<Self, Unproved> {
        let claim = Claim::new(&header, &net)?;
        Ok(Subject {
            problem,
            net,
            header,
            claim,
            order: OnceLock::new(),
        })
    }

    /// The claim that a net has so many reachable markings.
    fn of_count(problem: &'p Problem, count: &str) -> Result<Self, Unproved> {
        let net = net_of(problem)?;
        let header = Header {
            net: net.digest(),
            logic: Logic::States,
            dead_ends: Ends::Finite,
            holds: true,
            property: count.to_owned(),
            linear: false,
        };
        Self::claiming(problem, net, header)
    }

    pub(super) fn model(&self) -> &Arc<Model> {
        self.problem.model()
    }

    /// The places in the order of levels, for a diagram of so many states. A good order of few states is not worth the
    /// search for it.
    pub(super) fn order(&self, states: usize, budget: &Budget) -> &[usize] {
        self.order.get_or_init(|| {
            let few = states.saturating_mul(self.net.places.len()) < FEW_VALUES;
            let found = if few {
                Vec::new()
            } else {
                let tenth = budget.time_left().map_or(Duration::MAX, |left| left / 10);
                orders(self.problem, &budget.clone().with_time(tenth))
            };
            let best = found.first().map(|candidate| candidate.order.top_down());
            match best {
                Some(order) => order.iter().map(|v| v.index()).collect(),
                None => (0..self.net.places.len()).collect(),
            }
        })
    }
}

/// The property as the checker reads it: as it was asked where the checker understands that, and otherwise written
/// anew over the names of the net, which may be the unfolding of a coloured one.
fn property_text(
    problem: &Problem,
    asked: &Asked,
    understood: &Understood,
    store: &FormulaStore,
    net: &Net,
) -> Result<String, Unproved> {
    let mut formulas = Formulas::default();
    if problem.colours().is_none() {
        match &asked.about {
            About::Formula(_, given) => {
                let line = given.split_whitespace().collect::<Vec<_>>().join(" ");
                if text::parse(&line, net, &mut formulas).is_ok() {
                    return Ok(line);
                }
            }
            About::Property(file, _) => {
                let read = contest::parse(&file.bytes, &asked.name, net, &mut formulas);
                if let Some(text) = read.ok().and_then(|f| show(f, &formulas, net)) {
                    return Ok(text);
                }
            }
            _ => {}
        }
    }
    let mut formulas = Formulas::default();
    let f = match &understood.question {
        Question::Linear(p) => {
            let path = rewrite(store, p.formula, &p.atoms, &mut formulas)?;
            if p.existential {
                formulas.add(Its::Exists(not(path)))
            } else {
                formulas.add(Its::Forall(path))
            }
        }
        Question::Branching(p) => rewrite(store, p.formula, &p.atoms, &mut formulas)?,
        Question::Reach(reach) => rewrite(store, reach.formula, &reach.atoms, &mut formulas)?,
        _ => {
            let dead = formulas.atom(Atom::Deadlock);
            let path = formulas.finally(dead);
            formulas.add(Its::Exists(path))
        }
    };
    let too_large = || Unproved::Other("the property is too large".to_owned());
    show(f, &formulas, net).ok_or_else(too_large)
}

/// A formula in the words of the checker.
fn rewrite(
    store: &FormulaStore,
    f: FormulaId,
    atoms: &[(PropId, Predicate)],
    formulas: &mut Formulas,
) -> Result<Id, Unproved> {
    let mut done: FxHashMap<FormulaId, Id> = FxHashMap::default();
    for g in store.subformulas(f) {
        let of = |h: FormulaId| done[&h];
        let its = match store.node(g) {
            Node::True => formulas.constant(true),
            Node::False => formulas.constant(false),
            Node::Atom(p) => {
                let meaning = atoms.iter().find(|(q, _)| *q == p);
                let unknown = || Unproved::Other("an atom has no meaning in the net".to_owned());
                rewrite_atom(&meaning.ok_or_else(unknown)?.1, formulas)?
            }
            Node::Not(h) => not(of(h)),
            Node::And(list) => chain(list.iter().map(|&h| of(h)), Its::And, formulas),
            Node::Or(list) => chain(list.iter().map(|&h| of(h)), Its::Or, formulas),
            Node::Implies(l, r) => formulas.implies(of(l), of(r)),
            Node::Iff(l, r) => formulas.iff(of(l), of(r)),
            Node::Xor(l, r) => not(formulas.iff(of(l), of(r))),
            Node::Next(h) => formulas.add(Its::Next(of(h))),
            Node::Finally(h) => formulas.finally(of(h)),
            Node::Globally(h) => formulas.globally(of(h)),
            Node::Until(l, r) => formulas.add(Its::Until(of(l), of(r))),
            Node::Release(l, r) => formulas.add(Its::Release(of(l), of(r))),
            Node::WeakUntil(l, r) => {
                let either = formulas.add(Its::Or(of(l), of(r)));
                formulas.add(Its::Release(of(r), either))
            }
            Node::StrongRelease(l, r) => {
                let both = formulas.add(Its::And(of(l), of(r)));
                formulas.add(Its::Until(of(r), both))
            }
            Node::Exists(h) => formulas.add(Its::Exists(of(h))),
            Node::Forall(h) => formulas.add(Its::Forall(of(h))),
        };
        done.insert(g, its);
    }
    Ok(done[&f])
}

/// The conjunction or disjunction of a list.
fn chain(list: impl Iterator<Item = Id>, of: fn(Id, Id) -> Its, formulas: &mut Formulas) -> Id {
    let list: Vec<Id> = list.collect();
    let Some((&first, rest)) = list.split_first() else {
        return formulas.constant(matches!(of(0, 0), Its::And(..)));
    };
    rest.iter().fold(first, |f, &g| formulas.add(of(f, g)))
}

fn rewrite_atom(predicate: &Predicate, formulas: &mut Formulas) -> Result<Id, Unproved> {
    let too_large = || Unproved::Other("the numbers of an atom are too large".to_owned());
    Ok(match predicate {
        Predicate::True => formulas.constant(true),
        Predicate::False => formulas.constant(false),
        Predicate::Compare(compare) => {
            let terms: Vec<(usize, i64)> = compare
                .terms()
                .iter()
                .map(|&(c, v)| (v.index(), c))
                .collect();
            let op = match compare.op() {
                Relation::Le => "<=",
                Relation::Lt => "<",
                Relation::Ge => ">=",
                Relation::Gt => ">",
                Relation::Eq => "=",
                Relation::Ne => "!=",
            };
            let made = formulas.compare(&terms, op, compare.constant());
            made.ok_or_else(too_large)?
        }
        Predicate::Enabled(groups) => {
            let mut list: Vec<usize> = groups.iter().map(|g| g.index()).collect();
            list.sort_unstable();
            list.dedup();
            if list.is_empty() {
                formulas.constant(false)
            } else {
                formulas.atom(Atom::Fireable(list))
            }
        }
        Predicate::DeadEnd => formulas.atom(Atom::Deadlock),
        Predicate::Not(inner) => not(rewrite_atom(inner, formulas)?),
        Predicate::And(parts) | Predicate::Or(parts) => {
            let mut list = Vec::new();
            for part in parts {
                list.push(rewrite_atom(part, formulas)?);
            }
            let of = if matches!(predicate, Predicate::And(_)) {
                Its::And
            } else {
                Its::Or
            };
            chain(list.into_iter(), of, formulas)
        }
        Predicate::Circuit(_) => {
            return Err(Unproved::Other("the property is too large".to_owned()));
        }
    })
}
