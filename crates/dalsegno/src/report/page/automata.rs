//! Automata of a report, with their runs as lists of numbers.

use serde_json::{Value as Json, json};

use crate::automaton_run::Along;

/// An automaton with its run, or why it is not shown. Of a path that is cut after some states, the run is cut there, too.
pub(super) fn to_json(along: &Along, cut: Option<usize>) -> Json {
    let (kind, run) = along;
    let run = match run {
        Ok(run) => run,
        Err(why) => return json!({ "kind": kind.name(), "missing": why }),
    };
    let steps = &run.run.steps[..cut.unwrap_or(usize::MAX).min(run.run.steps.len())];
    let marks = |marks: dalsegno_automata::Marks| marks.iter().collect::<Vec<u32>>();
    let propositions = run.automaton["propositions"].as_array();
    let legend = run.legend.as_ref().zip(propositions);
    let legend: Option<Vec<Json>> = legend.map(|(letters, names)| {
        letters
            .iter()
            .zip(names)
            .map(|(l, n)| json!([l, n]))
            .collect()
    });
    json!({
        "kind": kind.name(),
        "automaton": run.automaton,
        "picture": run.picture.as_ref().map(|p| json!({ "svg": p.svg, "width": p.width, "height": p.height })),
        "legend": legend,
        "states": steps.iter().map(|s| s.state.index()).collect::<Vec<_>>(),
        "edges": steps.iter().map(|s| s.edge).collect::<Vec<_>>(),
        "marks": steps.iter().map(|s| marks(s.marks)).collect::<Vec<_>>(),
        "cycle": run.run.cycle.filter(|_| cut.is_none()),
    })
}
