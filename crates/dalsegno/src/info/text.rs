//! What there is to know of a model, as text.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::net::{Siphon, Structure, Transition, UnitSafety, Weighted};
use super::{Info, List, ModelKind};

/// The nodes of an arc list, an invariant or a siphon that are shown.
const NODES: usize = 12;

/// The rules of a reduction that are shown.
const RULES: usize = 3;

/// The width of names.
const WIDTH: usize = 24;

impl Info {
    /// Writes everything for people.
    ///
    /// # Errors
    /// If `out` cannot be written.
    pub fn write_text(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "{}: {}", self.model, self.headline())?;
        if let Some(pattern) = &self.pattern {
            writeln!(out, "shown: what matches `{pattern}`")?;
        }
        self.write_initial(out)?;
        self.write_nodes(out)?;
        if self.matches_nothing() {
            writeln!(out, "nothing has such a name")?;
        }
        if let Some(unfolding) = &self.unfolding {
            match (unfolding.places, unfolding.transitions, unfolding.arcs) {
                (Some(places), Some(transitions), Some(arcs)) => writeln!(
                    out,
                    "unfolded net: {places} places, {transitions} transitions, {arcs} arcs"
                )?,
                _ => writeln!(
                    out,
                    "unfolded net: at most {} places and {} transitions",
                    unfolding.most_places, unfolding.most_transitions
                )?,
            }
            if let (Some(places), Some(transitions)) =
                (unfolding.quotient_places, unfolding.quotient_transitions)
            {
                writeln!(
                    out,
                    "merged colours: {places} places, {transitions} transitions"
                )?;
            }
        }
        if let Some(structure) = &self.structure {
            write_structure(structure, self.places.as_ref().map_or(0, |p| p.total), out)?;
        }
        self.write_reductions(out)?;
        for fact in &self.difficulties {
            writeln!(out, "hard: {fact}")?;
        }
        for left in &self.not_computed {
            writeln!(out, "not computed: {}: {}", left.what, left.why)?;
        }
        Ok(())
    }

    /// What reductions leave; of no interest to whoever looks for names.
    fn write_reductions(&self, out: &mut impl Write) -> io::Result<()> {
        if self.reductions.is_empty() || self.pattern.is_some() {
            return Ok(());
        }
        writeln!(out, "reductions leave, for questions that need")?;
        for left in &self.reductions {
            let observed = left.observed.as_ref();
            let observed = observed.map_or(String::new(), |p| format!(" if `{p}` is observed"));
            let mut rules: Vec<_> = left.rules.iter().collect();
            rules.sort_by_key(|applied| std::cmp::Reverse(applied.count));
            let rules = rules.iter().take(RULES);
            let rules = rules.map(|a| format!("{} {}", a.rule, a.count));
            let rules = rules.collect::<Vec<_>>().join(", ");
            let by = if rules.is_empty() { "" } else { ": " };
            let (places, transitions) = (left.places, left.transitions);
            let counts = format!("{places} places, {transitions} transitions");
            line(out, left.kept, &format!("{counts}{observed}{by}{rules}"))?;
        }
        Ok(())
    }

    /// Whether a pattern matches no name.
    fn matches_nothing(&self) -> bool {
        fn none<T>(list: Option<&List<T>>) -> bool {
            list.is_none_or(|list| list.matching == 0)
        }
        self.pattern.is_some()
            && none(self.places.as_ref())
            && none(self.variables.as_ref())
            && none(Some(&self.transitions))
            && none(self.sorts.as_ref())
            && none(self.units.as_ref())
            && none(self.labels.as_ref())
            && none(Some(&self.initial))
    }

    fn headline(&self) -> String {
        let kind = match self.kind {
            ModelKind::Net => "place/transition net",
            ModelKind::ColouredNet => "coloured net",
            ModelKind::Program => "program (DVE)",
            ModelKind::Tables => "tables (ETF)",
        };
        let counts = [
            (self.places.as_ref().map(|l| l.total), "places"),
            (self.variables.as_ref().map(|l| l.total), "variables"),
            (Some(self.transitions.total), "transitions"),
            (self.arcs, "arcs"),
            (self.sorts.as_ref().map(|l| l.total), "sorts"),
            (self.units.as_ref().map(|l| l.total), "units"),
            (self.labels.as_ref().map(|l| l.total), "labels"),
        ];
        let mut text = kind.to_owned();
        for (count, noun) in counts {
            if let Some(count) = count {
                let _ = write!(text, ", {count} {noun}");
            }
        }
        text
    }

    fn write_initial(&self, out: &mut impl Write) -> io::Result<()> {
        heading(out, "initial state, without what is 0", &self.initial)?;
        for initial in &self.initial.shown {
            writeln!(out, "  {} = {}", initial.name, initial.value)?;
        }
        more(out, &self.initial)
    }

    fn write_nodes(&self, out: &mut impl Write) -> io::Result<()> {
        if let Some(sorts) = &self.sorts {
            heading(out, "sorts", sorts)?;
            for sort in &sorts.shown {
                let (open, close, cut) = match sort.kind {
                    "product" => (" of ", "", false),
                    "dot" => ("", "", false),
                    _ => (": ", "", (sort.shown.len() as u64) < sort.colours),
                };
                let shown = sort.shown.join(", ");
                let cut = if cut { ", ..." } else { "" };
                line(
                    out,
                    &sort.name,
                    &format!(
                        "{}, {} colours{open}{shown}{cut}{close}",
                        sort.kind, sort.colours
                    ),
                )?;
            }
            more(out, sorts)?;
        }
        if let Some(places) = &self.places {
            heading(out, "places", places)?;
            for place in &places.shown {
                let mut parts = Vec::new();
                if place.name != place.id {
                    parts.push(format!("\"{}\"", place.name));
                }
                parts.extend(place.sort.as_ref().map(|sort| format!("sort {sort}")));
                if let Some(initial @ 1..) = place.initial {
                    parts.push(format!("initially {initial}"));
                }
                parts.extend(place.bound.map(|bound| format!("at most {bound}")));
                let promised = place
                    .promised
                    .map(|bound| format!("promised: at most {bound}"));
                parts.extend(promised);
                line(out, &place.id, &parts.join(", "))?;
            }
            more(out, places)?;
        }
        if let Some(variables) = &self.variables {
            heading(out, "variables", variables)?;
            for variable in &variables.shown {
                let range = match (variable.least, variable.most) {
                    (Some(least), Some(most)) => format!("{least} to {most}"),
                    (Some(least), None) => format!("from {least}"),
                    _ if self.kind == ModelKind::Program => {
                        format!("locations {}", short(&variable.values))
                    }
                    _ => format!("values {}", short(&variable.values)),
                };
                line(
                    out,
                    &variable.name,
                    &format!("initially {}, {range}", variable.initial),
                )?;
            }
            more(out, variables)?;
        }
        if let Some(labels) = &self.labels {
            heading(out, "labels", labels)?;
            for label in &labels.shown {
                line(
                    out,
                    &label.name,
                    &format!("values {}", short(&label.values)),
                )?;
            }
            more(out, labels)?;
        }
        heading(out, "transitions", &self.transitions)?;
        for transition in &self.transitions.shown {
            line(out, &transition.id, &describe(transition))?;
        }
        more(out, &self.transitions)?;
        if let Some(units) = &self.units {
            heading(out, "units", units)?;
            for unit in &units.shown {
                line(
                    out,
                    &unit.id,
                    &format!("{} places, {} subunits", unit.places, unit.subunits),
                )?;
            }
            more(out, units)?;
        }
        Ok(())
    }
}

fn describe(transition: &Transition) -> String {
    let mut parts = Vec::new();
    if transition.name != transition.id {
        parts.push(format!("\"{}\"", transition.name));
    }
    if !transition.variables.is_empty() {
        parts.push(format!("({})", transition.variables.join(", ")));
    }
    if !(transition.takes.is_empty() && transition.puts.is_empty()) {
        parts.push(format!(
            "{} -> {}",
            sum(&transition.takes),
            sum(&transition.puts)
        ));
    }
    for (what, arcs) in [
        ("needs", &transition.tests),
        ("below", &transition.inhibitors),
    ] {
        if !arcs.is_empty() {
            parts.push(format!("{what} {}", sum(arcs)));
        }
    }
    for (what, variables) in [("reads", &transition.reads), ("writes", &transition.writes)] {
        if !variables.is_empty() {
            parts.push(format!("{what} {}", short(variables)));
        }
    }
    if transition.never_fires {
        parts.push("never fires".to_owned());
    }
    parts.join("; ")
}

fn write_structure(structure: &Structure, places: usize, out: &mut impl Write) -> io::Result<()> {
    if structure.without_colours {
        writeln!(out, "of the numbers of tokens, whatever their colours:")?;
    }
    let bounds = &structure.bounds;
    let largest = bounds
        .largest
        .map_or(String::new(), |n| format!(", the largest is {n}"));
    writeln!(
        out,
        "proved bounds: {} of {places} places{largest}",
        bounds.proved
    )?;
    if bounds.promised > 0 {
        writeln!(
            out,
            "promised by the file, not proved: at most 1 token in {} places",
            bounds.promised
        )?;
    }
    match structure.unit_safety {
        Some(UnitSafety::Proved) => writeln!(out, "units: proved to be safe")?,
        Some(UnitSafety::Promised) => writeln!(out, "units: said to be safe, not proved")?,
        Some(UnitSafety::Unknown) => writeln!(out, "units: not said to be safe")?,
        None => {}
    }
    if let Some(place) = &structure.unbounded {
        writeln!(out, "unbounded: `{place}` can get any number of tokens")?;
    }
    for (title, list) in [
        ("places that are never marked", &structure.never_marked),
        ("transitions that never fire", &structure.never_fire),
    ] {
        if list.total > 0 {
            heading(out, title, list)?;
            for name in &list.shown {
                writeln!(out, "  {name}")?;
            }
            more(out, list)?;
        }
    }
    let list = &structure.place_invariants;
    heading(out, "place invariants", list)?;
    for invariant in &list.shown {
        writeln!(out, "  {} = {}", sum(&invariant.places), invariant.value)?;
    }
    more(out, list)?;
    if let Some(list) = &structure.transition_invariants {
        heading(
            out,
            "transition invariants (firing so often changes nothing)",
            list,
        )?;
        for firings in &list.shown {
            writeln!(out, "  {}", sum(firings))?;
        }
        more(out, list)?;
    }
    for (title, list) in [
        ("siphons (once empty, always empty)", &structure.siphons),
        ("traps (once marked, always marked)", &structure.traps),
    ] {
        heading(out, title, list)?;
        for siphon in &list.shown {
            writeln!(out, "  {{{}}} {}", short(&siphon.places), state(siphon))?;
        }
        more(out, list)?;
    }
    Ok(())
}

fn state(siphon: &Siphon) -> &'static str {
    match (siphon.marked, siphon.never_empty) {
        (_, Some(true)) => "never empty",
        (true, _) => "marked in the beginning",
        (false, _) => "empty in the beginning",
    }
}

/// The title of a list; where nothing of it matches a pattern, it is not worth a line.
fn heading<T>(out: &mut impl Write, title: &str, list: &List<T>) -> io::Result<()> {
    match list.matching {
        0 if list.total > 0 => Ok(()),
        all if all == list.total => writeln!(out, "{title}: {all}"),
        some => writeln!(out, "{title}: {some} of {}", list.total),
    }
}

fn more<T>(out: &mut impl Write, list: &List<T>) -> io::Result<()> {
    match list.matching - list.shown.len() {
        0 => Ok(()),
        left => writeln!(out, "  ... and {left} more"),
    }
}

fn line(out: &mut impl Write, name: &str, text: &str) -> io::Result<()> {
    let line = format!("  {name:<WIDTH$} {text}");
    writeln!(out, "{}", line.trim_end())
}

/// A weighted sum, shortened.
fn sum(nodes: &[Weighted]) -> String {
    if nodes.is_empty() {
        return "nothing".to_owned();
    }
    let term = |node: &Weighted| match node.weight {
        1 => node.id.clone(),
        weight => format!("{weight}*{}", node.id),
    };
    let mut text: Vec<String> = nodes.iter().take(NODES).map(term).collect();
    if nodes.len() > NODES {
        text.push(format!("... ({} in all)", nodes.len()));
    }
    text.join(" + ")
}

/// Names, shortened.
fn short(names: &[String]) -> String {
    let mut text = names[..names.len().min(NODES)].join(", ");
    if names.len() > NODES {
        let _ = write!(text, ", ... ({} in all)", names.len());
    }
    text
}
