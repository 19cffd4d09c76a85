use super::*;
use crate::action::Linear;
use crate::bounds::Bounds;
use crate::model::{Group, Variable};
use crate::table::Table;

fn lifted(lift: &Lift, state: &[u32]) -> Result<Vec<u32>, LiftError> {
    let mut out = vec![0; lift.variables().len()];
    lift.lift_state(state, &mut out)?;
    Ok(out)
}

#[test]
fn two_maps_lift_as_one_after_the_other() {
    let first = Lift::renaming(
        vec![
            Source::Variable(VarId(1)),
            Source::Constant(7),
            Source::Variable(VarId(0)),
        ],
        vec![GroupId(2), GroupId(0)],
        3,
    );
    let second = Lift::sequences(
        vec![Source::Constant(4), Source::Variable(VarId(0))],
        &[vec![GroupId(1), GroupId(0)], vec![]],
        2,
    );
    let both = first.then(&second).unwrap();
    assert_eq!(both.groups(GroupId(0)), [GroupId(0), GroupId(2)]);
    assert!(both.groups(GroupId(1)).is_empty());
    assert_eq!(both.originals(), 3);
    assert!(both.groups_of(GroupId(1)).is_empty());
    let middle = lifted(&second, &[9]).unwrap();
    assert_eq!(lifted(&first, &middle), Ok(vec![9, 7, 4]));
    assert_eq!(lifted(&both, &[9]), Ok(vec![9, 7, 4]));
}

#[test]
fn all_pairs_of_sources_agree_with_one_after_the_other() {
    let values = |n: u32| {
        let mut sources: Vec<Source> = (0..3).map(Source::Constant).collect();
        for v in 0..n {
            sources.push(Source::Variable(VarId(v)));
            sources.extend((0..3).map(|value| Source::Is(VarId(v), value)));
            sources.extend((v..=n).map(|end| Source::Sum(v..end)));
        }
        sources
    };
    let (mut told, mut not_told) = (0, 0);
    for outer in values(2) {
        let first = Lift::renaming(vec![outer], vec![], 0);
        for left in values(2) {
            for right in values(2) {
                let second = Lift::renaming(vec![left.clone(), right], vec![], 0);
                let Some(both) = first.then(&second) else {
                    not_told += 1;
                    continue;
                };
                told += 1;
                for state in (0..9).map(|n| [n / 3, n % 3]) {
                    let middle = lifted(&second, &state).unwrap();
                    let original = lifted(&first, &middle);
                    assert_eq!(lifted(&both, &state), original, "{both:?} in {state:?}");
                }
            }
        }
    }
    assert!(told > 1000 && not_told > 100, "{told} and {not_told}");
}

#[test]
fn the_identity_changes_nothing() {
    let sources = vec![Source::Variable(VarId(0)), Source::Is(VarId(0), 3)];
    let map = Lift::renaming(sources, vec![GroupId(0); 2], 1);
    assert_eq!(Lift::identity(2, 1).then(&map).as_ref(), Some(&map));
    assert_eq!(map.then(&Lift::identity(1, 2)).as_ref(), Some(&map));
    let identity = Lift::identity(3, 2);
    assert_eq!(identity.variables_of(VarId(2)), 2..3);
    assert_eq!(identity.groups_of(GroupId(1)), [GroupId(1)]);
}

#[test]
fn groups_and_variables_of_an_original_are_found() {
    let sources = vec![
        Source::Sum(1..4),
        Source::Constant(2),
        Source::Is(VarId(5), 1),
    ];
    let groups = [
        vec![GroupId(2), GroupId(0), GroupId(2)],
        vec![],
        vec![GroupId(2)],
    ];
    let lift = Lift::sequences(sources, &groups, 4);
    assert_eq!(lift.groups_of(GroupId(2)), [GroupId(0), GroupId(2)]);
    assert_eq!(lift.groups_of(GroupId(0)), [GroupId(0)]);
    assert!(lift.groups_of(GroupId(3)).is_empty());
    assert_eq!(lift.variables_of(VarId(0)), 1..4);
    assert!(lift.variables_of(VarId(1)).is_empty());
    assert_eq!(lift.variables_of(VarId(2)), 5..6);
    assert_eq!(lifted(&lift, &[9, 1, 2, 3, 9, 1]), Ok(vec![6, 2, 1]));
}

#[test]
fn a_sum_that_is_too_large_is_an_error() {
    let lift = Lift::renaming(vec![Source::Constant(0), Source::Sum(0..2)], vec![], 0);
    let too_large = lifted(&lift, &[u32::MAX, 1]);
    assert_eq!(too_large, Err(LiftError::TooLarge(VarId(1))));
    assert_eq!(lifted(&lift, &[u32::MAX, 0]), Ok(vec![0, u32::MAX]));
}

/// A token goes round in three places by three groups; a fourth group takes it away, or from the first
/// place to any other.
fn ring() -> Model {
    let variables = ["a", "b", "c"].map(|name| Variable {
        name: name.to_owned(),
        bounds: Bounds::UNKNOWN,
    });
    let mut groups: Vec<Group> = (0..3)
        .map(|i| {
            let (from, to) = (VarId(i), VarId((i + 1) % 3));
            let linear = Linear::new(vec![(from, 1)], vec![], vec![(from, -1), (to, 1)]);
            Group::linear(format!("t{i}"), linear.unwrap())
        })
        .collect();
    let all: Vec<VarId> = (0..3).map(VarId).collect();
    let mut table = Table::new(3, 3);
    for target in [[0, 0, 0], [0, 1, 0], [0, 0, 1]] {
        table.push(&[Some(1), Some(0), Some(0)], &target.map(Some));
    }
    groups.push(Group::table("jump", all.clone(), all, table));
    Model::new("ring", variables.to_vec(), vec![vec![1, 0, 0]], groups).unwrap()
}

/// A run of a model with one variable, by states and groups.
fn run(stem: &[(u32, u32)], cycle: &[(u32, Option<u32>)]) -> Run {
    let step = |state: u32, group: Option<u32>| Step {
        state: vec![state],
        group: group.map(GroupId),
    };
    let stem = stem.iter().map(|&(state, group)| step(state, Some(group)));
    let cycle = cycle.iter().map(|&(state, group)| step(state, group));
    Run::new(stem.collect(), cycle.collect())
}

/// One variable that tells the place of the token, and groups with these sequences.
fn places(groups: &[&[u32]]) -> Lift {
    let sources = (0..3).map(|value| Source::Is(VarId(0), value)).collect();
    let list = |groups: &&[u32]| groups.iter().copied().map(GroupId).collect();
    let groups: Vec<Vec<GroupId>> = groups.iter().map(list).collect();
    Lift::sequences(sources, &groups, 4)
}

fn steps(part: &[Step]) -> Vec<(&[u32], Option<u32>)> {
    let step = |step: &Step| step.group.map(|g| g.0);
    part.iter().map(|s| (&s.state[..], step(s))).collect()
}

#[test]
fn a_run_of_sequences_has_the_states_between() {
    let lift = places(&[&[0, 1], &[2], &[]]);
    let found = lift.lift_run(&run(&[(0, 2)], &[(0, Some(0)), (2, Some(1))]), &ring());
    let found = found.unwrap();
    assert!(found.stem.is_empty(), "a step that stands for nothing");
    let cycle = [
        (&[1, 0, 0][..], Some(0)),
        (&[0, 1, 0][..], Some(1)),
        (&[0, 0, 1][..], Some(2)),
    ];
    assert_eq!(steps(&found.cycle), cycle);
}

#[test]
fn of_several_successors_the_one_that_leads_on_is_taken() {
    let lift = places(&[&[3, 2]]);
    let found = lift.lift_run(&run(&[], &[(0, Some(0))]), &ring()).unwrap();
    let cycle = [(&[1, 0, 0][..], Some(3)), (&[0, 0, 1][..], Some(2))];
    assert_eq!(steps(&found.cycle), cycle);
}

#[test]
fn a_dead_end_is_repeated_where_the_original_has_one() {
    let lift = places(&[&[3]]);
    let found = lift.lift_run(&run(&[(0, 0)], &[(7, None)]), &ring());
    assert_eq!(steps(&found.unwrap().cycle), [(&[0, 0, 0][..], None)]);
    let alive = lift.lift_run(&run(&[], &[(0, None)]), &ring());
    assert_eq!(alive, Err(LiftError::NoStep(0)));
}

#[test]
fn what_the_original_does_not_do_is_an_error() {
    let lift = places(&[&[0], &[1], &[]]);
    let wrong = [
        // The second step is disabled, leads elsewhere, or stands for nothing and changes the state.
        run(&[(0, 0), (0, 1)], &[(1, Some(1))]),
        run(&[(0, 0), (1, 1)], &[(1, Some(1))]),
        run(&[(0, 0), (1, 2)], &[(2, Some(2))]),
    ];
    for run in wrong {
        let found = lift.lift_run(&run, &ring());
        assert!(
            matches!(found, Err(LiftError::NoStep(0 | 1))),
            "{run:?}: {found:?}"
        );
    }
    let still = lift.lift_run(&run(&[(0, 0)], &[(1, Some(2))]), &ring());
    assert_eq!(still, Err(LiftError::EmptyCycle));
}
