//! Random nets and formulas: all engines and all kinds of automata have the verdict of the definition.

use dalsegno::Source;
use dalsegno::kripke::DeadEnds;
use dalsegno::logic::FormulaStore;
use dalsegno::logic::random::{Config, Generator, Rng};
use dalsegno_testkit::nets::{random_net, wild_net};

use crate::campaign::Target;
use crate::format::{Format, Input};
use crate::pair::{Logic, Pair};
use crate::verdicts::{Question, variant};

/// Feeds pairs of a net and a formula to the engines.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pairs;

/// Propositions that are often true and often false; all random nets have these names.
const PROPOSITIONS: [&str; 8] = [
    "p0",
    "p1 >= 2",
    "p0 + p1 <= 1",
    "fireable(t0)",
    "deadlock",
    "2*p0 - p1 = 1",
    "p0 != p1",
    "fireable(t0, t1)",
];

impl Target for Pairs {
    fn name(&self) -> &'static str {
        "pairs"
    }

    fn draw(&self, rng: &mut Rng) -> Input {
        let net = if rng.chance(1, 2) {
            random_net(rng)
        } else {
            wild_net(rng)
        };
        let logic = [Logic::Ltl, Logic::Ctl, Logic::CtlStar][rng.index(3)];
        let (config, most) = match logic {
            Logic::Ltl => (Config::ltl(), 10),
            Logic::Ctl => (Config::ctl(), 14),
            Logic::CtlStar => (Config::ctl_star(), 11),
        };
        let meanings = [DeadEnds::Stutter, DeadEnds::Ignore, DeadEnds::Finite];
        let meanings = &meanings[..if logic == Logic::Ctl { 3 } else { 2 }];
        let config = config.with_propositions(PROPOSITIONS);
        let config = config.with_size(2..=most).with_seed(rng.next_u64());
        let mut store = FormulaStore::new();
        let f = Generator::new(config).next_formula(&mut store);
        let pair = Pair {
            logic,
            dead_ends: meanings[rng.index(meanings.len())],
            formula: store.display(f).to_string(),
            net,
        };
        Input {
            format: Format::Pair,
            bytes: pair.to_text().into_bytes(),
        }
    }

    fn feed(&self, input: &Input) -> Result<bool, String> {
        let text = std::str::from_utf8(&input.bytes);
        let Some(pair) = text.ok().and_then(Pair::from_text) else {
            return Ok(false);
        };
        let source = Source::of_net(pair.net);
        let variant = variant(&input.bytes);
        let question = Question::new(&source, &pair.formula, pair.dead_ends, variant);
        let Some(mut question) = question else {
            return Ok(false);
        };
        match pair.logic {
            Logic::Ltl => question.linear(),
            Logic::Ctl | Logic::CtlStar => question.branching(),
        }
    }
}
