//! `dalsegno generate` and `dalsegno convert`: models into files.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use dalsegno::kripke::{Budget, Stop};
use dalsegno::models::etf;
use dalsegno::models::petri::generators::Family;
use dalsegno::models::petri::{PetriNet, dot, gal, pnml};
use dalsegno::picture::{self, NetPicture};
use dalsegno::{ConversionError, to_etf};

use crate::limits::Limits;
use crate::load;
use crate::status::{Status, complain};
use crate::watch::Watch;

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

    /// The coloured net of the family, a symmetric net; only some families have one
    #[arg(long)]
    coloured: bool,

    /// The file to write; its ending tells the format: .pnml or .dot [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(crate) fn generate(arguments: &Generate, out: &mut impl Write) -> Result<Status> {
    if arguments.coloured {
        let net = arguments.family.generate_coloured(arguments.n)?;
        match &arguments.output {
            Some(path) => {
                let mut file = create(path, &["pnml", "xml"])?;
                pnml::write_coloured(&net, &mut file)?;
                file.flush()?;
            }
            None => pnml::write_coloured(&net, out)?,
        }
        return Ok(Status::Done);
    }
    let net = arguments.family.generate(arguments.n)?;
    match &arguments.output {
        Some(path) => save(&net, path)?,
        None => pnml::write(&net, out)?,
    }
    Ok(Status::Done)
}

/// Convert a model from one format to another
///
/// The ending of the output tells the format: .pnml, .dot, .svg and .gal (ITS-Tools) for nets, .etf for every model. A coloured
/// net is unfolded, unless its colours are to be kept. To write ETF the states of the model are explored, within the limits.
#[derive(Args)]
pub(crate) struct Convert {
    /// A model: PNML, ETF or DVE; `-` is standard input
    input: PathBuf,

    /// The file to write
    output: PathBuf,

    /// Write a coloured net in PNML as it is, and not unfolded
    #[arg(long)]
    coloured: bool,

    #[command(flatten)]
    limits: Limits,
}

pub(crate) fn convert(arguments: &Convert, watch: &Watch) -> Result<Status> {
    let budget = arguments.limits.budget(watch);
    if arguments.coloured {
        return copy_coloured(&arguments.input, &arguments.output, &budget);
    }
    let problem = match load::problem(&arguments.input, &budget)? {
        Ok(problem) => problem,
        Err(unloaded) => return Ok(unloaded.status),
    };
    let path = &arguments.output;
    if path.extension().is_some_and(|ending| ending == "etf") {
        let etf = match to_etf(&problem, &budget) {
            Ok(etf) => etf,
            Err(error @ ConversionError::Stopped(_)) => {
                complain(format_args!("{}: {error}", arguments.input.display()));
                return Ok(Status::Unknown);
            }
            Err(error) => {
                return Err(error).with_context(|| arguments.input.display().to_string());
            }
        };
        let mut out = create(path, &["etf"])?;
        etf::write(&etf, &mut out)?;
        out.flush()?;
        return Ok(Status::Done);
    }
    let Some(net) = problem.net() else {
        bail!(
            "{} is no Petri net: the only format for it is .etf",
            arguments.input.display()
        );
    };
    match problem.colours() {
        Some(_) => save(&net.with_plain_ids(), path)?,
        None => save(net, path)?,
    }
    Ok(Status::Done)
}

/// Writes a coloured net anew, with its colours.
fn copy_coloured(input: &Path, output: &Path, budget: &Budget) -> Result<Status> {
    let unknown = |stop: Stop| {
        complain(format_args!("unknown: {}: {stop}", input.display()));
        Ok(Status::Unknown)
    };
    let bytes = match load::read(input, budget)? {
        Ok(bytes) => bytes,
        Err(stop) => return unknown(stop),
    };
    let net = match pnml::parse_net_within(&bytes, budget) {
        Ok(pnml::Net::Coloured(net)) => net,
        Ok(pnml::Net::Plain(_)) => bail!("{} has no colours", input.display()),
        Err(error) if error.stop().is_some() => {
            return unknown(error.stop().unwrap_or(Stop::Cancelled));
        }
        Err(error) => {
            complain(format_args!("error: {}: {error}", input.display()));
            return Ok(Status::Error);
        }
    };
    let mut file = create(output, &["pnml", "xml"])?;
    pnml::write_coloured(&net, &mut file)
        .with_context(|| format!("cannot write {}", output.display()))?;
    file.flush()?;
    Ok(Status::Done)
}

fn save(net: &PetriNet, path: &Path) -> Result<()> {
    let mut out = create(path, &["pnml", "xml", "dot", "gv", "svg", "gal"])?;
    match path.extension().and_then(|e| e.to_str()) {
        Some("dot" | "gv") => dot::write(net, &mut out)?,
        Some("gal") => gal::write(net, &mut out)?,
        Some("svg") => {
            let picture = picture::net(net, &NetPicture::default())?;
            out.write_all(picture.svg.as_bytes())?;
        }
        _ => pnml::write(net, &mut out)?,
    }
    out.flush()?;
    Ok(())
}

/// A new file, if its ending is one of those.
fn create(path: &Path, endings: &[&str]) -> Result<BufWriter<File>> {
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("");
    if !endings.contains(&ending) {
        let listed = endings.join(", .");
        bail!(
            "{}: the file should end in one of .{listed}",
            path.display()
        );
    }
    let file = File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(BufWriter::new(file))
}
