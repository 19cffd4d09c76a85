//! Place/transition nets: their reader, when transitions are enabled, and what firing does.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use crate::failure::{Result, error};
use crate::sha256::sha256;
use crate::xml::{Element, Piece, Xml};

/// A transition. Lists ascend by place, and have each place once.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Transition {
    /// Its identifier.
    pub id: String,
    /// Places that must have at least so many tokens.
    pub least: Vec<(usize, u32)>,
    /// Places that must have fewer tokens.
    pub below: Vec<(usize, u32)>,
    /// How firing changes places.
    pub change: Vec<(usize, i64)>,
}

/// A net.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Net {
    /// The identifiers of the places, with their initial tokens.
    pub places: Vec<(String, u32)>,
    /// The transitions.
    pub transitions: Vec<Transition>,
    names: HashMap<String, Node>,
}

/// What an identifier names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Node {
    /// A place, by number.
    Place(usize),
    /// A transition, by number.
    Transition(usize),
}

/// The kinds of arcs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arc {
    /// From a place: takes tokens.
    Take,
    /// To a place: puts tokens.
    Put,
    /// Asks for tokens and leaves them.
    Test,
    /// Asks for fewer tokens.
    Inhibit,
}

impl Net {
    /// Adds a place or a transition; false if the identifier is empty or taken.
    pub fn add(&mut self, id: &str, initial: Option<u32>) -> bool {
        let node = match initial {
            Some(_) => Node::Place(self.places.len()),
            None => Node::Transition(self.transitions.len()),
        };
        if id.is_empty() || self.names.insert(id.to_owned(), node).is_some() {
            return false;
        }
        match initial {
            Some(tokens) => self.places.push((id.to_owned(), tokens)),
            None => self.transitions.push(Transition {
                id: id.to_owned(),
                ..Transition::default()
            }),
        }
        true
    }

    /// Gives a transition all its arcs. Weights of parallel arcs add up; of parallel tests the largest counts, of
    /// parallel inhibitors the smallest. False if the weights are too large.
    pub fn connect(&mut self, transition: usize, arcs: &[(Arc, usize, u32)]) -> bool {
        let mut take: BTreeMap<usize, u32> = BTreeMap::new();
        let mut least: BTreeMap<usize, u32> = BTreeMap::new();
        let mut below: BTreeMap<usize, u32> = BTreeMap::new();
        let mut change: BTreeMap<usize, i64> = BTreeMap::new();
        for &(arc, place, weight) in arcs {
            match arc {
                Arc::Take => {
                    let taken = take.entry(place).or_default();
                    let Some(sum) = taken.checked_add(weight) else {
                        return false;
                    };
                    *taken = sum;
                    *change.entry(place).or_default() -= i64::from(weight);
                }
                Arc::Put => *change.entry(place).or_default() += i64::from(weight),
                Arc::Test => {
                    let tested = least.entry(place).or_default();
                    *tested = weight.max(*tested);
                }
                Arc::Inhibit => {
                    let limit = below.entry(place).or_insert(weight);
                    *limit = weight.min(*limit);
                }
            }
        }
        for (place, weight) in take {
            let asked = least.entry(place).or_default();
            *asked = weight.max(*asked);
        }
        let Transition {
            least: l,
            below: b,
            change: c,
            ..
        } = &mut self.transitions[transition];
        *l = least.into_iter().filter(|&(_, n)| n > 0).collect();
        *b = below.into_iter().collect();
        *c = change.into_iter().filter(|&(_, n)| n != 0).collect();
        true
    }

    /// What an identifier names.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<Node> {
        self.names.get(id).copied()
    }

    /// The initial marking.
    #[must_use]
    pub fn initial(&self) -> Vec<u32> {
        self.places.iter().map(|&(_, tokens)| tokens).collect()
    }

    /// Whether a transition is enabled in a marking.
    #[must_use]
    pub fn enabled(&self, transition: usize, marking: &[u32]) -> bool {
        let t = &self.transitions[transition];
        t.least.iter().all(|&(p, n)| marking[p] >= n)
            && t.below.iter().all(|&(p, n)| marking[p] < n)
    }

    /// A listing of the net, which tells all that matters of it: per line a place with its tokens, or a transition
    /// with what it asks of places and how it changes them. Places and transitions are numbered in order.
    #[must_use]
    pub fn listing(&self) -> String {
        let mut out = String::new();
        for (id, tokens) in &self.places {
            let _ = writeln!(out, "place {id:?} {tokens}");
        }
        for t in &self.transitions {
            let _ = write!(out, "transition {:?}", t.id);
            for (p, n) in &t.least {
                let _ = write!(out, " {p}>={n}");
            }
            for (p, n) in &t.below {
                let _ = write!(out, " {p}<{n}");
            }
            for (p, n) in &t.change {
                let _ = write!(out, " {p}{n:+}");
            }
            out.push('\n');
        }
        out
    }

    /// The digest of the [listing](Net::listing).
    #[must_use]
    pub fn digest(&self) -> String {
        sha256(self.listing().as_bytes())
    }

    /// A marking in words: its places with tokens.
    #[must_use]
    pub fn describe(&self, marking: &[u32]) -> String {
        let marked = self.places.iter().zip(marking).filter(|&(_, &n)| n > 0);
        let words: Vec<String> = marked.map(|((id, _), n)| format!("{id} = {n}")).collect();
        if words.is_empty() {
            return "no tokens".to_owned();
        }
        words.join(", ")
    }

    /// Reads a place/transition net in PNML.
    ///
    /// # Errors
    /// If the text is none, or has parts that are not understood: reset arcs, references between pages, colours.
    pub fn parse(bytes: &[u8]) -> Result<Net> {
        let mut reader = Reader {
            xml: Xml::new(bytes)?,
            net: Net::default(),
            arcs: Vec::new(),
        };
        reader.document()?;
        let Reader { mut net, arcs, .. } = reader;
        let mut lists: Vec<Vec<(Arc, usize, u32)>> = vec![Vec::new(); net.transitions.len()];
        for arc in arcs {
            let (source, target) = (net.find(&arc.source), net.find(&arc.target));
            let (t, p, kind) = match (source, target, arc.kind) {
                (Some(Node::Place(p)), Some(Node::Transition(t)), kind) => (t, p, kind),
                (Some(Node::Transition(t)), Some(Node::Place(p)), Arc::Take) => (t, p, Arc::Put),
                (Some(Node::Transition(t)), Some(Node::Place(p)), Arc::Test) => (t, p, Arc::Test),
                _ => {
                    let (from, to) = (arc.source, arc.target);
                    let what = format!("no such arc is understood: from {from:?} to {to:?}");
                    return error(arc.at, what);
                }
            };
            lists[t].push((kind, p, arc.weight));
        }
        for (t, list) in lists.iter().enumerate() {
            if !net.connect(t, list) {
                let id = &net.transitions[t].id;
                return error(0, format!("the arcs of {id:?} weigh too much"));
            }
        }
        Ok(net)
    }
}

struct RawArc {
    source: String,
    target: String,
    kind: Arc,
    weight: u32,
    at: usize,
}

struct Reader<'a> {
    xml: Xml<'a>,
    net: Net,
    arcs: Vec<RawArc>,
}

impl Reader<'_> {
    fn document(&mut self) -> Result<()> {
        let mut open: Vec<String> = Vec::new();
        let mut nets = 0;
        loop {
            match self.xml.next()? {
                Piece::Open(element) => {
                    let inside = open.last().map_or("", String::as_str);
                    match (inside, element.name.as_str()) {
                        ("", "pnml") | ("net" | "page", "page") => open.push(element.name),
                        ("pnml", "net") => {
                            nets += 1;
                            let kind = element.get("type").unwrap_or("ptnet").to_ascii_lowercase();
                            let coloured = ["symmetric", "highlevel", "hlpn", "colo"];
                            if coloured.iter().any(|word| kind.contains(word)) {
                                let what = "the net is coloured: give the unfolded net instead";
                                return error(element.at, what);
                            }
                            open.push(element.name);
                        }
                        ("net" | "page", "place") => self.place(&element)?,
                        ("net" | "page", "transition") => self.transition(&element)?,
                        ("net" | "page", "arc") => self.arc(&element)?,
                        (_, "name" | "graphics" | "toolspecific") => self.xml.skip()?,
                        (_, name) => return unknown(&element, name),
                    }
                }
                Piece::Close => {
                    open.pop();
                }
                Piece::Text(_) => return error(self.xml.at, "there is text outside of labels"),
                Piece::End if nets == 1 => return Ok(()),
                Piece::End => return error(self.xml.at, "expected one <net> in <pnml>"),
            }
        }
    }

    /// The labels of the element that was opened last: the text of those that are wanted.
    fn labels(&mut self, wanted: &[&str]) -> Result<Vec<Option<String>>> {
        let mut found: Vec<Option<String>> = vec![None; wanted.len()];
        loop {
            match self.xml.next()? {
                Piece::Open(element) => {
                    let slot = wanted.iter().position(|name| *name == element.name);
                    match slot {
                        Some(slot) if found[slot].is_none() => {
                            let text = self.label(&element)?;
                            found[slot] = Some(text);
                        }
                        Some(_) => return error(element.at, "a label is given twice"),
                        None => match element.name.as_str() {
                            "name" | "graphics" | "toolspecific" => self.xml.skip()?,
                            name => return unknown(&element, name),
                        },
                    }
                }
                Piece::Close => return Ok(found),
                _ => return error(self.xml.at, "expected labels only"),
            }
        }
    }

    /// The text of a label: of its attribute `value`, of its `<text>` or `<value>`, or its own.
    fn label(&mut self, label: &Element) -> Result<String> {
        let mut found: Vec<String> = label.get("value").map(str::to_owned).into_iter().collect();
        loop {
            match self.xml.next()? {
                Piece::Open(element) => match element.name.as_str() {
                    "text" | "value" => found.push(self.xml.text()?),
                    "graphics" | "toolspecific" => self.xml.skip()?,
                    name => return unknown(&element, name),
                },
                Piece::Text(text) => found.push(text),
                _ if found.len() > 1 => return error(label.at, "a label has two texts"),
                _ => return Ok(found.pop().unwrap_or_default()),
            }
        }
    }

    fn number(text: Option<String>, absent: u32, at: usize) -> Result<u32> {
        let text = text.unwrap_or_default();
        let digits = text.strip_prefix("Default,").unwrap_or(&text);
        match digits.parse() {
            _ if digits.is_empty() => Ok(absent),
            Ok(number) => Ok(number),
            Err(_) => error(at, format!("{digits:?} is no number of 32 bits")),
        }
    }

    fn declare(&mut self, element: &Element, initial: Option<u32>) -> Result<()> {
        let id = element.need("id")?;
        if !self.net.add(id, initial) {
            let what = format!("the identifier {id:?} is empty or used twice");
            return error(element.at, what);
        }
        Ok(())
    }

    fn place(&mut self, element: &Element) -> Result<()> {
        let text = self.labels(&["initialMarking"])?.remove(0);
        let tokens = Self::number(text, 0, element.at)?;
        self.declare(element, Some(tokens))
    }

    fn transition(&mut self, element: &Element) -> Result<()> {
        self.labels(&[])?;
        self.declare(element, None)
    }

    fn arc(&mut self, element: &Element) -> Result<()> {
        let mut labels = self.labels(&["inscription", "type"])?;
        let label = labels.pop().flatten();
        let kind = match (element.get("type"), &label) {
            (None, None) => "normal",
            (Some(kind), None) => kind,
            (None, Some(kind)) => kind,
            (Some(_), Some(_)) => return error(element.at, "an arc has two types"),
        };
        let lower = kind.trim().to_ascii_lowercase();
        let kind = match lower.strip_suffix("arc").unwrap_or(&lower).trim() {
            "" | "normal" | "regular" | "standard" => Arc::Take,
            "inhibitor" => Arc::Inhibit,
            "test" | "read" => Arc::Test,
            other => {
                return error(
                    element.at,
                    format!("arcs of type {other:?} are not understood"),
                );
            }
        };
        self.arcs.push(RawArc {
            source: element.need("source")?.to_owned(),
            target: element.need("target")?.to_owned(),
            kind,
            weight: Self::number(labels.pop().flatten(), 1, element.at)?,
            at: element.at,
        });
        Ok(())
    }
}

fn unknown<T>(element: &Element, name: &str) -> Result<T> {
    error(
        element.at,
        format!("the element <{name}> is not understood here"),
    )
}
