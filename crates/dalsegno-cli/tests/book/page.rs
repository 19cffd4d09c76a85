//! Pages of the book: text and fenced blocks.

use std::fmt::Write as _;
use std::path::Path;

/// A page, cut at its fences.
pub struct Page {
    /// Its path from the root of the project.
    pub name: String,
    pub pieces: Vec<Piece>,
}

pub enum Piece {
    /// Lines outside of blocks, as they are.
    Text(String),
    Block(Block),
}

/// What stands between two fences.
pub struct Block {
    /// The words behind the first fence.
    pub words: Vec<String>,
    /// The number of its first fence's line.
    pub line: usize,
    pub text: String,
}

impl Page {
    pub fn read(root: &Path, name: &str) -> Self {
        let text = std::fs::read_to_string(root.join(name)).unwrap();
        let mut pieces = Vec::new();
        let mut outside = String::new();
        let mut lines = text.lines().enumerate();
        while let Some((number, line)) = lines.next() {
            let Some(info) = line.strip_prefix("```") else {
                let indented = line.trim_start().strip_prefix("```console");
                assert!(indented.is_none(), "{name}:{}: indented", number + 1);
                outside.extend([line, "\n"]);
                continue;
            };
            pieces.push(Piece::Text(std::mem::take(&mut outside)));
            let inside = lines.by_ref().map(|(_, line)| line);
            let inside: Vec<&str> = inside.take_while(|line| *line != "```").collect();
            pieces.push(Piece::Block(Block {
                words: info.split_whitespace().map(str::to_owned).collect(),
                line: number + 1,
                text: inside.iter().flat_map(|line| [*line, "\n"]).collect(),
            }));
        }
        pieces.push(Piece::Text(outside));
        Page {
            name: name.to_owned(),
            pieces,
        }
    }

    pub fn blocks(&self) -> impl Iterator<Item = &Block> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Block(block) => Some(block),
            Piece::Text(_) => None,
        })
    }

    /// The page as a text again.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Block(Block { words, text, .. }) => {
                    let _ = write!(out, "```{}\n{text}```\n", words.join(" "));
                }
            }
        }
        out
    }
}

impl Block {
    pub fn is(&self, language: &str) -> bool {
        self.words.first().is_some_and(|word| word == language)
    }

    /// The value of a word such as `file=lift.pnml`.
    pub fn value(&self, name: &str) -> Option<&str> {
        let values = self.words.iter().filter_map(|word| word.split_once('='));
        values
            .into_iter()
            .find_map(|(n, v)| (n == name).then_some(v))
    }
}

/// A command of a `console` block with what is typed and printed.
pub struct Exchange {
    /// The command as it is shown, with `$`, in one line or several that end with `\`.
    pub shown: Vec<String>,
    /// Lines that are typed while the command works; they begin with `> `.
    pub typed: Vec<String>,
    /// What it prints.
    pub printed: Vec<String>,
    /// The lines behind the command as they are, typed and printed ones.
    pub lines: Vec<String>,
}

impl Exchange {
    /// The commands of a block.
    pub fn all(text: &str) -> Vec<Self> {
        let mut all: Vec<Exchange> = Vec::new();
        let mut continued = false;
        for line in text.lines() {
            if let Some(last) = all.last_mut().filter(|_| continued) {
                last.shown.push(line.to_owned());
            } else if line.starts_with("$ ") {
                all.push(Exchange {
                    shown: vec![line.to_owned()],
                    typed: Vec::new(),
                    printed: Vec::new(),
                    lines: Vec::new(),
                });
            } else {
                let last = all.last_mut().expect("a block begins with a command");
                last.lines.push(line.to_owned());
                match line.strip_prefix("> ") {
                    Some(typed) => last.typed.push(typed.to_owned()),
                    None => last.printed.push(line.to_owned()),
                }
            }
            continued = (line.starts_with("$ ") || continued) && line.ends_with('\\');
        }
        all
    }

    /// The command for a shell.
    pub fn command(&self) -> String {
        self.shown.join("\n")["$ ".len()..].to_owned()
    }
}
