//! Who runs a flood: threads of this process, or those of processes on several hosts.
//!
//! A module of WebAssembly has neither: there a flood has one worker, and nobody can name a host.

#[cfg(not(target_family = "wasm"))]
pub use dalsegno_cluster::{Failure, Hosts};
#[cfg(target_family = "wasm")]
pub use nowhere::{Failure, Hosts};

use dalsegno_explicit::flood::{Crew, Lost, local};
use dalsegno_kripke::Budget;

use crate::board::Board;
use crate::question::Question;

/// What all workers do.
pub(crate) trait Job: Send + Sync + 'static {
    type Out: Send + 'static;

    fn run<C: Crew>(&self, crew: &mut C) -> Result<Self::Out, Lost>;

    /// What else tells it from other jobs about the same question, for other hosts to compare.
    #[cfg_attr(
        target_family = "wasm",
        expect(dead_code, reason = "there are no hosts")
    )]
    fn variant(&self) -> u64;
}

/// Runs a job on threads of this process, and of others if there are other hosts. All workers get the same result.
pub(crate) fn run<J: Job>(
    board: &Board<'_>,
    question: &Question,
    threads: usize,
    budget: &Budget,
    job: J,
) -> Result<J::Out, Failure> {
    let all = match &board.settings().hosts {
        None => local::run(threads, |crew| job.run(crew))?,
        Some(hosts) => on_hosts(hosts, board, question, threads, budget, job)?,
    };
    let mut all: Vec<J::Out> = all.into_iter().collect::<Result<_, _>>()?;
    Ok(all.swap_remove(0))
}

#[cfg(target_family = "wasm")]
use nowhere::on_hosts;
#[cfg(not(target_family = "wasm"))]
use somewhere::on_hosts;

/// Floods over several hosts.
#[cfg(not(target_family = "wasm"))]
mod somewhere {
    use std::fmt::{self, Write as _};
    use std::hash::Hasher;

    use dalsegno_cluster::{Failure, Greeting, Hosts, Member};
    use dalsegno_explicit::flood::Lost;
    use dalsegno_kripke::Budget;
    use rustc_hash::FxHasher;

    use super::Job;
    use crate::board::Board;
    use crate::question::Question;

    /// Runs a job on threads of all hosts; what those of this process found.
    pub(super) fn on_hosts<J: Job>(
        hosts: &Hosts,
        board: &Board<'_>,
        question: &Question,
        threads: usize,
        budget: &Budget,
        job: J,
    ) -> Result<Vec<Result<J::Out, Lost>>, Failure> {
        let greeting = greeting(board, question, job.variant());
        let program = move |crew: &mut Member<'_>| job.run(crew);
        dalsegno_cluster::run(hosts, threads, &greeting, budget, program)
    }

    /// What this process is about to do, for others to compare.
    fn greeting(board: &Board<'_>, question: &Question, variant: u64) -> Greeting {
        let model = board.problem().model();
        let settings = board.settings();
        let choices = (settings.automaton, settings.propositions, settings.lasso);
        let limit = (settings.product_size, variant);
        // Numbers of formulas mean nothing elsewhere.
        let formula = match question {
            Question::Linear(property) => board.formulas().display(property.formula).to_string(),
            _ => String::new(),
        };
        Greeting {
            version: fingerprint(format_args!("{}", env!("CARGO_PKG_VERSION"))),
            model: fingerprint(format_args!(
                "{:?} {:?} {:?}",
                model.variables(),
                model.initial(),
                model.groups()
            )),
            task: fingerprint(format_args!("{formula} {question:?} {choices:?} {limit:?}")),
        }
    }

    /// A number that tells texts apart; long ones are not kept.
    fn fingerprint(text: fmt::Arguments<'_>) -> u64 {
        struct Hashed(FxHasher);
        impl fmt::Write for Hashed {
            fn write_str(&mut self, text: &str) -> fmt::Result {
                self.0.write(text.as_bytes());
                Ok(())
            }
        }
        let mut hashed = Hashed(FxHasher::default());
        // A hasher takes everything.
        let _ = hashed.write_fmt(text);
        hashed.0.finish()
    }
}

/// What stands for hosts where there are none.
#[cfg(target_family = "wasm")]
mod nowhere {
    use dalsegno_explicit::flood::Lost;
    use dalsegno_kripke::{Budget, Stop};

    use super::Job;
    use crate::board::Board;
    use crate::question::Question;

    /// No host can be named.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub enum Hosts {}

    /// Why there is no result.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub enum Failure {
        /// A worker was lost.
        Lost(Lost),
        /// The budget ran out.
        #[expect(dead_code, reason = "only hosts are waited for")]
        Stop(Stop),
    }

    impl From<Lost> for Failure {
        fn from(lost: Lost) -> Self {
            Failure::Lost(lost)
        }
    }

    pub(super) fn on_hosts<J: Job>(
        hosts: &Hosts,
        _: &Board<'_>,
        _: &Question,
        _: usize,
        _: &Budget,
        _: J,
    ) -> Result<Vec<Result<J::Out, Lost>>, Failure> {
        match *hosts {}
    }
}
