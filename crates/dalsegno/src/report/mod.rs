//! Answers as text, as JSON and as lines of the contest: each form stands once.

mod contest;
mod explanation;
mod json;
mod names;
mod survey;
mod text;
mod trace;
mod witness;

pub use contest::{CANNOT_COMPUTE, write_contest};
pub use json::{ERROR_SCHEMA, answer_to_json, check_to_json, error_to_json, witness_to_json};
pub use survey::{unfinished_states, unfolding, unloaded_states};
pub use text::{write_text, write_unknown};
pub use trace::Style;
pub use witness::{
    Witness, WitnessError, run_to_json, state_to_json, step_to_json, witness_from_json,
};
