//! Explanations of branching-time answers as text and as JSON: trees of paths that follow the formula.

use std::io::{self, Write};

use dalsegno_kripke::Model;
use dalsegno_kripke::explanation::{End, Explanation, Path, Reason};
use serde_json::{Value, json};

use super::witness::{state_to_json, step_to_json, step_to_text};
use crate::answer::Claimed;

/// A claim with all that is below it.
pub(super) fn claim_to_json(model: &Model, e: &Explanation<Claimed>) -> Value {
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
            let list = list.iter().map(|operand| claim_to_json(model, operand));
            value["operands"] = Value::Array(list.collect());
        }
        Reason::Path(path) => value["path"] = path_to_json(model, path),
        _ => {}
    }
    value
}

fn path_to_json(model: &Model, path: &Path<Claimed>) -> Value {
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
        let mut value = claim_to_json(model, fact);
        value["position"] = (*position).into();
        value
    });
    let facts: Vec<Value> = facts.collect();
    json!({ "stem": stem, "cycle": cycle, "end": end, "facts": facts })
}

/// Writes explanations, deeper claims further to the right.
pub(super) struct Tree<'a, W> {
    pub(super) model: &'a Model,
    pub(super) out: &'a mut W,
}

impl<W: Write> Tree<'_, W> {
    fn line(&mut self, depth: usize, text: &str) -> io::Result<()> {
        writeln!(self.out, "{:indent$}{text}", "", indent = 2 * depth)
    }

    fn claim(&mut self, e: &Explanation<Claimed>, depth: usize, place: &str) -> io::Result<()> {
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
        self.reason(e, depth + 1)
    }

    pub(super) fn reason(&mut self, e: &Explanation<Claimed>, depth: usize) -> io::Result<()> {
        match &e.reason {
            Reason::Operands(list) => {
                for operand in list {
                    // What a state shows by itself is worth a word only if it is all there is.
                    let boolean = operand.formula.boolean;
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

    fn path(&mut self, path: &Path<Claimed>, depth: usize) -> io::Result<()> {
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
            let (name, changes) = step_to_text(self.model, step, next.unwrap_or(&step.state));
            let text = format!("{:>3}  {name:<20} {changes}", position + 1);
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
pub(super) fn nonzero(model: &Model, state: &[u32]) -> Vec<String> {
    let shown = model.variable_ids().zip(state).filter_map(|(v, &value)| {
        let values = model.values(v);
        let shown = values.name(value).is_some() || value != values.zero();
        shown.then(|| format!("{} = {}", model.variable(v).name, values.show(value)))
    });
    shown.collect()
}

/// The values of a state that are not zero, in a line.
pub(super) fn state_to_text(model: &Model, state: &[u32]) -> String {
    let shown = nonzero(model, state);
    if shown.is_empty() {
        "all are 0".to_owned()
    } else {
        shown.join(", ")
    }
}
