//! `dalsegno generate` and `dalsegno convert`: models into files.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use dalsegno::kripke::{Budget, Stop};
use dalsegno::logic::nearest;
use dalsegno::models::etf;
use dalsegno::models::petri::generators::Family;
use dalsegno::models::petri::{PetriNet, Place, PlaceId, Transition, TransitionId, dot, gal, pnml};
use dalsegno::picture::{self, Arrangement, NetPicture, PictureError};
use dalsegno::{ConversionError, to_etf};

use crate::choice::choice;
use crate::limits::Limits;
use crate::load;
use crate::status::{Status, complain};
use crate::watch::Watch;

const GENERATE_EXAMPLES: &str = "\
Examples:
  dalsegno generate philosophers 5 -o phils.pnml
  dalsegno generate token_ring 4 --coloured -o ring.pnml
  dalsegno generate kanban 10 | dalsegno states -";

const CONVERT_EXAMPLES: &str = "\
Examples:
  dalsegno convert net.pnml net.svg
  dalsegno convert large.pnml part.svg --around Fork_1 --nodes 60
  dalsegno convert coloured.pnml unfolded.pnml
  dalsegno convert program.dve program.etf --timeout 1m";

/// Write a net of a family with a parameter, in PNML
///
/// Families: fms, kanban, philosophers (the contest's net), phils (Ciardo's net), ring (slotted),
/// peterson, mutex (round-robin), mapk, `token_ring` and `readers_writers`.
#[derive(Args)]
#[command(after_help = GENERATE_EXAMPLES)]
pub(crate) struct Generate {
    /// The family
    family: Family,

    /// The parameter
    n: u32,

    /// The coloured net of the family, a symmetric net; only some families have one
    #[arg(long)]
    coloured: bool,

    /// The file to write; its ending tells the format: .pnml, .dot or .svg [default: standard output]
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
/// Positions of a PNML file are kept, and a picture uses them.
#[derive(Args)]
#[command(after_help = CONVERT_EXAMPLES)]
pub(crate) struct Convert {
    /// A model: PNML, ETF or DVE; `-` is standard input
    input: PathBuf,

    /// The file to write
    output: PathBuf,

    /// Write a coloured net in PNML as it is, and not unfolded
    #[arg(long)]
    coloured: bool,

    /// Draw a part of a net: this place or transition and what is around it; may be given again (.svg)
    #[arg(long, value_name = "NAME")]
    around: Vec<String>,

    /// The most nodes of such a part
    #[arg(long, value_name = "N", default_value_t = 100, requires = "around")]
    nodes: usize,

    /// How a picture is arranged: auto takes the positions of the file if they can be used, layers if the net flows
    /// in one direction, distances else (.svg)
    #[arg(long, value_name = "HOW", default_value_t = Arrangement::Auto, hide_default_value = true,
        value_parser = choice::<Arrangement>(Arrangement::NAMES))]
    arrange: Arrangement,

    #[command(flatten)]
    limits: Limits,
}

pub(crate) fn convert(arguments: &Convert, watch: &Watch) -> Result<Status> {
    // Before the model is read, which may take long.
    check_ending(
        &arguments.output,
        &["pnml", "xml", "etf", "dot", "gv", "gal", "svg"],
    )?;
    let budget = arguments.limits.budget(watch);
    let drawn = arguments.output.extension().is_some_and(|e| e == "svg");
    if !drawn && (!arguments.around.is_empty() || arguments.arrange != Arrangement::Auto) {
        bail!("--around and --arrange are for pictures: the output should end in .svg");
    }
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
    if drawn {
        return draw(arguments, net).map(|()| Status::Done);
    }
    match problem.colours() {
        Some(_) => save(&net.with_plain_ids(), path)?,
        None => save(net, path)?,
    }
    Ok(Status::Done)
}

/// Draws a net, or a part of it.
fn draw(arguments: &Convert, net: &PetriNet) -> Result<()> {
    let mut wanted = NetPicture {
        arrangement: arguments.arrange,
        ..NetPicture::default()
    };
    if !arguments.around.is_empty() {
        let (mut places, mut transitions) = (Vec::new(), Vec::new());
        for name in &arguments.around {
            match node(net, name)? {
                Node::Place(p) => places.push(p),
                Node::Transition(t) => transitions.push(t),
            }
        }
        wanted.slice = Some(picture::around(net, places, transitions, arguments.nodes));
    }
    write_picture(net, &wanted, &arguments.output)
}

/// The picture is made before the file: a net that is too large leaves none.
fn write_picture(net: &PetriNet, wanted: &NetPicture<'_>, path: &Path) -> Result<()> {
    let picture = match picture::net(net, wanted) {
        Err(error @ PictureError::TooLarge(_)) => {
            bail!("{error}; --around NAME draws a part of the net")
        }
        picture => picture?,
    };
    let mut out = create(path, &["svg"])?;
    out.write_all(picture.svg.as_bytes())?;
    out.flush()?;
    Ok(())
}

enum Node {
    Place(PlaceId),
    Transition(TransitionId),
}

/// The place or the transition with this identifier or name.
fn node(net: &PetriNet, name: &str) -> Result<Node> {
    let (places, transitions) = (net.places(), net.transitions());
    let place = |known: fn(&Place) -> &str| places.iter().position(|p| known(p) == name);
    let transition = |known: fn(&Transition) -> &str| {
        let found = transitions.iter().position(|t| known(t) == name);
        found.map(|i| Node::Transition(TransitionId(i as u32)))
    };
    let found = place(|p| &p.id).or_else(|| place(|p| &p.name));
    let found = found.map(|i| Node::Place(PlaceId(i as u32)));
    let found = found.or_else(|| transition(|t| &t.id));
    if let Some(found) = found.or_else(|| transition(|t| &t.name)) {
        return Ok(found);
    }
    let names = places.iter().map(|p| p.id.as_str());
    let names = names.chain(transitions.iter().map(|t| t.id.as_str()));
    let near: Vec<String> = nearest::nearest(name, names)
        .into_iter()
        .map(str::to_owned)
        .collect();
    bail!(
        "no place or transition is named `{name}`{}",
        nearest::hint(&near)
    )
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
    if path.extension().is_some_and(|ending| ending == "svg") {
        return write_picture(net, &NetPicture::default(), path);
    }
    let mut out = create(path, &["pnml", "xml", "dot", "gv", "gal", "svg"])?;
    match path.extension().and_then(|e| e.to_str()) {
        Some("dot" | "gv") => dot::write(net, &mut out)?,
        Some("gal") => gal::write(net, &mut out)?,
        _ => pnml::write(net, &mut out)?,
    }
    out.flush()?;
    Ok(())
}

/// A new file, if its ending is one of those.
fn create(path: &Path, endings: &[&str]) -> Result<BufWriter<File>> {
    check_ending(path, endings)?;
    let file = File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(BufWriter::new(file))
}

fn check_ending(path: &Path, endings: &[&str]) -> Result<()> {
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("");
    if !endings.contains(&ending) {
        let listed = endings.join(", .");
        bail!(
            "{}: the file should end in one of .{listed}",
            path.display()
        );
    }
    Ok(())
}
