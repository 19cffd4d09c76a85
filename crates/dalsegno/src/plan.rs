//! Plans: which method works on which questions, in which turn, and with how much of what is left.
//!
//! A plan is data. All shares and thresholds of all strategies stand in this file. Shares are parts of the
//! time that is left when the turn comes, and a turn that ends early leaves the rest to the next one. Work is
//! counted in states where the result should not depend on the machine.
//!
//! Few states decide most questions, so the explicit methods come first with a little work. What they leave
//! open is asked of the state equation, of walks and of diagrams; which of these gets there depends on the
//! model. The rest of the time belongs to the methods that are complete.

use std::time::Duration;

use dalsegno_explicit::search_order::SearchOrder;

use crate::method::Tool;
use crate::question::QuestionKind::{self, Bound, Branching, Global, Linear, Reach, Survey};
use crate::settings::{Emptiness, Engine, Settings, Strategy};

/// What is done for the questions of some kinds, stage after stage, until they are answered.
#[derive(Clone, Copy, Debug)]
pub struct Course {
    /// The kinds.
    pub kinds: &'static [QuestionKind],
    /// The first stages, where they are cheap: where questions are asked of several nets, all nets have them before any
    /// of them has the others.
    pub look: &'static [Stage],
    /// The stages.
    pub stages: &'static [Stage],
}

/// A stage of a course.
#[derive(Clone, Copy, Debug)]
pub enum Stage {
    /// One method.
    Turn(Turn),
    /// Methods that take turns of equal length until the time is over.
    Alternate(&'static [Turn]),
    /// Methods at the same time, a thread each.
    Together(&'static [Turn]),
}

/// The turn of a method.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    /// The method.
    pub tool: Tool,
    /// How long it may take.
    pub time: Time,
    /// How many states it may look at, for each question if it takes them one by one.
    pub work: u64,
    /// The part of the memory that is left, in percent.
    pub memory: u64,
    /// For the explicit search: in which order, and how deep.
    pub search: Search,
    /// Whether it is taken with one thread, with several, or always.
    pub when: When,
    /// How many threads it may use: those that are free in its stage.
    pub threads: usize,
}

/// When a turn is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    /// Always.
    Always,
    /// If no more than one thread is free.
    Sequential,
    /// If there are several.
    Parallel,
    /// If others can work at the same time.
    Beside,
}

/// A part of the time that is left.
#[derive(Clone, Copy, Debug)]
pub struct Time {
    /// The part, as a fraction.
    pub part: (u32, u32),
    /// The most that it may be, if there is a limit.
    pub most: Option<Duration>,
    /// What it is if the time has no limit; none if it has none either.
    pub unlimited: Option<Duration>,
}

/// How an explicit search looks at the product.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Search {
    /// As the settings say; it is kept, and goes on in its next turn.
    Kept,
    /// In this order and not deeper than that; it begins anew.
    Anew(SearchOrder, Option<usize>),
}

impl Time {
    const REST: Time = Time::part(1, 1);

    const fn percent(percent: u32) -> Time {
        Time::part(percent, 100)
    }

    const fn part(count: u32, of: u32) -> Time {
        Time {
            part: (count, of),
            most: None,
            unlimited: None,
        }
    }

    const fn or_seconds(mut self, seconds: u64) -> Time {
        self.unlimited = Some(Duration::from_secs(seconds));
        self
    }

    const fn at_most(mut self, seconds: u64) -> Time {
        self.most = Some(Duration::from_secs(seconds));
        self
    }

    /// The time of a turn if so much is left; none if neither has a limit.
    #[must_use]
    pub fn of(self, left: Option<Duration>) -> Option<Duration> {
        let (count, of) = self.part;
        let time = left.map(|left| left / of * count).or(self.unlimited);
        [time, self.most].into_iter().flatten().min()
    }
}

const fn turn(tool: Tool, time: Time) -> Turn {
    Turn {
        tool,
        time,
        work: u64::MAX,
        memory: 100,
        search: Search::Kept,
        when: When::Always,
        threads: 1,
    }
}

impl Turn {
    const fn states(mut self, states: u64) -> Turn {
        self.work = states;
        self
    }

    const fn memory(mut self, percent: u64) -> Turn {
        self.memory = percent;
        self
    }

    const fn sequential(mut self) -> Turn {
        self.when = When::Sequential;
        self
    }

    const fn beside(mut self) -> Turn {
        self.when = When::Beside;
        self
    }

    const fn parallel(mut self) -> Turn {
        self.when = When::Parallel;
        self
    }

    const fn anew(mut self, order: SearchOrder, depth: Option<usize>) -> Turn {
        self.search = Search::Anew(order, depth);
        self
    }
}

const fn one(turn: Turn) -> Stage {
    Stage::Turn(turn)
}

/// The first look of a coloured net's skeleton, before the net is unfolded.
pub const SKELETON: Turn =
    turn(Tool::Skeleton, Time::part(1, 20).at_most(10).or_seconds(10)).memory(25);

/// The skeleton if the net cannot be unfolded: there is nobody else.
pub const SKELETON_ALONE: Turn = turn(Tool::Skeleton, Time::REST).memory(25);

/// The part of the time in which a coloured net is searched by representatives of its markings, before it is unfolded.
pub const ORBITS: Time = Time::percent(20).or_seconds(20);

/// The same if colours are merged, which makes most nets small.
pub const ORBITS_BESIDE_MERGED: Time = Time::percent(5).or_seconds(5);

/// The same if unfolding takes long and no colours are merged, at most.
pub const ORBITS_ON_LARGE: Time = Time::percent(60).or_seconds(120);

/// The part of that which each turn has.
pub const ORBITS_TURN: Time = Time::percent(33).or_seconds(40);

/// There is another turn if the last one has answered one of so many questions.
pub const ORBITS_WORTH: usize = 4;

/// Unfolding takes long if there may be more places and transitions than this.
pub const ORBITS_LARGE: u128 = 100_000;

/// Nobody can wait for it if there may be more than this.
pub const ORBITS_HOPELESS: u128 = 20_000_000;

/// The skeleton as a pass: the part of the time in which it may prove atoms constant.
pub const SKELETON_ATOMS: Time = Time::percent(5).at_most(10).or_seconds(10);

const SURVEY: Course = Course {
    kinds: &[Survey],
    look: &[],
    stages: &[
        one(turn(Tool::BreadthFirst, Time::REST).states(50_000)),
        Stage::Together(&[
            turn(Tool::BreadthFirst, Time::REST).memory(50).sequential(),
            turn(Tool::Flood, Time::REST).memory(50).parallel(),
            turn(Tool::Diagrams, Time::REST).memory(50),
        ]),
    ],
};

/// Each goal by stubborn sets, a little: many that are not reachable are decided here.
const GOALS_FIRST: Turn = turn(Tool::GoalSearch, Time::percent(5).or_seconds(10))
    .states(50_000)
    .memory(50);

/// Where diagrams give up, what is left is more often found by a walk than by a breadth-first search.
const LATE_WALKS: Turn = turn(Tool::Walks, Time::percent(30));

const REACH: Course = Course {
    kinds: &[Reach, Bound],
    look: &[],
    stages: &[
        one(turn(Tool::Coverability, Time::part(1, 3).or_seconds(1200))),
        one(turn(Tool::BreadthFirst, Time::percent(5)).states(50_000)),
        one(GOALS_FIRST),
        one(turn(Tool::StateEquation, Time::percent(15).or_seconds(60))),
        one(turn(Tool::Walks, Time::percent(10))),
        one(turn(Tool::Diagrams, Time::percent(75))),
        one(LATE_WALKS),
        Stage::Alternate(&[
            turn(Tool::BreadthFirst, Time::REST),
            turn(Tool::GoalSearch, Time::REST).memory(50),
            turn(Tool::Walks, Time::REST),
        ]),
    ],
};

const GLOBAL: Course = Course {
    kinds: &[Global],
    look: &[],
    stages: &[
        one(turn(Tool::BreadthFirst, Time::percent(5)).states(50_000)),
        one(GOALS_FIRST),
        one(turn(Tool::Walks, Time::percent(10))),
        one(turn(Tool::StateEquation, Time::percent(40).or_seconds(60))),
        one(turn(Tool::Diagrams, Time::percent(75))),
        one(LATE_WALKS),
        Stage::Alternate(&[
            turn(Tool::BreadthFirst, Time::REST),
            turn(Tool::GoalSearch, Time::REST).memory(50),
            turn(Tool::Walks, Time::REST),
        ]),
    ],
};

const BRANCHING: Course = Course {
    kinds: &[Branching],
    look: &[
        one(turn(Tool::LocalCtl, Time::REST).states(10_000)),
        one(turn(Tool::StateEquation, Time::percent(10).or_seconds(10))),
        one(turn(Tool::LocalCtl, Time::REST).states(100_000)),
    ],
    stages: &[
        // Formulas that ask for runs.
        one(turn(Tool::Search, Time::percent(10)).states(1_000_000)),
        Stage::Together(&[
            turn(Tool::LocalCtl, Time::REST)
                .states(MANY_STATES)
                .memory(40),
            turn(Tool::Diagrams, Time::REST).memory(60),
        ]),
        one(turn(Tool::LocalCtl, Time::REST)),
    ],
};

/// A search with a new order in its turn: few nodes, since a cycle that it finds is found soon.
const fn other(order: SearchOrder, depth: Option<usize>) -> Stage {
    let time = Time::percent(10).or_seconds(30);
    Stage::Turn(
        turn(Tool::Search, time)
            .states(1_000_000)
            .anew(order, depth),
    )
}

/// The same with very few nodes, before anything that takes long: where one order finds a cycle late, another one often
/// finds it at once.
const fn glance(order: SearchOrder) -> Stage {
    let time = Time::percent(2).or_seconds(5);
    Stage::Turn(turn(Tool::Search, time).states(20_000).anew(order, None))
}

/// What a depth-first search that ran out of memory has left: the whole product by OWCTY, which keeps a fraction of what
/// the search keeps of a node.
const LESS_MEMORY: Stage = one(turn(Tool::Flood, Time::REST).sequential());

const LINEAR: Course = Course {
    kinds: &[Linear],
    look: &[],
    stages: &[
        one(turn(Tool::Search, Time::percent(15)).states(200_000)),
        one(turn(Tool::StateEquation, Time::percent(10).or_seconds(5))),
        glance(SearchOrder::Reversed),
        glance(SearchOrder::Local),
        glance(SearchOrder::VisibleFirst),
        glance(SearchOrder::VisibleLast),
        one(turn(Tool::Diagrams, Time::percent(60).or_seconds(300)).sequential()),
        // With several threads the search goes on meanwhile: one engine answers what the other finds hard.
        Stage::Together(&[
            turn(Tool::Search, Time::percent(60).or_seconds(300))
                .memory(50)
                .beside(),
            turn(Tool::Diagrams, Time::percent(60).or_seconds(300))
                .memory(50)
                .beside(),
        ]),
        other(SearchOrder::Local, None),
        other(SearchOrder::Reversed, None),
        other(SearchOrder::VisibleFirst, None),
        other(SearchOrder::VisibleLast, None),
        other(SearchOrder::Random(1), Some(2_000)),
        one(turn(Tool::Flood, Time::percent(50)).parallel()),
        one(turn(Tool::Search, Time::REST)),
        LESS_MEMORY,
    ],
};

/// A search of the contest: each order finds cycles that the others miss.
const fn round(of: u32, order: SearchOrder, depth: Option<usize>) -> Stage {
    Stage::Turn(
        turn(Tool::Search, Time::part(1, of).or_seconds(3600 / of as u64)).anew(order, depth),
    )
}

/// A property that holds needs one long search, so the last has most of the time.
const LINEAR_CONTEST: Course = Course {
    kinds: &[Linear],
    look: &[],
    stages: &[
        one(turn(Tool::Search, Time::part(1, 16).or_seconds(225))),
        one(turn(Tool::StateEquation, Time::percent(10).or_seconds(360))),
        glance(SearchOrder::Reversed),
        glance(SearchOrder::VisibleFirst),
        glance(SearchOrder::VisibleLast),
        round(15, SearchOrder::Local, None),
        one(turn(Tool::Diagrams, Time::percent(50).or_seconds(1800))),
        round(14, SearchOrder::Reversed, None),
        round(13, SearchOrder::VisibleFirst, None),
        round(12, SearchOrder::VisibleLast, None),
        round(11, SearchOrder::Random(1), Some(2_000)),
        one(turn(Tool::Search, Time::REST)),
        LESS_MEMORY,
    ],
};

/// One engine alone: one search to its end. With several properties a hard one does not keep the others waiting.
const LINEAR_DIRECT: Course = Course {
    kinds: &[Linear],
    look: &[],
    stages: &[
        one(turn(Tool::StateEquation, Time::percent(10).or_seconds(5))),
        one(turn(Tool::Search, Time::percent(50))
            .states(200_000)
            .parallel()),
        one(turn(Tool::Flood, Time::percent(50)).parallel()),
        one(turn(Tool::Search, Time::percent(50))),
        one(turn(Tool::Search, Time::REST)),
        LESS_MEMORY,
        one(turn(Tool::Diagrams, Time::REST)),
    ],
};

const INTERACTIVE: &[Course] = &[SURVEY, GLOBAL, REACH, LINEAR, BRANCHING];
const DIRECT: &[Course] = &[SURVEY, GLOBAL, REACH, LINEAR_DIRECT, BRANCHING];
const CONTEST: &[Course] = &[SURVEY, GLOBAL, REACH, LINEAR_CONTEST, BRANCHING];

/// With other hosts: what all of them do together, and nothing whose end depends on one of them.
const HOSTS: &[Course] = &[
    Course {
        kinds: &[Survey],
        look: &[],
        stages: &[one(turn(Tool::Flood, Time::REST))],
    },
    Course {
        kinds: &[Linear],
        look: &[],
        stages: &[one(turn(Tool::Flood, Time::REST))],
    },
];

/// The courses of a strategy for an engine.
#[must_use]
pub fn courses(settings: &Settings, engine: Engine) -> &'static [Course] {
    if settings.hosts.is_some() {
        return HOSTS;
    }
    match (settings.strategy, engine) {
        (Strategy::Contest, _) => CONTEST,
        (Strategy::Interactive, Engine::Auto) => INTERACTIVE,
        (Strategy::Interactive, _) => DIRECT,
    }
}

/// The turns of a stage that an engine has, with the threads that are free for them.
pub(crate) fn turns(stage: &Stage, engine: Engine, settings: &Settings) -> Vec<Turn> {
    let list = match stage {
        Stage::Turn(turn) => std::slice::from_ref(turn),
        Stage::Alternate(list) | Stage::Together(list) => list,
    };
    let of_engine = |t: &&Turn| t.tool.is_of(engine);
    let beside = list.iter().filter(of_engine).any(|t| {
        // Diagrams have a thread of their own beside others.
        t.tool == Tool::Diagrams && list.len() > 1
    });
    let threads = settings.threads.saturating_sub(usize::from(beside)).max(1);
    let is_wanted = |t: &&Turn| match (settings.emptiness, t.tool) {
        (Some(Emptiness::Couvreur), Tool::Flood) | (Some(Emptiness::Owcty), Tool::Search) => false,
        (Some(Emptiness::Owcty), Tool::Flood) => true,
        _ => match t.when {
            When::Always => true,
            When::Sequential => threads == 1,
            When::Parallel => threads > 1,
            When::Beside => settings.threads > 1,
        },
    };
    let mut turns: Vec<Turn> = list
        .iter()
        .filter(of_engine)
        .filter(is_wanted)
        .map(|&turn| {
            let own = turn.tool == Tool::Diagrams;
            let threads = if own { 1 } else { threads };
            Turn { threads, ..turn }
        })
        .collect();
    if let [alone] = &mut turns[..] {
        alone.memory = alone.memory.max(if list.len() > 1 { 100 } else { 0 });
        alone.threads = settings.threads.max(1);
    }
    turns
}

/// The most goals that are searched for one by one with stubborn sets.
pub const GOAL_SEARCHES: usize = 64;

/// The part of the time that questions have before nets are reduced for them: most are easy.
pub const BEFORE_REDUCING: Time = Time::percent(30).or_seconds(20);

/// The part of the time in which the given net of the contest is looked at: on a large net a look at a part of the
/// states takes long, and what it does not answer is rarely answered at all.
pub const LOOK_AT_GIVEN: Time = Time::percent(45);

/// The part of what is then left that reducing nets may take.
pub const REDUCING: Time = Time::percent(10).or_seconds(60);

/// The part of what is then left that runs on reduced nets have; the rest is for the net that was given.
pub const ON_REDUCED: Time = Time::percent(65);

/// The part of the time in which nets that are reduced for few questions of the contest are looked at.
pub const LOOK_AT_REDUCED: Time = Time::percent(20);

/// The part of what is then left that the net that was given has first, if what is open is asked of several nets: each of
/// them would need diagrams of its own. If all its reachable states are known then, it has this part once more.
pub const GIVEN_FIRST: Time = Time::percent(60);

/// The part of the time that a net has which is reduced for all questions of the contest, if no smaller ones are made:
/// diagrams of the net that was given are sometimes smaller, so it has the rest.
pub const TOGETHER: Time = Time::percent(60);

/// The time of a question on a reduced net if the time has no limit.
pub const WITHOUT_LIMIT: Duration = Duration::from_secs(60);

/// A reduced net is worth a run of its own if it has no more than this part of the places and transitions.
pub const REDUCED_WORTH: (usize, usize) = (4, 5);

/// A net is large, so that reducing it takes long, if it has more places and transitions than this.
pub const LARGE_TO_REDUCE: usize = 5_000;

/// After so many questions for which a large net was reduced in vain, it is not tried for others that need the same.
pub const REDUCED_IN_VAIN: usize = 3;

/// Questions share a reduced net that has no more than this many times those of the larger net of one of them.
pub const REDUCED_JOINED: (usize, usize) = (11, 10);

/// The shortest turn of methods that alternate.
pub const SHORT_TURN: Duration = Duration::from_millis(200);

/// The part of the memory that methods may hold while others have their turn, in percent.
pub const HELD_PERCENT: u64 = 50;

/// The memory that diagrams may take if there is no limit: a net may be unbounded.
pub const DIAGRAM_BYTES: u64 = 4 << 30;

/// Diagrams with more states than these end a state graph beside them.
pub const MANY_STATES: u64 = 50_000_000;

/// The part of a turn of diagrams that building them may take while formulas of LTL wait.
pub const BUILDING: (u32, u32) = (2, 3);

/// The part of the time that looking for orders of the levels may take, in percent.
pub const ORDERS_PERCENT: u32 = 10;

/// The rounds that a large model's few quick orders have before the others are looked for.
pub const QUICK_ROUNDS: usize = 2;

/// How many times the work of the plain model the model with merged places has in a race.
pub const MERGED_LEAD: u64 = 8;

/// Merging is ahead if it leaves less than this part of the levels.
pub const MERGED_LEVELS: (usize, usize) = (3, 4);

/// The work on diagrams that each formula of CTL has, round after round.
pub const CTL_ROUNDS: [u64; 5] = [1 << 19, 1 << 22, 1 << 25, 1 << 29, u64::MAX];

/// The work on diagrams that an explanation may take.
pub const EXPLAINING: u64 = 1 << 25;

/// The states on which a path is looked for that shows an answer of branching time.
pub const SHOWING: u64 = 100_000;

/// The most arcs of a net whose state equation is read.
pub const EQUATION_ARCS: usize = 4_000_000;

/// The part of a turn of the state equation for goals other than safety: proofs of safety are one question.
pub const GOALS: (u32, u32) = (3, 8);

/// A goal that needs more than its part of this share of a turn of the state equation waits for what the
/// others leave, in percent.
pub const FIRST_PROOFS: u32 = 50;

/// The first turn of walks ends when nothing was found for this part of it, in percent; but not before it
/// has made this many cycles of rounds.
pub const QUIET_WALKS: (u32, u32) = (50, 4);

/// Cycles of rounds of walks in a turn if the time has no limit.
pub const WALK_CYCLES: u32 = 16;

/// What a breadth-first search should take between two looks at what it has found.
pub const LOOK: (Duration, Duration) = (Duration::from_millis(5), Duration::from_millis(20));

/// The most states of such a step.
pub const LOOK_STATES: u32 = 4096;

/// States on which a path to a reachable state is looked for, and the part of the time, in percent.
pub const PATH: (u64, u32) = (200_000, 2);

/// Nodes of a product in which a shorter violation is looked for: at least, and for each hundred nodes that the search
/// has looked at.
pub const SHORT_NODES: (u64, u64) = (100_000, 50);

/// Transitions that are looked at, and steps of the search for short cycles, per such node.
pub const SHORT_STEPS: u64 = 2;

/// The most time that a shortest path by layers of diagrams may take.
pub const SHORT_LAYERS: Duration = Duration::from_secs(1);

/// The part of the time that is left for it, in percent.
pub const SHORT_TIME: u32 = 5;

/// The part of it that is spent if the shortest violation was asked for, in percent.
pub const SHORTEST_TIME: u32 = 90;

/// A TGTA with no more pairs of states and letters is unfolded and reduced before the search: its
/// product is smaller, and the reduction takes milliseconds.
pub const EAGER_TGTA: u64 = 256;

/// Where no bounds are known: the values that are tried first, in bits; most such nets have bounds all the
/// same, and small ones.
pub const FIRST_BITS: u32 = 3;

/// And the nodes of the first searches, and how many times more the next ones have.
pub const FIRST_NODES: (u64, u64) = (20_000, 8);

/// A Boolean formula whose tree has more parts becomes a circuit, which shares them.
pub const TREE_PARTS: u64 = 256;

/// A Boolean formula of more atoms is not looked at as a function of them.
pub const BOOLEAN_ATOMS: usize = 64;

/// The steps on decision diagrams that making one small may take: some milliseconds.
pub const BOOLEAN_STEPS: u64 = 1 << 17;

/// The part of a grant of the contest that is used, in percent: of the time, so that a little is left for
/// the end of the program, and of the memory, since going beyond it ends the process.
pub const CONTEST_GRANT: (u32, u64) = (96, 90);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_alone_has_all_the_memory() {
        let one = Settings::default();
        let together = &SURVEY.stages[1];
        assert_eq!(turns(together, Engine::Auto, &one).len(), 2);
        let alone = turns(together, Engine::Explicit, &one);
        assert_eq!(alone.iter().map(|t| t.memory).collect::<Vec<_>>(), [100]);
        assert!(turns(&LINEAR.stages[0], Engine::Symbolic, &one).is_empty());
    }

    #[test]
    fn threads_that_are_free_flood() {
        let tools = |engine, threads, emptiness| {
            let settings = Settings {
                emptiness,
                threads,
                ..Settings::default()
            };
            let turns = turns(&SURVEY.stages[1], engine, &settings);
            let tools = turns.iter().map(|turn| (turn.tool, turn.threads));
            tools.collect::<Vec<_>>()
        };
        let (one, flood) = (Tool::BreadthFirst, Tool::Flood);
        assert_eq!(tools(Engine::Explicit, 1, None), [(one, 1)]);
        assert_eq!(tools(Engine::Explicit, 2, None), [(flood, 2)]);
        let beside = (Tool::Diagrams, 1);
        assert_eq!(tools(Engine::Auto, 2, None), [(one, 1), beside]);
        assert_eq!(tools(Engine::Auto, 8, None), [(flood, 7), beside]);
        // Both engines at the same time, or one after the other.
        let engines = |threads| {
            let settings = Settings {
                threads,
                ..Settings::default()
            };
            let stages = LINEAR.stages.iter();
            let turns = stages.map(|stage| turns(stage, Engine::Auto, &settings));
            let with_diagrams = turns.filter(|t| t.iter().any(|t| t.tool == Tool::Diagrams));
            with_diagrams.map(|t| t.len()).collect::<Vec<_>>()
        };
        assert_eq!((engines(1), engines(2)), (vec![1], vec![2]));
        let forced = Settings {
            emptiness: Some(Emptiness::Owcty),
            ..Settings::default()
        };
        let linear = LINEAR_DIRECT.stages.iter();
        let linear = linear.flat_map(|stage| turns(stage, Engine::Explicit, &forced));
        assert!(linear.into_iter().all(|turn| turn.tool != Tool::Search));
    }

    #[test]
    fn shares_are_parts_of_what_is_left() {
        let left = Some(Duration::from_secs(60));
        let seconds = |n| Some(Duration::from_secs(n));
        assert_eq!(Time::percent(10).of(left), seconds(6));
        assert_eq!(SKELETON.time.of(seconds(3600)), seconds(10));
        assert_eq!(Time::percent(10).or_seconds(5).of(None), seconds(5));
        assert_eq!(Time::REST.of(None), None);
    }
}
