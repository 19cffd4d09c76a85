//! Explanations of branching-time answers as text and as JSON: trees of paths that follow the formula.

use std::io::{self, Write};

use dalsegno_kripke::Model;
use dalsegno_kripke::explanation::{End, Explanation, Path, Reason};
use serde_json::{Value, json};

use super::trace::{Style, Trace, counted, lasso_length, write_legend};
use super::witness::{state_to_json, step_to_json};
use crate::answer::{Claimed, Explained};
use crate::truth::Subformula;

/// An explanation with all that is below its claim; each path has the truth of the atoms along it.
pub(crate) fn explanation_to_json(model: &Model, explained: &Explained) -> Value {
    claim_to_json(model, explained, &explained.explanation)
}

fn claim_to_json(model: &Model, explained: &Explained, e: &Explanation<Claimed>) -> Value {
    let reason = match &e.reason {
        Reason::State => "state",
        Reason::Operands(_) => "operands",
        Reason::Path(_) => "path",
        Reason::AllPaths => "all paths",
        Reason::Elsewhere => "elsewhere",
        Reason::Omitted => "omitted",
    };
    let mut value = json!({
        "formula": e.formula.text,
        "holds": e.holds,
        "state": state_to_json(model, &e.state),
        "reason": reason,
    });
    match &e.reason {
        Reason::Operands(list) => {
            let list = list.iter();
            let list = list.map(|operand| claim_to_json(model, explained, operand));
            value["operands"] = Value::Array(list.collect());
        }
        Reason::Path(path) => value["path"] = path_to_json(model, explained, path),
        _ => {}
    }
    value
}

fn path_to_json(model: &Model, explained: &Explained, path: &Path<Claimed>) -> Value {
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
        let mut value = claim_to_json(model, explained, fact);
        value["position"] = (*position).into();
        value
    });
    let facts: Vec<Value> = facts.collect();
    let atoms = explained.atoms_along(model, path);
    json!({ "stem": stem, "cycle": cycle, "end": end, "atoms": atoms, "facts": facts })
}

/// Writes an explanation: deeper claims further to the right, and each path as a table of steps. States are
/// numbered from the initial one on; a path from a state goes on with the number of that state.
pub(super) struct Tree<'a, W> {
    model: &'a Model,
    explained: &'a Explained,
    style: Style,
    out: &'a mut W,
    /// Whether the initial state has been shown.
    begun: bool,
}

impl<'a, W: Write> Tree<'a, W> {
    pub(super) fn new(
        model: &'a Model,
        explained: &'a Explained,
        style: Style,
        out: &'a mut W,
    ) -> Self {
        Tree {
            model,
            explained,
            style,
            out,
            begun: false,
        }
    }

    pub(super) fn write(&mut self) -> io::Result<()> {
        let legend = Subformula::atoms_in(self.model, &self.explained.atoms, &[]);
        write_legend(&legend, 2, self.out)?;
        self.reason(&self.explained.explanation, 0, 1)?;
        let summary = self.explained.summary;
        if summary.assumed > 0 {
            let (assumed, claims) = (summary.assumed, summary.claims);
            writeln!(
                self.out,
                "  ({assumed} of {claims} claims speak of all paths and were not checked by definition)"
            )?;
        }
        Ok(())
    }

    fn line(&mut self, depth: usize, text: &str) -> io::Result<()> {
        writeln!(self.out, "{:indent$}{text}", "", indent = 2 * depth)
    }

    /// A claim about the state with a number.
    fn claim(
        &mut self,
        e: &Explanation<Claimed>,
        number: usize,
        depth: usize,
        place: &str,
    ) -> io::Result<()> {
        let formula = &e.formula.text;
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
        self.reason(e, number, depth + 1)
    }

    fn reason(&mut self, e: &Explanation<Claimed>, number: usize, depth: usize) -> io::Result<()> {
        match &e.reason {
            Reason::Operands(list) => {
                for operand in list {
                    // What a state shows by itself is worth a word only if it is all there is.
                    let boolean = operand.formula.boolean;
                    if list.len() == 1 || !boolean {
                        self.claim(operand, number, depth, "")?;
                    }
                }
                Ok(())
            }
            Reason::Path(path) => self.path(path, number, depth),
            _ => Ok(()),
        }
    }

    fn path(&mut self, path: &Path<Claimed>, number: usize, depth: usize) -> io::Result<()> {
        if path.steps.is_empty() && self.begun {
            return self.facts(path, number, depth);
        }
        let (what, sign) = match path.end {
            End::Back(sign) => (lasso_length(sign, path.steps.len() - sign), Some(sign)),
            End::Open(_) => (counted(path.steps.len()), None),
        };
        let kind = if sign.is_some() { "run" } else { "path" };
        let from = if number == 0 {
            String::new()
        } else {
            format!(" from state {number}")
        };
        self.line(depth, &format!("{kind}{from}: {what}"))?;
        let atoms = self.explained.atoms_along(self.model, path);
        let mut trace = Trace::new(self.model, &atoms, self.style);
        match path.state(0) {
            Some(first) if !self.begun => trace.begin(first),
            _ => trace.begin_after(number),
        }
        self.begun = true;
        for (position, step) in path.steps.iter().enumerate() {
            let next = path.successor(position);
            if let Some((next, state)) = next.and_then(|next| Some((next, path.state(next)?))) {
                trace.step(step, state, next);
            }
        }
        trace.write(sign, 2 * depth, self.out)?;
        self.facts(path, number, depth)
    }

    /// What is said of the states of a path that begins in the state with a number.
    fn facts(&mut self, path: &Path<Claimed>, number: usize, depth: usize) -> io::Result<()> {
        for (position, fact) in &path.facts {
            let at = number + position;
            self.claim(fact, at, depth, &format!("in state {at}, "))?;
        }
        Ok(())
    }
}
