//! Fairness in the words of the user.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use dalsegno_kripke::{FairSet, Fairness, GroupId, Strength, UnknownName};

use crate::error::Error;
use crate::info::Pattern;
use crate::problem::Problem;

/// A wish for fairness: `weak` or `strong`, for all transitions, or behind a colon for those of a name or a pattern with
/// `*` and `?`.
///
/// Each binding of a coloured net's transition is a transition of its own.
///
/// ```
/// use dalsegno::Fair;
///
/// let fair: Fair = "strong:enter_*".parse()?;
/// assert_eq!(fair.to_string(), "strong:enter_*");
/// assert!("fair".parse::<Fair>().is_err());
/// # Ok::<(), dalsegno::kripke::UnknownName>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Fair {
    /// How often a transition that is enabled has to fire.
    pub strength: Strength,
    /// The name or the pattern of the transitions; all of them if there is none.
    pub transitions: Option<String>,
}

impl FromStr for Fair {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        let (strength, transitions) = match text.split_once(':') {
            Some((strength, name)) => (strength, Some(name.to_owned())),
            None => (text, None),
        };
        Ok(Fair {
            strength: strength.parse()?,
            transitions,
        })
    }
}

impl fmt::Display for Fair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.transitions {
            Some(name) => write!(f, "{}:{name}", self.strength),
            None => write!(f, "{}", self.strength),
        }
    }
}

impl Problem {
    /// What wishes mean here. Who is to be treated fairly twice is so in the stronger way, which implies the other.
    ///
    /// # Errors
    /// A name or a pattern of no transition.
    pub fn fairness(&self, wishes: &[Fair]) -> Result<Fairness, Error> {
        let mut strengths: BTreeMap<GroupId, Strength> = BTreeMap::new();
        for wish in wishes {
            let groups = match &wish.transitions {
                None => self.model().group_ids().collect(),
                Some(name) => named(name, self)?,
            };
            for group in groups {
                let known = strengths.entry(group).or_insert(wish.strength);
                *known = wish.strength.max(*known);
            }
        }
        let sets = strengths.into_iter().map(|(group, strength)| FairSet {
            strength,
            groups: vec![group],
        });
        Ok(Fairness::new(sets.collect()))
    }
}

/// The groups of a name, or of a pattern.
fn named(name: &str, problem: &Problem) -> Result<Vec<GroupId>, Error> {
    let symbols = problem.symbols();
    let unknown = match symbols.transition(name) {
        Ok(groups) => return Ok(groups.to_vec()),
        Err(unknown) => unknown,
    };
    if !name.contains(['*', '?']) {
        return Err(Error::Fair(unknown));
    }
    let pattern = Pattern::new(name);
    let matching = symbols.transitions().filter(|(n, _)| pattern.matches(n));
    let groups: Vec<GroupId> = matching.flat_map(|(_, groups)| groups.to_vec()).collect();
    if groups.is_empty() {
        return Err(Error::FairPattern(name.to_owned()));
    }
    Ok(groups)
}
