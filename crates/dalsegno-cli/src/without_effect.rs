//! Options of `check` that change nothing in the company they are in: the user should know.

use dalsegno::symbolic::ltl::Saturation;
use dalsegno::{About, Asked, Engine, Examination, Logic};

use crate::answers::Form;
use crate::check::Arguments;
use crate::status::warn;

/// What questions may need, as far as that is known before they are read with a model.
#[derive(Clone, Copy, Default)]
struct Needs {
    /// Some question may need automata.
    automata: bool,
    /// Some question may be of branching time.
    branching: bool,
    /// Some question may have paths.
    paths: bool,
}

impl Needs {
    fn of<'a>(asked: impl Iterator<Item = &'a Asked>) -> Self {
        let mut needs = Needs::default();
        for asked in asked {
            let (automata, branching, paths) = match &asked.about {
                About::Formula(Logic::Ltl, _) | About::Automaton(..) => (true, false, true),
                About::Formula(Logic::Ctl, _) => (false, true, true),
                About::Formula(Logic::CtlStar | Logic::Any, _) => (true, true, true),
                About::Property(file, _) => match file.examination {
                    Some(Examination::LtlCardinality | Examination::LtlFireability) => {
                        (true, false, true)
                    }
                    Some(Examination::CtlCardinality | Examination::CtlFireability) => {
                        (false, true, true)
                    }
                    Some(_) => (false, false, false),
                    None => (true, true, true),
                },
                About::Survey | About::Global(_) => (false, false, false),
            };
            needs.automata |= automata;
            needs.branching |= branching;
            needs.paths |= paths;
        }
        needs
    }
}

/// Warns of options of `check` that have no effect on what is asked.
pub(crate) fn warn_of(arguments: &Arguments, files: &[Asked]) {
    for message in messages(arguments, files) {
        warn(message);
    }
}

fn messages(arguments: &Arguments, files: &[Asked]) -> Vec<&'static str> {
    let questions = arguments.questions();
    let mut needs = Needs::of(questions.iter().chain(files));
    let watched = !arguments.automaton_file.is_empty();
    needs.automata |= watched;
    needs.paths |= watched;
    let explicit = arguments.engine == Engine::Explicit;
    let mcc = arguments.format == Form::Mcc;
    let saturation = arguments.saturation != Saturation::default();
    let cases = [
        (
            arguments.automaton.0.is_some() && !needs.automata,
            "--automaton has no effect: no property of LTL or CTL* is asked",
        ),
        (
            arguments.emptiness.is_some() && !needs.automata,
            "--emptiness has no effect: no property of LTL or CTL* is asked",
        ),
        (
            arguments.emptiness.is_some() && arguments.engine == Engine::Symbolic,
            "--emptiness has no effect: the symbolic engine has its own",
        ),
        (
            saturation && !needs.automata,
            "--saturation has no effect: no property of LTL or CTL* is asked",
        ),
        (
            saturation && needs.automata && explicit,
            "--saturation has no effect: the explicit engine has no diagrams",
        ),
        (
            arguments.order.is_some() && explicit,
            "--order has no effect: the explicit engine has no diagrams",
        ),
        (
            arguments.sat_set.is_some() && !needs.branching,
            "--sat-set has no effect: no property of CTL or CTL* is asked",
        ),
        (
            arguments.sat_set.is_some() && needs.branching && mcc,
            "--sat-set has no effect: lines of the contest have no room for states",
        ),
        (
            arguments.dead_ends.is_some() && !needs.paths,
            "--dead-ends has no effect: no property of LTL, CTL or CTL* is asked",
        ),
        (
            arguments.stats.is_some() && mcc,
            "--stats has no effect: lines of the contest have no room for it",
        ),
        (
            arguments.witness.is_some() && mcc,
            "--witness has no effect: runs are not looked for with --format mcc",
        ),
    ];
    let apply = cases.into_iter().filter(|(applies, _)| *applies);
    apply.map(|(_, message)| message).collect()
}
