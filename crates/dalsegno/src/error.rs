//! Why a question has no answer, not even "unknown".

use dalsegno_automata::TestingError;
use dalsegno_certify::{explanation, replay};
use dalsegno_kripke::{Fault, Stop};
use dalsegno_logic::{caret, parse};
use dalsegno_models::petri::{SymbolError, properties, proposition};
use thiserror::Error;

use crate::asked::Line;
use crate::source::LoadError;

/// Why a question has no answer.
#[derive(Clone, PartialEq, Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The text is no formula.
    #[error("{error}")]
    Parse {
        /// The text.
        text: String,
        /// What is wrong with it.
        #[source]
        error: Box<parse::Error>,
    },
    /// A proposition that the model does not know.
    #[error("in the proposition \"{text}\": {error}")]
    Proposition {
        /// The proposition.
        text: String,
        /// What is wrong with it.
        #[source]
        error: Box<proposition::Error>,
    },
    /// A file of properties cannot be read.
    #[error("{file}: {error}")]
    Properties {
        /// The name of the file.
        file: String,
        /// What is wrong with it.
        #[source]
        error: Box<properties::Error>,
    },
    /// A file of formulas that has none, and why.
    #[error("{0}: {1}")]
    NoFormulas(String, &'static str),
    /// What is wrong with a line of a file of formulas.
    #[error("{}, line {}: {error}", line.file, line.number)]
    Line {
        /// The line.
        line: Line,
        /// What is wrong with its formula.
        #[source]
        error: Box<Error>,
    },
    /// There is no problem to ask about.
    #[error(transparent)]
    Load(Box<LoadError>),
    /// A temporal operator below no path quantifier.
    #[error("a temporal operator stands below no path quantifier: put `A` or `E` in front")]
    NoQuantifier,
    /// A formula of LTL with a path quantifier.
    #[error("a path quantifier stands in a formula of LTL: use --ctl or --ctl-star")]
    Quantifier,
    /// A formula that is not of CTL.
    #[error(
        "not a formula of CTL, where each temporal operator has its own `A` or `E`: use --ctl-star"
    )]
    NotCtl,
    /// The formula has no meaning here.
    #[error(transparent)]
    Form(#[from] dalsegno_branching::Error),
    /// A question about places of a model that has none.
    #[error("{0} is asked of Petri nets only")]
    NoNet(crate::question::Global),
    /// Numbers that are too large for a question.
    #[error("{0} is too large to be asked")]
    TooLarge(crate::question::Global),
    /// The formula has no automaton of the kind asked for.
    #[error(transparent)]
    Translation(TestingError),
    /// The model cannot take a step; why, in its own names.
    #[error("the model cannot take a step: {1}")]
    Model(Fault, String),
    /// A worker, or a host, was lost, and with it what it knew.
    #[error(transparent)]
    Lost(#[from] dalsegno_explicit::flood::Lost),
    /// LTL does not know finite paths.
    #[error("`finite` dead ends are for CTL: for LTL take `stutter` or `ignore`")]
    FinitePaths,
    /// Diagrams are for acceptance by marks.
    #[error("the symbolic engine takes tgba, ba and tgta: for a ta take `--engine explicit`")]
    Livelocks,
    /// A proposition about a step where there is no path.
    #[error(
        "`fires` stands below no path quantifier: a state alone does not tell which step is taken"
    )]
    NoPath,
    /// A proposition about a step in CTL.
    #[error("`fires` speaks of a path, and a formula of CTL of states: use --ltl or --ctl-star")]
    StepsInCtl,
    /// A proposition about a step where paths may end.
    #[error(
        "`fires` is read on paths that go on for ever: take `stutter` or `ignore` for dead ends"
    )]
    StepsThatEnd,
    /// Fairness to a transition that does not exist.
    #[error("fairness: {0}")]
    Fair(SymbolError),
    /// Fairness to transitions of a pattern that no name matches.
    #[error("fairness: no transition is called like `{0}`")]
    FairPattern(String),
    /// Fairness where the question is not about runs.
    #[error(
        "fairness tells which runs count, and this question is not about runs: ask it in LTL, or without --fair"
    )]
    FairStates,
    /// Fairness and livelock acceptance.
    #[error("a ta accepts livelocks, whatever fairness says of their steps: take tgta, tgba or ba")]
    FairLivelocks,
    /// The run found is none, or does not violate the property: a defect of this program.
    #[error("internal error: a counterexample did not replay: {0}")]
    Run(Box<replay::Error>),
    /// An explanation does not show the verdict: a defect of this program.
    #[error("internal error: an explanation was refuted: {0}")]
    Explanation(Box<explanation::Error>),
}

impl From<LoadError> for Error {
    fn from(error: LoadError) -> Self {
        Error::Load(Box::new(error))
    }
}

impl From<replay::Error> for Error {
    fn from(error: replay::Error) -> Self {
        Error::Run(Box::new(error))
    }
}

impl From<explanation::Error> for Error {
    fn from(error: explanation::Error) -> Self {
        Error::Explanation(Box::new(error))
    }
}

/// What is wrong with the formula of a line, drawn in the line if the place is known.
fn render_line(line: &Line, error: &Error) -> String {
    let Line { file, number, .. } = line;
    let Error::Parse { error, .. } = error else {
        return format!("{file}, line {number}: {}", error.render());
    };
    let span = error.span();
    let span = line.formula + span.start..line.formula + span.end;
    let (_, column) = caret::position(&line.text, span.start);
    let message = format!("{file}, line {number}, column {column}: {}", error.kind());
    caret::render(&line.text, span, &message)
}

impl Error {
    /// The message with the text and a caret under the place, where there is one.
    #[must_use]
    pub fn render(&self) -> String {
        match self {
            Error::Parse { text, error } => error.render(text),
            Error::Proposition { text, error } => error.render(text),
            Error::Line { line, error } => render_line(line, error),
            _ => self.to_string(),
        }
    }

    /// The limit that was hit, if that is the reason.
    #[must_use]
    pub fn stop(&self) -> Option<Stop> {
        match self {
            Error::Properties { error, .. } => error.stop(),
            Error::Load(error) => error.stop(),
            Error::Line { error, .. } => error.stop(),
            _ => None,
        }
    }

    /// A name that the model does not have, if that is what is wrong.
    #[must_use]
    pub fn unknown_name(&self) -> Option<&str> {
        let symbol = match self {
            Error::Proposition { error, .. } => match &error.kind {
                proposition::ErrorKind::Symbol(symbol) => symbol,
                _ => return None,
            },
            Error::Properties { error, .. } => match &error.kind {
                properties::ErrorKind::Symbol(symbol) => symbol,
                _ => return None,
            },
            Error::Line { error, .. } => return error.unknown_name(),
            Error::Fair(symbol) => symbol,
            Error::Parse { error, .. } => match error.kind() {
                parse::ErrorKind::Split(split) => return Some(&split.word),
                _ => return None,
            },
            _ => return None,
        };
        match symbol {
            SymbolError::Unknown { name, .. } | SymbolError::UnknownNode { name, .. } => Some(name),
            SymbolError::UnknownValue { variable, .. } => Some(variable),
            _ => None,
        }
    }

    /// Whether this should never happen: a certificate was refuted.
    #[must_use]
    pub fn is_defect(&self) -> bool {
        match self {
            Error::Run(_) | Error::Explanation(_) => true,
            Error::Line { error, .. } => error.is_defect(),
            _ => false,
        }
    }
}
