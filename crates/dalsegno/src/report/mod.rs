//! Answers as text, as JSON and as lines of the contest: each form stands once.

mod contest;
mod explanation;
mod json;
mod names;
mod page;
mod steps;
mod survey;
mod text;
mod trace;
mod witness;
mod word;

pub use contest::{CANNOT_COMPUTE, write_contest};
pub(crate) use explanation::explanation_to_json;
pub(crate) use json::outline_to_json;
pub use json::{ERROR_SCHEMA, answer_to_json, check_to_json, error_to_json};
pub use page::{Page, REPORT_SCHEMA};
pub use steps::write_steps;
pub use survey::{unfinished_states, unfolding, unloaded_states};
pub use text::{write_text, write_unknown};
pub use trace::Style;
pub use witness::{
    Witness, WitnessError, run_to_json, state_to_json, step_to_json, witness_from_json,
};
pub(crate) use witness::{prefix_to_json, state_from_json, step_from_json};
pub use word::word_to_json;
