use super::*;
use crate::action::Linear;
use crate::bounds::Bounds;
use crate::model::{Group, Variable};

/// What a group needs, and what it changes.
type Arcs<'a> = (&'a [(u32, u32)], &'a [(u32, i64)]);

/// A model of groups that take, need and give tokens.
fn model(initial: &[u32], groups: &[Arcs<'_>]) -> Model {
    let variables = (0..initial.len()).map(|i| Variable {
        name: format!("v{i}"),
        bounds: Bounds::default(),
    });
    let group = |(i, (pre, delta)): (usize, &Arcs<'_>)| {
        let pre = pre.iter().map(|&(v, n)| (VarId(v), n)).collect();
        let delta = delta.iter().map(|&(v, n)| (VarId(v), n)).collect();
        Group::linear(format!("g{i}"), Linear::new(pre, vec![], delta).unwrap())
    };
    let groups = groups.iter().enumerate().map(group).collect();
    Model::new("m", variables.collect(), vec![initial.to_vec()], groups).unwrap()
}

fn step(group: Option<u32>) -> Step {
    Step {
        state: vec![],
        group: group.map(GroupId),
    }
}

fn group(g: u32) -> Move {
    Move::Group(GroupId(g))
}

#[test]
fn alternatives_follow_the_true_split() {
    // A token goes from v0 to v1 or v2 in turns, and back.
    let original = model(
        &[1, 0, 0, 0],
        &[
            (&[(0, 1)], &[(0, -1), (1, 1), (3, 1)]),
            (&[(1, 1)], &[(1, -1), (0, 1)]),
            (&[(0, 1), (3, 1)], &[(0, -1), (3, -1), (2, 1)]),
            (&[(2, 1)], &[(2, -1), (0, 1)]),
        ],
    );
    let mut moves: Vec<Move> = (0..4).map(group).collect();
    moves.push(Move::Either(vec![MoveId(2), MoveId(0)]));
    moves.push(Move::Either(vec![MoveId(1), MoveId(3)]));
    let replay = Replay {
        moves,
        groups: vec![MoveId(4), MoveId(5)],
        ..Replay::default()
    };
    let run = Run::new(vec![], vec![step(Some(0)), step(Some(1))]);
    let lifted = replay.run(&run, &original).unwrap();
    let groups: Vec<u32> = lifted.cycle.iter().map(|s| s.group.unwrap().0).collect();
    assert_eq!((lifted.stem.len(), groups), (0, vec![0, 1, 2, 3]));
}

#[test]
fn what_is_left_is_fired_at_a_dead_end() {
    let original = model(&[2, 0], &[(&[(0, 1)], &[(0, -1), (1, 1)])]);
    let replay = Replay {
        moves: vec![group(0)],
        leftovers: vec![vec![MoveId(0)]],
        ..Replay::default()
    };
    let run = Run::new(vec![], vec![step(None)]);
    let lifted = replay.run(&run, &original).unwrap();
    assert_eq!(lifted.stem.len(), 2);
    assert_eq!(lifted.cycle[0].state, [0, 2]);
    let nothing = Replay::default();
    assert_eq!(nothing.run(&run, &original), Err(ReplayError::NotDead));
}

#[test]
fn supplies_come_before_their_use_and_growth_does_not_close() {
    let original = model(
        &[0, 0],
        &[(&[], &[(0, 1)]), (&[(0, 2)], &[(0, -2), (1, 1)])],
    );
    let replay = Replay {
        moves: vec![group(0), group(1)],
        groups: vec![MoveId(1)],
        supplies: vec![(VarId(0), MoveId(0))],
        ..Replay::default()
    };
    let path = [step(Some(0)), step(None)];
    let lifted = replay.path(&path, &original).unwrap();
    assert_eq!(lifted.len(), 4);
    assert_eq!(lifted[3].state, [0, 1]);
    let run = Run::new(vec![], vec![step(Some(0))]);
    assert_eq!(replay.run(&run, &original), Err(ReplayError::Open));
}

#[test]
fn deep_sequences_share_parts_and_are_taken_back() {
    // Each node is the one before it twice: 2^16 firings, as a sequence that nests 16 times.
    let original = model(
        &[70_000, 0],
        &[
            (&[(0, 1)], &[(0, -1), (1, 1)]),
            (&[(1, 65_537)], &[(1, -1)]),
        ],
    );
    let mut moves = vec![group(0), group(1)];
    let mut last = MoveId(0);
    for _ in 0..16 {
        moves.push(Move::Sequence(vec![last, last]));
        last = MoveId(moves.len() as u32 - 1);
    }
    // What fails at its end leaves no step; the alternative is fired.
    moves.push(Move::Sequence(vec![last, MoveId(1)]));
    moves.push(Move::Either(vec![MoveId(last.0 + 1), MoveId(0)]));
    let replay = Replay {
        groups: vec![last, MoveId(last.0 + 2), MoveId(last.0 + 1)],
        moves,
        ..Replay::default()
    };
    let path = |group| replay.path(&[step(Some(group)), step(None)], &original);
    let steps = path(0).unwrap();
    assert_eq!(
        (steps.len(), &steps[65_536].state[..]),
        (65_537, &[4_464, 65_536][..])
    );
    let steps = path(1).unwrap();
    assert_eq!((steps.len(), &steps[1].state[..]), (2, &[69_999, 1][..]));
    assert_eq!(path(2), Err(ReplayError::NoStep(0)));
}

#[test]
fn paths_of_explanations_know_where_their_states_are() {
    // What goes from v0 to v1 goes by v2; a cycle closes after two rounds, since v3 counts to two.
    let original = model(
        &[1, 0, 0, 0],
        &[
            (&[(0, 1)], &[(0, -1), (2, 1)]),
            (&[(2, 1)], &[(2, -1), (1, 1)]),
            (&[(1, 1)], &[(1, -1), (0, 1), (3, 1)]),
            (&[(1, 1), (3, 1)], &[(1, -1), (0, 1), (3, -1)]),
        ],
    );
    let mut moves: Vec<Move> = (0..4).map(group).collect();
    moves.push(Move::Sequence(vec![MoveId(0), MoveId(1)]));
    moves.push(Move::Either(vec![MoveId(3), MoveId(2)]));
    let replay = Replay {
        moves,
        groups: vec![MoveId(4), MoveId(5)],
        ..Replay::default()
    };
    let path = [step(Some(0))];
    let open = End::Open(vec![]);
    let now = replay.continued(&path, &open, None, &original).unwrap();
    assert_eq!(now.positions, [vec![0], vec![2]]);
    assert_eq!(now.end, End::Open(vec![0, 1, 0, 0]));
    let path = [step(Some(0)), step(Some(1))];
    let now = replay.continued(&path, &End::Back(0), None, &original);
    let now = now.unwrap();
    assert_eq!(now.positions, [vec![0, 3], vec![2, 5]]);
    assert_eq!((now.steps.len(), now.end), (6, End::Back(0)));
    // From another state on.
    let now = replay.continued(&[step(Some(1))], &open, Some(&[0, 1, 0, 1]), &original);
    assert_eq!(now.unwrap().end, End::Open(vec![1, 0, 0, 0]));
}
