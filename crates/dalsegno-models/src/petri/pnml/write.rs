//! Writing place/transition nets as PNML.

use std::fmt::{self, Write as _};
use std::io::{self, Write};

use crate::petri::graphics::{ArcRole, Position};
use crate::petri::net::{Arcs, PetriNet, PlaceId, TransitionId};
use crate::petri::nupn::Nupn;

/// Writes a net so that [`parse`](super::parse) reads the same net back, as long as no name has
/// blanks at its ends.
///
/// Units are left out if they hold a place with blanks in its identifier: the format cannot name it.
/// Inhibitor and test arcs are written with an element `<type value="…"/>`; arcs are numbered.
///
/// # Errors
/// What `out` fails with.
pub fn write(net: &PetriNet, mut out: impl Write) -> io::Result<()> {
    let name = Escaped(net.name());
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(
        out,
        "<pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\">"
    )?;
    writeln!(
        out,
        " <net id=\"{name}\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\">"
    )?;
    writeln!(out, "  <name><text>{name}</text></name>")?;
    writeln!(out, "  <page id=\"{}\">", fresh_prefix(net, "page"))?;
    let graphics = net.graphics();
    for (i, place) in (0..).zip(net.places()) {
        write!(out, "   <place id=\"{}\">", Escaped(&place.id))?;
        write_name(&mut out, &place.id, &place.name)?;
        let at = graphics.and_then(|g| g.place(PlaceId(i)));
        write_points(&mut out, at.as_slice())?;
        if place.initial > 0 {
            let initial = place.initial;
            write!(
                out,
                "<initialMarking><text>{initial}</text></initialMarking>"
            )?;
        }
        writeln!(out, "</place>")?;
    }
    for (i, t) in (0..).zip(net.transitions()) {
        write!(out, "   <transition id=\"{}\">", Escaped(&t.id))?;
        write_name(&mut out, &t.id, &t.name)?;
        let at = graphics.and_then(|g| g.transition(TransitionId(i)));
        write_points(&mut out, at.as_slice())?;
        writeln!(out, "</transition>")?;
    }
    let mut arcs = ArcWriter {
        net,
        prefix: fresh_prefix(net, "arc"),
        count: 0,
        out: &mut out,
    };
    for (i, t) in (0..).map(TransitionId).zip(net.transitions()) {
        arcs.list(i, &t.pre, ArcRole::Take)?;
        arcs.list(i, &t.test, ArcRole::Test)?;
        arcs.list(i, &t.inhibit, ArcRole::Inhibit)?;
        arcs.list(i, &t.post, ArcRole::Put)?;
    }
    writeln!(out, "  </page>")?;
    // The list of a unit's places has blanks between them.
    let nameable = |nupn: &&Nupn| {
        let mut places = nupn.units.iter().flat_map(|unit| &unit.places);
        places.all(|p| !net.places()[p.index()].id.contains(char::is_whitespace))
    };
    if let Some(nupn) = net.nupn().filter(nameable) {
        write_nupn(&mut out, net, nupn)?;
    }
    writeln!(out, " </net>")?;
    writeln!(out, "</pnml>")
}

struct ArcWriter<'a, W> {
    net: &'a PetriNet,
    prefix: String,
    count: usize,
    out: &'a mut W,
}

impl<W: Write> ArcWriter<'_, W> {
    fn list(&mut self, t: TransitionId, arcs: &Arcs, role: ArcRole) -> io::Result<()> {
        let transition = self.net.transitions()[t.index()].id.as_str();
        for &(p, weight) in arcs {
            let place = self.net.places()[p.index()].id.as_str();
            let (source, target) = match role {
                ArcRole::Put => (transition, place),
                _ => (place, transition),
            };
            write!(
                self.out,
                "   <arc id=\"{}{}\" source=\"{}\" target=\"{}\">",
                self.prefix,
                self.count,
                Escaped(source),
                Escaped(target)
            )?;
            self.count += 1;
            if weight != 1 {
                write!(self.out, "<inscription><text>{weight}</text></inscription>")?;
            }
            write_kind(self.out, role)?;
            let bends = self.net.graphics().map(|g| g.bends(t, p, role));
            write_points(self.out, bends.unwrap_or(&[]))?;
            writeln!(self.out, "</arc>")?;
        }
        Ok(())
    }
}

/// The kind of an arc, if it is not a normal one.
pub(super) fn write_kind(out: &mut impl Write, role: ArcRole) -> io::Result<()> {
    match role {
        ArcRole::Take | ArcRole::Put => Ok(()),
        ArcRole::Test => write!(out, "<type value=\"test\"/>"),
        ArcRole::Inhibit => write!(out, "<type value=\"inhibitor\"/>"),
    }
}

/// Positions as `<graphics>`, if there are some.
pub(super) fn write_points(out: &mut impl Write, points: &[Position]) -> io::Result<()> {
    if points.is_empty() {
        return Ok(());
    }
    write!(out, "<graphics>")?;
    for point in points {
        write!(out, "<position {point}/>")?;
    }
    write!(out, "</graphics>")
}

pub(super) fn write_name(out: &mut impl Write, id: &str, name: &str) -> io::Result<()> {
    if name == id {
        return Ok(());
    }
    write!(out, "<name><text>{}</text></name>", Escaped(name))
}

fn write_nupn(out: &mut impl Write, net: &PetriNet, nupn: &Nupn) -> io::Result<()> {
    writeln!(out, "  <toolspecific tool=\"nupn\" version=\"1.1\">")?;
    writeln!(
        out,
        "   <size places=\"{}\" transitions=\"{}\" arcs=\"{}\"/>",
        net.places().len(),
        net.transitions().len(),
        net.arc_count()
    )?;
    writeln!(
        out,
        "   <structure units=\"{}\" root=\"{}\" safe=\"{}\">",
        nupn.units.len(),
        Escaped(&nupn.units[nupn.root].id),
        nupn.safe
    )?;
    for unit in &nupn.units {
        let ids = unit
            .places
            .iter()
            .map(|p| net.places()[p.index()].id.as_str());
        let units = unit.subunits.iter().map(|&u| nupn.units[u].id.as_str());
        writeln!(
            out,
            "    <unit id=\"{}\"><places>{}</places><subunits>{}</subunits></unit>",
            Escaped(&unit.id),
            Escaped(&ids.collect::<Vec<_>>().join(" ")),
            Escaped(&units.collect::<Vec<_>>().join(" "))
        )?;
    }
    writeln!(out, "   </structure>")?;
    writeln!(out, "  </toolspecific>")
}

/// A beginning of identifiers that no node has.
fn fresh_prefix(net: &PetriNet, wish: &str) -> String {
    let mut prefix = wish.to_owned();
    let ids = || {
        let places = net.places().iter().map(|p| &p.id);
        places.chain(net.transitions().iter().map(|t| &t.id))
    };
    while ids().any(|id| id.starts_with(&prefix)) {
        prefix.push('_');
    }
    prefix
}

/// Text with everything escaped that XML could read in another way.
pub(super) struct Escaped<'a>(pub(super) &'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&apos;")?,
                c if c.is_control() => write!(f, "&#{};", u32::from(c))?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::petri::pnml::parse;
    use crate::petri::{Graphics, Place, Transition, Unit};

    #[test]
    fn what_is_written_is_read_back() {
        let place = |id: &str, name: &str, initial| Place {
            id: id.to_owned(),
            name: name.to_owned(),
            initial,
        };
        let places = vec![
            place("arc0", "a <b> & 'c' \"d\"", 7),
            place("p\n1", "p\n1", 0),
            place("é", "", u32::MAX),
        ];
        let [p, q, r] = [0, 1, 2].map(PlaceId);
        let t = Transition {
            id: "page".to_owned(),
            name: "t".to_owned(),
            pre: vec![(p, 1), (q, 3)],
            post: vec![(q, u32::MAX), (r, 1)],
            inhibit: vec![(p, 0), (r, 2)],
            test: vec![(r, 1)],
        };
        let unit = |id: &str, places: &[PlaceId], subunits: &[usize]| Unit {
            id: id.to_owned(),
            places: places.to_vec(),
            subunits: subunits.to_vec(),
        };
        let nupn = Nupn {
            units: vec![unit("in", &[r], &[]), unit("out", &[p], &[0])],
            root: 1,
            safe: true,
        };
        let at = |x, y| Position::new(x, y).unwrap();
        let mut graphics = Graphics::default();
        graphics.set_place(q, at(-1.5, 1e6));
        graphics.set_transition(TransitionId(0), at(0.0, 12.34));
        graphics.set_bends(
            TransitionId(0),
            r,
            ArcRole::Put,
            vec![at(3.0, 4.0), at(5.0, 6.0)],
        );
        graphics.set_bends(TransitionId(0), r, ArcRole::Test, vec![at(7.0, 8.0)]);
        let net = PetriNet::new("n & m", places, vec![t], Some(nupn)).unwrap();
        let net = net.with_graphics(graphics);
        assert!(net.graphics().is_some());
        let mut text = Vec::new();
        write(&net, &mut text).unwrap();
        assert_eq!(parse(&text).unwrap(), net);
    }
}
