//! Which groups a closed set must have, computed once per model.
//!
//! Stubborn sets after Valmari, strong ones: rule COM of `docs/stubborn.md`. Two linear groups depend on each other if one can disable the other: it
//! takes from what the other needs, or adds to what inhibits the other. Any other two depend if one writes what the
//! other reads or writes. All of that goes through a variable, so what an enabled group draws in is the union of
//! a few lists that belong to variables, and what a disabled group draws in is one such list: those who can
//! make a false part of its guard true. Lists take memory linear in the arcs of the model, where a matrix of pairs would be quadratic, and a
//! closure looks at each of them once.

use dalsegno_kripke::{Action, GroupId, Model, VarId};

use super::lists::{ListId, Lists};

/// What a list of a variable has.
#[derive(Clone, Copy)]
enum Role {
    /// Groups that lower it; those that are not linear count wherever they write.
    Lower,
    /// Groups that raise it, likewise.
    Raise,
    /// Linear groups that need it, and others that read or write it.
    Need,
    /// Linear groups that it inhibits, and others that read or write it.
    Inhibited,
    /// Groups that write it.
    Write,
    /// Groups that read or write it.
    Use,
}

const ROLES: usize = 6;

/// The dependence of the groups of a model.
#[derive(Debug)]
pub(crate) struct Relations {
    variables: usize,
    pub lists: Lists,
    /// Per group the lists that it draws in where it is enabled.
    drawn: Lists,
    /// The parts of the guards of linear groups one after the other, and where those of each group end.
    parts: Vec<Part>,
    part_ends: Vec<u32>,
}

/// A part of the guard of a linear group, and those who can make it true.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub variable: VarId,
    /// The variable is at least this, or below it if it inhibits.
    pub bound: u32,
    pub inhibits: bool,
    pub list: ListId,
}

impl Relations {
    pub fn new(model: &Model) -> Self {
        let variables = model.variables().len();
        let mut by: Vec<Vec<u32>> = vec![Vec::new(); ROLES * variables];
        let mut file = |role: Role, v: VarId, g: u32| {
            by[role as usize * variables + v.index()].push(g);
        };
        let mixed = model.groups().iter().any(|g| g.as_linear().is_none());
        for (g, group) in (0..).zip(model.groups()) {
            match group.action() {
                Action::Linear(linear) => {
                    for &(v, n) in linear.delta() {
                        file(if n < 0 { Role::Lower } else { Role::Raise }, v, g);
                    }
                    for &(v, _) in linear.pre() {
                        file(Role::Need, v, g);
                    }
                    for &(v, _) in linear.inhibit() {
                        file(Role::Inhibited, v, g);
                    }
                }
                Action::Table(_) | Action::Opaque(_) => {
                    for &v in group.writes() {
                        file(Role::Lower, v, g);
                        file(Role::Raise, v, g);
                    }
                    for &v in group.reads().iter().chain(group.writes()) {
                        file(Role::Need, v, g);
                        file(Role::Inhibited, v, g);
                    }
                }
            }
            // Only groups that are not linear ask for these.
            if mixed {
                for &v in group.writes() {
                    file(Role::Write, v, g);
                }
                for &v in group.reads().iter().chain(group.writes()) {
                    file(Role::Use, v, g);
                }
            }
        }
        let mut lists = Lists::default();
        for list in by {
            lists.push(list);
        }
        let mut relations = Relations {
            variables,
            lists,
            drawn: Lists::default(),
            parts: Vec::new(),
            part_ends: Vec::new(),
        };
        for group in model.group_ids() {
            let drawn = relations.drawn_by(model, group);
            relations.drawn.push(drawn);
            relations.add_parts(model, group);
        }
        relations
    }

    #[inline]
    fn list(&self, role: Role, v: VarId) -> ListId {
        ListId((role as usize * self.variables + v.index()) as u32)
    }

    /// The groups that lower a variable.
    #[inline]
    pub fn lower(&self, v: VarId) -> ListId {
        self.list(Role::Lower, v)
    }

    /// The groups that raise a variable.
    #[inline]
    pub fn raise(&self, v: VarId) -> ListId {
        self.list(Role::Raise, v)
    }

    /// The groups that write a variable; of models with groups that are not linear only.
    #[inline]
    pub fn write(&self, v: VarId) -> ListId {
        self.list(Role::Write, v)
    }

    /// The lists that an enabled group draws in.
    #[inline]
    pub fn drawn(&self, group: u32) -> impl Iterator<Item = ListId> + '_ {
        self.drawn.get(ListId(group)).iter().map(|&l| ListId(l))
    }

    fn add_parts(&mut self, model: &Model, group: GroupId) {
        if let Some(linear) = model.group(group).as_linear() {
            for &(variable, bound) in linear.pre() {
                self.parts.push(Part {
                    variable,
                    bound,
                    inhibits: false,
                    list: self.raise(variable),
                });
            }
            for &(variable, bound) in linear.inhibit() {
                self.parts.push(Part {
                    variable,
                    bound,
                    inhibits: true,
                    list: self.lower(variable),
                });
            }
        }
        self.part_ends.push(self.parts.len() as u32);
    }

    /// The parts of the guard of a linear group; none of another one.
    #[inline]
    pub fn parts(&self, group: GroupId) -> &[Part] {
        let i = group.index();
        let start = if i == 0 {
            0
        } else {
            self.part_ends[i - 1] as usize
        };
        &self.parts[start..self.part_ends[i] as usize]
    }

    fn drawn_by(&self, model: &Model, group: GroupId) -> Vec<u32> {
        let group = model.group(group);
        let mut drawn = Vec::new();
        match group.action() {
            Action::Linear(linear) => {
                let pre = linear.pre().iter().map(|&(v, _)| self.lower(v));
                let inhibit = linear.inhibit().iter().map(|&(v, _)| self.raise(v));
                let role = |n: i64| if n < 0 { Role::Need } else { Role::Inhibited };
                let delta = linear.delta().iter();
                let delta = delta.map(|&(v, n)| self.list(role(n), v));
                drawn.extend(pre.chain(inhibit).chain(delta));
            }
            Action::Table(_) | Action::Opaque(_) => {
                let writes = group.writes().iter().map(|&v| self.list(Role::Use, v));
                let reads = group.reads().iter().map(|&v| self.write(v));
                drawn.extend(writes.chain(reads));
            }
        }
        let used = drawn.into_iter().filter(|&l| !self.lists.get(l).is_empty());
        used.map(|list| list.0).collect()
    }

    /// The bytes of the lists.
    pub fn bytes(&self) -> u64 {
        let parts = size_of::<Part>() * self.parts.capacity() + 4 * self.part_ends.capacity();
        self.lists.bytes() + self.drawn.bytes() + parts as u64
    }
}

#[cfg(test)]
mod tests {
    use dalsegno_kripke::visibility::dependence;
    use dalsegno_logic::random::Rng;
    use dalsegno_testkit::nets::wild_net;

    use super::*;

    /// Every group that depends on an enabled one is drawn in, and nobody else.
    fn agrees(model: &Model) {
        let relations = Relations::new(model);
        let matrix = dependence(model);
        for a in model.group_ids() {
            for b in model.group_ids().filter(|&b| b != a) {
                let mut drawn = relations.drawn(a.0);
                let drawn = drawn.any(|list| relations.lists.get(list).contains(&b.0));
                assert_eq!(drawn, matrix.get(a.index(), b.index()), "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn what_depends_is_drawn_in() {
        let mut rng = Rng::new(3);
        for _ in 0..300 {
            agrees(&wild_net(&mut rng).to_model());
        }
        for _ in 0..300 {
            agrees(&super::super::tests::tabled(&mut rng));
        }
    }
}
