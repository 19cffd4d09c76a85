//! Place/transition nets: their reader, when transitions are enabled, and what firing does.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use crate::xml::{self, Element};
use crate::{Result, error};

/// A transition. It is enabled if places have at least, and fewer than, so many tokens; firing adds the change. Lists
/// ascend by place, and have each place once.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Transition {
    /// Its identifier.
    pub id: String,
    /// Places that must have at least so many tokens, each at least one.
    pub least: Vec<(usize, u32)>,
    /// Places that must have fewer tokens.
    pub below: Vec<(usize, u32)>,
    /// How firing changes places; never by 0.
    pub change: Vec<(usize, i64)>,
}

impl Transition {
    /// Whether places have the tokens that the transition asks for; those of which nothing is known do not matter.
    pub fn allows(&self, tokens: impl Fn(usize) -> Option<u32>) -> bool {
        let enough = self.least.iter().all(|&(p, n)| tokens(p).is_none_or(|m| m >= n));
        enough && self.below.iter().all(|&(p, n)| tokens(p).is_none_or(|m| m < n))
    }
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

/// What an identifier names, by number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "a net has places and transitions")]
pub enum Node {
    Place(usize),
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
    /// Adds a place with its tokens, or a transition; false if the identifier is empty or taken.
    pub fn add(&mut self, id: &str, initial: Option<u32>) -> bool {
        let node = if let Some(tokens) = initial {
            self.places.push((id.to_owned(), tokens));
            Node::Place(self.places.len() - 1)
        } else {
            self.transitions.push(Transition { id: id.to_owned(), ..Transition::default() });
            Node::Transition(self.transitions.len() - 1)
        };
        self.names.insert(id.to_owned(), node).is_none() && !id.is_empty()
    }

    /// Gives a transition all its arcs. Weights of parallel arcs add up; of parallel tests the largest counts, of
    /// parallel inhibitors the smallest. False if the weights are too large.
    pub fn connect(&mut self, transition: usize, arcs: &[(Arc, usize, u32)]) -> bool {
        let (mut take, mut least, mut below) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let mut change: BTreeMap<usize, i64> = BTreeMap::new();
        for &(arc, place, weight) in arcs {
            match arc {
                Arc::Take => {
                    *take.entry(place).or_insert(0_u64) += u64::from(weight);
                    *change.entry(place).or_default() -= i64::from(weight);
                }
                Arc::Put => *change.entry(place).or_default() += i64::from(weight),
                Arc::Test => {
                    let tested = least.entry(place).or_insert(weight);
                    *tested = weight.max(*tested);
                }
                Arc::Inhibit => {
                    let limit = below.entry(place).or_insert(weight);
                    *limit = weight.min(*limit);
                }
            }
        }
        for (place, weight) in take {
            let Ok(weight) = u32::try_from(weight) else {
                return false;
            };
            let asked = least.entry(place).or_insert(weight);
            *asked = weight.max(*asked);
        }
        let t = &mut self.transitions[transition];
        t.least = least.into_iter().filter(|&(_, n)| n > 0).collect();
        t.below = below.into_iter().collect();
        t.change = change.into_iter().filter(|&(_, n)| n != 0).collect();
        true
    }

    /// What an identifier names.
    pub fn find(&self, id: &str) -> Option<Node> {
        self.names.get(id).copied()
    }

    /// The initial marking.
    pub fn initial(&self) -> Vec<u32> {
        self.places.iter().map(|&(_, tokens)| tokens).collect()
    }

    /// Whether a transition is enabled in a marking.
    pub fn enabled(&self, transition: usize, marking: &[u32]) -> bool {
        self.transitions[transition].allows(|p| Some(marking[p]))
    }

    /// A number that tells nets apart that were mixed up by mistake (FNV-1a over all that matters). Nothing that is
    /// proved depends on it.
    pub fn digest(&self) -> String {
        let mut listing = String::new();
        for (id, tokens) in &self.places {
            let _ = writeln!(listing, "place {id:?} {tokens}");
        }
        for Transition { id, least, below, change } in &self.transitions {
            let _ = writeln!(listing, "{id:?} {least:?} {below:?} {change:?}");
        }
        let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        format!("{:016x}", listing.bytes().fold(0xcbf2_9ce4_8422_2325, step))
    }

    /// A marking in words: its places with tokens.
    pub fn describe(&self, marking: &[u32]) -> String {
        let marked = self.places.iter().zip(marking).filter(|&(_, &n)| n > 0);
        let words: Vec<String> = marked.map(|((id, _), n)| format!("{id} = {n}")).collect();
        if words.is_empty() { "no tokens".to_owned() } else { words.join(", ") }
    }

    /// Reads a place/transition net in PNML.
    pub fn parse(bytes: &[u8]) -> Result<Net> {
        let document = xml::parse(bytes)?;
        let [element] = &document.children[..] else {
            return error(document.at, "expected one <net> in <pnml>");
        };
        let kind = element.get("type").unwrap_or("ptnet").to_ascii_lowercase();
        if ["symmetric", "highlevel", "hlpn", "colo"].iter().any(|word| kind.contains(word)) {
            return error(element.at, "the net is coloured: give the unfolded net instead");
        }
        if document.name != "pnml" || element.name != "net" {
            return error(element.at, "expected <pnml> with a <net>");
        }
        let (mut net, mut arcs) = (Net::default(), Vec::new());
        page(element, &mut net, &mut arcs)?;
        let mut lists: Vec<Vec<(Arc, usize, u32)>> = vec![Vec::new(); net.transitions.len()];
        for element in arcs {
            let (t, arc) = arc(element, &net)?;
            lists[t].push(arc);
        }
        match (0..lists.len()).find(|&t| !net.connect(t, &lists[t])) {
            Some(t) => error(0, format!("the arcs of {:?} weigh too much", net.transitions[t].id)),
            None => Ok(net),
        }
    }
}

/// The elements in another one that matter.
fn parts(element: &Element) -> impl Iterator<Item = &Element> {
    element.children.iter().filter(|child| !["name", "graphics", "toolspecific"].contains(&child.name.as_str()))
}

/// Reads the places and transitions of a page, and collects its arcs.
fn page<'e>(page: &'e Element, net: &mut Net, arcs: &mut Vec<&'e Element>) -> Result<()> {
    for element in parts(page) {
        let initial = match element.name.as_str() {
            "page" => {
                self::page(element, net, arcs)?;
                continue;
            }
            "arc" => {
                arcs.push(element);
                continue;
            }
            "place" => Some(number(label(element, &["initialMarking"])?, 0, element.at)?),
            "transition" => label(element, &[]).map(|_| None)?,
            name => return error(element.at, format!("<{name}> is not understood here")),
        };
        let id = element.need("id")?;
        if !net.add(id, initial) {
            return error(element.at, format!("{id:?} is empty or used twice"));
        }
    }
    Ok(())
}

/// The transition of an arc, and what it does to which place.
fn arc(element: &Element, net: &Net) -> Result<(usize, (Arc, usize, u32))> {
    let weight = number(label(element, &["inscription", "type"])?, 1, element.at)?;
    let kind = match (label(element, &["type", "inscription"])?, element.get("type")) {
        (Some(_), Some(_)) => return error(element.at, "the type of the arc is given twice"),
        (kind, other) => kind.or(other).unwrap_or("normal").to_ascii_lowercase(),
    };
    let kind = match kind.strip_suffix("arc").unwrap_or(&kind).trim() {
        "" | "normal" | "regular" | "standard" => Arc::Take,
        "inhibitor" => Arc::Inhibit,
        "test" | "read" => Arc::Test,
        other => return error(element.at, format!("arcs of type {other:?} are not understood")),
    };
    let (source, target) = (element.need("source")?, element.need("target")?);
    let (t, p, kind) = match (net.find(source), net.find(target), kind) {
        (Some(Node::Place(p)), Some(Node::Transition(t)), kind) => (t, p, kind),
        (Some(Node::Transition(t)), Some(Node::Place(p)), Arc::Take) => (t, p, Arc::Put),
        (Some(Node::Transition(t)), Some(Node::Place(p)), Arc::Test) => (t, p, Arc::Test),
        _ => return error(element.at, format!("no such arc is understood: from {source:?} to {target:?}")),
    };
    Ok((t, (kind, p, weight)))
}

/// The text of the first of some labels: its own, that of the `<text>` or `<value>` in it, or its value. Labels that have
/// another name, or are there twice, are errors.
fn label<'e>(element: &'e Element, names: &[&str]) -> Result<Option<&'e str>> {
    let mut found = vec![None; names.len()];
    for child in parts(element) {
        let inner: Vec<&Element> = parts(child).collect();
        let text = match (&inner[..], child.text.as_str(), child.get("value")) {
            ([], text, None) => text,
            ([], "", Some(value)) => value,
            ([inner], "", None) if ["text", "value"].contains(&inner.name.as_str()) => &inner.text,
            _ => return error(child.at, "expected a label with one text"),
        };
        match names.iter().position(|name| *name == child.name) {
            Some(i) if found[i].is_none() => found[i] = Some(text),
            _ => return error(child.at, format!("<{}> is not understood here, or there twice", child.name)),
        }
    }
    Ok(found.first().copied().flatten())
}

fn number(text: Option<&str>, absent: u32, at: usize) -> Result<u32> {
    let text = text.unwrap_or_default();
    let digits = text.strip_prefix("Default,").unwrap_or(text);
    match digits.parse() {
        _ if digits.is_empty() => Ok(absent),
        Ok(number) => Ok(number),
        Err(_) => error(at, format!("{digits:?} is no number of 32 bits")),
    }
}
