//! Which groups a closed set must have, computed once per model.
//!
//! Stubborn sets after Valmari, strong ones: rule COM of `docs/stubborn.md`. Two linear groups depend on each other if one can disable the other: it
//! takes from what the other needs, or adds to what inhibits the other. Any other two depend if one writes what the
//! other reads or writes. All of that goes through a variable, so what an enabled group draws in is the union of
//! a few lists that belong to variables, and what a disabled group draws in is one such list: those who can
//! make a false part of its guard true. Lists take memory linear in the arcs of the model, where a matrix of pairs would be quadratic, and a
//! closure looks at each of them once.
//!
//! Two groups that need different values of one variable, such as two transitions of a process from different locations, are never
//! enabled together, and do not depend on each other: an enabled member of a closed set stays enabled while others fire,
//! so no group that is never enabled together with it is among these. A function that tells its parts (`Outline`) needs less than its lists of
//! variables say: a step that lies at another location waits for those who move there, and in a state an index of an array is known. As long
//! as the variables that were looked at keep their values, which others who are not in the set do not write, the step is the same.

use dalsegno_kripke::{Action, Group, GroupId, Model, Outline, VarId};
use rustc_hash::FxHashMap;

use super::lists::{ListId, Lists, Word, groups};

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

/// Lists with no more members in all are looked through for groups that are never enabled together.
const THINNED: usize = 1 << 14;

/// Lists with no more words in all that a group draws in are merged into a set of its own.
const MERGED: usize = 64;

/// The dependence of the groups of a model.
#[derive(Debug)]
pub(crate) struct Relations {
    variables: usize,
    pub lists: Lists,
    /// Those whom each group draws in where it is enabled: a set of its own, and lists one after the other, with where those of
    /// each group begin.
    own: Lists,
    drawn: Vec<ListId>,
    drawn_ends: Vec<u32>,
    /// Those who raise each variable.
    raisers: Vec<Raisers>,
    /// The parts of the guards of groups one after the other, those with short lists first, and where those of each group begin.
    parts: Vec<Part>,
    part_ends: Vec<u32>,
    /// Whether some group is not linear, and whether some group is a function that tells its parts.
    mixed: bool,
    pub outlines: bool,
}

/// A part of the guard of a group that is about one variable, and those who can make it true.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub variable: VarId,
    pub bound: u32,
    pub test: Test,
    pub list: ListId,
    /// The list itself, if it is one word.
    pub word: Option<Word>,
}

/// Those who raise a variable: how many they are, and the groups themselves if they are one word, else their list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Raisers {
    pub count: u32,
    /// The position of the word, or the list.
    pub at: u32,
    /// 0 if they are a list.
    pub bits: u64,
}

impl Raisers {
    /// More than those of any variable, and nobody.
    pub const MANY: Raisers = Raisers {
        count: u32::MAX,
        at: 0,
        bits: 0,
    };

    /// Whether they are one word.
    #[inline]
    pub fn is_word(&self) -> bool {
        self.bits != 0
    }
}

/// How a variable is compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Test {
    AtLeast,
    Below,
    Is,
}

impl Part {
    /// Whether it is false for a value of the variable.
    #[inline]
    pub fn is_false(&self, value: u32) -> bool {
        match self.test {
            Test::AtLeast => value < self.bound,
            Test::Below => value >= self.bound,
            Test::Is => value != self.bound,
        }
    }
}

/// What is known of a group that is a function, part by part.
#[inline]
pub(crate) fn outline(group: &Group) -> Option<&dyn Outline> {
    match group.action() {
        Action::Opaque(function) => function.outline(),
        Action::Linear(_) | Action::Table(_) => None,
    }
}

/// The value that a variable has before and after a step of a group, if it is always the same.
pub(crate) fn known_move(group: &Group, v: VarId) -> Option<(u32, u32)> {
    let moves = outline(group)?.moves();
    let found = moves.iter().find(|&&(moved, ..)| moved == v)?;
    Some((found.1, found.2))
}

/// Whether two groups may be enabled at the same time: none where they need different values of a variable.
fn may_meet(a: &Group, b: &Group) -> bool {
    let Some(a) = outline(a) else {
        return true;
    };
    let mut moves = a.moves().iter();
    moves.all(|&(v, from, _)| known_move(b, v).is_none_or(|(other, _)| other == from))
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
            raisers: Vec::new(),
            own: Lists::default(),
            drawn: Vec::new(),
            drawn_ends: vec![0],
            parts: Vec::new(),
            part_ends: vec![0],
            mixed,
            outlines: model.groups().iter().any(|g| outline(g).is_some()),
        };
        relations.raisers = (0..variables as u32)
            .map(|v| relations.raisers_of(VarId(v)))
            .collect();
        let mut entering = FxHashMap::default();
        for group in model.group_ids() {
            let drawn = relations.drawn_by(model, group);
            relations.draw(model, group, drawn);
            relations.add_parts(model, group, &mut entering);
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

    /// The groups that raise a variable, in short.
    #[inline]
    pub fn raisers(&self, variable: usize) -> &Raisers {
        &self.raisers[variable]
    }

    fn raisers_of(&self, v: VarId) -> Raisers {
        let list = self.raise(v);
        let (at, bits) = match self.lists.get(list) {
            [word] => (word.at, word.bits),
            _ => (list.0, 0),
        };
        let count = self.lists.count(list) as u32;
        Raisers { count, at, bits }
    }

    /// The groups that write a variable; of models with groups that are not linear only.
    #[inline]
    pub fn write(&self, v: VarId) -> ListId {
        self.list(Role::Write, v)
    }

    /// The groups that read or write a variable; of models with groups that are not linear only.
    #[inline]
    pub fn use_of(&self, v: VarId) -> ListId {
        self.list(Role::Use, v)
    }

    /// Those whom an enabled group draws in, beside the lists of [`Relations::drawn`].
    #[inline]
    pub fn drawn_words(&self, group: GroupId) -> &[Word] {
        self.own.get(ListId(group.0))
    }

    /// The lists that an enabled group draws in; of a function whose variables depend on the state, those that do not.
    #[inline]
    pub fn drawn(&self, group: GroupId) -> &[ListId] {
        let i = group.index();
        &self.drawn[self.drawn_ends[i] as usize..self.drawn_ends[i + 1] as usize]
    }

    /// Keeps the lists that a group, the next one, draws in: as a set of its own if that is short, or if they have groups that
    /// are never enabled together with it.
    fn draw(&mut self, model: &Model, group: GroupId, lists: Vec<ListId>) {
        let words: usize = lists.iter().map(|&l| self.lists.get(l).len()).sum();
        let members: usize = lists.iter().map(|&l| self.lists.count(l)).sum();
        let group = model.group(group);
        let thins = outline(group).is_some() && members <= THINNED;
        let mut own = Vec::new();
        if words <= MERGED || thins {
            let all = lists.iter().flat_map(|&l| groups(self.lists.get(l)));
            let meets = |&g: &u32| !thins || may_meet(group, model.group(GroupId(g)));
            own.extend(all.filter(meets));
        } else {
            self.drawn.extend(lists);
        }
        self.own.push(own);
        self.drawn_ends.push(self.drawn.len() as u32);
    }

    /// Keeps the parts of the guard of the next group; `entering` has the lists of those who may give a variable a value.
    fn add_parts(
        &mut self,
        model: &Model,
        group: GroupId,
        entering: &mut FxHashMap<(VarId, u32), ListId>,
    ) {
        let first = self.parts.len();
        let group = model.group(group);
        let part = |variable, bound, test, list| Part {
            variable,
            bound,
            test,
            list,
            word: None,
        };
        if let Some(linear) = group.as_linear() {
            let pre = linear.pre().iter();
            let pre = pre.map(|&(v, n)| part(v, n, Test::AtLeast, self.raise(v)));
            let inhibit = linear.inhibit().iter();
            let inhibit = inhibit.map(|&(v, n)| part(v, n, Test::Below, self.lower(v)));
            let parts: Vec<Part> = pre.chain(inhibit).collect();
            self.parts.extend(parts);
        } else if let Some(outline) = outline(group) {
            for &(v, from, _) in outline.moves() {
                let list = *entering.entry((v, from)).or_insert_with(|| {
                    let writers = groups(self.lists.get(self.write(v)));
                    // A known move to another value does not help.
                    let enters = |&g: &u32| {
                        let known = known_move(model.group(GroupId(g)), v);
                        known.is_none_or(|(_, to)| to == from)
                    };
                    let writers = writers.filter(enters).collect();
                    self.lists.push(writers)
                });
                self.parts.push(part(v, from, Test::Is, list));
            }
        }
        let lists = &self.lists;
        for part in &mut self.parts[first..] {
            if let [word] = lists.get(part.list) {
                part.word = Some(*word);
            }
        }
        self.parts[first..].sort_by_key(|part| lists.count(part.list));
        self.part_ends.push(self.parts.len() as u32);
    }

    /// The parts of the guard of a group: all of a linear one, those that are known of others.
    #[inline]
    pub fn parts(&self, group: GroupId) -> &[Part] {
        let i = group.index();
        &self.parts[self.part_ends[i] as usize..self.part_ends[i + 1] as usize]
    }

    fn drawn_by(&self, model: &Model, group: GroupId) -> Vec<ListId> {
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
                // What is only known in a state is not drawn in here.
                let varies = outline(group).is_some_and(Outline::varies);
                let counts = |v: &&VarId| !varies || known_move(group, **v).is_some();
                let writes = group.writes().iter().filter(counts);
                let reads = group.reads().iter().filter(counts);
                drawn.extend(writes.map(|&v| self.use_of(v)));
                drawn.extend(reads.map(|&v| self.write(v)));
            }
        }
        let used = drawn.into_iter().filter(|&l| !self.lists.get(l).is_empty());
        used.collect()
    }

    /// The work of a choice beside that of its sets: groups that are not linear are tested one by one for it, and otherwise as
    /// they are fired.
    pub fn overhead(&self) -> u64 {
        let tested = if self.mixed { self.part_ends.len() } else { 0 };
        4 + tested as u64
    }

    /// The bytes of the lists.
    pub fn bytes(&self) -> u64 {
        let parts = size_of::<Part>() * self.parts.capacity() + 4 * self.part_ends.capacity();
        let drawn = 4 * (self.drawn.capacity() + self.drawn_ends.capacity());
        let parts = parts + size_of::<Raisers>() * self.raisers.capacity();
        self.lists.bytes() + self.own.bytes() + (drawn + parts) as u64
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
                let drawn = relations.drawn(a).iter();
                let drawn = drawn.flat_map(|&list| groups(relations.lists.get(list)));
                let mut drawn = drawn.chain(groups(relations.drawn_words(a)));
                let drawn = drawn.any(|g| g == b.0);
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
