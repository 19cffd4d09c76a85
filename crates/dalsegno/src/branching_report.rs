//! Answers to branching-time properties as text and as JSON, in the schema of [`crate::report`].

use std::io::{self, Write};

use dalsegno_kripke::explanation::{End, Explanation, Path, Reason};
use dalsegno_kripke::{DeadEnds, Model};
use dalsegno_logic::{FormulaId, FormulaStore, Fragment};
use serde_json::{Value, json};

use crate::branching::BranchingOutcome;
use crate::report::{state_to_json, step_to_json, step_to_text};
use crate::survey::Engine;

/// A branching-time property with its answer.
#[derive(Clone, Debug)]
pub struct BranchingChecked {
    /// The name of the property, if it has one.
    pub name: String,
    /// The text of the formula.
    pub formula: String,
    /// Whether it is a formula of CTL; of CTL* otherwise.
    pub ctl: bool,
    /// What dead ends do.
    pub dead_ends: DeadEnds,
    /// The answer.
    pub outcome: BranchingOutcome,
}

impl BranchingChecked {
    /// Whether the property holds, if that is known.
    #[must_use]
    pub fn holds(&self) -> Option<bool> {
        self.outcome.holds.ok()
    }

    /// The name of the engine that answered.
    #[must_use]
    pub fn engine(&self) -> Option<&'static str> {
        self.outcome.engine.map(|engine| match engine {
            Engine::Symbolic => "symbolic",
            _ => "explicit",
        })
    }

    fn verdict(&self) -> &'static str {
        match self.outcome.holds {
            Ok(true) => "holds",
            Ok(false) => "fails",
            Err(_) => "unknown",
        }
    }

    /// Writes the answer for a reader; with `stats`, what it took.
    ///
    /// # Errors
    /// When `out` cannot be written.
    pub fn write_text(
        &self,
        model: &Model,
        store: &FormulaStore,
        stats: bool,
        out: &mut impl Write,
    ) -> io::Result<()> {
        write!(out, "{}", self.verdict())?;
        if let Err(stop) = self.outcome.holds {
            write!(out, " ({stop})")?;
        }
        if self.name.is_empty() {
            writeln!(out, ": {}", self.formula)?;
        } else {
            writeln!(out, ": {} = {}", self.name, self.formula)?;
        }
        if let Some(explained) = &self.outcome.explanation {
            let mut tree = Tree { model, store, out };
            tree.reason(&explained.explanation, 1)?;
            let assumed = explained.summary.assumed;
            if assumed > 0 {
                let claims = explained.summary.claims;
                writeln!(
                    tree.out,
                    "  ({assumed} of {claims} claims speak of all paths and were not checked by definition)"
                )?;
            }
        }
        if let Some(satisfying) = &self.outcome.satisfying {
            writeln!(out, "  satisfied in {} states", satisfying.count)?;
            for state in &satisfying.sample {
                writeln!(out, "    {}", state_to_text(model, state))?;
            }
        }
        if stats {
            writeln!(
                out,
                "  engine: {}; {:.3} s, {} bytes",
                self.engine().unwrap_or("none"),
                self.outcome.time.as_secs_f64(),
                self.outcome.bytes
            )?;
        }
        Ok(())
    }

    /// The answer as an object of `dalsegno.check/1`.
    #[must_use]
    pub fn to_json(&self, model: &Model, store: &FormulaStore) -> Value {
        let explained = self.outcome.explanation.as_ref();
        let witness = explained.map(|e| claim_to_json(model, store, &e.explanation));
        let satisfying = self.outcome.satisfying.as_ref().map(|satisfying| {
            let sample = satisfying.sample.iter();
            let sample: Vec<Value> = sample.map(|s| state_to_json(model, s)).collect();
            json!({ "states": satisfying.count, "sample": sample })
        });
        json!({
            "name": self.name,
            "logic": if self.ctl { "ctl" } else { "ctl*" },
            "formula": self.formula,
            "dead_ends": self.dead_ends.to_string(),
            "verdict": self.verdict(),
            "reason": self.outcome.holds.err().map(|stop| stop.to_string()),
            "engine": self.engine(),
            "automaton": null,
            "explored": null,
            "product": null,
            "satisfying": satisfying,
            "witness": witness,
            "certified": explained.is_some(),
            "claims": explained.map(|e| json!({
                "checked": e.summary.claims - e.summary.assumed,
                "assumed": e.summary.assumed,
            })),
            "seconds": self.outcome.time.as_secs_f64(),
            "peak_bytes": self.outcome.bytes,
        })
    }
}

/// A claim with all that is below it.
fn claim_to_json(model: &Model, store: &FormulaStore, e: &Explanation<FormulaId>) -> Value {
    let reason = match &e.reason {
        Reason::State => "state",
        Reason::Operands(_) => "operands",
        Reason::Path(_) => "path",
        Reason::AllPaths => "all paths",
        Reason::Elsewhere => "elsewhere",
        Reason::Omitted => "omitted",
    };
    let mut value = json!({
        "formula": store.display(e.formula).to_string(),
        "holds": e.holds,
        "state": state_to_json(model, &e.state),
        "reason": reason,
    });
    match &e.reason {
        Reason::Operands(list) => {
            let list = list
                .iter()
                .map(|operand| claim_to_json(model, store, operand));
            value["operands"] = Value::Array(list.collect());
        }
        Reason::Path(path) => value["path"] = path_to_json(model, store, path),
        _ => {}
    }
    value
}

fn path_to_json(model: &Model, store: &FormulaStore, path: &Path<FormulaId>) -> Value {
    let step = |position: usize| {
        let next = path.successor(position).and_then(|next| path.state(next));
        let step = &path.steps[position];
        step_to_json(model, step, next.unwrap_or(&step.state))
    };
    let (sign, end) = match &path.end {
        End::Back(sign) => (*sign, None),
        End::Open(state) => (path.steps.len(), Some(state_to_json(model, state))),
    };
    let stem: Vec<Value> = (0..sign).map(step).collect();
    let cycle: Vec<Value> = (sign..path.steps.len()).map(step).collect();
    let facts = path.facts.iter().map(|(position, fact)| {
        let mut value = claim_to_json(model, store, fact);
        value["position"] = (*position).into();
        value
    });
    let facts: Vec<Value> = facts.collect();
    json!({ "stem": stem, "cycle": cycle, "end": end, "facts": facts })
}

/// Writes explanations, deeper claims further to the right.
struct Tree<'a, W> {
    model: &'a Model,
    store: &'a FormulaStore,
    out: &'a mut W,
}

impl<W: Write> Tree<'_, W> {
    fn line(&mut self, depth: usize, text: &str) -> io::Result<()> {
        writeln!(self.out, "{:indent$}{text}", "", indent = 2 * depth)
    }

    fn claim(&mut self, e: &Explanation<FormulaId>, depth: usize, place: &str) -> io::Result<()> {
        let formula = self.store.display(e.formula);
        let verb = if e.holds { "holds" } else { "fails" };
        let note = match e.reason {
            Reason::AllPaths => " on all paths",
            Reason::Elsewhere => " (shown elsewhere)",
            Reason::Omitted => " (the path is left out)",
            _ => "",
        };
        // That no path does something is a claim about all paths, too.
        let text = match e.reason {
            Reason::AllPaths if !e.holds => format!("{place}{formula} fails: no path does that"),
            _ => format!("{place}{formula} {verb}{note}"),
        };
        self.line(depth, &text)?;
        self.reason(e, depth + 1)
    }

    fn reason(&mut self, e: &Explanation<FormulaId>, depth: usize) -> io::Result<()> {
        match &e.reason {
            Reason::Operands(list) => {
                for operand in list {
                    // What a state shows by itself is worth a word only if it is all there is.
                    let boolean = self.store.is(operand.formula, Fragment::BOOLEAN);
                    if list.len() == 1 || !boolean {
                        self.claim(operand, depth, "")?;
                    }
                }
                Ok(())
            }
            Reason::Path(path) => self.path(path, depth),
            _ => Ok(()),
        }
    }

    fn path(&mut self, path: &Path<FormulaId>, depth: usize) -> io::Result<()> {
        let sign = match path.end {
            End::Back(sign) => sign,
            End::Open(_) => path.steps.len(),
        };
        if path.steps.is_empty() {
            self.line(depth, "at once")?;
        }
        for (position, step) in path.steps.iter().enumerate() {
            if position == 0 && sign > 0 {
                let open = matches!(path.end, End::Open(_));
                self.line(depth, if open { "path:" } else { "stem:" })?;
            }
            if position == sign {
                self.line(depth, "cycle:")?;
            }
            let next = path.successor(position).and_then(|next| path.state(next));
            let text = step_to_text(self.model, step, next.unwrap_or(&step.state));
            self.line(depth + 1, text.trim_end())?;
        }
        for (position, fact) in &path.facts {
            let place = match position {
                0 => "first, ".to_owned(),
                1 => "after 1 step, ".to_owned(),
                n => format!("after {n} steps, "),
            };
            self.claim(fact, depth, &place)?;
        }
        Ok(())
    }
}

/// The values of a state that are not zero, by name.
pub(crate) fn state_to_text(model: &Model, state: &[u32]) -> String {
    let shown = model.variable_ids().zip(state).filter_map(|(v, &value)| {
        let values = model.values(v);
        let shown = values.name(value).is_some() || value != values.zero();
        shown.then(|| format!("{} = {}", model.variable(v).name, values.show(value)))
    });
    let shown: Vec<String> = shown.collect();
    if shown.is_empty() {
        "all are 0".to_owned()
    } else {
        shown.join(", ")
    }
}
