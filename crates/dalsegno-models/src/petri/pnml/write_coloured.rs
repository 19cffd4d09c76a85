//! Writing coloured nets as symmetric nets of PNML.

use std::io::{self, Write};

use dalsegno_kripke::Relation;

use super::split_variables::split_variables;
use super::write::{Escaped, write_kind, write_name, write_points};
use crate::petri::coloured::{
    ColouredArcs, ColouredNet, ColouredTransition, Factor, Guard, LeafId, Multiset, Part, Shifted,
    SortId, SortKind, Summand,
};
use crate::petri::graphics::ArcRole;
use crate::petri::net::{PlaceId, TransitionId};

/// Writes a coloured net so that [`parse_net`](super::parse_net) reads it back.
///
/// Symmetric nets have no term for a part of a tuple. A variable of a product sort of which a part is used
/// becomes several variables, one per part: `xy` becomes `xy_1` and `xy_2`.
///
/// # Errors
/// What `out` fails with; and if the net has a successor in a sort that is not cyclic, for which there is
/// no term.
pub fn write_coloured(net: &ColouredNet, mut out: impl Write) -> io::Result<()> {
    let net = &*split_variables(net);
    let name = Escaped(&net.name);
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    let namespace = "http://www.pnml.org/version-2009/grammar";
    writeln!(out, "<pnml xmlns=\"{namespace}/pnml\">")?;
    writeln!(
        out,
        " <net id=\"{name}\" type=\"{namespace}/symmetricnet\">"
    )?;
    writeln!(out, "  <name><text>{name}</text></name>")?;
    declarations(net, &mut out)?;
    writeln!(out, "  <page id=\"page\">")?;
    let writer = Writer { net };
    let graphics = net.graphics.as_deref();
    for (i, place) in (0..).zip(&net.places) {
        write!(out, "   <place id=\"{}\">", Escaped(&place.id))?;
        write_name(&mut out, &place.id, &place.name)?;
        let at = graphics.and_then(|g| g.place(PlaceId(i)));
        write_points(&mut out, at.as_slice())?;
        let sort = place.sort.0;
        write!(
            out,
            "<type><structure><usersort declaration=\"sort{sort}\"/></structure></type>"
        )?;
        if !place.initial.summands.is_empty() {
            let marking = writer.multiset(&place.initial)?;
            write!(
                out,
                "<hlinitialMarking><structure>{marking}</structure></hlinitialMarking>"
            )?;
        }
        writeln!(out, "</place>")?;
    }
    for (i, t) in (0..).zip(&net.transitions) {
        write!(out, "   <transition id=\"{}\">", Escaped(&t.id))?;
        write_name(&mut out, &t.id, &t.name)?;
        let at = graphics.and_then(|g| g.transition(TransitionId(i)));
        write_points(&mut out, at.as_slice())?;
        if let Some(condition) = writer.condition(t)? {
            write!(
                out,
                "<condition><structure>{condition}</structure></condition>"
            )?;
        }
        writeln!(out, "</transition>")?;
    }
    let mut count = 0;
    for (i, t) in (0..).map(TransitionId).zip(&net.transitions) {
        for (arcs, role) in [
            (&t.pre, ArcRole::Take),
            (&t.test, ArcRole::Test),
            (&t.inhibit, ArcRole::Inhibit),
            (&t.post, ArcRole::Put),
        ] {
            writer.arcs(i, arcs, role, &mut count, &mut out)?;
        }
    }
    writeln!(out, "  </page>\n </net>\n</pnml>")
}

fn declarations(net: &ColouredNet, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "  <declaration><structure><declarations>")?;
    for (i, sort) in net.sorts.all().iter().enumerate() {
        let name = Escaped(&sort.name);
        write!(out, "   <namedsort id=\"sort{i}\" name=\"{name}\">")?;
        match &sort.kind {
            SortKind::Dot => write!(out, "<dot/>")?,
            SortKind::Range { start, end } => {
                write!(out, "<finiteintrange start=\"{start}\" end=\"{end}\"/>")?;
            }
            SortKind::Enumeration { constants, cyclic } => {
                let element = if *cyclic {
                    "cyclicenumeration"
                } else {
                    "finiteenumeration"
                };
                write!(out, "<{element}>")?;
                for c in constants {
                    let (id, name) = (Escaped(&c.id), Escaped(&c.name));
                    write!(out, "<feconstant id=\"{id}\" name=\"{name}\"/>")?;
                }
                write!(out, "</{element}>")?;
            }
            SortKind::Product(parts) => {
                write!(out, "<productsort>")?;
                for part in parts {
                    write!(out, "<usersort declaration=\"sort{}\"/>", part.0)?;
                }
                write!(out, "</productsort>")?;
            }
        }
        writeln!(out, "</namedsort>")?;
    }
    let writer = Writer { net };
    for partition in &net.partitions {
        let (id, sort) = (Escaped(&partition.id), partition.sort);
        write!(out, "   <partition id=\"{id}\" name=\"{id}\">")?;
        write!(out, "<usersort declaration=\"sort{}\"/>", sort.0)?;
        for (class, colours) in &partition.classes {
            let class = Escaped(class);
            write!(out, "<partitionelement id=\"{class}\" name=\"{class}\">")?;
            for &colour in colours {
                write!(out, "{}", writer.constant(sort, colour))?;
            }
            write!(out, "</partitionelement>")?;
        }
        writeln!(out, "</partition>")?;
    }
    for v in &net.variables {
        let (id, name, sort) = (Escaped(&v.id), Escaped(&v.name), v.sort.0);
        writeln!(
            out,
            "   <variabledecl id=\"{id}\" name=\"{name}\"><usersort declaration=\"sort{sort}\"/></variabledecl>"
        )?;
    }
    writeln!(out, "  </declarations></structure></declaration>")
}

struct Writer<'a> {
    net: &'a ColouredNet,
}

impl Writer<'_> {
    fn arcs(
        &self,
        t: TransitionId,
        arcs: &ColouredArcs,
        role: ArcRole,
        count: &mut usize,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let transition = self.net.transitions[t.index()].id.as_str();
        for (p, term) in arcs {
            let place = self.net.places[p.index()].id.as_str();
            let (source, target) = match role {
                ArcRole::Put => (transition, place),
                _ => (place, transition),
            };
            write!(
                out,
                "   <arc id=\"arc{count}\" source=\"{}\" target=\"{}\">",
                Escaped(source),
                Escaped(target)
            )?;
            *count += 1;
            let term = self.multiset(term)?;
            write!(
                out,
                "<hlinscription><structure>{term}</structure></hlinscription>"
            )?;
            write_kind(out, role)?;
            let graphics = self.net.graphics.as_deref();
            let bends = graphics.map(|g| g.bends(t, *p, role));
            write_points(out, bends.unwrap_or(&[]))?;
            writeln!(out, "</arc>")?;
        }
        Ok(())
    }

    fn multiset(&self, multiset: &Multiset) -> io::Result<String> {
        let weighted = multiset.summands.iter().map(|summand| {
            let tuple = self.tuple(summand, multiset.sort)?;
            Ok((summand.coefficient, tuple))
        });
        Ok(sum(weighted.collect::<io::Result<_>>()?, multiset.sort))
    }

    /// A tuple without its coefficient. A variable of a product sort takes the place of its leaves.
    fn tuple(&self, summand: &Summand, sort: SortId) -> io::Result<String> {
        let leaves = self.net.sorts.leaves(sort);
        let mut terms: Vec<String> = Vec::new();
        let mut at = 0;
        while at < leaves.len() {
            if let Some((name, count)) = self.whole(&summand.factors[at..]) {
                terms.push(name);
                at += count;
                continue;
            }
            terms.push(self.factor(&summand.factors[at], leaves[at])?);
            at += 1;
        }
        Ok(match terms.len() {
            1 if leaves == [sort] || leaves.len() > 1 => terms.swap_remove(0),
            _ => element("tuple", &terms),
        })
    }

    /// A variable of a product sort, if the factors begin with its leaves, and how many those are.
    fn whole(&self, factors: &[Factor]) -> Option<(String, usize)> {
        let leaf = |factor: &Factor| match factor.as_slice() {
            [(Part::Variable { leaf, shift: 0 }, 1)] => Some(*leaf),
            _ => None,
        };
        let first = leaf(factors.first()?)?;
        let (Some(name), count @ 2..) = self.variable(first) else {
            return None;
        };
        let mut expected = (first.0..).map(LeafId);
        let own = factors.get(..count)?;
        own.iter()
            .all(|factor| leaf(factor) == expected.next())
            .then_some((name, count))
    }

    fn factor(&self, factor: &Factor, sort: SortId) -> io::Result<String> {
        let weighted = factor
            .iter()
            .map(|&(part, weight)| Ok((weight, self.part(part, sort)?)));
        let weighted = weighted.collect::<io::Result<Vec<(i64, String)>>>()?;
        Ok(match weighted.as_slice() {
            [(1, only)] => only.clone(),
            _ => sum(weighted, sort),
        })
    }

    fn part(&self, part: Part, sort: SortId) -> io::Result<String> {
        Ok(match part {
            Part::All => format!("<all><usersort declaration=\"sort{}\"/></all>", sort.0),
            Part::Constant(colour) => self.constant(sort, colour),
            Part::Variable { leaf, shift } => {
                let size = self.net.sorts.leaf_size(sort);
                self.moved(self.single(leaf)?.0, shift, size, sort)?
            }
        })
    }

    fn constant(&self, sort: SortId, colour: u32) -> String {
        match &self.net.sorts.get(sort).kind {
            SortKind::Enumeration { constants, .. } => {
                let id = Escaped(&constants[colour as usize].id);
                format!("<useroperator declaration=\"{id}\"/>")
            }
            SortKind::Range { start, end } => {
                let value = start + i64::from(colour);
                format!(
                    "<finiteintrangeconstant value=\"{value}\"><finiteintrange start=\"{start}\" end=\"{end}\"/></finiteintrangeconstant>"
                )
            }
            SortKind::Dot | SortKind::Product(_) => "<dotconstant/>".to_owned(),
        }
    }

    /// The variable that starts with this leaf, if one does, and how many leaves it has.
    fn variable(&self, leaf: LeafId) -> (Option<String>, usize) {
        let mut variables = self.net.variables.iter();
        match variables.find(|v| v.first_leaf == leaf) {
            Some(v) => {
                let term = format!("<variable refvariable=\"{}\"/>", Escaped(&v.id));
                (Some(term), self.net.sorts.leaves(v.sort).len())
            }
            None => (None, 0),
        }
    }

    /// The guard; variables of the transition that occur nowhere else are mentioned in it.
    fn condition(&self, t: &ColouredTransition) -> io::Result<Option<String>> {
        let mut mentioned = Vec::new();
        t.guard.leaves(&mut mentioned);
        let arcs = t.pre.iter().chain(&t.post).chain(&t.inhibit).chain(&t.test);
        mentioned.extend(arcs.flat_map(|(_, term)| term.leaves()));
        let mut conditions = Vec::new();
        for &v in &t.variables {
            let leaf = self.net.variables[v].first_leaf;
            if let (false, (Some(x), _)) = (mentioned.contains(&leaf), self.variable(leaf)) {
                conditions.push(element("equality", &[x.clone(), x]));
            }
        }
        if t.guard != Guard::TRUE {
            conditions.push(self.guard(&t.guard)?);
        }
        Ok(match conditions.len() {
            0 => None,
            1 => conditions.pop(),
            _ => Some(element("and", &conditions)),
        })
    }

    fn guard(&self, guard: &Guard) -> io::Result<String> {
        match guard {
            Guard::And(guards) | Guard::Or(guards) => {
                let conjunction = matches!(guard, Guard::And(_));
                if guards.is_empty() {
                    return Ok(format!("<booleanconstant value=\"{conjunction}\"/>"));
                }
                let guards = guards.iter().map(|g| self.guard(g));
                let guards = guards.collect::<io::Result<Vec<String>>>()?;
                Ok(element(if conjunction { "and" } else { "or" }, &guards))
            }
            Guard::Member(leaf, colours) => {
                let (x, sort) = self.single(*leaf)?;
                let compare =
                    |op, colour| element(relation(op), &[x.clone(), self.constant(sort, colour)]);
                let piece = |&(low, high): &(u32, u32)| {
                    if low == high {
                        return compare(Relation::Eq, low);
                    }
                    let ends = [compare(Relation::Ge, low), compare(Relation::Le, high)];
                    element("and", &ends)
                };
                let pieces: Vec<String> = colours.iter().map(piece).collect();
                Ok(match pieces.len() {
                    1 => pieces.concat(),
                    _ => element("or", &pieces),
                })
            }
            Guard::Compare(left, op, right) => {
                let side = |v: &Shifted| {
                    let (term, sort) = self.single(v.leaf)?;
                    self.moved(term, v.shift, v.size, sort)
                };
                let sides = [left, right].map(side).into_iter();
                let sides = sides.collect::<io::Result<Vec<String>>>()?;
                Ok(element(relation(*op), &sides))
            }
        }
    }

    /// A variable that is no tuple, and its sort.
    fn single(&self, leaf: LeafId) -> io::Result<(String, SortId)> {
        let mut variables = self.net.variables.iter();
        let found = variables.find(|v| v.first_leaf == leaf);
        match (found, self.variable(leaf)) {
            (Some(v), (Some(term), 1)) => Ok((term, self.net.sorts.leaves(v.sort)[0])),
            // Variables of which a part is used have been taken apart.
            _ => Err(io::Error::other("a variable of the net has no name")),
        }
    }

    /// A colour some places further on, the shorter way round.
    fn moved(&self, term: String, shift: u32, size: u32, sort: SortId) -> io::Result<String> {
        if shift == 0 {
            return Ok(term);
        }
        let sort = self.net.sorts.get(sort);
        if !matches!(sort.kind, SortKind::Enumeration { cyclic: true, .. }) {
            let message = format!(
                "the net uses successors in the sort `{}`, and symmetric nets have them in cyclic enumerations only",
                sort.name
            );
            return Err(io::Error::other(message));
        }
        let (name, times) = if shift <= size / 2 {
            ("successor", shift)
        } else {
            ("predecessor", size - shift)
        };
        Ok((0..times).fold(term, |term, _| element(name, &[term])))
    }
}

/// A weighted sum.
fn sum(weighted: Vec<(i64, String)>, sort: SortId) -> String {
    let term = |weight: u64, term: String| {
        let number = format!("<numberconstant value=\"{weight}\"><positive/></numberconstant>");
        element("numberof", &[number, term])
    };
    let (mut added, mut subtracted) = (Vec::new(), Vec::new());
    for (weight, text) in weighted {
        let list = if weight > 0 {
            &mut added
        } else {
            &mut subtracted
        };
        list.push(term(weight.unsigned_abs(), text));
    }
    let added = match added.len() {
        0 => format!("<empty><usersort declaration=\"sort{}\"/></empty>", sort.0),
        1 => added.concat(),
        _ => element("add", &added),
    };
    if subtracted.is_empty() {
        return added;
    }
    subtracted.insert(0, added);
    element("subtract", &subtracted)
}

fn element(name: &str, operands: &[String]) -> String {
    let operands: Vec<String> = operands
        .iter()
        .map(|o| format!("<subterm>{o}</subterm>"))
        .collect();
    format!("<{name}>{}</{name}>", operands.concat())
}

fn relation(op: Relation) -> &'static str {
    match op {
        Relation::Eq => "equality",
        Relation::Ne => "inequality",
        Relation::Lt => "lessthan",
        Relation::Le => "lessthanorequal",
        Relation::Gt => "greaterthan",
        Relation::Ge => "greaterthanorequal",
    }
}
