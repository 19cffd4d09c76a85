//! The formulas that an experiment tries, one after the other.
//!
//! Each random formula has a seed of its own, made from the experiment's seed, the model, the class and
//! its number: the sequence of a model does not depend on the other models. A formula speaks of a few
//! random propositions of the model, as in the papers, whose testing automata have some tens of states.

use std::collections::HashSet;
use std::path::Path;

use dalsegno::Problem;
use dalsegno::logic::FormulaStore;
use dalsegno::logic::random::{Config, Generator, Rng, weak_fair};

use crate::error::Error;
use crate::experiment::{Class, Source};
use crate::given;
use crate::patterns;
use crate::subject::{Subject, propositions};

/// Propositions that a random formula may speak of.
const ATOMS: usize = 3;

/// The formulas of a class for a model.
#[derive(Debug)]
pub struct Candidates {
    source: Source,
    propositions: Vec<String>,
    list: Vec<String>,
    seed: u64,
    drawn: u64,
    seen: HashSet<String>,
}

impl Candidates {
    /// The sequence of a class for a model, which is there if formulas are to speak of it; formulas that
    /// come with it may lie in `folder` too.
    ///
    /// # Errors
    /// If the model has no propositions, or its formulas cannot be read.
    pub fn new(
        subject: &Subject,
        problem: Option<&Problem>,
        class: &Class,
        seed: u64,
        folder: Option<&Path>,
    ) -> Result<Self, Error> {
        let propositions = match problem {
            None => ('a'..='f').map(String::from).collect(),
            Some(problem) => propositions(problem),
        };
        if class.source.is_random() && propositions.is_empty() {
            return Err(Error::NoPropositions(subject.name().to_owned()));
        }
        let list = match class.source {
            Source::None => vec![String::new()],
            Source::Given { next } => match problem {
                Some(problem) => given::formulas(subject, problem, folder, next)?,
                None => Vec::new(),
            },
            Source::Patterns => patterns::all().map(str::to_owned).collect(),
            _ => Vec::new(),
        };
        Ok(Candidates {
            source: class.source,
            propositions,
            list,
            seed: mix(seed, &[subject.name(), class.name]),
            drawn: 0,
            seen: HashSet::new(),
        })
    }

    /// A random formula as text.
    fn draw(&self, number: u64) -> String {
        let seed = mix(self.seed, &[&number.to_string()]);
        let mut rng = Rng::new(seed);
        let mut names = self.propositions.clone();
        let atoms: Vec<String> = (0..ATOMS.min(names.len()))
            .map(|_| names.swap_remove(rng.index(names.len())))
            .collect();
        let mut store = FormulaStore::new();
        let config = |config: Config, size: usize| {
            config
                .with_size(size..=size)
                .with_propositions(atoms.iter().cloned())
                .with_seed(rng.clone().next_u64())
        };
        let linear = |next: bool| {
            if next {
                Config::ltl()
            } else {
                Config::x_free()
            }
        };
        let f = match self.source {
            Source::WeakFair { size, fair, next } => {
                // A premise has three nodes and a connective.
                let rest = size.saturating_sub(4 * fair).max(1);
                let mut generator = Generator::new(config(linear(next), rest));
                weak_fair(&mut generator, &mut store, fair)
            }
            Source::Random { size, next } => {
                Generator::new(config(linear(next), size)).next_formula(&mut store)
            }
            Source::Ctl { size } => {
                Generator::new(config(Config::ctl(), size)).next_formula(&mut store)
            }
            Source::CtlStar { size } => {
                Generator::new(config(Config::ctl_star(), size)).next_formula(&mut store)
            }
            Source::None | Source::Given { .. } | Source::Patterns => return String::new(),
        };
        store.display(f).to_string()
    }
}

impl Iterator for Candidates {
    type Item = String;

    /// The next formula; random ones do not end, but after many repetitions.
    fn next(&mut self) -> Option<String> {
        if !self.source.is_random() {
            let text = self.list.get(usize::try_from(self.drawn).ok()?)?;
            self.drawn += 1;
            return Some(text.clone());
        }
        for _ in 0..1_000 {
            let text = self.draw(self.drawn);
            self.drawn += 1;
            if self.seen.insert(text.clone()) {
                return Some(text);
            }
        }
        None
    }
}

/// A seed from a seed and texts (FNV-1a).
fn mix(seed: u64, texts: &[&str]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325 ^ seed;
    for text in texts {
        for byte in text.bytes().chain([0]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue;
    use dalsegno::kripke::Budget;
    use dalsegno::logic::{Fragment, parse};

    fn first(model: &str, class: &Class, seed: u64, n: usize) -> Vec<String> {
        let subject = Subject::parse(model).unwrap();
        let problem = subject.load(&Budget::unlimited()).unwrap();
        let candidates = Candidates::new(&subject, Some(&problem), class, seed, None).unwrap();
        candidates.take(n).collect()
    }

    #[test]
    fn a_seed_names_a_sequence() {
        let p12 = catalogue::find("p12").unwrap();
        let [random, fair, study] = p12.classes else {
            panic!("three classes")
        };
        let drawn = first("kanban:2", random, 1, 20);
        assert_eq!(drawn, first("kanban:2", random, 1, 20));
        assert_ne!(drawn, first("kanban:2", random, 2, 20));
        assert_ne!(drawn, first("kanban:2", fair, 1, 20));
        assert_eq!(first("kanban:2", study, 1, 20).len(), 0);
        assert_eq!(first("mapk:8", study, 1, 20), [given::CASCADE]);
    }

    #[test]
    fn candidates_are_formulas_of_the_model() {
        let p15 = catalogue::find("p15").unwrap();
        let subject = Subject::parse("fms:2").unwrap();
        let problem = subject.load(&Budget::unlimited()).unwrap();
        for class in p15.classes {
            for text in first("fms:2", class, 7, 50) {
                let mut store = FormulaStore::new();
                let f = parse(&mut store, &text).unwrap();
                assert!(store.is(f, Fragment::LTL), "{text}");
                assert!(problem.atoms(&store, f).is_ok(), "{text}");
                assert!(store.propositions(f).len() <= ATOMS);
            }
        }
    }
}
