//! Explanations of a report: claims that refer to paths by their numbers.

use dalsegno_kripke::explanation::{End, Explanation, Path, Reason};
use serde_json::{Value as Json, json};

use super::path::{Row, Shown};
use crate::answer::{Claimed, Explained};

/// The claims of an explanation; its paths are added to those that are shown. States are numbered from the initial one on; a path
/// from a state goes on with the number of that state.
pub(super) fn tree(shown: &mut Shown<'_>, explained: &Explained) -> Json {
    claim(shown, explained, &explained.explanation, 0)
}

fn claim(
    shown: &mut Shown<'_>,
    explained: &Explained,
    e: &Explanation<Claimed>,
    number: usize,
) -> Json {
    let (reason, path, below) = match &e.reason {
        Reason::State => ("state", None, Vec::new()),
        Reason::AllPaths => ("all paths", None, Vec::new()),
        Reason::Elsewhere => ("elsewhere", None, Vec::new()),
        Reason::Omitted => ("omitted", None, Vec::new()),
        Reason::Operands(list) => {
            let operands = list.iter().map(|e| claim(shown, explained, e, number));
            ("operands", None, operands.collect())
        }
        Reason::Path(path) => {
            let added = add(shown, explained, path, number);
            let facts = path.facts.iter();
            let facts = facts.map(|(at, fact)| claim(shown, explained, fact, number + at));
            ("path", Some(added), facts.collect())
        }
    };
    json!({
        "formula": e.formula.text,
        "holds": e.holds,
        "state": number,
        "reason": reason,
        "path": path,
        "claims": below,
    })
}

fn add(shown: &mut Shown<'_>, explained: &Explained, path: &Path<Claimed>, number: usize) -> usize {
    let steps: Vec<_> = path.steps.iter().collect();
    let atoms = explained.atoms_along(shown.model, path);
    let rows = Row::of_atoms(&atoms);
    let (end, cycle) = match &path.end {
        End::Open(state) => (Some(&state[..]), None),
        End::Back(sign) => (None, Some(*sign)),
    };
    let added = shown.add(&steps, end, cycle, &rows, &[]);
    shown.begins_at(number);
    added
}
