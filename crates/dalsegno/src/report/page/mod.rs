//! Answers for a page, as `dalsegno.report/1`: all that a viewer shows, so that it need not find out anything by itself.
//!
//! Results are those of `dalsegno.check/1`. In the place of a witness with whole states stand paths: a first state and what each
//! step changes, the transitions that are enabled in each state as what each step enables and disables, the truth of atoms and
//! subformulas as a string of `1`, `0` and `?` with a place per state, and the automata with their runs. States and
//! transitions are numbered as in the model; two tables have the names of those that occur.
//!
//! Cost: linear in what the steps change. What would be too much for a page is left out, and the page says so.

mod automata;
mod names;
mod path;
mod picture;
mod tree;

use std::collections::BTreeMap;

use dalsegno_models::petri::PetriNet;
use serde_json::{Value as Json, json};

use self::names::Names;
use self::path::{Index, Row, Shown};
use self::picture::{Pictures, Touched};
use super::json::outline_to_json;
use crate::answer::{Answer, Evidence, Value};
use crate::event::Answered;
use crate::problem::Problem;
use crate::source::Source;

/// The schema of a report.
pub const REPORT_SCHEMA: &str = "dalsegno.report/1";

/// Numbers that all paths of a page may take: about ten bytes each.
const ROOM: usize = 4_000_000;

/// Variables of a program that are told although they are 0 and stay so.
const MOST_VARIABLES: usize = 1_000;

/// Collects answers for a page.
///
/// ```
/// use dalsegno::{Asked, Logic, Run, Settings, Source, Event, kripke::Budget, report::Page};
/// # use dalsegno::models::petri::{generators::Family, pnml};
/// # let path = std::env::temp_dir().join("dalsegno-example-page.pnml");
/// # pnml::write(&Family::Philosophers.generate(5)?, std::fs::File::create(&path)?)?;
/// let source = Source::open(path)?; // "philosophers-5.pnml"
/// let mut page = Page::new(&source);
/// let mut run = Run::new(&source, Settings { details: true, ..Settings::default() });
/// run.ask(Asked::formula(Logic::Ltl, "G F Eat_1"));
/// run.answer(&Budget::unlimited(), &mut |event| {
///     if let Event::Answer(answered) = event {
///         page.add(answered);
///     }
/// })?;
/// assert_eq!(page.to_json()["results"][0]["verdict"], "fails");
/// assert!(page.to_html().starts_with("<!doctype html>"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Page {
    name: String,
    source: Option<Source>,
    results: BTreeMap<usize, Json>,
    /// Which groups a variable may enable or disable; made with the first path.
    index: Option<Index>,
    names: Names,
    pictures: Pictures,
    room: usize,
}

impl Page {
    /// A page about a model, without answers.
    #[must_use]
    pub fn new(source: &Source) -> Self {
        Page {
            source: Some(source.clone()),
            ..Page::unloaded(source.name())
        }
    }

    /// A page about a model that was not read.
    #[must_use]
    pub fn unloaded(name: &str) -> Self {
        Page {
            name: name.to_owned(),
            source: None,
            results: BTreeMap::new(),
            index: None,
            names: Names::default(),
            pictures: Pictures::default(),
            room: ROOM,
        }
    }

    /// The model, once it has been read.
    pub fn set_source(&mut self, source: &Source) {
        source.name().clone_into(&mut self.name);
        self.source = Some(source.clone());
    }

    /// Adds an answer, or puts it in the place of the one with its number.
    pub fn add(&mut self, answered: &Answered<'_>) {
        let mut result = outline_to_json(answered);
        let answer = answered.answer;
        let problem = self.source.as_ref().and_then(Source::ready).cloned();
        let shown = problem.as_ref();
        let shown = shown.and_then(|problem| self.shown(problem, answer));
        let (paths, tree) = shown.unwrap_or_default();
        let net = problem.as_ref().and_then(|problem| problem.net());
        let is_error = matches!(answer.value, Value::Error(_));
        let still = net.filter(|_| paths.is_empty() && !is_error);
        let picture = still.and_then(|net| self.still(net, answer));
        let details = answer.details.as_deref();
        let observed = details.map(|d| d.observed.iter().map(|v| v.0).collect::<Vec<u32>>());
        for &v in details.into_iter().flat_map(|d| &d.observed) {
            self.names.variable(v);
        }
        result["evidence"] = evidence_name(answered).into();
        result["observed"] = observed.unwrap_or_default().into();
        result["reasons"] = match &answer.truth {
            Some(truth) => json!(truth.reasons),
            None => json!([]),
        };
        result["paths"] = paths.into();
        result["picture"] = picture.into();
        result["tree"] = tree;
        self.results.insert(answered.number, result);
    }

    /// The drawing for an answer that no path shows: the net, or what is around the places that the property observes.
    fn still(&mut self, net: &PetriNet, answer: &Answer) -> Option<usize> {
        let mut touched = Touched::default();
        for &v in answer.details.iter().flat_map(|d| &d.observed) {
            touched.variable(v);
        }
        self.pictures.of(net, touched)
    }

    /// The paths of an answer, and the tree that they are part of, if there is one.
    fn shown(&mut self, problem: &Problem, answer: &Answer) -> Option<(Vec<Json>, Json)> {
        let model = problem.model();
        let evidence = answer.evidence.as_ref()?;
        let index = self.index.get_or_insert_with(|| Index::new(model));
        let mut shown = Shown::new(model, index, &mut self.names, &mut self.room);
        for &v in answer.details.iter().flat_map(|d| &d.observed) {
            shown.touched.variable(v);
        }
        if problem.net().is_none() {
            // The state of a program is told whole, as far as that can be read.
            shown.name_variables(MOST_VARIABLES);
        }
        let rows: Vec<Row<'_>> = match &answer.truth {
            Some(truth) => Row::of_truth(truth),
            None => Vec::new(),
        };
        let automata = answer.details.as_deref().map_or(&[][..], |d| &d.automata);
        let tree = match evidence {
            Evidence::Run(run) => {
                let steps: Vec<_> = run.stem.iter().chain(&run.cycle).collect();
                shown.add(&steps, None, Some(run.stem.len()), &rows, automata);
                Json::Null
            }
            Evidence::Prefix(path) | Evidence::Path(path) => {
                let (last, steps) = path.split_last()?;
                let steps: Vec<_> = steps.iter().collect();
                shown.add(&steps, Some(&last.state), None, &rows, automata);
                Json::Null
            }
            Evidence::Explanation(explained) => tree::tree(&mut shown, explained),
        };
        let (mut paths, touched) = (shown.paths, shown.touched);
        let picture = if paths.is_empty() {
            None
        } else {
            let net = problem.net();
            net.and_then(|net| self.pictures.of(net, touched))
        };
        for path in &mut paths {
            path["picture"] = picture.into();
        }
        Some((paths, tree))
    }

    /// The report, as `dalsegno.report/1`.
    #[must_use]
    pub fn to_json(&self) -> Json {
        let problem = self.source.as_ref().and_then(Source::ready);
        let results: Vec<&Json> = self.results.values().collect();
        json!({
            "schema": REPORT_SCHEMA,
            "version": env!("CARGO_PKG_VERSION"),
            "model": self.model_to_json(problem.map(|p| &**p)),
            "variables": problem.map_or_else(Vec::new, |p| self.names.variables_to_json(p.model())),
            "transitions": problem.map_or_else(Vec::new, |p| self.names.transitions_to_json(p.model())),
            "pictures": self.pictures.to_json(),
            "results": results,
        })
    }

    /// The report as one HTML file that needs nothing else.
    #[must_use]
    pub fn to_html(&self) -> String {
        dalsegno_web::report_html(&self.to_json().to_string())
    }

    fn model_to_json(&self, problem: Option<&Problem>) -> Json {
        let coloured = self.source.as_ref().is_some_and(|s| s.coloured().is_some());
        let kind = match problem {
            _ if coloured => Some("coloured_net"),
            Some(problem) if problem.net().is_some() => Some("net"),
            Some(problem) if problem.etf().is_some() => Some("tables"),
            Some(_) => Some("program"),
            None => None,
        };
        json!({
            "name": self.name,
            "kind": kind,
            "variables": problem.map(|p| p.model().variables().len()),
            "transitions": problem.map(|p| p.model().groups().len()),
        })
    }
}

/// What shows an answer: the kinds of a file of witnesses, where a prefix is a bad or a good one.
fn evidence_name(answered: &Answered<'_>) -> Option<&'static str> {
    Some(match answered.answer.evidence.as_ref()? {
        Evidence::Run(_) => "run",
        Evidence::Prefix(_) if answered.answer.holds() == Some(true) => "good_prefix",
        Evidence::Prefix(_) => "bad_prefix",
        Evidence::Path(_) => "path",
        Evidence::Explanation(_) => "explanation",
    })
}
