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
        // For each place: tokens that are taken, put and tested for, and the least that inhibits.
        let mut all: BTreeMap<usize, (i64, i64, u32, Option<u32>)> = BTreeMap::new();
        for &(arc, place, weight) in arcs {
            let (take, put, test, inhibit) = all.entry(place).or_default();
            match arc {
                Arc::Take => *take += i64::from(weight),
                Arc::Put => *put += i64::from(weight),
                Arc::Test => *test = weight.max(*test),
                Arc::Inhibit => *inhibit = Some(inhibit.map_or(weight, |least| weight.min(least))),
            }
        }
        let t = &mut self.transitions[transition];
        for (place, (take, put, test, inhibit)) in all {
            let Ok(least) = u32::try_from(take.max(test.into())) else {
                return false;
            };
            t.least.extend((least > 0).then_some((place, least)));
            t.below.extend(inhibit.map(|below| (place, below)));
            t.change.extend((put != take).then_some((place, put - take)));
        }
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

    /// Reads a place/transition net in PNML. What is not understood is an error: reset arcs, references between pages,
    /// colours.
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
        net.page(element, &mut arcs)?;
        let mut lists = vec![Vec::new(); net.transitions.len()];
        for element in arcs {
            let (t, arc) = net.arc(element)?;
            lists[t].push(arc);
        }
        match (0..lists.len()).find(|&t| !net.connect(t, &lists[t])) {
            Some(t) => error(0, format!("the arcs of {:?} weigh too much", net.transitions[t].id)),
            None => Ok(net),
        }
    }

    /// Reads the places and transitions of a page, and collects its arcs.
    fn page<'e>(&mut self, page: &'e Element, arcs: &mut Vec<&'e Element>) -> Result<()> {
        for element in parts(page) {
            let added = match element.name.as_str() {
                "page" => self.page(element, arcs).map(|()| true)?,
                "place" => {
                    let [initial] = labels(element, ["initialMarking"])?;
                    self.add(element.need("id")?, Some(number(initial, 0, element.at)?))
                }
                "transition" => labels(element, []).and_then(|[]| Ok(self.add(element.need("id")?, None)))?,
                "arc" => {
                    arcs.push(element);
                    true
                }
                name => return error(element.at, format!("<{name}> is not understood here")),
            };
            if !added {
                return error(element.at, "the identifier is empty or used twice");
            }
        }
        Ok(())
    }

    /// The transition of an arc, and what it does to which place.
    fn arc(&self, element: &Element) -> Result<(usize, (Arc, usize, u32))> {
        let [weight, label] = labels(element, ["inscription", "type"])?;
        let kind = label.or(element.get("type")).unwrap_or("normal").to_ascii_lowercase();
        let kind = match kind.strip_suffix("arc").unwrap_or(&kind).trim() {
            _ if label.is_some() && element.get("type").is_some() => {
                return error(element.at, "the type of the arc is given twice");
            }
            "" | "normal" | "regular" | "standard" => Arc::Take,
            "inhibitor" => Arc::Inhibit,
            "test" | "read" => Arc::Test,
            other => return error(element.at, format!("arcs of type {other:?} are not understood")),
        };
        let (source, target) = (element.need("source")?, element.need("target")?);
        let (t, p, kind) = match (self.find(source), self.find(target), kind) {
            (Some(Node::Place(p)), Some(Node::Transition(t)), kind) => (t, p, kind),
            (Some(Node::Transition(t)), Some(Node::Place(p)), Arc::Take) => (t, p, Arc::Put),
            (Some(Node::Transition(t)), Some(Node::Place(p)), Arc::Test) => (t, p, Arc::Test),
            _ => return error(element.at, format!("no such arc is understood: from {source:?} to {target:?}")),
        };
        Ok((t, (kind, p, number(weight, 1, element.at)?)))
    }
}

/// The elements in another one that matter.
fn parts(element: &Element) -> impl Iterator<Item = &Element> {
    element.children.iter().filter(|child| !["name", "graphics", "toolspecific"].contains(&child.name.as_str()))
}

/// The texts of labels: the own one, that of the `<text>` or `<value>` in it, or the value. Labels that have other names,
/// or are there twice, are errors.
fn labels<'e, const N: usize>(element: &'e Element, names: [&str; N]) -> Result<[Option<&'e str>; N]> {
    let mut found = [None; N];
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
    Ok(found)
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
