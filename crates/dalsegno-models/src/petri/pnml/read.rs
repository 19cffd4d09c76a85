//! The pass over the text, and what is put together after it.

use std::borrow::Cow;
use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;

use super::Net;
use super::coloured::{self, ColouredArc, Labels, List};
use super::error::{ErrorKind, Located};
use super::graphics;
use super::nupn::{self, Draft};
use super::tree::Tree;
use crate::petri::graphics::{Graphics, Position};
use crate::petri::net::{PetriNet, Place, PlaceId, Transition, TransitionId};
use crate::xml::{Cursor, Element, Step};

type Result<T> = std::result::Result<T, Located>;

/// About the bytes that a node or an arc takes beside itself: its place in a table.
const NODE: usize = 64;

/// Arcs between two looks at the budget.
const WATCH: usize = 1 << 16;

/// What an identifier stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Node {
    Place(u32),
    Transition(u32),
    /// A position in [`Reader::references`].
    Reference(usize),
    Arc,
}

struct Reference<'a> {
    id: Cow<'a, str>,
    to: Cow<'a, str>,
    to_place: bool,
    offset: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ArcKind {
    Normal,
    Inhibitor,
    Test,
}

struct RawArc<'a> {
    source: Cow<'a, str>,
    target: Cow<'a, str>,
    weight: u32,
    kind: ArcKind,
    term: Option<Tree>,
    bends: Vec<Position>,
    offset: usize,
}

#[derive(Default)]
struct Reader<'a> {
    name: Option<String>,
    places: Vec<Place>,
    transitions: Vec<Transition>,
    nodes: FxHashMap<Cow<'a, str>, Node>,
    references: Vec<Reference<'a>>,
    arcs: Vec<RawArc<'a>>,
    nupn: Option<Draft>,
    labels: Labels<'a>,
    graphics: Graphics,
    /// Whether coloured nets are wanted.
    colours: bool,
    coloured: bool,
}

/// Reads a whole document; a coloured net only if that is wanted.
pub(super) fn document(cursor: &mut Cursor<'_>, colours: bool) -> Result<Net> {
    match cursor.step()? {
        Step::Open(element) if element.name == "pnml" => {}
        Step::Open(element) => {
            let kind = ErrorKind::NotPnml(element.name.to_owned());
            return Err(Located::new(element.offset, kind));
        }
        Step::Close | Step::End => return Err(Located::new(cursor.offset(), ErrorKind::NoNet)),
    }
    let mut net = None;
    loop {
        match cursor.step()? {
            Step::Open(element) if element.name == "net" => {
                if net.is_some() {
                    return Err(Located::new(element.offset, ErrorKind::SeveralNets));
                }
                net = Some(read_net(cursor, element, colours)?);
            }
            Step::Open(_) => cursor.skip()?,
            Step::Close | Step::End => {
                let missing = Located::new(cursor.offset(), ErrorKind::NoNet);
                cursor.end()?;
                return net.ok_or(missing);
            }
        }
    }
}

fn read_net<'a>(cursor: &mut Cursor<'a>, element: Element<'a>, colours: bool) -> Result<Net> {
    let mut reader = Reader {
        colours,
        ..Reader::default()
    };
    if let Some(kind) = element.attribute("type")? {
        let lower = kind.to_ascii_lowercase();
        let coloured = ["symmetricnet", "highlevel", "hlpn", "coloured", "colored"];
        if coloured.iter().any(|word| lower.contains(word)) {
            reader.colour(element, || format!("its type is {kind}"))?;
        }
    }
    reader.body(cursor, element)?;
    cursor.check()?;
    let id = element.attribute("id")?.unwrap_or_default();
    reader.finish(&id, element.offset, cursor)
}

impl<'a> Reader<'a> {
    /// Reads up to the end of the net. Pages only count their depth.
    fn body(&mut self, cursor: &mut Cursor<'a>, net: Element<'a>) -> Result<()> {
        let mut pages = 0_usize;
        let mut parts = Parts::of(net);
        loop {
            match cursor.step()? {
                Step::Open(element) => match element.name {
                    "page" => pages += 1,
                    "place" => self.place(cursor, element)?,
                    "transition" => self.transition(cursor, element)?,
                    "arc" => self.arc(cursor, element)?,
                    "referencePlace" => self.reference(cursor, element, true)?,
                    "referenceTransition" => self.reference(cursor, element, false)?,
                    "declaration" => {
                        let strict = self.coloured;
                        if let Some(tree) =
                            self.labels.trees.label(cursor, "declaration", strict)?
                        {
                            self.has(element)?;
                            self.labels.declarations.push(tree);
                        }
                    }
                    "name" if pages == 0 => {
                        parts.once(element)?;
                        self.name = name(cursor, element)?;
                    }
                    "toolspecific" if element.attribute("tool")?.as_deref() == Some("nupn") => {
                        if let Some(draft) = nupn::read(cursor)?
                            && self.nupn.replace(draft).is_some()
                        {
                            return Err(repeated(net, "structure", element.offset));
                        }
                    }
                    _ => cursor.skip()?,
                },
                Step::Close if pages > 0 => pages -= 1,
                Step::Close | Step::End => return Ok(()),
            }
        }
    }

    fn place(&mut self, cursor: &mut Cursor<'a>, element: Element<'a>) -> Result<()> {
        let id = self.declare(element, Node::Place(self.places.len() as u32))?;
        let (mut named, mut initial) = (None, 0);
        let mut parts = Parts::of(element);
        while let Step::Open(child) = cursor.step()? {
            parts.once(child)?;
            match child.name {
                "name" => named = name(cursor, child)?,
                "initialMarking" => {
                    let text = label(cursor, child)?.unwrap_or_default();
                    initial = number("marking", &text, child.offset)?.unwrap_or(0);
                }
                "type" => {
                    let strict = self.coloured;
                    if let Some(tree) = self.labels.trees.label(cursor, "type", strict)? {
                        self.has(child)?;
                        self.labels.types.push((self.places.len(), tree));
                    }
                }
                "hlinitialMarking" => {
                    self.has(child)?;
                    if let Some(tree) = self.labels.trees.label(cursor, "hlinitialMarking", true)? {
                        self.labels.markings.push((self.places.len(), tree));
                    }
                }
                "graphics" => {
                    if let Some(at) = graphics::node(cursor)? {
                        let place = PlaceId(self.places.len() as u32);
                        self.graphics.set_place(place, at);
                        cursor.hold(graphics::BYTES);
                    }
                }
                _ => cursor.skip()?,
            }
        }
        cursor.hold(size_of::<Place>() + 4 * id.len() + NODE);
        self.places.push(Place {
            name: named.unwrap_or_else(|| id.clone()),
            id,
            initial,
        });
        Ok(())
    }

    fn transition(&mut self, cursor: &mut Cursor<'a>, element: Element<'a>) -> Result<()> {
        let id = self.declare(element, Node::Transition(self.transitions.len() as u32))?;
        let mut named = None;
        let mut parts = Parts::of(element);
        while let Step::Open(child) = cursor.step()? {
            parts.once(child)?;
            match child.name {
                "name" => named = name(cursor, child)?,
                "condition" => {
                    if let Some(tree) = self.labels.trees.label(cursor, "condition", true)? {
                        self.has(child)?;
                        self.labels.conditions.push((self.transitions.len(), tree));
                    }
                }
                "graphics" => {
                    if let Some(at) = graphics::node(cursor)? {
                        let transition = TransitionId(self.transitions.len() as u32);
                        self.graphics.set_transition(transition, at);
                        cursor.hold(graphics::BYTES);
                    }
                }
                _ => cursor.skip()?,
            }
        }
        cursor.hold(size_of::<Transition>() + 4 * id.len() + NODE);
        self.transitions.push(Transition {
            name: named.unwrap_or_else(|| id.clone()),
            id,
            ..Transition::default()
        });
        Ok(())
    }

    fn arc(&mut self, cursor: &mut Cursor<'a>, element: Element<'a>) -> Result<()> {
        let source = required(element, "source")?;
        let target = required(element, "target")?;
        if let Some(id) = element.attribute("id")? {
            self.declare_id(id, element, Node::Arc)?;
        }
        let (mut weight, mut term, mut bends) = (1, None, Vec::new());
        let mut kind = match element.attribute("type")? {
            Some(name) => arc_kind(&name, element.offset)?,
            None => ArcKind::Normal,
        };
        let mut parts = Parts::of(element);
        while let Step::Open(child) = cursor.step()? {
            parts.once(child)?;
            match child.name {
                "inscription" => {
                    let text = label(cursor, child)?.unwrap_or_default();
                    weight = number("weight", &text, child.offset)?.unwrap_or(1);
                }
                "type" => {
                    let named = child.attribute("value")?;
                    let text = label(cursor, child)?.unwrap_or_default();
                    let name = named.as_deref().unwrap_or(&text);
                    kind = arc_kind(name, child.offset)?;
                }
                "hlinscription" => {
                    self.has(child)?;
                    term = self.labels.trees.label(cursor, "hlinscription", true)?;
                }
                "graphics" => {
                    bends = graphics::points(cursor)?;
                    cursor.hold(graphics::BYTES * bends.len());
                }
                _ => cursor.skip()?,
            }
        }
        cursor.hold(size_of::<RawArc>() + NODE);
        self.arcs.push(RawArc {
            source,
            target,
            weight,
            kind,
            term,
            bends,
            offset: element.offset,
        });
        Ok(())
    }

    fn reference(
        &mut self,
        cursor: &mut Cursor<'a>,
        element: Element<'a>,
        to_place: bool,
    ) -> Result<()> {
        let to = required(element, "ref")?;
        let id = self.declare(element, Node::Reference(self.references.len()))?;
        self.references.push(Reference {
            id: Cow::Owned(id),
            to,
            to_place,
            offset: element.offset,
        });
        Ok(cursor.skip()?)
    }

    fn declare(&mut self, element: Element<'a>, node: Node) -> Result<String> {
        let id = required(element, "id")?;
        plain(&id, element.offset)?;
        let owned = id.clone().into_owned();
        self.declare_id(id, element, node)?;
        Ok(owned)
    }

    fn declare_id(&mut self, id: Cow<'a, str>, element: Element<'a>, node: Node) -> Result<()> {
        match self.nodes.entry(id) {
            Entry::Vacant(entry) => {
                entry.insert(node);
                Ok(())
            }
            Entry::Occupied(entry) => {
                let kind = ErrorKind::DuplicateId(entry.key().clone().into_owned());
                Err(Located::new(element.offset, kind))
            }
        }
    }

    /// Notes that this element is part of coloured nets only.
    fn has(&mut self, element: Element<'a>) -> Result<()> {
        self.colour(element, || format!("it has <{}>", element.name))
    }

    fn colour(&mut self, element: Element<'a>, why: impl FnOnce() -> String) -> Result<()> {
        if !self.colours {
            let kind = ErrorKind::Coloured(why());
            return Err(Located::new(element.offset, kind));
        }
        self.coloured = true;
        Ok(())
    }

    fn finish(mut self, id: &str, offset: usize, cursor: &Cursor<'a>) -> Result<Net> {
        let arcs = self.resolve_arcs(cursor)?;
        cursor.check()?;
        let name = self.name.take().filter(|name| !name.is_empty());
        let name = name.unwrap_or_else(|| id.to_owned());
        if self.coloured {
            if let Some(Node::Place(_) | Node::Transition(_)) = self.nodes.get("") {
                let kind = ErrorKind::DuplicateId(String::new());
                return Err(Located::new(offset, kind));
            }
            let (places, transitions) = (self.places, self.transitions);
            let nodes = (places, transitions);
            let graphics = self.graphics;
            let net = coloured::net(name, nodes, &self.labels, arcs, offset, cursor.budget());
            return net.map(|mut net| {
                net.graphics = (!graphics.is_empty()).then(|| Box::new(graphics));
                Net::Coloured(net)
            });
        }
        for arc in arcs {
            let transition = &mut self.transitions[arc.transition];
            let list = match arc.list {
                List::Pre => &mut transition.pre,
                List::Post => &mut transition.post,
                List::Test => &mut transition.test,
                List::Inhibit => &mut transition.inhibit,
            };
            list.push((arc.place, arc.weight));
        }
        let place = |name: &str| match self.nodes.get(name) {
            Some(&Node::Place(p)) => Some(PlaceId(p)),
            _ => None,
        };
        let nupn = self.nupn.map(|draft| draft.resolve(place)).transpose()?;
        cursor.check()?;
        PetriNet::new(name, self.places, self.transitions, nupn)
            .map(|net| Net::Plain(net.with_graphics(self.graphics)))
            .map_err(|error| Located::new(offset, error))
    }

    /// The arcs with the nodes that they join.
    fn resolve_arcs(&mut self, cursor: &Cursor<'a>) -> Result<Vec<ColouredArc>> {
        let targets = self.resolve_references()?;
        let look_up = |name: &str, element, offset| match self.nodes.get(name) {
            Some(&Node::Reference(i)) => Ok(targets[i]),
            Some(&node) if node != Node::Arc => Ok(node),
            _ => {
                let id = name.to_owned();
                Err(Located::new(offset, ErrorKind::NoSuchNode { element, id }))
            }
        };
        let mut resolved = Vec::with_capacity(self.arcs.len());
        for (i, arc) in std::mem::take(&mut self.arcs).into_iter().enumerate() {
            if i % WATCH == WATCH - 1 {
                cursor.check()?;
            }
            let source = look_up(&arc.source, "arc", arc.offset)?;
            let target = look_up(&arc.target, "arc", arc.offset)?;
            let (place, t, from_place) = match (source, target) {
                (Node::Place(p), Node::Transition(t)) => (PlaceId(p), t, true),
                (Node::Transition(t), Node::Place(p)) => (PlaceId(p), t, false),
                (node, _) => {
                    let places = matches!(node, Node::Place(_));
                    let kind = ErrorKind::SameKind {
                        source_id: arc.source.into_owned(),
                        target_id: arc.target.into_owned(),
                        what: if places { "places" } else { "transitions" },
                    };
                    return Err(Located::new(arc.offset, kind));
                }
            };
            let list = match (arc.kind, from_place) {
                (ArcKind::Normal, true) => List::Pre,
                (ArcKind::Normal, false) => List::Post,
                (ArcKind::Test, _) => List::Test,
                (ArcKind::Inhibitor, true) => List::Inhibit,
                (ArcKind::Inhibitor, false) => {
                    return Err(Located::new(arc.offset, ErrorKind::InhibitorDirection));
                }
            };
            let transition = TransitionId(t);
            let role = list.role();
            self.graphics.set_bends(transition, place, role, arc.bends);
            resolved.push(ColouredArc {
                place,
                transition: t as usize,
                list,
                weight: arc.weight,
                term: arc.term,
                offset: arc.offset,
            });
        }
        Ok(resolved)
    }

    /// The node at the end of each reference's chain.
    fn resolve_references(&self) -> Result<Vec<Node>> {
        let mut targets: Vec<Option<Node>> = vec![None; self.references.len()];
        let mut chain = Vec::new();
        for start in 0..self.references.len() {
            chain.clear();
            let mut at = start;
            let end = loop {
                if let Some(node) = targets[at] {
                    break node;
                }
                let reference = &self.references[at];
                if chain.len() > self.references.len() {
                    let kind = ErrorKind::CircularReference(reference.id.clone().into_owned());
                    return Err(Located::new(reference.offset, kind));
                }
                chain.push(at);
                match self.nodes.get(&reference.to) {
                    Some(&Node::Reference(next)) => at = next,
                    Some(&node) if node != Node::Arc => break node,
                    _ => {
                        let element = "reference";
                        let id = reference.to.clone().into_owned();
                        let kind = ErrorKind::NoSuchNode { element, id };
                        return Err(Located::new(reference.offset, kind));
                    }
                }
            };
            for &i in &chain {
                let reference = &self.references[i];
                if reference.to_place != matches!(end, Node::Place(_)) {
                    let kind = ErrorKind::ReferenceKind(reference.id.clone().into_owned());
                    return Err(Located::new(reference.offset, kind));
                }
                targets[i] = Some(end);
            }
        }
        Ok(targets.into_iter().flatten().collect())
    }
}

fn required<'a>(element: Element<'a>, attribute: &'static str) -> Result<Cow<'a, str>> {
    element.attribute(attribute)?.ok_or_else(|| {
        let element_name = element.name.to_owned();
        let kind = ErrorKind::Attribute {
            element: element_name,
            attribute,
        };
        Located::new(element.offset, kind)
    })
}

fn repeated(element: Element<'_>, part: &str, offset: usize) -> Located {
    let element = element.name.to_owned();
    let part = part.to_owned();
    Located::new(offset, ErrorKind::Repeated { element, part })
}

/// The labels that an element has had: each of them may be there once.
struct Parts<'a> {
    element: Element<'a>,
    seen: u8,
}

const LABELS: [&str; 7] = [
    "name",
    "initialMarking",
    "hlinitialMarking",
    "inscription",
    "hlinscription",
    "type",
    "condition",
];

impl<'a> Parts<'a> {
    fn of(element: Element<'a>) -> Self {
        Parts { element, seen: 0 }
    }

    fn once(&mut self, child: Element<'a>) -> Result<()> {
        if let Some(label) = LABELS.iter().position(|&label| label == child.name) {
            if self.seen & 1 << label != 0 {
                return Err(repeated(self.element, child.name, child.offset));
            }
            self.seen |= 1 << label;
        }
        Ok(())
    }
}

/// Refuses names with characters that no terminal and no other file should see.
fn plain(name: &str, offset: usize) -> Result<()> {
    let wrong = |c: char| c.is_control() && !matches!(c, '\t' | '\n' | '\r');
    if name.contains(wrong) {
        let name = name.chars().take(40).collect();
        return Err(Located::new(offset, ErrorKind::ControlCharacter(name)));
    }
    Ok(())
}

/// The text of a label that is a name.
fn name(cursor: &mut Cursor<'_>, element: Element<'_>) -> Result<Option<String>> {
    let found = label(cursor, element)?;
    if let Some(name) = &found {
        plain(name, element.offset)?;
    }
    Ok(found)
}

/// The text of a label, opened last: that of its `<text>` or `<value>`, or else its own.
fn label(cursor: &mut Cursor<'_>, element: Element<'_>) -> Result<Option<String>> {
    let mut found: Option<String> = None;
    let own = cursor.text_or_children(|cursor, child| {
        if !matches!(child.name, "text" | "value") {
            return cursor.skip().map_err(Located::from);
        }
        if found.is_some() {
            return Err(repeated(element, child.name, child.offset));
        }
        found = Some(cursor.text()?.trim().to_owned());
        Ok(())
    })?;
    let own = own.trim();
    Ok(found.or_else(|| (!own.is_empty()).then(|| own.to_owned())))
}

/// A number of 32 bits, `None` if there is no text. One dialect writes `Default,3`.
fn number(what: &'static str, text: &str, offset: usize) -> Result<Option<u32>> {
    let digits = text.strip_prefix("Default,").unwrap_or(text);
    if digits.is_empty() {
        return Ok(None);
    }
    digits.parse().map(Some).map_err(|_| {
        let text: String = text.chars().take(40).collect();
        Located::new(offset, ErrorKind::Number { what, text })
    })
}

fn arc_kind(name: &str, offset: usize) -> Result<ArcKind> {
    let lower = name.trim().to_ascii_lowercase();
    match lower.strip_suffix("arc").unwrap_or(&lower).trim() {
        "" | "normal" | "regular" | "standard" => Ok(ArcKind::Normal),
        "inhibitor" => Ok(ArcKind::Inhibitor),
        "test" | "read" => Ok(ArcKind::Test),
        "reset" => Err(Located::new(offset, ErrorKind::ResetArc)),
        _ => {
            let name = name.trim().chars().take(40).collect();
            Err(Located::new(offset, ErrorKind::ArcType(name)))
        }
    }
}
