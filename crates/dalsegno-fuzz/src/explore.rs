//! Damaged models that are still models: all engines count the same states and have the same verdicts.

use std::time::Duration;

use dalsegno::certify::Graph;
use dalsegno::certify::graph::Error as GraphError;
use dalsegno::kripke::{Budget, DeadEnds, quoted_name};
use dalsegno::logic::FormulaStore;
use dalsegno::logic::random::{Config, Generator, Rng};
use dalsegno::models::petri::coloured::unfold;
use dalsegno::models::petri::pnml::{self, Net};
use dalsegno::{Ending, Engine, Problem, Source, Survey};

use crate::ask::survey;
use crate::campaign::Target;
use crate::format::{Format, Input};
use crate::mutate::mutate;
use crate::read::unfolding;
use crate::seeds::Seeds;
use crate::verdicts::{MOST_STATES, Question, variant};

/// Explores damaged models.
#[derive(Debug, Default)]
pub struct DamagedModels {
    seeds: Seeds,
}

/// The most variables and groups of a model that is looked at.
const LARGEST: usize = 300;

impl Target for DamagedModels {
    fn name(&self) -> &'static str {
        "explore"
    }

    fn draw(&self, rng: &mut Rng) -> Input {
        let format = Format::MODELS[rng.index(Format::MODELS.len())];
        let bytes = mutate(self.seeds.of(format), rng);
        Input { format, bytes }
    }

    fn feed(&self, input: &Input) -> Result<bool, String> {
        let Some(source) = load(input) else {
            return Ok(false);
        };
        let Some(problem) = source.ready() else {
            return Ok(false);
        };
        let mut rng = Rng::new(variant(&input.bytes));
        count(&source, problem)?;
        let names = propositions(problem, &mut rng);
        for (config, linear) in [(Config::ltl(), true), (Config::ctl(), false)] {
            let config = config.with_propositions(names.clone());
            let config = config.with_size(2..=7).with_seed(rng.next_u64());
            let mut store = FormulaStore::new();
            let f = Generator::new(config).next_formula(&mut store);
            let text = store.display(f).to_string();
            let meanings = [DeadEnds::Stutter, DeadEnds::Ignore, DeadEnds::Finite];
            let dead_ends = meanings[rng.index(if linear { 2 } else { 3 })];
            let question = Question::new(&source, &text, dead_ends, rng.next_u64());
            let Some(mut question) = question else {
                return Err(format!(
                    "a proposition over names of the model is refused: {text}"
                ));
            };
            let answered = if linear {
                question.linear()
            } else {
                question.branching()
            };
            answered.map_err(|fault| format!("{fault}\n{dead_ends}: {text}"))?;
        }
        Ok(true)
    }
}

/// A model that is small enough, unfolded if it is coloured.
fn load(input: &Input) -> Option<Source> {
    if input.format == Format::Pnml {
        // A coloured net is unfolded within small limits before it is loaded as the program does.
        if let Net::Coloured(net) = pnml::parse_net(&input.bytes).ok()? {
            let (limits, budget) = unfolding();
            unfold(net, limits, &budget, |_| {}).ok()?;
        }
    }
    let name = format!("model.{}", input.format.ending());
    let budget = Budget::unlimited().with_time(Duration::from_secs(3));
    let source = Source::from_bytes(&input.bytes, &name, &budget).ok()?;
    let model = source.problem(&budget, |_| {}).ok()?.model();
    let large = model.variables().len().max(model.groups().len()) > LARGEST;
    (!large).then_some(source)
}

/// Counts the states with each engine and by definition.
fn count(source: &Source, problem: &Problem) -> Result<(), String> {
    let graph = Graph::of_model(problem.model(), &[], MOST_STATES);
    let budget = Budget::unlimited()
        .with_time(Duration::from_secs(2))
        .with_bytes(1 << 26);
    let few = budget.clone().with_states(2 * MOST_STATES as u64);
    let explicit = survey(source, Engine::Explicit, &few)?;
    let states = match &graph {
        Ok(graph) => graph.len(),
        Err(GraphError::TooManyStates(_)) => {
            let found = explicit.states.as_ref().and_then(|n| n.parse().ok());
            let wrong = found.is_some_and(|n: usize| n <= MOST_STATES);
            return if explicit.ending == Ending::Complete && wrong {
                Err(format!("explicit counts too few states: {explicit:?}"))
            } else {
                Ok(())
            };
        }
        // A step that cannot be taken: engines may say so, or find something to say before they meet it.
        Err(GraphError::Model(_)) => return Ok(()),
    };
    let states = Some(states.to_string());
    if matches!(explicit.ending, Ending::Unknown(..)) {
        return Ok(());
    }
    if explicit.ending != Ending::Complete || explicit.states != states {
        return Err(format!(
            "explicit counts otherwise: {states:?}, {explicit:?}"
        ));
    }
    for engine in [Engine::Symbolic, Engine::Auto] {
        let found = survey(source, engine, &budget)?;
        let numbers = |survey: &Survey| {
            [
                survey.states.clone(),
                survey.transitions.clone(),
                survey.dead_ends.clone(),
                survey.largest.clone(),
                survey.largest_sum.clone(),
            ]
        };
        let unknown = matches!(found.ending, Ending::Unknown(..));
        if !unknown && (found.ending != Ending::Complete || numbers(&found) != numbers(&explicit)) {
            return Err(format!(
                "{} counts otherwise: {explicit:?}\n{found:?}",
                engine.name()
            ));
        }
    }
    Ok(())
}

/// Propositions over the names of a model.
fn propositions(problem: &Problem, rng: &mut Rng) -> Vec<String> {
    let model = problem.model();
    let mut names = vec!["deadlock".to_owned()];
    let variables = model.variables();
    for _ in 0..3 {
        if variables.is_empty() {
            break;
        }
        let index = rng.index(variables.len());
        let name = quoted_name(&variables[index].name).to_string();
        // Names of a net may be those of several places; others have values with names.
        let number = [0, 1, 2, 255][rng.index(4)];
        let text = format!("{name} >= {number}");
        let known = dalsegno::models::petri::proposition::parse(&text, problem.symbols());
        if known.is_ok() {
            names.push(text);
        }
    }
    names
}
