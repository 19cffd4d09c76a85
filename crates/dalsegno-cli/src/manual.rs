//! `dalsegno completions` and `dalsegno manual`: what shells and `man` know of the program, made from its options.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::{Args, Command};
use clap_complete::Shell;
use clap_mangen::Man;

use crate::reference;
use crate::status::Status;

const COMPLETIONS: &str = "\
Examples:
  dalsegno completions bash > ~/.local/share/bash-completion/completions/dalsegno
  dalsegno completions zsh > ~/.zfunc/_dalsegno
  dalsegno completions fish > ~/.config/fish/completions/dalsegno.fish";

/// Print the completions of commands and options for a shell
#[derive(Args)]
#[command(after_help = COMPLETIONS)]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
}

pub(crate) fn completions(
    arguments: &Completions,
    mut command: Command,
    out: &mut impl Write,
) -> Result<Status> {
    // The generator panics where it cannot write; a vector takes everything.
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, "dalsegno", &mut text);
    out.write_all(&text)?;
    Ok(Status::Done)
}

const MANUAL: &str = "\
Examples:
  dalsegno manual ~/.local/share/man/man1 && man dalsegno-check
  dalsegno manual | man -l -
  dalsegno manual --markdown > options.md";

/// Print the manual page of the program, or write a page for each command
#[derive(Args)]
#[command(after_help = MANUAL)]
pub(crate) struct Manual {
    /// The folder for dalsegno.1, dalsegno-check.1 and so on; it is made if it is not there [default: the
    /// page of the program to standard output]
    folder: Option<PathBuf>,

    /// Print all commands and options as one page in Markdown instead
    #[arg(long, conflicts_with = "folder")]
    markdown: bool,
}

pub(crate) fn manual(
    arguments: &Manual,
    mut command: Command,
    out: &mut impl Write,
) -> Result<Status> {
    // Options that all commands have are handed on to each of them.
    command.build();
    if arguments.markdown {
        out.write_all(reference::page(&command).as_bytes())?;
        return Ok(Status::Done);
    }
    let Some(folder) = &arguments.folder else {
        out.write_all(&page(command)?)?;
        return Ok(Status::Done);
    };
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let shown = command.get_subcommands().filter(|c| !c.is_hide_set());
    let mut pages: Vec<(String, Command)> = shown
        .map(|inner| {
            let name = format!("dalsegno-{}", inner.get_name());
            (name.clone(), inner.clone().display_name(name))
        })
        .collect();
    pages.push(("dalsegno".to_owned(), command));
    for (name, command) in pages {
        let path = folder.join(format!("{name}.1"));
        std::fs::write(&path, page(command)?)
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(Status::Done)
}

fn page(command: Command) -> Result<Vec<u8>> {
    let mut text = Vec::new();
    Man::new(command).render(&mut text)?;
    Ok(text)
}
