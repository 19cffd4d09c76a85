//! All tests of the facade in one program: each program of its own would be linked with everything once more.

#[path = "../support/mod.rs"]
mod support;

mod again;
mod agreement;
mod automaton_files;
mod branching;
mod certificates;
mod checker;
mod coloured;
mod coloured_reductions;
mod corpus;
mod diagrams;
mod engines;
mod fairness;
mod figures;
mod formats;
mod functions;
mod info;
mod orbits;
mod products;
mod promises;
mod proofs;
mod quotients;
mod reduction_rules;
mod reductions;
mod sharing;
mod short_runs;
mod small_worlds;
mod walks;
