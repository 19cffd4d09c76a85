//! The book (`docs/`) and the README: their commands are run and print what is shown, their links lead somewhere, and
//! what is made from the code is what the code says.
//!
//! With `BOOK=update` the pages, pictures and references are written anew; look at the difference.
//!
//! - A block `console` has commands behind `$`, and what they print. All commands of a page run in one folder, in order;
//!   `examples/` is there, and a block with `file=NAME` is that file.
//! - A block `console not-run=REASON` is not run; `NOT_RUN` has the reasons. `dalsegno serve`, which does not end by itself,
//!   is not run either.
//! - A file of `docs/pictures` is one that some command of the book writes. A new one may be empty at first.

#[path = "../../src/fill.rs"]
mod fill;
mod page;
mod references;
mod session;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use page::{Block, Exchange, Page, Piece};
use session::{Session, fits, renewed, shortened};

/// Why a command may not be run here.
const NOT_RUN: [&str; 6] = [
    // Files of the Model Checking Contest or of BEEM, which are not part of the project.
    "contest-files",
    // Several hosts, or a server that goes on until it is stopped.
    "hosts",
    // A package or a program from elsewhere.
    "install",
    // Minutes or hours of work.
    "long",
    // It would run these tests.
    "tests",
    // Another program is needed.
    "other-program",
];

/// The root of the project; a package of this crate alone has none, and no book.
fn root() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let is_there = root.join("Cargo.toml").exists();
    if !is_there {
        eprintln!("skipped: a package has no book");
    }
    is_there.then_some(root)
}

fn is_update() -> bool {
    std::env::var("BOOK").is_ok_and(|value| value == "update")
}

/// The README and the pages of the book, by their paths.
fn pages(root: &Path) -> Vec<String> {
    let mut names = vec!["README.md".to_owned()];
    for folder in ["docs", "docs/schemas"] {
        let entries = std::fs::read_dir(root.join(folder)).unwrap();
        let files = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.extend(
            files
                .filter(|f| Path::new(f).extension().is_some_and(|e| e == "md"))
                .map(|f| format!("{folder}/{f}")),
        );
    }
    names.sort();
    assert!(names.len() > 10, "the book is gone");
    names
}

/// Runs the commands of a page; with `update`, the page has what they print.
fn run_page(root: &Path, page: &mut Page, update: bool) -> (Session, Vec<String>) {
    let mut session = Session::new(root, &page.name);
    let mut faults = Vec::new();
    for piece in &mut page.pieces {
        let Piece::Block(block) = piece else { continue };
        if let Some(file) = block.value("file") {
            std::fs::write(session.folder.join(file), &block.text).unwrap();
        }
        if let Some(reason) = block.value("not-run") {
            assert!(NOT_RUN.contains(&reason), "{}: {reason}", page.name);
            continue;
        }
        if !block.is("console") {
            continue;
        }
        let mut text = String::new();
        for exchange in Exchange::all(&block.text) {
            if exchange.command().starts_with("dalsegno serve") {
                let lines = exchange.shown.iter().chain(&exchange.lines);
                text.extend(lines.flat_map(|line| [line, "\n"]));
                continue;
            }
            let printed = session.run(&exchange);
            let printed: Vec<&str> = printed.lines().collect();
            let mut lines: Vec<String> =
                exchange.lines.iter().map(|line| shortened(line)).collect();
            if !fits(&exchange.printed, &printed) {
                if update {
                    let typed = exchange.typed.iter().map(|line| format!("> {line}"));
                    lines = typed.chain(renewed(&exchange.printed, &printed)).collect();
                } else {
                    faults.push(format!(
                        "{}:{}: {}\n--- shown\n{}\n--- printed\n{}\n",
                        page.name,
                        block.line,
                        exchange.command(),
                        exchange.printed.join("\n"),
                        printed.join("\n")
                    ));
                }
            }
            for line in exchange.shown.iter().chain(&lines) {
                text.extend([line, "\n"]);
            }
        }
        block.text = text;
    }
    (session, faults)
}

#[test]
fn commands_print_what_is_shown_and_draw_the_pictures() {
    let Some(root) = root() else { return };
    let update = is_update();
    let pictures = root.join("docs/pictures");
    let names = Mutex::new(pages(&root));
    let drawn = Mutex::new(BTreeMap::<String, String>::new());
    let faults = Mutex::new(Vec::new());
    let work = || {
        while let Some(name) = { names.lock().unwrap().pop() } {
            let mut page = Page::read(&root, &name);
            let (session, found) = run_page(&root, &mut page, update);
            faults.lock().unwrap().extend(found);
            if update {
                std::fs::write(root.join(&name), page.text()).unwrap();
            }
            for entry in std::fs::read_dir(&session.folder).unwrap() {
                let entry = entry.unwrap();
                let file = entry.file_name().into_string().unwrap();
                if pictures.join(&file).exists() {
                    let text = std::fs::read_to_string(entry.path()).unwrap();
                    drawn.lock().unwrap().insert(file, text);
                }
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    let mut faults = faults.into_inner().unwrap();
    let drawn = drawn.into_inner().unwrap();
    for entry in std::fs::read_dir(&pictures).unwrap() {
        let path = entry.unwrap().path();
        let file = path.file_name().unwrap().to_str().unwrap();
        match drawn.get(file) {
            None => faults.push(format!("docs/pictures/{file}: no command writes it")),
            Some(text) if update => std::fs::write(&path, text).unwrap(),
            Some(text) if *text != std::fs::read_to_string(&path).unwrap() => {
                faults.push(format!(
                    "docs/pictures/{file}: the program draws another one"
                ));
            }
            Some(_) => {}
        }
    }
    faults.sort();
    assert!(
        faults.is_empty(),
        "{}\nwith BOOK=update the pages are written anew",
        faults.join("\n")
    );
}

#[test]
fn no_command_escapes_its_test() {
    let Some(root) = root() else { return };
    // Of what is made from options, only usages look like commands.
    let written = pages(&root).into_iter();
    for name in written.filter(|name| name != "docs/options.md") {
        let page = Page::read(&root, &name);
        for block in page.blocks().filter(|block| !block.is("console")) {
            let has_command = block.text.lines().any(|line| {
                let line = line.trim_start_matches("$ ");
                line.starts_with("dalsegno ") || line.starts_with("cargo run")
            });
            assert!(
                !has_command || block.value("not-run").is_some(),
                "{name}:{}: commands belong into a block `console`",
                block.line
            );
        }
    }
}

#[test]
fn links_lead_somewhere() {
    let Some(root) = root() else { return };
    for name in pages(&root) {
        let page = Page::read(&root, &name);
        let folder = root.join(&name).parent().unwrap().to_owned();
        for piece in &page.pieces {
            let Piece::Text(text) = piece else { continue };
            for link in links(text) {
                let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
                let target = if file.is_empty() {
                    root.join(&name)
                } else {
                    folder.join(file)
                };
                assert!(target.exists(), "{name}: no file {link}");
                let is_page = target.extension().is_some_and(|ending| ending == "md");
                if !anchor.is_empty() && is_page {
                    let text = std::fs::read_to_string(&target).unwrap();
                    let found = text
                        .lines()
                        .filter(|l| l.starts_with('#'))
                        .any(|l| slug(l) == anchor);
                    assert!(found, "{name}: no heading {link}");
                }
            }
        }
    }
}

/// The targets of links and pictures that are files of the project.
fn links(text: &str) -> impl Iterator<Item = &str> {
    let targets = text
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next());
    targets.filter(|target| !target.contains("://") && !target.contains(' '))
}

/// The anchor of a heading.
fn slug(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = text
        .chars()
        .filter(|c| c.is_alphanumeric() || "-_ ".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// All pages are in the table of contents, and nothing else is.
#[test]
fn the_summary_names_every_page() {
    let Some(root) = root() else { return };
    let summary = std::fs::read_to_string(root.join("docs/SUMMARY.md")).unwrap();
    let mut named: Vec<String> = links(&summary).map(|link| format!("docs/{link}")).collect();
    named.extend(["README.md".to_owned(), "docs/SUMMARY.md".to_owned()]);
    named.sort();
    let unique = named.len();
    named.dedup();
    assert_eq!(unique, named.len(), "a page is named twice");
    for page in pages(&root) {
        assert!(named.contains(&page), "{page} is not in docs/SUMMARY.md");
    }
}

/// The references of options and of JSON documents are made from the program and from the schemas.
#[test]
fn references_are_what_the_code_says() {
    let Some(root) = root() else { return };
    for (name, text) in [
        ("docs/options.md", references::options()),
        (
            "docs/json.md",
            references::schemas(&root.join("docs/schemas")),
        ),
    ] {
        let path = root.join(name);
        if is_update() {
            std::fs::write(&path, &text).unwrap();
        }
        let committed = std::fs::read_to_string(&path).unwrap_or_default();
        let same = committed.lines().eq(text.lines());
        assert!(same, "{name} is out of date: BOOK=update writes it anew");
    }
}

#[test]
fn blocks_are_read_as_they_are() {
    let text = "$ one \\\n  two\nout\n> typed\nmore\n$ three\n";
    let all = Exchange::all(text);
    assert_eq!(all.len(), 2);
    assert_eq!(all[0].command(), "one \\\n  two");
    assert_eq!(all[0].typed, ["typed"]);
    assert_eq!(all[0].printed, ["out", "more"]);
    let block = Block {
        words: vec!["console".into(), "not-run=hosts".into()],
        line: 1,
        text: String::new(),
    };
    assert!(block.is("console") && block.value("not-run") == Some("hosts"));
    assert_eq!(
        slug("## A `check` of `fires`: what?"),
        "a-check-of-fires-what"
    );
}
