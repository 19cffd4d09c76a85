//! `dalsegno verify`: an independent check of proofs.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use dalsegno::read;
use dalsegno::verify::claim::Logic;
use dalsegno::verify::{MODES, Mode, Named, Options, report};

use crate::memory;
use crate::status::Status;
use crate::watch::{Output, Watch};

const AFTER_HELP: &str = "\
Examples:
  dalsegno check kanban.pnml --ltl 'G F Pout4' --certificate proof.dscert
  dalsegno verify kanban.pnml proof.dscert --ltl 'G F Pout4'
  dalsegno verify model.pnml proof.dscert --properties LTLCardinality.xml \\
    --id Model-LTLCardinality-03

The checker is a crate and a program of its own, dalsegno-verify, that uses nothing else of dalsegno. Of a coloured \
net, give the unfolded net that `dalsegno convert` writes.

Exit codes: 0 proved, 1 refused, 2 error, 3 limit.";

/// Check that a file proves a property of a Petri net
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Arguments {
    /// A place/transition net in PNML
    model: PathBuf,

    /// A file that `dalsegno check --certificate` or `dalsegno states --certificate` wrote
    file: PathBuf,

    /// The formula of LTL that the file must be about
    #[arg(long, value_name = "FORMULA", conflicts_with_all = ["ctl", "properties"])]
    ltl: Option<String>,

    /// The formula of CTL that the file must be about
    #[arg(long, value_name = "FORMULA", conflicts_with = "properties")]
    ctl: Option<String>,

    /// A file of the contest that has the property that the file must be about
    #[arg(long, value_name = "XML", requires = "id")]
    properties: Option<PathBuf>,

    /// The identifier of that property
    #[arg(long, value_name = "ID", requires = "properties")]
    id: Option<String>,

    /// How to check: marking by marking (`enumerate`), by pairs of nodes (`walk`), or what fits (`auto`)
    #[arg(long, default_value = "auto", value_parser = mode)]
    mode: Mode,

    /// The threads of an enumeration
    #[arg(long, value_name = "N", default_value_t = 1)]
    jobs: usize,

    /// The nodes and successors that an enumeration may look at
    #[arg(long, value_name = "N", default_value_t = Options::default().steps)]
    steps: u64,

    /// The pairs of nodes that a walk may meet
    #[arg(long, value_name = "N", default_value_t = Options::default().pairs)]
    pairs: u64,
}

fn mode(word: &str) -> Result<Mode, String> {
    let found = MODES.iter().find(|(known, _)| *known == word);
    let unknown = || format!("{word:?} is no mode: auto, enumerate or walk");
    found.map(|&(_, mode)| mode).ok_or_else(unknown)
}

pub(crate) fn run(arguments: &Arguments, watch: &Watch, out: &mut Output) -> Result<Status> {
    let budget = watch.budget(None, memory::default_limit());
    let bytes = |path: &PathBuf| read(path, &budget).map_err(|error| anyhow!("{error}"));
    let (model, file) = (bytes(&arguments.model)?, bytes(&arguments.file)?);
    let named = match (
        &arguments.ltl,
        &arguments.ctl,
        &arguments.properties,
        &arguments.id,
    ) {
        (Some(f), ..) => Some(Named::Formula(Logic::Ltl, f.clone())),
        (_, Some(f), ..) => Some(Named::Formula(Logic::Ctl, f.clone())),
        (_, _, Some(path), Some(id)) => {
            let xml = bytes(path).with_context(|| path.display().to_string())?;
            Some(Named::Property(xml, id.clone()))
        }
        _ => None,
    };
    let options = Options {
        mode: arguments.mode,
        jobs: arguments.jobs,
        steps: arguments.steps,
        pairs: arguments.pairs,
        stop: &|| budget.check().is_err(),
    };
    let (text, code) = report(&model, &file, named.as_ref(), options);
    match code {
        2 => bail!(
            "{}",
            text.trim_end().rsplit("error: ").next().unwrap_or(&text)
        ),
        _ => out.write_all(text.as_bytes())?,
    }
    Ok(match code {
        0 => Status::Done,
        1 => Status::Fails,
        _ => Status::Unknown,
    })
}
