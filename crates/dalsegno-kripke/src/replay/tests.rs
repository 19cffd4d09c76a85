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
    let out = Move::Either(vec![vec![group(2)], vec![group(0)]]);
    let back = Move::Either(vec![vec![group(1)], vec![group(3)]]);
    let replay = Replay {
        groups: vec![vec![out], vec![back]],
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
        leftovers: vec![vec![vec![group(0)]]],
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
        groups: vec![vec![group(1)]],
        supplies: vec![(VarId(0), vec![group(0)])],
        ..Replay::default()
    };
    let path = [step(Some(0)), step(None)];
    let lifted = replay.path(&path, &original).unwrap();
    assert_eq!(lifted.len(), 4);
    assert_eq!(lifted[3].state, [0, 1]);
    let run = Run::new(vec![], vec![step(Some(0))]);
    assert_eq!(replay.run(&run, &original), Err(ReplayError::Open));
}
