//! Answers for a reader.

use std::io::{self, Write};

use dalsegno_kripke::{Model, Stop};

use super::explanation::Tree;
use super::names;
use super::trace::{Shows, Style, write_path, write_run};
use crate::answer::{Cost, Evidence, Value};
use crate::event::Answered;
use crate::fair::Fair;

/// Writes an answer; with `stats`, what it took.
///
/// # Errors
/// When `out` cannot be written.
pub fn write_text(
    answered: &Answered<'_>,
    stats: bool,
    style: Style,
    out: &mut impl Write,
) -> io::Result<()> {
    let (answer, title) = (answered.answer, answered.title());
    match &answer.value {
        Value::Truth(holds) => {
            let verdict = if *holds { "holds" } else { "fails" };
            let fairness = fair_runs(answered.fairness);
            writeln!(out, "{verdict}{fairness}: {title}")?;
        }
        Value::Bound(Some(most)) => writeln!(out, "at most {most}: {title}")?,
        Value::Bound(None) => writeln!(out, "unbounded: {title}")?,
        Value::Survey(survey) => {
            return match answered.model {
                Some(model) => survey.write_text(model, stats, out),
                None => Ok(()),
            };
        }
        Value::Unknown(stop) => match (answer.cost.growing, answered.model) {
            (Some(v), Some(model)) => {
                let name = &model.variables()[v].name;
                writeln!(out, "unknown ({stop}; {name} was still growing): {title}")?;
            }
            _ => write_unknown(&title, *stop, out)?,
        },
        // What is wrong has been said.
        Value::Error(_) => return Ok(()),
    }
    // What the numbers of tokens in a coloured net tell is known before there is a model to show states of.
    if let Some(model) = answered.model {
        write_evidence(answered, model, style, out)?;
    }
    match answer.proof.as_deref() {
        Some(Ok(proof)) => {
            let (size, how) = (proof.bytes.len(), proof.how);
            let of = if proof.unfolded {
                ", of the unfolded net: the unfolding is trusted"
            } else {
                ""
            };
            writeln!(out, "  proof: {size} bytes, checked ({how}){of}")?;
        }
        Some(Err(why)) => writeln!(out, "  not certified: {why}")?,
        None => {}
    }
    if stats {
        let shown = answer.shown().unwrap_or("none");
        if answer.holds().is_some() {
            writeln!(out, "  evidence: {shown}")?;
        }
        write_cost(answered, out)?;
    }
    Ok(())
}

/// Which runs a verdict is about, if not about all.
fn fair_runs(fairness: &[Fair]) -> String {
    let wishes: Vec<String> = fairness.iter().map(Fair::to_string).collect();
    match &wishes[..] {
        [] => String::new(),
        wishes => format!(" on fair runs ({})", wishes.join(", ")),
    }
}

fn write_evidence(
    answered: &Answered<'_>,
    model: &Model,
    style: Style,
    out: &mut impl Write,
) -> io::Result<()> {
    let answer = answered.answer;
    match &answered.answer.evidence {
        Some(Evidence::Run(run)) => write_run(model, run, answer, style, out)?,
        Some(Evidence::Prefix(path)) => {
            let shows = if answered.existential {
                Shows::Good
            } else {
                Shows::Bad
            };
            write_path(model, path, shows, answer, style, out)?;
        }
        Some(Evidence::Path(path)) => write_path(model, path, Shows::State, answer, style, out)?,
        Some(Evidence::Explanation(explained)) => {
            Tree::new(model, explained, style, out).write()?;
        }
        None => {}
    }
    if let Some(why) = answer.unshown {
        writeln!(out, "  no path is shown: {why}")?;
    }
    if let Some(satisfying) = &answered.answer.cost.satisfying {
        writeln!(out, "  satisfied in {} states", satisfying.count)?;
        for state in &satisfying.sample {
            writeln!(out, "    {}", names::state(model, state))?;
        }
    }
    Ok(())
}

/// Writes that nothing is known.
///
/// # Errors
/// When `out` cannot be written.
pub fn write_unknown(title: &str, stop: Stop, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "unknown ({stop}): {title}")
}

fn write_cost(answered: &Answered<'_>, out: &mut impl Write) -> io::Result<()> {
    let cost: &Cost = &answered.answer.cost;
    let seconds = cost.time.as_secs_f64();
    if let Some(by) = answered.answer.by {
        writeln!(out, "  method: {by}; {seconds:.3} s, {} bytes", cost.bytes)?;
    }
    if let Some(merging) = &cost.merging {
        writeln!(
            out,
            "  colours merged: {} of at most {} places and {} of at most {} transitions are left",
            merging.places,
            merging.places_at_most,
            merging.transitions,
            merging.transitions_at_most,
        )?;
    }
    if let Some(reduction) = &cost.reduction {
        let (places, transitions) = (reduction.places, reduction.transitions);
        let rules = reduction.rules.iter();
        let rules: Vec<String> = rules.map(|(rule, n)| format!("{rule} {n}")).collect();
        writeln!(
            out,
            "  reduced: {} of {} places and {} of {} transitions are left ({})",
            places.1,
            places.0,
            transitions.1,
            transitions.0,
            rules.join(", "),
        )?;
    }
    if let Some(a) = &cost.automaton {
        write!(
            out,
            "  automaton: {}{}, {} states",
            if a.lazy { "lazy " } else { "" },
            a.kind.name(),
            a.states,
        )?;
        if let (Some(edges), Some(transitions)) = (a.edges, a.transitions) {
            write!(out, ", {edges} edges, {transitions} transitions")?;
        }
        writeln!(
            out,
            ", {} acceptance sets, observes {}",
            a.acceptance_sets,
            a.propositions.join("; ")
        )?;
    }
    if let Some(d) = &cost.diagrams {
        writeln!(
            out,
            "  diagrams: {} pairs of automaton state and letter, {} nodes, {} at most, order {}; states {:.3} s, search {:.3} s, run {:.3} s",
            d.keys,
            d.nodes,
            d.peak_nodes,
            d.order,
            d.built.as_secs_f64(),
            d.search.as_secs_f64(),
            d.witness.as_secs_f64(),
        )?;
        if let Some(share) = d.stuttering {
            let percent = f64::from(share) / 10_000.0;
            writeln!(out, "  stuttering: {percent:.2} % of the transitions")?;
        }
    }
    let explored = &cost.explored;
    if explored.passes > 0 {
        writeln!(
            out,
            "  explored: {} states, {} transitions, {} pass{}",
            explored.states,
            explored.transitions,
            explored.passes,
            if explored.passes == 1 { "" } else { "es" },
        )?;
    }
    if explored.enabled > 0 {
        let (fired, enabled) = (explored.fired, explored.enabled);
        writeln!(
            out,
            "  stubborn sets: {fired} of {enabled} enabled groups fired"
        )?;
    }
    if let Some(product) = &cost.product {
        let (states, transitions) = (product.states, product.transitions);
        writeln!(out, "  product: {states} states, {transitions} transitions")?;
    }
    Ok(())
}
