//! A net and a formula as text, a line for each place and transition, so that lines can be left out.
//!
//! ```text
//! logic ltl
//! dead-ends stutter
//! formula G(p0 -> F"p1 >= 2")
//! place p0 2
//! transition t0 pre p0 2 post p1 2 inhibit p1 3 test p2 1
//! ```

use std::fmt::Write as _;

use dalsegno::kripke::DeadEnds;
use dalsegno::models::petri::{PetriNet, Place, PlaceId, Transition};

/// The logic that a formula is checked in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Logic {
    /// All runs satisfy the formula.
    Ltl,
    /// All initial states satisfy the formula.
    Ctl,
    /// As CTL, with any path formula below a quantifier.
    CtlStar,
}

impl Logic {
    const ALL: [(&str, Logic); 3] = [
        ("ltl", Logic::Ltl),
        ("ctl", Logic::Ctl),
        ("ctl*", Logic::CtlStar),
    ];
}

/// A net and a formula.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pair {
    /// The logic.
    pub logic: Logic,
    /// What dead ends mean.
    pub dead_ends: DeadEnds,
    /// The formula.
    pub formula: String,
    /// The net.
    pub net: PetriNet,
}

impl Pair {
    /// The pair as text.
    #[must_use]
    pub fn to_text(&self) -> String {
        let logic = Logic::ALL.iter().find(|(_, logic)| *logic == self.logic);
        let logic = logic.map_or("", |(name, _)| name);
        let mut text = format!(
            "logic {logic}\ndead-ends {}\nformula {}\n",
            self.dead_ends, self.formula
        );
        for place in self.net.places() {
            let _ = writeln!(text, "place {} {}", place.id, place.initial);
        }
        for t in self.net.transitions() {
            let _ = write!(text, "transition {}", t.id);
            for (kind, arcs) in [
                ("pre", &t.pre),
                ("post", &t.post),
                ("inhibit", &t.inhibit),
                ("test", &t.test),
            ] {
                for (place, weight) in arcs {
                    let id = &self.net.places()[place.index()].id;
                    let _ = write!(text, " {kind} {id} {weight}");
                }
            }
            text.push('\n');
        }
        text
    }

    /// The pair that a text describes, if it describes one.
    #[must_use]
    pub fn from_text(text: &str) -> Option<Self> {
        let (mut logic, mut dead_ends, mut formula) = (None, None, None);
        let (mut places, mut transitions) = (Vec::new(), Vec::new());
        for line in text.lines() {
            let (kind, rest) = line.split_once(' ')?;
            match kind {
                "logic" => logic = Logic::ALL.iter().find(|(name, _)| *name == rest),
                "dead-ends" => dead_ends = rest.parse().ok(),
                "formula" => formula = Some(rest.to_owned()),
                "place" => {
                    let (id, initial) = rest.split_once(' ')?;
                    places.push(Place {
                        id: id.to_owned(),
                        name: id.to_owned(),
                        initial: initial.parse().ok()?,
                    });
                }
                "transition" => transitions.push(transition(rest, &places)?),
                _ => return None,
            }
        }
        Some(Pair {
            logic: logic?.1,
            dead_ends: dead_ends?,
            formula: formula?,
            net: PetriNet::new("pair", places, transitions, None).ok()?,
        })
    }
}

fn transition(text: &str, places: &[Place]) -> Option<Transition> {
    let mut words = text.split(' ');
    let id = words.next()?.to_owned();
    let mut t = Transition {
        name: id.clone(),
        id,
        ..Transition::default()
    };
    while let Some(kind) = words.next() {
        let place = words.next()?;
        let place = places.iter().position(|p| p.id == place)?;
        let arc = (PlaceId(place as u32), words.next()?.parse().ok()?);
        match kind {
            "pre" => t.pre.push(arc),
            "post" => t.post.push(arc),
            "inhibit" => t.inhibit.push(arc),
            "test" => t.test.push(arc),
            _ => return None,
        }
    }
    Some(t)
}

#[cfg(test)]
mod tests {
    use super::*;
    use dalsegno::logic::random::Rng;
    use dalsegno_testkit::nets::wild_net;

    #[test]
    fn pairs_read_back() {
        let mut rng = Rng::new(6);
        for _ in 0..100 {
            let pair = Pair {
                logic: Logic::CtlStar,
                dead_ends: DeadEnds::Ignore,
                formula: "A G \"p0 >= 2\"".to_owned(),
                net: wild_net(&mut rng),
            };
            let text = pair.to_text();
            let again = Pair::from_text(&text).unwrap();
            assert_eq!(again.to_text(), text);
            assert_eq!(again.net.transitions(), pair.net.transitions());
        }
        assert_eq!(Pair::from_text("formula p\nlogic ltl"), None);
    }
}
