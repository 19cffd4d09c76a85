//! Goals that are watched while a walk goes on.
//!
//! A goal is a Boolean combination of *facts*, each a number compared with a constant: a sum of variables,
//! how many groups of a set are enabled, how many groups are enabled at all. Negations are pushed into the
//! facts, so a goal can come true only when one of its facts does. Every step changes the numbers of
//! the facts that it touches, and a goal is looked at only when a fact of it has come true.
//!
//! A goal may *rise*: it asks for more than the largest value of a sum seen so far.

use dalsegno_kripke::circuit::{Circuit, Gate};
use dalsegno_kripke::{Model, Predicate, Relation, VarId};

/// What the number of a fact counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A weighted sum of variables.
    Sum,
    /// How many groups of a set are enabled.
    Set,
    /// How many groups are enabled.
    All,
}

/// A number compared with a constant.
#[derive(Clone, Debug)]
pub(crate) struct Fact {
    pub kind: Kind,
    pub op: Relation,
    pub constant: i64,
    pub number: i64,
    pub holds: bool,
    pub goal: u32,
    /// The node of the goal that it stands at.
    pub node: u32,
    touched: bool,
}

impl Fact {
    /// What must be added to the number for the fact to hold, in the direction where less is missing; 0 if
    /// it holds.
    pub fn missing(&self) -> i64 {
        if self.op.holds(self.number, self.constant) {
            return 0;
        }
        let gap = self.constant.saturating_sub(self.number);
        match self.op {
            Relation::Ge | Relation::Le | Relation::Eq => gap,
            Relation::Gt => gap.saturating_add(1),
            Relation::Lt => gap.saturating_sub(1),
            Relation::Ne => 1,
        }
    }
}

/// A part of a goal. Children come before their parents, the root is the last of the goal.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    Fact(u32),
    /// All of `children[start..end]`.
    And(u32, u32),
    /// Some of `children[start..end]`.
    Or(u32, u32),
}

/// What a goal has come to.
#[derive(Clone, Debug)]
pub(crate) struct Goal {
    /// Its nodes.
    pub start: u32,
    pub end: u32,
    /// Whether it is still looked for.
    pub open: bool,
    pub reached: bool,
    /// If it rises, the most that the sum can be.
    most: Option<i64>,
    queued: bool,
}

/// All goals of a walk.
#[derive(Default)]
pub(crate) struct Goals {
    pub facts: Vec<Fact>,
    pub nodes: Vec<Node>,
    pub children: Vec<u32>,
    pub parents: Vec<u32>,
    list: Vec<Goal>,
    /// The goals that are no trees: plans follow parents, and a shared node has but one here.
    circuits: Vec<usize>,
    /// The facts that a variable is in, with its coefficients, flattened.
    sum_starts: Vec<u32>,
    sums: Vec<(u32, i64)>,
    /// The facts about sets that a group is in, flattened.
    set_starts: Vec<u32>,
    sets: Vec<u32>,
    /// The facts of kind [`Kind::All`].
    alls: Vec<u32>,
    touched: Vec<u32>,
    queue: Vec<u32>,
    values: Vec<bool>,
    open: usize,
}

/// Stands for no parent.
pub(crate) const NO_NODE: u32 = u32::MAX;

/// Collects the lists of facts before they are flattened.
#[derive(Default)]
struct Lists {
    sums: Vec<(u32, u32, i64)>,
    sets: Vec<(u32, u32)>,
}

impl Goals {
    /// Goals that have not been looked at in any state, and sums of variables with the most that each of them
    /// can be.
    pub fn new(model: &Model, goals: &[Predicate], sums: &[(Vec<VarId>, u64)]) -> Self {
        let mut all = Goals::default();
        let mut lists = Lists::default();
        for goal in goals {
            let start = all.nodes.len() as u32;
            all.add(goal, false, &mut lists);
            all.close(start, None);
            if matches!(goal, Predicate::Circuit(_)) {
                all.circuits.push(all.list.len() - 1);
            }
        }
        for (variables, most) in sums {
            let start = all.nodes.len() as u32;
            let fact = all.fact(Kind::Sum, Relation::Ge, 0);
            lists.sums.extend(variables.iter().map(|v| (v.0, fact, 1)));
            all.close(start, Some(i64::try_from(*most).unwrap_or(i64::MAX)));
        }
        lists.sums.sort_unstable();
        lists.sets.sort_unstable();
        lists.sets.dedup();
        all.sum_starts = starts(model.variables().len(), lists.sums.iter().map(|s| s.0));
        all.set_starts = starts(model.groups().len(), lists.sets.iter().map(|s| s.0));
        all.sums = lists.sums.iter().map(|&(_, fact, c)| (fact, c)).collect();
        all.sets = lists.sets.iter().map(|&(_, fact)| fact).collect();
        all.open = all.list.len();
        all
    }

    /// Ends the goal whose nodes began at `start`.
    fn close(&mut self, start: u32, most: Option<i64>) {
        let goal = self.list.len() as u32;
        let end = self.nodes.len() as u32;
        self.parents.resize(end as usize, NO_NODE);
        for node in start..end {
            match self.nodes[node as usize] {
                Node::Fact(fact) => {
                    self.facts[fact as usize].goal = goal;
                    self.facts[fact as usize].node = node;
                }
                Node::And(from, to) | Node::Or(from, to) => {
                    for &child in &self.children[from as usize..to as usize] {
                        self.parents[child as usize] = node;
                    }
                }
            }
        }
        let (open, reached, queued) = (true, false, false);
        self.list.push(Goal {
            start,
            end,
            open,
            reached,
            most,
            queued,
        });
    }

    fn fact(&mut self, kind: Kind, op: Relation, constant: i64) -> u32 {
        let fact = self.facts.len() as u32;
        self.facts.push(Fact {
            kind,
            op,
            constant,
            number: 0,
            holds: false,
            goal: 0,
            node: 0,
            touched: false,
        });
        self.nodes.push(Node::Fact(fact));
        fact
    }

    /// Adds a predicate or its negation, and tells its node.
    fn add(&mut self, predicate: &Predicate, negated: bool, lists: &mut Lists) -> u32 {
        let none = if negated { Relation::Le } else { Relation::Gt };
        match predicate {
            Predicate::True | Predicate::False => {
                let truth = (*predicate == Predicate::True) != negated;
                let (from, to) = (self.children.len() as u32, self.children.len() as u32);
                self.nodes.push(if truth {
                    Node::And(from, to)
                } else {
                    Node::Or(from, to)
                });
            }
            Predicate::Not(inner) => return self.add(inner, !negated, lists),
            Predicate::Compare(c) => {
                let op = if negated { c.op().negated() } else { c.op() };
                let fact = self.fact(Kind::Sum, op, c.constant());
                let term = |&(n, v): &(i64, VarId)| (v.0, fact, n);
                lists.sums.extend(c.terms().iter().map(term));
            }
            Predicate::Enabled(groups) => {
                let fact = self.fact(Kind::Set, none, 0);
                lists.sets.extend(groups.iter().map(|g| (g.0, fact)));
            }
            Predicate::DeadEnd => {
                let fact = self.fact(Kind::All, none.negated(), 0);
                self.alls.push(fact);
            }
            Predicate::And(parts) | Predicate::Or(parts) => {
                let nodes: Vec<u32> = parts.iter().map(|p| self.add(p, negated, lists)).collect();
                let all = matches!(predicate, Predicate::And(_)) != negated;
                return self.junction(nodes, all);
            }
            Predicate::Circuit(circuit) => return self.add_circuit(circuit, negated, lists),
        }
        self.nodes.len() as u32 - 1
    }

    /// A node that holds if all of these do, or some.
    fn junction(&mut self, nodes: impl IntoIterator<Item = u32>, all: bool) -> u32 {
        let from = self.children.len() as u32;
        self.children.extend(nodes);
        let to = self.children.len() as u32;
        self.nodes.push(if all {
            Node::And(from, to)
        } else {
            Node::Or(from, to)
        });
        self.nodes.len() as u32 - 1
    }

    /// Adds a circuit or its negation: two nodes per gate, one for either sign. The last is the one asked for.
    fn add_circuit(&mut self, circuit: &Circuit, negated: bool, lists: &mut Lists) -> u32 {
        let mut found: Vec<[u32; 2]> = Vec::with_capacity(circuit.gates().len());
        for gate in circuit.gates() {
            let signs = [false, true].map(|negated| {
                let at = |g: &u32, negated: bool| found[*g as usize][usize::from(negated)];
                match gate {
                    Gate::Leaf(leaf) => self.add(leaf, negated, lists),
                    Gate::Not(g) => at(g, !negated),
                    Gate::And(gs) => self.junction(gs.iter().map(|g| at(g, negated)), !negated),
                    Gate::Or(gs) => self.junction(gs.iter().map(|g| at(g, negated)), negated),
                    Gate::Iff(a, b) => {
                        let one = self.junction([at(a, false), at(b, negated)], true);
                        let other = self.junction([at(a, true), at(b, !negated)], true);
                        self.junction([one, other], false)
                    }
                }
            });
            found.push(signs);
        }
        let output = found[circuit.gates().len() - 1][usize::from(negated)];
        self.junction([output], true)
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// How many goals are still looked for.
    pub fn open(&self) -> usize {
        self.open
    }

    pub fn goal(&self, goal: usize) -> &Goal {
        &self.list[goal]
    }

    /// Stops to look for a goal.
    pub fn drop_goal(&mut self, goal: usize) {
        if std::mem::replace(&mut self.list[goal].open, false) {
            self.open -= 1;
        }
    }

    /// Whether a goal is that no group is enabled, or asks for it among others.
    pub fn asks_for_dead_end(&self, goal: usize) -> bool {
        let all = |&&fact: &&u32| {
            let fact = &self.facts[fact as usize];
            fact.goal as usize == goal && fact.op == Relation::Le
        };
        self.alls.iter().find(all).is_some()
    }

    /// Whether a goal without a relaxed plan is unreachable: plans look for all that can make its facts hold.
    /// What disables groups they only guess.
    pub fn has_sound_plans(&self, goal: usize) -> bool {
        let Goal { start, end, .. } = self.list[goal];
        let sound = |node: &Node| match *node {
            Node::Fact(fact) => match self.facts[fact as usize] {
                Fact {
                    kind: Kind::Sum, ..
                } => true,
                Fact {
                    kind: Kind::Set,
                    op,
                    ..
                } => op == Relation::Gt,
                Fact {
                    kind: Kind::All, ..
                } => false,
            },
            Node::And(..) | Node::Or(..) => true,
        };
        let tree = !self.circuits.contains(&goal);
        tree && self.nodes[start as usize..end as usize].iter().all(sound)
    }

    /// The facts that a variable is in, with its coefficients.
    #[inline]
    pub fn sums(&self, variable: u32) -> &[(u32, i64)] {
        let at = |v: u32| self.sum_starts[v as usize] as usize;
        &self.sums[at(variable)..at(variable + 1)]
    }

    /// The facts about sets that a group is in.
    #[inline]
    pub fn sets(&self, group: u32) -> &[u32] {
        let at = |g: u32| self.set_starts[g as usize] as usize;
        &self.sets[at(group)..at(group + 1)]
    }

    /// A variable has grown by `n`.
    #[inline]
    pub fn change(&mut self, variable: u32, n: i64) {
        let at = |v: u32| self.sum_starts[v as usize] as usize;
        for i in at(variable)..at(variable + 1) {
            let (fact, coefficient) = self.sums[i];
            self.touch(fact, coefficient * n);
        }
    }

    /// A group was enabled (1) or disabled (-1).
    #[inline]
    pub fn switch(&mut self, group: u32, n: i64) {
        let at = |g: u32| self.set_starts[g as usize] as usize;
        for i in at(group)..at(group + 1) {
            self.touch(self.sets[i], n);
        }
    }

    #[inline]
    fn touch(&mut self, fact: u32, n: i64) {
        let entry = &mut self.facts[fact as usize];
        entry.number += n;
        if !entry.touched {
            entry.touched = true;
            self.touched.push(fact);
        }
    }

    /// Looks at what a step has touched, and appends the open goals that hold now.
    #[inline]
    pub fn settle(&mut self, enabled: usize, found: &mut Vec<u32>) {
        for i in 0..self.alls.len() {
            let fact = self.alls[i];
            let n = count(enabled) - self.facts[fact as usize].number;
            if n != 0 {
                self.touch(fact, n);
            }
        }
        while let Some(fact) = self.touched.pop() {
            let fact = &mut self.facts[fact as usize];
            fact.touched = false;
            let held =
                std::mem::replace(&mut fact.holds, fact.op.holds(fact.number, fact.constant));
            let goal = &mut self.list[fact.goal as usize];
            if fact.holds && !held && goal.open && !goal.queued {
                goal.queued = true;
                self.queue.push(fact.goal);
            }
        }
        while let Some(goal) = self.queue.pop() {
            self.list[goal as usize].queued = false;
            self.look(goal, found);
        }
    }

    fn look(&mut self, goal: u32, found: &mut Vec<u32>) {
        if !self.holds(goal as usize) {
            return;
        }
        found.push(goal);
        let Goal { start, most, .. } = self.list[goal as usize];
        let (Some(most), Node::Fact(fact)) = (most, &self.nodes[start as usize]) else {
            self.list[goal as usize].reached = true;
            self.drop_goal(goal as usize);
            return;
        };
        let fact = &mut self.facts[*fact as usize];
        fact.constant = fact.number + 1;
        fact.holds = false;
        if fact.number >= most {
            self.list[goal as usize].reached = true;
            self.drop_goal(goal as usize);
        }
    }

    /// Whether a goal holds by the facts as they were at the last look.
    pub fn holds(&mut self, goal: usize) -> bool {
        let Goal { start, end, .. } = self.list[goal];
        self.values.clear();
        for node in start..end {
            let at = |child: &u32| self.values[(child - start) as usize];
            let value = match self.nodes[node as usize] {
                Node::Fact(fact) => self.facts[fact as usize].holds,
                Node::And(from, to) => self.children[from as usize..to as usize].iter().all(at),
                Node::Or(from, to) => self.children[from as usize..to as usize].iter().any(at),
            };
            self.values.push(value);
        }
        self.values.last() == Some(&true)
    }

    /// The value of each node of the goal that [`Goals::holds`] was asked of last.
    pub fn values(&self) -> &[bool] {
        &self.values
    }

    /// Counts all facts anew in a state, and appends the open goals that hold.
    pub fn load(&mut self, state: &[u32], enabled: &[u32], found: &mut Vec<u32>) {
        self.touched.clear();
        for fact in &mut self.facts {
            (fact.number, fact.touched) = (0, false);
        }
        for (variable, &value) in (0..).zip(state) {
            let at = |v: u32| self.sum_starts[v as usize] as usize;
            for &(fact, c) in &self.sums[at(variable)..at(variable + 1)] {
                self.facts[fact as usize].number += c * i64::from(value);
            }
        }
        for &group in enabled {
            let at = |g: u32| self.set_starts[g as usize] as usize;
            for &fact in &self.sets[at(group)..at(group + 1)] {
                self.facts[fact as usize].number += 1;
            }
        }
        for &fact in &self.alls {
            self.facts[fact as usize].number = count(enabled.len());
        }
        for fact in &mut self.facts {
            fact.holds = fact.op.holds(fact.number, fact.constant);
        }
        for goal in 0..self.list.len() as u32 {
            if self.list[goal as usize].open {
                self.look(goal, found);
            }
        }
    }

    /// The numbers of the facts.
    pub fn save(&self) -> Vec<i64> {
        self.facts.iter().map(|fact| fact.number).collect()
    }

    /// Goes back to a state in which nothing new holds.
    pub fn restore(&mut self, numbers: &[i64]) {
        self.touched.clear();
        for (fact, &number) in self.facts.iter_mut().zip(numbers) {
            fact.number = number;
            fact.touched = false;
            fact.holds = fact.op.holds(number, fact.constant);
        }
    }
}

/// As many, as a number of a fact.
fn count(groups: usize) -> i64 {
    i64::try_from(groups).unwrap_or(i64::MAX)
}

/// Where the entries of each key start, of entries in the order of their keys.
fn starts(keys: usize, entries: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut starts = vec![0; keys + 1];
    for key in entries {
        starts[key as usize + 1] += 1;
    }
    for key in 0..keys {
        starts[key + 1] += starts[key];
    }
    starts
}
