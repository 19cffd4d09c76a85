//! Syntactic fragments of a formula, as a set of flags computed when the formula is made.
//!
//! The linear-time classes are those of Manna and Pnueli's hierarchy, decided by syntax as in
//! Černá and Pelánek, "Relating Hierarchy of Temporal Properties to Model Checking" (MFCS 2003):
//! a flag that is set is a proof, a flag that is not set says nothing. *Eventual* and *universal*
//! are the pure eventuality and pure universality of Etessami and Holzmann (CONCUR 2000).

use crate::store::{FormulaId, FormulaStore, Node};

/// A set of syntactic properties of a formula.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Fragment(u16);

impl Fragment {
    /// No property.
    pub const NONE: Fragment = Fragment(0);
    /// No temporal operator and no path quantifier.
    pub const BOOLEAN: Fragment = Fragment(1);
    /// No path quantifier: a formula of LTL.
    pub const LTL: Fragment = Fragment(1 << 1);
    /// A state formula of CTL: every temporal operator stands right below its own path quantifier.
    pub const CTL: Fragment = Fragment(1 << 2);
    /// A state formula of CTL*: every temporal operator stands below some path quantifier.
    pub const STATE: Fragment = Fragment(1 << 3);
    /// No `X`; in LTL this implies stutter-invariance.
    pub const X_FREE: Fragment = Fragment(1 << 4);
    /// `w ⊨ φ` implies `uw ⊨ φ` for every finite `u`.
    pub const EVENTUAL: Fragment = Fragment(1 << 5);
    /// `uw ⊨ φ` implies `w ⊨ φ` for every finite `u`.
    pub const UNIVERSAL: Fragment = Fragment(1 << 6);
    /// Violations show in a finite prefix.
    pub const SAFETY: Fragment = Fragment(1 << 7);
    /// Satisfaction shows in a finite prefix.
    pub const GUARANTEE: Fragment = Fragment(1 << 8);
    /// A Boolean combination of safety and guarantee.
    pub const OBLIGATION: Fragment = Fragment(1 << 9);
    /// Something good happens infinitely often (deterministic Büchi).
    pub const RECURRENCE: Fragment = Fragment(1 << 10);
    /// Something bad happens finitely often (deterministic co-Büchi).
    pub const PERSISTENCE: Fragment = Fragment(1 << 11);
    /// A temporal operator applied to CTL state formulas: what a CTL path quantifier expects.
    const CTL_PATH: Fragment = Fragment(1 << 12);

    const HIERARCHY: Fragment = Fragment(
        Self::SAFETY.0
            | Self::GUARANTEE.0
            | Self::OBLIGATION.0
            | Self::RECURRENCE.0
            | Self::PERSISTENCE.0,
    );
    const ATOM: Fragment = Fragment(
        Self::BOOLEAN.0
            | Self::LTL.0
            | Self::CTL.0
            | Self::STATE.0
            | Self::X_FREE.0
            | Self::HIERARCHY.0,
    );

    /// Whether all properties of `other` are in this set.
    #[inline]
    #[must_use]
    pub fn contains(self, other: Fragment) -> bool {
        self.0 & other.0 == other.0
    }

    /// The properties in both sets.
    #[inline]
    #[must_use]
    pub fn intersection(self, other: Fragment) -> Fragment {
        Fragment(self.0 & other.0)
    }

    /// The properties in either set.
    #[inline]
    #[must_use]
    pub fn union(self, other: Fragment) -> Fragment {
        Fragment(self.0 | other.0)
    }

    fn only_if(self, condition: bool) -> Fragment {
        if condition { self } else { Fragment::NONE }
    }

    /// The smallest class of Manna and Pnueli's hierarchy that the syntax proves.
    #[must_use]
    pub fn class_name(self) -> &'static str {
        const NAMES: [(Fragment, &str); 5] = [
            (Fragment::SAFETY, "safety"),
            (Fragment::GUARANTEE, "guarantee"),
            (Fragment::OBLIGATION, "obligation"),
            (Fragment::RECURRENCE, "recurrence"),
            (Fragment::PERSISTENCE, "persistence"),
        ];
        NAMES
            .into_iter()
            .find(|&(class, _)| self.contains(class))
            .map_or("reactivity", |(_, name)| name)
    }
}

/// The flags of a node whose children are already in `store`.
pub(crate) fn of_node(store: &FormulaStore, node: Node<'_>) -> Fragment {
    let of = |f: FormulaId| store.fragment(f);
    match node {
        Node::True | Node::False => Fragment::ATOM
            .union(Fragment::EVENTUAL)
            .union(Fragment::UNIVERSAL),
        Node::Atom(_) => Fragment::ATOM,
        Node::Not(f) => negated(of(f)),
        Node::And(fs) | Node::Or(fs) => fs
            .iter()
            .map(|&f| of(f))
            .reduce(Fragment::intersection)
            .map_or(Fragment::NONE, without_path),
        Node::Implies(f, g) => without_path(negated(of(f)).intersection(of(g))),
        Node::Iff(f, g) | Node::Xor(f, g) => {
            let both = of(f).intersection(of(g));
            without_path(both.intersection(negated(both)))
        }
        Node::Next(f) => {
            let kept = Fragment::HIERARCHY
                .union(Fragment::EVENTUAL)
                .union(Fragment::UNIVERSAL);
            temporal(of(f), of(f))
                .intersection(Fragment(!Fragment::X_FREE.0))
                .union(of(f).intersection(kept))
        }
        Node::Finally(f) => {
            let c = of(f);
            let guarantee = c.contains(Fragment::GUARANTEE);
            temporal(c, c)
                .union(Fragment::EVENTUAL)
                .union(c.intersection(Fragment::UNIVERSAL))
                .union(c.intersection(Fragment::PERSISTENCE))
                .union(guarantee_or_above().only_if(guarantee))
        }
        Node::Globally(f) => {
            let c = of(f);
            let safety = c.contains(Fragment::SAFETY);
            temporal(c, c)
                .union(Fragment::UNIVERSAL)
                .union(c.intersection(Fragment::EVENTUAL))
                .union(c.intersection(Fragment::RECURRENCE))
                .union(safety_or_above().only_if(safety))
        }
        Node::Until(f, g) => strong(of(f), of(g), of(g)),
        Node::StrongRelease(f, g) => {
            let (c, d) = (of(f), of(g));
            let eventual = c.intersection(d).contains(Fragment::EVENTUAL);
            strong(d, c, Fragment::EVENTUAL.only_if(eventual))
        }
        Node::Release(f, g) => weak(of(g), of(f), of(g)),
        Node::WeakUntil(f, g) => {
            let (c, d) = (of(f), of(g));
            let universal = c.intersection(d).contains(Fragment::UNIVERSAL);
            weak(c, d, Fragment::UNIVERSAL.only_if(universal))
        }
        Node::Exists(f) | Node::Forall(f) => {
            let c = of(f);
            c.intersection(Fragment::X_FREE)
                .union(Fragment::STATE)
                .union(Fragment::CTL.only_if(c.contains(Fragment::CTL_PATH)))
        }
    }
}

fn guarantee_or_above() -> Fragment {
    Fragment::GUARANTEE
        .union(Fragment::OBLIGATION)
        .union(Fragment::RECURRENCE)
        .union(Fragment::PERSISTENCE)
}

fn safety_or_above() -> Fragment {
    Fragment::SAFETY
        .union(Fragment::OBLIGATION)
        .union(Fragment::RECURRENCE)
        .union(Fragment::PERSISTENCE)
}

/// A Boolean combination of path formulas is not what a CTL path quantifier expects.
fn without_path(c: Fragment) -> Fragment {
    Fragment(c.0 & !Fragment::CTL_PATH.0)
}

fn negated(c: Fragment) -> Fragment {
    let kept = Fragment::BOOLEAN
        .union(Fragment::LTL)
        .union(Fragment::CTL)
        .union(Fragment::STATE)
        .union(Fragment::X_FREE)
        .union(Fragment::OBLIGATION);
    let swap = |from: Fragment, to: Fragment| to.only_if(c.contains(from));
    c.intersection(kept)
        .union(swap(Fragment::EVENTUAL, Fragment::UNIVERSAL))
        .union(swap(Fragment::UNIVERSAL, Fragment::EVENTUAL))
        .union(swap(Fragment::SAFETY, Fragment::GUARANTEE))
        .union(swap(Fragment::GUARANTEE, Fragment::SAFETY))
        .union(swap(Fragment::RECURRENCE, Fragment::PERSISTENCE))
        .union(swap(Fragment::PERSISTENCE, Fragment::RECURRENCE))
}

/// What every temporal operator over `c` and `d` shares.
fn temporal(c: Fragment, d: Fragment) -> Fragment {
    let both = c.intersection(d);
    both.intersection(Fragment::LTL.union(Fragment::X_FREE))
        .union(Fragment::CTL_PATH.only_if(both.contains(Fragment::CTL)))
}

/// `hold U goal`, and `goal M hold`; `eventual` is where the eventuality comes from.
fn strong(hold: Fragment, goal: Fragment, eventual: Fragment) -> Fragment {
    let both = hold.intersection(goal);
    let reaches = goal.contains(Fragment::GUARANTEE);
    temporal(hold, goal)
        .union(
            both.intersection(
                Fragment::UNIVERSAL
                    .union(Fragment::GUARANTEE)
                    .union(Fragment::PERSISTENCE),
            ),
        )
        .union(eventual.intersection(Fragment::EVENTUAL))
        .union(
            hold.intersection(Fragment::OBLIGATION.union(Fragment::RECURRENCE))
                .only_if(reaches),
        )
}

/// `hold W exit`, and `exit R hold`; `universal` is where the universality comes from.
fn weak(hold: Fragment, exit: Fragment, universal: Fragment) -> Fragment {
    let both = hold.intersection(exit);
    let stays = hold.contains(Fragment::SAFETY);
    temporal(hold, exit)
        .union(
            both.intersection(
                Fragment::EVENTUAL
                    .union(Fragment::SAFETY)
                    .union(Fragment::RECURRENCE),
            ),
        )
        .union(universal.intersection(Fragment::UNIVERSAL))
        .union(
            exit.intersection(Fragment::OBLIGATION.union(Fragment::PERSISTENCE))
                .only_if(stays),
        )
}
