//! Approaches: the ways to do the same work that an experiment compares.

use dalsegno::Engine;
use dalsegno::kind::Kind;
use dalsegno::symbolic::ltl::Saturation;

use crate::experiment::Source;

/// A way to answer, with the name that tables and plots show.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Approach {
    /// Its name, unique among all approaches.
    pub name: &'static str,
    /// What it does.
    pub work: Work,
}

/// What an approach does with a model, a formula or both.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Work {
    /// Checks an LTL formula on the fly with an automaton of this kind.
    Explicit(Kind),
    /// The same with stubborn sets.
    Stubborn(Kind),
    /// Checks an LTL formula on decision diagrams with an automaton of this kind.
    Symbolic(Kind, Saturation),
    /// Checks a formula of CTL*; one of LTL for all paths.
    Branching(Engine),
    /// Counts the states of a model.
    Survey(Engine),
    /// Translates the negation of a formula.
    Translate(Kind),
}

/// Büchi automata, explicit.
pub const BA: Approach = explicit("BA", Kind::Ba);
/// Transition-based generalised Büchi automata, explicit.
pub const TGBA: Approach = explicit("TGBA", Kind::Tgba);
/// Testing automata, explicit.
pub const TA: Approach = explicit("TA", Kind::Ta);
/// Transition-based generalised testing automata, explicit.
pub const TGTA: Approach = explicit("TGTA", Kind::Tgta);
/// TGBA, explicit, with stubborn sets.
pub const TGBA_POR: Approach = stubborn("TGBA (por)", Kind::Tgba);
/// TGTA, explicit, with stubborn sets.
pub const TGTA_POR: Approach = stubborn("TGTA (por)", Kind::Tgta);

/// TGBA on diagrams, with the saturation that the paper has.
pub const TGBA_SAT: Approach = symbolic("TGBA (sat)", Kind::Tgba, Saturation::Stuttering);
/// TGBA on diagrams, without saturation.
pub const TGBA_NOSAT: Approach = symbolic("TGBA (nosat)", Kind::Tgba, Saturation::Off);
/// TGBA on diagrams, saturated by the self-loops of the automaton too.
pub const TGBA_LOOPS: Approach = symbolic("TGBA (loops)", Kind::Tgba, Saturation::Loops);
/// BA on diagrams, with as much saturation as TGBA have.
pub const BA_SAT: Approach = symbolic("BA (sat)", Kind::Ba, Saturation::Stuttering);
/// TGTA on diagrams, saturated by stuttering steps.
pub const TGTA_SAT: Approach = symbolic("TGTA (sat)", Kind::Tgta, Saturation::Stuttering);
/// TGTA on diagrams, without saturation.
pub const TGTA_NOSAT: Approach = symbolic("TGTA (nosat)", Kind::Tgta, Saturation::Off);

/// CTL* on a stored graph of states.
pub const GRAPH: Approach = Approach {
    name: "CTL* (explicit)",
    work: Work::Branching(Engine::Explicit),
};
/// CTL* on diagrams.
pub const SETS: Approach = Approach {
    name: "CTL* (symbolic)",
    work: Work::Branching(Engine::Symbolic),
};

/// The states of a model one by one.
pub const STATE_BY_STATE: Approach = Approach {
    name: "explicit",
    work: Work::Survey(Engine::Explicit),
};
/// The states of a model as a decision diagram.
pub const DIAGRAM: Approach = Approach {
    name: "symbolic",
    work: Work::Survey(Engine::Symbolic),
};

/// The TGBA of a formula.
pub const TO_TGBA: Approach = translate("to TGBA", Kind::Tgba);
/// The BA of a formula.
pub const TO_BA: Approach = translate("to BA", Kind::Ba);
/// The TA of a formula.
pub const TO_TA: Approach = translate("to TA", Kind::Ta);
/// The TGTA of a formula.
pub const TO_TGTA: Approach = translate("to TGTA", Kind::Tgta);

const ALL: [Approach; 20] = [
    BA,
    TGBA,
    TA,
    TGTA,
    TGBA_POR,
    TGTA_POR,
    TGBA_SAT,
    TGBA_NOSAT,
    TGBA_LOOPS,
    BA_SAT,
    TGTA_SAT,
    TGTA_NOSAT,
    GRAPH,
    SETS,
    STATE_BY_STATE,
    DIAGRAM,
    TO_TGBA,
    TO_BA,
    TO_TA,
    TO_TGTA,
];

const fn explicit(name: &'static str, kind: Kind) -> Approach {
    let work = Work::Explicit(kind);
    Approach { name, work }
}

const fn stubborn(name: &'static str, kind: Kind) -> Approach {
    let work = Work::Stubborn(kind);
    Approach { name, work }
}

const fn symbolic(name: &'static str, kind: Kind, saturation: Saturation) -> Approach {
    let work = Work::Symbolic(kind, saturation);
    Approach { name, work }
}

const fn translate(name: &'static str, kind: Kind) -> Approach {
    let work = Work::Translate(kind);
    Approach { name, work }
}

impl Approach {
    /// The approach of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Approach> {
        ALL.into_iter().find(|approach| approach.name == name)
    }

    /// Whether it does formulas of such a class.
    #[must_use]
    pub fn does(&self, source: Source) -> bool {
        match self.work {
            Work::Explicit(_) | Work::Stubborn(_) | Work::Symbolic(..) | Work::Translate(_) => {
                source.is_linear()
            }
            Work::Branching(_) => source.is_linear() || source.is_branching(),
            Work::Survey(_) => source == Source::None,
        }
    }

    /// The options of `dalsegno check` or `dalsegno states` that do the same.
    #[must_use]
    pub fn options(&self) -> String {
        match self.work {
            Work::Explicit(kind) | Work::Stubborn(kind) => format!(
                "--engine explicit --automaton {} --propositions raw --por {}",
                kind.name(),
                match self.work {
                    Work::Stubborn(_) => "on",
                    _ => "off",
                }
            ),
            Work::Symbolic(kind, saturation) => format!(
                "--engine symbolic --automaton {} --propositions raw --saturation {}",
                kind.name(),
                match saturation {
                    Saturation::Off => "off",
                    Saturation::Stuttering => "stuttering",
                    Saturation::Loops => "on",
                }
            ),
            Work::Branching(Engine::Symbolic) | Work::Survey(Engine::Symbolic) => {
                "--engine symbolic".to_owned()
            }
            Work::Branching(_) | Work::Survey(_) => "--engine explicit".to_owned(),
            Work::Translate(kind) => format!("--to {} --negate --format stats", kind.name()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        for approach in ALL {
            assert_eq!(Approach::named(approach.name), Some(approach));
        }
        assert_eq!(Approach::named("tgba"), None);
    }
}
