//! LTL by explicit search: the product of the store of states with the automaton of the negation is searched
//! depth-first as it is built.
//!
//! The first search of a property is kept and goes on in its next turn; searches in other orders begin anew.
//! All of them extend one store of states, so that a state that one has met costs the next ones nothing but
//! its letter.
//!
//! Formulas of CTL that ask for a formula of LTL are searched as well, where an answer without an explanation will do.

use dalsegno_automata::observer::Kind;
use dalsegno_explicit::emptiness::{Config, Explored, Firing, Prefixes};
use dalsegno_explicit::product::Product;
use dalsegno_explicit::search_order::SearchOrder;
use dalsegno_explicit::size;
use dalsegno_explicit::space::{self, Space};
use dalsegno_explicit::view::View;
use dalsegno_kripke::{Budget, DeadEnds, Stop};
use rustc_hash::FxHashMap;

use super::automaton::{Halt, Wanted};
use super::widening::{Ended, Widening};
use super::{Method, Tool};
use crate::answer::{Answer, Cost, Evidence, Used, Value};
use crate::board::Board;
use crate::error::Error;
use crate::plan::Search;
use crate::question::Question;
use crate::settings::Settings;
use crate::slice::Slice;

/// The method.
#[derive(Default)]
pub(crate) struct ExplicitSearch {
    kept: FxHashMap<usize, Searching>,
    /// The age of the store that the searches are about.
    age: u64,
}

/// A search of one property.
struct Searching {
    /// The automaton and the way of searching that were asked for, for the formula as passes had made it.
    begun: (Wanted, Config),
    view: View,
    widening: Widening,
    used: Used,
    /// Whether a formula of CTL asks for a run: the answer if there is one.
    exists: bool,
}

impl Method for ExplicitSearch {
    fn tool(&self) -> Tool {
        Tool::Search
    }

    fn suits(&self, board: &Board<'_>, question: &Question) -> bool {
        match question {
            Question::Linear(_) | Question::Automaton(_) => true,
            Question::Branching(_) => {
                let (mut formulas, model) = (board.formulas(), board.problem().model());
                board.settings().answers_alone()
                    && question.about_runs(&mut formulas, model).is_some()
            }
            _ => false,
        }
    }

    fn advance(&mut self, board: &Board<'_>, open: &[usize], slice: &Slice) -> Result<(), Stop> {
        let mut shares = slice.shares(open.len());
        let mut store = board.store();
        if self.age != store.age() {
            self.release();
            self.age = store.age();
        }
        let mut last = Ok(());
        for &number in open {
            let budget = shares.next();
            slice.budget.check()?;
            let model = board.problem().model();
            let others = store.len() > model.initial().len();
            let mut tried = self.try_one(board, store.space(model), number, slice, &budget);
            if tried == Err(Stop::Memory) && others && budget.check().is_ok() {
                // Alone, it may do with less than what all of them hold together.
                store.clear();
                self.release();
                self.age = store.age();
                tried = self.try_one(board, store.space(model), number, slice, &budget);
            }
            if let Err(stop) = tried {
                board.tried(number, stop, None);
                last = Err(stop);
            }
        }
        last
    }

    fn bytes(&self) -> u64 {
        let of = |s: &Searching| s.view.bytes() + s.widening.bytes();
        self.kept.values().map(of).sum()
    }

    fn release(&mut self) {
        self.kept.clear();
    }
}

impl ExplicitSearch {
    /// Searches one property, and answers it if that is possible.
    fn try_one(
        &mut self,
        board: &Board<'_>,
        space: &mut Space,
        number: usize,
        slice: &Slice,
        budget: &Budget,
    ) -> Result<(), Stop> {
        let Some(question) = board.about_runs(number) else {
            return Ok(());
        };
        let branching = matches!(board.question(number), Question::Branching(_));
        let settings = board.settings();
        let wanted = Wanted::new(&question, settings, question.fairness().is_none());
        let (Some(wanted), Some(dead_ends)) = (wanted, question.dead_ends()) else {
            return Ok(());
        };
        let kept = match slice.search {
            Search::Kept => self.kept.remove(&number),
            Search::Anew(..) => None,
        };
        let mut config = config(&question, settings, slice.search);
        if branching {
            // The formula that is evaluated on a prefix is one of LTL.
            config.prefixes = Prefixes::Ignore;
        }
        let begun = (wanted, config);
        let searching = kept.filter(|kept| kept.begun == begun);
        let mut searching = match searching {
            Some(searching) => searching,
            None => match Self::begin(board, &question, dead_ends, begun, budget) {
                Ok(searching) => Searching {
                    exists: branching && question.property().is_some_and(|p| p.existential),
                    ..searching
                },
                Err(Halt::Stop(stop)) => return Err(stop),
                Err(Halt::Error(error)) => {
                    board.failed(number, Tool::Search, error);
                    return Ok(());
                }
            },
        };
        let found = searching.go_on(board, space, number, slice.work, budget);
        if found.is_err() {
            let cost = searching.cost(space);
            board.tried(number, Stop::Time, Some(cost));
        }
        if slice.search == Search::Kept && board.is_open(number) {
            self.kept.insert(number, searching);
        }
        found
    }

    fn begin(
        board: &Board<'_>,
        question: &Question,
        dead_ends: DeadEnds,
        begun: (Wanted, Config),
        budget: &Budget,
    ) -> Result<Searching, Halt> {
        let fairness = question.fairness();
        let negation = board.negation(question, begun.0, budget)?;
        if !fairness.is_none() && negation.used.kind == Kind::Ta {
            return Err(Halt::Error(Error::FairLivelocks));
        }
        let model = board.problem().model();
        let (predicates, observer) = (negation.predicates.clone(), negation.observer.clone());
        Ok(Searching {
            begun,
            view: View::new(model, predicates, observer, dead_ends).fair(fairness.clone()),
            widening: Widening::new(model, begun.1),
            used: negation.used.clone(),
            exists: false,
        })
    }
}

/// How a property is searched in a turn.
fn config(question: &Question, settings: &Settings, search: Search) -> Config {
    // A kind that was asked for is searched as it is, a path that may end proves nothing, and only a formula can be evaluated
    // on one.
    let shows = settings.automaton.is_none()
        && matches!(question, Question::Linear(_))
        && question.dead_ends() == Some(DeadEnds::Stutter);
    Config {
        prefixes: match (shows, settings.lasso) {
            (false, _) => Prefixes::Ignore,
            (true, true) => Prefixes::Keep,
            (true, false) => Prefixes::Stop,
        },
        firing: match search {
            // Which step is next is what this order is for: a stubborn set would choose first.
            Search::Anew(SearchOrder::Local, _) => Firing::All,
            _ if settings.por => Firing::Stubborn,
            _ => Firing::All,
        },
        ..match search {
            Search::Kept => settings.search,
            Search::Anew(order, depth) => Config {
                order,
                depth,
                ..Config::default()
            },
        }
    }
}

impl Searching {
    /// Searches on, and answers the property if that is possible.
    fn go_on(
        &mut self,
        board: &Board<'_>,
        space: &mut Space,
        number: usize,
        work: u64,
        budget: &Budget,
    ) -> Result<(), Stop> {
        let mut progress = |seen: &Explored| board.progress(seen.states, seen.transitions);
        let ended = loop {
            let (view, widening) = (&mut self.view, &mut self.widening);
            let ended = widening.advance(space, view, work, budget, &mut progress);
            board.problem().found_broken(space.broken_promise());
            // A path is enough where no run is wanted, or none was found in time.
            if let (Some(path), false) = (
                &self.widening.prefix,
                matches!(ended, Ok(Some(Ended::Accepted(_)))),
            ) {
                match board.is_refuted_by(number, path) {
                    Ok(true) => {
                        let path = path.clone();
                        let shown = Some(Evidence::Prefix(path));
                        self.tell(board, space, number, shown, budget);
                        return Ok(());
                    }
                    Ok(false) if matches!(ended, Ok(Some(Ended::Prefix))) => {
                        self.widening.ignore_prefixes(space.model());
                        continue;
                    }
                    Ok(false) => self.widening.prefix = None,
                    Err(error) => {
                        board.failed(number, Tool::Search, error);
                        return Ok(());
                    }
                }
            }
            break ended;
        };
        match ended {
            Ok(Some(Ended::Accepted(run))) => {
                self.tell(board, space, number, Some(Evidence::Run(run)), budget);
                Ok(())
            }
            Ok(Some(Ended::Empty)) => {
                self.tell(board, space, number, None, budget);
                Ok(())
            }
            Ok(Some(Ended::Incomplete | Ended::Prefix) | None) => Err(Stop::States),
            Err(space::Error::Stopped(stop)) => Err(stop),
            Err(space::Error::Fault(fault)) => {
                board.fault(&[number], Tool::Search, fault);
                Ok(())
            }
        }
    }

    /// Answers the property: it holds unless something shows that it does not. Only a formula of CTL may ask for what was
    /// found; of one of LTL the board knows that.
    fn tell(
        &mut self,
        board: &Board<'_>,
        space: &mut Space,
        number: usize,
        evidence: Option<Evidence>,
        budget: &Budget,
    ) {
        let mut cost = self.cost(space);
        if board.settings().product_size {
            // The answer stands, whether or not the whole product is too large to be seen.
            let mut product = Product::new(space, &mut self.view);
            cost.product = size::of(&mut product, budget).ok();
            cost.bytes = cost.bytes.max(product.bytes());
        }
        let value = Value::Truth(evidence.is_none() != self.exists);
        let answer = Answer::new(value, Tool::Search);
        board.answer(number, answer.shown_by(evidence).at_cost(cost));
    }

    fn cost(&self, space: &Space) -> Cost {
        Cost {
            bytes: space.bytes() + self.view.bytes() + self.widening.bytes(),
            explored: self.widening.explored(),
            automaton: Some(Used {
                states: self.view.observer().len(),
                ..self.used.clone()
            }),
            growing: space.growing(),
            ..Cost::default()
        }
    }
}
