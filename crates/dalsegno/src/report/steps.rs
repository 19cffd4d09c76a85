//! Evidence as rows of CSV, for spreadsheets and data frames: a row per state of each path.

use std::io::{self, Write};

use dalsegno_kripke::explanation::{End, Explanation, Path, Reason};
use dalsegno_kripke::{GroupId, Model, Step};

use super::names;
use crate::answer::{Claimed, Evidence, Explained};
use crate::event::Answered;
use crate::truth::Subformula;

/// The columns: the property; the number of the path among those of the property, a run having one; the number of the state
/// on the path; whether the step that leaves it belongs to the cycle; that step's transition and what it changes; and the atoms
/// that hold in the state.
const HEADER: [&str; 7] = [
    "property",
    "path",
    "state",
    "cycle",
    "transition",
    "changes",
    "holds",
];

/// Writes the header, and the rows of answers.
///
/// # Errors
/// When `out` cannot be written.
pub fn write_steps(answers: &[Answered<'_>], out: &mut impl Write) -> io::Result<()> {
    let mut out = csv::Writer::from_writer(out);
    out.write_record(HEADER)?;
    for answered in answers {
        write_rows(answered, &mut out)?;
    }
    out.flush()
}

fn write_rows<W: Write>(
    answered: &Answered<'_>,
    out: &mut csv::Writer<W>,
) -> Result<(), csv::Error> {
    let (Some(model), Some(evidence)) = (answered.model, &answered.answer.evidence) else {
        return Ok(());
    };
    let title = answered.title();
    let truth = answered.answer.truth.as_deref();
    let atoms = truth.map_or(&[][..], |truth| &truth.atoms);
    let mut rows = Rows {
        model,
        title: &title,
        paths: 0,
        out,
    };
    match evidence {
        Evidence::Run(run) => {
            let steps = run.stem.iter().chain(&run.cycle);
            let steps: Vec<&Step> = steps.collect();
            rows.write(&steps, Some(run.stem.len()), None, atoms)
        }
        Evidence::Prefix(path) | Evidence::Path(path) => {
            let Some((last, steps)) = path.split_last() else {
                return Ok(());
            };
            let steps: Vec<&Step> = steps.iter().collect();
            rows.write(&steps, None, Some(&last.state), atoms)
        }
        Evidence::Explanation(explained) => rows.claim(explained, &explained.explanation),
    }
}

struct Rows<'a, W: Write> {
    model: &'a Model,
    title: &'a str,
    paths: usize,
    out: &'a mut csv::Writer<W>,
}

impl<W: Write> Rows<'_, W> {
    fn claim(&mut self, explained: &Explained, e: &Explanation<Claimed>) -> Result<(), csv::Error> {
        match &e.reason {
            Reason::Operands(list) => list.iter().try_for_each(|e| self.claim(explained, e)),
            Reason::Path(path) => {
                self.path(explained, path)?;
                let mut facts = path.facts.iter();
                facts.try_for_each(|(_, fact)| self.claim(explained, fact))
            }
            _ => Ok(()),
        }
    }

    fn path(&mut self, explained: &Explained, path: &Path<Claimed>) -> Result<(), csv::Error> {
        let atoms = explained.atoms_along(self.model, path);
        let steps: Vec<&Step> = path.steps.iter().collect();
        match &path.end {
            End::Back(sign) => self.write(&steps, Some(*sign), None, &atoms),
            End::Open(last) => self.write(&steps, None, Some(last), &atoms),
        }
    }

    /// Writes a path that goes back to a position, or that ends in a state.
    fn write(
        &mut self,
        steps: &[&Step],
        sign: Option<usize>,
        last: Option<&[u32]>,
        atoms: &[Subformula],
    ) -> Result<(), csv::Error> {
        for (position, step) in steps.iter().enumerate() {
            let back = sign.and_then(|sign| steps.get(sign)).map(|s| &s.state[..]);
            let next = steps.get(position + 1).map(|s| &s.state[..]);
            let next = next.or(last).or(back).unwrap_or(&step.state);
            let (_, changes) = names::step(self.model, step, next);
            let transition = step
                .group
                .map_or("", |g: GroupId| self.model.group(g).name());
            let cycle = sign.is_some_and(|sign| position >= sign);
            self.row(position, cycle, transition, &changes, atoms)?;
        }
        if last.is_some() {
            self.row(steps.len(), false, "", "", atoms)?;
        }
        self.paths += 1;
        Ok(())
    }

    fn row(
        &mut self,
        position: usize,
        cycle: bool,
        transition: &str,
        changes: &str,
        atoms: &[Subformula],
    ) -> Result<(), csv::Error> {
        let holding = atoms
            .iter()
            .filter(|atom| atom.values.get(position) == Some(&Some(true)))
            .map(|atom| &atom.formula[..]);
        let holding: Vec<&str> = holding.collect();
        let (path, state) = (self.paths.to_string(), position.to_string());
        let cycle = if cycle { "true" } else { "false" };
        let holding = holding.join("; ");
        self.out.write_record([
            self.title, &path, &state, cycle, transition, changes, &holding,
        ])
    }
}
