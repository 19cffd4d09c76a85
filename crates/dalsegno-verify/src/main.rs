//! The program: `dalsegno-verify MODEL FILE`.

use std::process::ExitCode;

use dalsegno_verify::claim::Logic;
use dalsegno_verify::{MODES, Named, Options, report};

const USAGE: &str = "\
Checks that a file proves a property of a Petri net.

Usage: dalsegno-verify MODEL FILE [OPTIONS]

  MODEL                       a place/transition net in PNML
  FILE                        a proof that `dalsegno check --certificate FILE` wrote
  --ltl F, --ctl F            the property that the file must be about
  --properties XML --id ID    the same, from a file of the contest
  --mode MODE                 auto, enumerate (marking by marking) or walk (pairs of nodes)
  --jobs N                    threads of an enumeration
  --steps N, --pairs N        the most that an enumeration, or a walk, may look at

Exit codes: 0 proved, 1 refused, 2 error, 3 limit.";

fn main() -> ExitCode {
    let (text, code) = run().unwrap_or_else(|what| {
        eprintln!("error: {what}");
        (String::new(), 2)
    });
    print!("{text}");
    ExitCode::from(code)
}

fn run() -> Result<(String, u8), String> {
    let (mut options, mut files, mut named) = (Options::default(), Vec::new(), None);
    let (mut xml, mut id) = (None, None);
    let read = |path: &str| std::fs::read(path).map_err(|e| format!("cannot read {path}: {e}"));
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "--help" || argument == "-h" {
            return Ok((format!("{USAGE}\n"), 0));
        }
        if !argument.starts_with("--") {
            files.push(argument);
            continue;
        }
        let value = arguments.next().ok_or(format!("{argument} needs a value"))?;
        let number = || value.parse::<u64>().map_err(|_| format!("{argument} needs a number"));
        match argument.as_str() {
            "--ltl" => named = Some(Named::Formula(Logic::Ltl, value)),
            "--ctl" => named = Some(Named::Formula(Logic::Ctl, value)),
            "--properties" => xml = Some(read(&value)?),
            "--id" => id = Some(value),
            "--mode" => {
                let mode = MODES.iter().find(|(word, _)| *word == value);
                options.mode = mode.ok_or(format!("{value:?} is no mode: auto, enumerate or walk"))?.1;
            }
            "--jobs" => options.jobs = number()? as usize,
            "--steps" => options.steps = number()?,
            "--pairs" => options.pairs = number()?,
            _ => return Err(format!("{argument} is not known\n\n{USAGE}")),
        }
    }
    if xml.is_some() != id.is_some() {
        return Err("--properties and --id belong together".to_owned());
    }
    named = xml.zip(id).map(|(xml, id)| Named::Property(xml, id)).or(named);
    let [model, file] = &files[..] else {
        return Err(format!("expected a model and a file\n\n{USAGE}"));
    };
    Ok(report(&read(model)?, &read(file)?, named.as_ref(), options))
}
