//! The files of the pages by their paths.

/// A report without its parts.
pub(crate) const REPORT: &str = include_str!("../report.html");

/// The style sheet of all pages.
pub(crate) const STYLE: &str = include_str!("../style.css");

/// The modules of the viewer, each after those that it uses.
pub(crate) const VIEWER: &[(&str, &str)] = &[
    ("viewer/dom.js", include_str!("../viewer/dom.js")),
    ("viewer/trace.js", include_str!("../viewer/trace.js")),
    ("viewer/tabs.js", include_str!("../viewer/tabs.js")),
    ("viewer/picture.js", include_str!("../viewer/picture.js")),
    ("viewer/net.js", include_str!("../viewer/net.js")),
    ("viewer/state.js", include_str!("../viewer/state.js")),
    (
        "viewer/automaton.js",
        include_str!("../viewer/automaton.js"),
    ),
    ("viewer/timeline.js", include_str!("../viewer/timeline.js")),
    ("viewer/tree.js", include_str!("../viewer/tree.js")),
    ("viewer/player.js", include_str!("../viewer/player.js")),
    ("viewer/result.js", include_str!("../viewer/result.js")),
    ("viewer/report.js", include_str!("../viewer/report.js")),
    ("viewer/theme.js", include_str!("../viewer/theme.js")),
];

/// What the page of a report does when it is opened.
pub(crate) const MAIN: &str = include_str!("../viewer/main.js");

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

/// The files of the application that are no modules of the viewer.
const APPLICATION: &[(&str, &str, &str)] = &[
    ("index.html", HTML, include_str!("../index.html")),
    ("style.css", CSS, STYLE),
    ("wasm.mjs", SCRIPT, include_str!("../wasm.mjs")),
    ("worker.js", SCRIPT, include_str!("../worker.js")),
    ("app.css", CSS, include_str!("../app.css")),
    (
        "backend-serve.js",
        SCRIPT,
        include_str!("../backend-serve.js"),
    ),
    (
        "backend-wasm.js",
        SCRIPT,
        include_str!("../backend-wasm.js"),
    ),
    ("app/backend.js", SCRIPT, include_str!("../app/backend.js")),
    ("app/check.js", SCRIPT, include_str!("../app/check.js")),
    ("app/editor.js", SCRIPT, include_str!("../app/editor.js")),
    (
        "app/formulas.js",
        SCRIPT,
        include_str!("../app/formulas.js"),
    ),
    ("app/main.js", SCRIPT, include_str!("../app/main.js")),
    ("app/running.js", SCRIPT, include_str!("../app/running.js")),
];

/// A file of the application: its content type and its bytes. The empty path is that of `index.html`.
///
/// ```
/// let (kind, bytes) = dalsegno_web::file("index.html").unwrap();
/// assert!(kind.starts_with("text/html") && !bytes.is_empty());
/// assert_eq!(dalsegno_web::file("../Cargo.toml"), None);
/// ```
#[must_use]
pub fn file(path: &str) -> Option<(&'static str, &'static [u8])> {
    let path = if path.is_empty() { "index.html" } else { path };
    all()
        .find(|(known, ..)| *known == path)
        .map(|(_, kind, text)| (kind, text.as_bytes()))
}

/// The paths of all files of the application.
pub fn paths() -> impl Iterator<Item = &'static str> {
    all().map(|(path, ..)| path)
}

fn all() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    let modules = VIEWER.iter().map(|&(path, text)| (path, SCRIPT, text));
    APPLICATION.iter().copied().chain(modules)
}
