//! Whether a run is fair, by definition: what the cycle does, it does infinitely often.

use dalsegno_kripke::{FairSet, Fairness, Model, Run, Strength};

/// The sets that a run is not fair to.
pub fn treated_unfairly<'f>(
    model: &'f Model,
    run: &'f Run,
    fairness: &'f Fairness,
) -> impl Iterator<Item = &'f FairSet> {
    fairness.sets().iter().filter(|set| {
        let mut enabled = run.cycle.iter().map(|s| set.is_enabled(model, &s.state));
        let wants = match set.strength {
            Strength::Weak => enabled.all(|enabled| enabled),
            Strength::Strong => enabled.any(|enabled| enabled),
        };
        wants && !run.cycle.iter().any(|step| set.fires(step.group))
    })
}

#[cfg(test)]
mod tests {
    use super::Strength::{Strong, Weak};
    use super::*;
    use dalsegno_kripke::{Bounds, Group, GroupId, Linear, Step, VarId, Variable};

    /// A token that `go` takes from x to y and `back` takes back, and a step `idle` that needs x and changes nothing.
    fn model() -> Model {
        let variable = |name: &str| Variable {
            name: name.to_owned(),
            bounds: Bounds::proved(1),
        };
        let (x, y) = (VarId(0), VarId(1));
        let group = |name: &str, from, delta| {
            Group::linear(name, Linear::new(vec![(from, 1)], vec![], delta).unwrap())
        };
        let groups = vec![
            group("go", x, vec![(x, -1), (y, 1)]),
            group("back", y, vec![(y, -1), (x, 1)]),
            group("idle", x, vec![]),
        ];
        let variables = vec![variable("x"), variable("y")];
        Model::new("m", variables, vec![vec![1, 0]], groups).unwrap()
    }

    fn run(cycle: &[u32]) -> Run {
        let state = |group: u32| if group == 1 { vec![0, 1] } else { vec![1, 0] };
        let step = |&group: &u32| Step {
            state: state(group),
            group: Some(GroupId(group)),
        };
        Run::new(vec![], cycle.iter().map(step).collect())
    }

    #[test]
    fn cycles_are_fair_or_not() {
        let m = model();
        let fair = |strength, group: u32, cycle: &[u32]| {
            let groups = vec![GroupId(group)];
            let fairness = Fairness::new(vec![FairSet { strength, groups }]);
            treated_unfairly(&m, &run(cycle), &fairness)
                .next()
                .is_none()
        };
        assert!(!fair(Weak, 0, &[2]));
        assert!(fair(Weak, 2, &[0, 1]), "it is disabled now and then");
        assert!(!fair(Strong, 2, &[0, 1]), "it is enabled now and then");
        assert!(fair(Strong, 2, &[0, 1, 2]) && fair(Strong, 0, &[0, 1]));
        assert!(fair(Strong, 1, &[2]), "it is never enabled");
    }
}
