//! Sources: what the user gave, read and not yet transformed.

use std::borrow::Cow;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use dalsegno_kripke::{Budget, Model, ModelError, Stop};
use dalsegno_models::etf::Etf;
use dalsegno_models::petri::PetriNet;
use dalsegno_models::petri::coloured::{ColouredNet, Progress, Size, UnfoldError};
use dalsegno_models::{UnpackError, dve, etf, petri::pnml, unpack};
use thiserror::Error;

use crate::answer::{Answer, Value};
use crate::asked::{Asked, Logic};
use crate::error::Error as AnswerError;
use crate::pass::unfold;
use crate::problem::Problem;
use crate::run::Run;
use crate::settings::Settings;

/// A model as the user gave it. Clones share it, and what was made of it.
#[derive(Clone, Debug)]
pub struct Source(Arc<Given>);

#[derive(Debug)]
struct Given {
    name: String,
    /// The net before it is unfolded, if it is coloured.
    coloured: Option<ColouredNet>,
    problem: OnceLock<Arc<Problem>>,
}

/// How much is read between two looks at the limits.
const PIECE: u64 = 1 << 22;

impl Source {
    /// Reads a model from a file; the ending of its name or its contents tell the format, which may be
    /// PNML, ETF or DVE, packed by gzip or not.
    ///
    /// # Errors
    /// If the file cannot be read or is no model.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, LoadError> {
        Self::open_within(path, &Budget::unlimited())
    }

    /// As [`Source::open`], as long as the budget lasts.
    ///
    /// # Errors
    /// If the file cannot be read or is no model, or the budget runs out.
    pub fn open_within(path: impl AsRef<Path>, budget: &Budget) -> Result<Self, LoadError> {
        let path = path.as_ref();
        let bytes = read(path, budget)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        Self::from_bytes(&bytes, &name, budget)
    }

    /// Reads a model; `file_name` tells its format, and what to call it.
    ///
    /// # Errors
    /// If the text is no model in its format, or the budget runs out.
    pub fn from_bytes(bytes: &[u8], file_name: &str, budget: &Budget) -> Result<Self, LoadError> {
        let stem = stem(file_name);
        let bytes = &*unpack(bytes, budget)?;
        match ModelFormat::of(file_name, bytes)? {
            ModelFormat::Pnml => Ok(match pnml::parse_net_within(bytes, budget)? {
                pnml::Net::Plain(net) => Self::of_problem(Problem::of_net(net, budget)),
                pnml::Net::Coloured(net) => Self::of_coloured(net),
            }),
            ModelFormat::Etf => {
                let tables = etf::parse_within(bytes, budget)?;
                Ok(Self::of_problem(Problem::of_etf(tables, stem, budget)?))
            }
            ModelFormat::Dve => {
                let model = dve::load_within(bytes, stem, budget)?;
                Ok(Self::of_model(model))
            }
        }
    }

    /// A net.
    #[must_use]
    pub fn of_net(net: PetriNet) -> Self {
        Self::of_problem(Problem::of_net(net, &Budget::unlimited()))
    }

    /// A model that is no net.
    #[must_use]
    pub fn of_model(model: Model) -> Self {
        Self::of_problem(Problem::of_model(model))
    }

    /// Tables of transitions.
    ///
    /// # Errors
    /// If the tables are too large for a model.
    pub fn of_etf(tables: Etf, name: &str) -> Result<Self, LoadError> {
        let problem = Problem::of_etf(tables, name, &Budget::unlimited())?;
        Ok(Self::of_problem(problem))
    }

    /// A coloured net, which is unfolded when that is needed.
    #[must_use]
    pub fn of_coloured(net: ColouredNet) -> Self {
        Source(Arc::new(Given {
            name: net.name.clone(),
            coloured: Some(net),
            problem: OnceLock::new(),
        }))
    }

    /// Something that is ready to be asked.
    #[must_use]
    pub fn of_problem(problem: Problem) -> Self {
        Arc::new(problem).into()
    }

    /// The name of the model.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The net as it was given, if it is coloured.
    #[must_use]
    pub fn coloured(&self) -> Option<&ColouredNet> {
        self.0.coloured.as_ref()
    }

    /// The problem, if the net need not be unfolded or has been.
    #[must_use]
    pub fn ready(&self) -> Option<&Arc<Problem>> {
        self.0.problem.get()
    }

    /// The problem: a coloured net is unfolded, unless it has been; `progress` hears of it.
    ///
    /// # Errors
    /// If the net cannot be unfolded within the budget.
    ///
    /// # Panics
    /// Never: it is there or is made.
    pub fn problem(
        &self,
        budget: &Budget,
        progress: impl FnMut(Progress),
    ) -> Result<&Arc<Problem>, LoadError> {
        if let (None, Some(net)) = (self.ready(), self.coloured()) {
            let problem = unfold::unfold(net.clone(), budget, progress)?;
            let _ = self.0.problem.set(Arc::new(problem));
        }
        Ok(self.ready().expect("it is there or has just been made"))
    }

    /// Checks a formula of LTL, CTL or CTL*, without limits. See [`Run`] for more.
    ///
    /// # Errors
    /// If the text is no formula over the names of the model, or has no answer.
    pub fn check(&self, formula: &str) -> Result<Answer, AnswerError> {
        let mut run = Run::new(self, Settings::default());
        let number = run.ask(Asked::formula(Logic::Any, formula));
        run.answer(&Budget::unlimited(), &mut |_| {})?;
        match run.answer_to(number) {
            Answer {
                value: Value::Error(error),
                ..
            } => Err(error),
            answer => Ok(answer),
        }
    }
}

impl From<Arc<Problem>> for Source {
    fn from(problem: Arc<Problem>) -> Self {
        Source(Arc::new(Given {
            name: problem.model().name().to_owned(),
            coloured: None,
            problem: OnceLock::from(problem),
        }))
    }
}

/// The name of a file without folders and endings.
#[must_use]
pub fn stem(file_name: &str) -> &str {
    let base = file_name.rsplit(['/', '\\']).next().unwrap_or(file_name);
    let base = base.strip_suffix(".gz").unwrap_or(base);
    base.rsplit_once('.').map_or(base, |(stem, _)| stem)
}

/// The bytes of a file, unpacked if they were packed.
///
/// # Errors
/// If it cannot be read or unpacked, or the budget runs out.
pub fn read(path: &Path, budget: &Budget) -> Result<Vec<u8>, LoadError> {
    let name = path.display().to_string();
    let file = File::open(path).map_err(|error| LoadError::Read {
        path: name.clone(),
        reason: error.to_string(),
    })?;
    read_from(file, &name, budget)
}

/// As [`read`], from something that is open; `name` is for messages.
///
/// # Errors
/// If it cannot be read or unpacked, or the budget runs out.
pub fn read_from(mut file: impl Read, name: &str, budget: &Budget) -> Result<Vec<u8>, LoadError> {
    let unread = |error: std::io::Error| LoadError::Read {
        path: name.to_owned(),
        reason: error.to_string(),
    };
    let mut bytes = Vec::new();
    loop {
        let piece = (&mut file).take(PIECE).read_to_end(&mut bytes);
        let grown = budget.check_bytes(bytes.len() as u64);
        budget.check().and(grown).map_err(LoadError::Stopped)?;
        if piece.map_err(unread)? == 0 {
            break;
        }
    }
    Ok(match unpack(&bytes, budget)? {
        Cow::Owned(unpacked) => unpacked,
        Cow::Borrowed(_) => bytes,
    })
}

/// The formats of models.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ModelFormat {
    /// Petri nets in XML.
    Pnml,
    /// Tables of transitions.
    Etf,
    /// Programs.
    Dve,
}

impl ModelFormat {
    /// The format that the ending of a file name tells; by the contents if it tells nothing.
    ///
    /// The bytes are those that were unpacked, if the file is packed.
    ///
    /// # Errors
    /// If the file is empty, or of no format that is known.
    ///
    /// # Examples
    /// ```
    /// use dalsegno::{LoadError, ModelFormat};
    ///
    /// assert_eq!(ModelFormat::of("lifts.7.dve", b"system async;"), Ok(ModelFormat::Dve));
    /// assert_eq!(ModelFormat::of("model", b"begin state\nend state"), Ok(ModelFormat::Etf));
    /// assert_eq!(ModelFormat::of("model.pnml.gz", b"<pnml/>"), Ok(ModelFormat::Pnml));
    /// assert_eq!(ModelFormat::of("model.pnml", b" "), Err(LoadError::Empty));
    /// assert_eq!(ModelFormat::of("model", b"just words"), Err(LoadError::Format));
    /// ```
    pub fn of(file_name: &str, bytes: &[u8]) -> Result<Self, LoadError> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let start = bytes.trim_ascii_start();
        if start.is_empty() {
            return Err(LoadError::Empty);
        }
        let lower = file_name.to_ascii_lowercase();
        let name = lower.strip_suffix(".gz").unwrap_or(&lower);
        match name.rsplit_once('.').map_or("", |(_, ending)| ending) {
            "pnml" | "xml" => return Ok(ModelFormat::Pnml),
            "etf" => return Ok(ModelFormat::Etf),
            "dve" => return Ok(ModelFormat::Dve),
            _ => {}
        }
        // UTF-16 is left to the reader of XML, which says so.
        if let [b'<', ..] | [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [0, b'<', ..] = start {
            return Ok(ModelFormat::Pnml);
        }
        let length = start
            .iter()
            .position(|b| !b.is_ascii_alphabetic())
            .unwrap_or(start.len());
        match &start[..length] {
            b"begin" => Ok(ModelFormat::Etf),
            b"byte" | b"int" | b"const" | b"channel" | b"process" | b"system" => {
                Ok(ModelFormat::Dve)
            }
            _ if start.starts_with(b"//") || start.starts_with(b"/*") => Ok(ModelFormat::Dve),
            _ => Err(LoadError::Format),
        }
    }
}

dalsegno_kripke::choices!(ModelFormat, "format", Pnml => "pnml", Etf => "etf", Dve => "dve");

/// What a file may hold, for errors.
const EXPECTED: &str =
    "a Petri net in PNML, tables in ETF or a program in DVE, maybe packed by gzip";

/// Why a file is no model.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The file cannot be read.
    #[error("cannot read {path}: {reason}")]
    Read {
        /// The file.
        path: String,
        /// Why, as the system says it.
        reason: String,
    },
    /// There is nothing in the file.
    #[error("the file is empty: expected {EXPECTED}")]
    Empty,
    /// Neither the name nor the contents tell a format.
    #[error("the file is of an unknown kind: expected {EXPECTED}")]
    Format,
    /// The packed file is damaged, or too large.
    #[error(transparent)]
    Unpack(#[from] UnpackError),
    /// The tables cannot be made a model.
    #[error(transparent)]
    Lower(#[from] etf::LowerError),
    /// A fault in PNML.
    #[error(transparent)]
    Pnml(#[from] pnml::Error),
    /// The coloured net cannot be unfolded.
    #[error(transparent)]
    Unfold(#[from] UnfoldError),
    /// A fault in ETF.
    #[error(transparent)]
    Etf(#[from] etf::Error),
    /// A fault in DVE.
    #[error(transparent)]
    Dve(#[from] dve::Error),
    /// The file was not read to its end.
    #[error("{0}")]
    Stopped(Stop),
    /// What the file describes is no model.
    #[error(transparent)]
    Model(#[from] ModelError),
}

impl LoadError {
    /// The limit that was hit, if that is the reason: then nothing is wrong with the model, and the
    /// answer is not known.
    #[must_use]
    pub fn stop(&self) -> Option<Stop> {
        match self {
            LoadError::Pnml(error) => error.stop(),
            LoadError::Unfold(error) => error.stop(),
            LoadError::Etf(error) => error.stop(),
            LoadError::Dve(error) => error.stop(),
            LoadError::Unpack(error) => error.stop(),
            LoadError::Stopped(stop) | LoadError::Lower(etf::LowerError::Stopped(stop)) => {
                Some(*stop)
            }
            _ => None,
        }
    }

    /// At most how large the unfolded net would be, if that is why it was not made.
    #[must_use]
    pub fn unfolding(&self) -> Option<Size> {
        match self {
            LoadError::Unfold(error) => error.size(),
            _ => None,
        }
    }
}
