//! `dalsegno generate` and `dalsegno convert`: nets into files.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use dalsegno::models::petri::generators::Family;
use dalsegno::models::petri::{PetriNet, dot, pnml};

use crate::load;
use crate::status::Status;

/// Write a net of a family with a parameter, in PNML
///
/// Families: fms, kanban, philosophers (the contest's net), phils (Ciardo's net), ring (slotted),
/// peterson, mutex (round-robin), mapk and more; a wrong name lists the nearest.
#[derive(Args)]
pub(crate) struct Generate {
    /// The family
    family: Family,

    /// The parameter
    n: u32,

    /// The file to write; its ending tells the format: .pnml or .dot [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(crate) fn generate(arguments: &Generate, out: &mut impl Write) -> Result<Status> {
    let net = arguments.family.generate(arguments.n)?;
    match &arguments.output {
        Some(path) => save(&net, path)?,
        None => pnml::write(&net, out)?,
    }
    Ok(Status::Done)
}

/// Convert a net from one format to another
///
/// The ending of the output tells the format: .pnml or .dot.
#[derive(Args)]
pub(crate) struct Convert {
    /// A Petri net in PNML
    input: PathBuf,

    /// The file to write
    output: PathBuf,
}

pub(crate) fn convert(arguments: &Convert) -> Result<Status> {
    let session = load::model(&arguments.input)?;
    let Some(net) = session.net() else {
        bail!("not a net");
    };
    save(net, &arguments.output)?;
    Ok(Status::Done)
}

fn save(net: &PetriNet, path: &Path) -> Result<()> {
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("");
    if !matches!(ending, "pnml" | "xml" | "dot" | "gv") {
        bail!("{}: the file should end in .pnml or .dot", path.display());
    }
    let file = File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
    let mut out = BufWriter::new(file);
    match ending {
        "dot" | "gv" => dot::write(net, &mut out)?,
        _ => pnml::write(net, &mut out)?,
    }
    out.flush()?;
    Ok(())
}
