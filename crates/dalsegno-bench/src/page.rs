//! One page with everything: findings, plots and tables, readable without a network or a script.

use std::fmt::Write as _;

use crate::abbreviations::{self, Abbreviation};
use crate::findings::{Finding, Judgement};
use crate::formulas;
use crate::ledger::Row;
use crate::svg;
use crate::table::Table;

const STYLE: &str = "\
:root{color-scheme:light dark;--ink:#24292f;--soft:#57606a;--paper:#fff;--line:#d8dee4;--tint:#f6f8fa;--shade:#00000026;--target:#fff3c4;\
--good:#1a7f37;--bad:#cf222e;--mixed:#9a6700}\
@media (prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9da7b3;--paper:#0d1117;--line:#30363d;\
--tint:#161b22;--shade:#ffffff26;--target:#4b3b08;--good:#3fb950;--bad:#f85149;--mixed:#d29922}}\
body{margin:0 auto;max-width:84rem;padding:1rem 1.5rem 4rem;font:16px/1.5 system-ui,sans-serif;\
color:var(--ink);background:var(--paper)}\
h1{font-size:1.6rem;margin:1rem 0 .2rem}h2{font-size:1.2rem;margin:2rem 0 .6rem}\
p.source{color:var(--soft);margin-top:0}\
dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem;margin:1rem 0}\
dt{color:var(--soft)}dd{margin:0}\
td.claim{white-space:normal;min-width:16rem;text-align:left}\
td.word{text-align:left;font-weight:600;white-space:nowrap}\
.confirmed .word{color:var(--good)}.not .word{color:var(--bad)}.mixed .word{color:var(--mixed)}\
.plots{display:flex;flex-wrap:wrap;gap:1rem}\
figure{margin:0;border:1px solid var(--line);border-radius:6px;overflow:hidden}\
figure svg{display:block;max-width:100%;height:auto}\
figcaption{padding:.2rem .8rem .5rem;font-size:.85rem}\
a{color:inherit}\
.wide{overflow-x:auto;margin:1rem 0 2rem;background:linear-gradient(to right,var(--paper) 30%,transparent),\
linear-gradient(to left,var(--paper) 30%,transparent) 100% 0,linear-gradient(to right,var(--shade),transparent),\
linear-gradient(to left,var(--shade),transparent) 100% 0;background-repeat:no-repeat;\
background-size:3rem 100%,3rem 100%,1rem 100%,1rem 100%;background-attachment:local,local,scroll,scroll}\
.wide:focus-visible{outline:2px solid #0969da}\
p.hint{display:none;color:var(--soft);font-size:.85rem;margin:.2rem 0}\
@media (max-width:60rem){p.hint{display:block}.wide{margin-top:.2rem}}\
abbr{text-decoration:underline dotted;text-underline-offset:.2em;cursor:help}\
table.formulas td{text-align:left}table.formulas td:nth-child(n+6){text-align:right}\
td.formula{white-space:normal;min-width:22rem;max-width:34rem;overflow-wrap:anywhere}\
.tall{max-height:85vh;overflow:auto}.tall thead{position:sticky;top:0;background:var(--paper)}\
.tall tr{scroll-margin-top:4rem}tr:target>*{background:var(--target)}\
table{border-collapse:collapse;font-size:.8rem;font-variant-numeric:tabular-nums;white-space:nowrap}\
caption{text-align:left;font-weight:600;font-size:1rem;padding:.3rem 0}\
th,td{padding:.12rem .6rem;text-align:right}tbody th{text-align:left;font-weight:400}\
thead th{color:var(--soft);font-weight:600}th.group{border-bottom:1px solid var(--line);text-align:center}\
thead th[rowspan]{text-align:left}\
tr.start>*{border-top:1px solid var(--line)}\
code,pre{font:.85rem ui-monospace,monospace}pre{background:var(--tint);padding:.6rem .8rem;overflow-x:auto}";

/// What a page shows.
#[derive(Clone, Debug)]
pub struct Page<'p> {
    /// The title.
    pub title: &'p str,
    /// Where the experiment comes from.
    pub source: &'p str,
    /// Names and values: machine, version, limits.
    pub facts: Vec<(&'static str, String)>,
    /// Names and values: how many runs and formulas there are.
    pub numbers: Vec<(&'static str, String)>,
    /// How the approaches compare.
    pub overview: &'p [Table],
    /// The claims and what becomes of them.
    pub findings: &'p [Finding],
    /// Plots as SVG elements, each with the name of its file.
    pub plots: Vec<(String, String)>,
    /// Short words that occur, with their meanings.
    pub abbreviations: Vec<Abbreviation>,
    /// Tables.
    pub tables: &'p [Table],
    /// Runs that ended without an answer for another reason than a limit.
    pub faults: Vec<&'p Row>,
}

/// A text with the characters of markup replaced.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

/// The beginning of a page, up to its body.
pub(crate) fn head(title: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <title>{}</title>\n<style>{STYLE}\n{}</style>\n</head>\n<body>\n<main>\n",
        escape(title),
        svg::STYLE
    )
}

/// The head of a row or a column; an abbreviation tells what it means.
pub(crate) fn head_cell(text: &str) -> String {
    match abbreviations::meaning(text) {
        Some(meaning) => format!(
            "<abbr title=\"{}\">{}</abbr>",
            escape(meaning),
            escape(text)
        ),
        None => escape(text),
    }
}

/// Names and values.
fn write_list(html: &mut String, list: &[(&str, String)]) {
    *html += "<dl>\n";
    for (name, value) in list {
        let _ = writeln!(html, "<dt>{}</dt><dd>{}</dd>", escape(name), escape(value));
    }
    *html += "</dl>\n";
}

const HINT: &str = "<p class=\"hint\">Wide tables scroll sideways.</p>\n";

impl Page<'_> {
    /// The page.
    #[must_use]
    pub fn to_html(&self) -> String {
        let mut html = head(self.title);
        let _ = writeln!(
            html,
            "<h1>{}</h1>\n<p class=\"source\">{}</p>\n<p>Rows: <a href=\"{}\">formula by formula</a>, \
             <a href=\"runs.csv\" download=\"\">all runs as CSV</a>. Tables as text: <a href=\"tables.txt\">tables.txt</a>.</p>",
            escape(self.title),
            escape(self.source),
            formulas::FILE
        );
        html += "<h2>What is seen</h2>\n";
        write_list(&mut html, &self.numbers);
        html += HINT;
        for table in self.overview {
            html += &table.to_html();
        }
        self.write_findings(&mut html);
        self.write_faults(&mut html);
        html += "<h2>Plots</h2>\n<p class=\"source\">A point is a formula, or a model if there are no formulas: the pointer shows which, \
                 and a click leads to its row. Below the diagonal the approach along the vertical axis is better; dashed lines mark a \
                 factor of ten; runs that gave up lie beyond the frame.</p>\n<div class=\"plots\">\n";
        for (file, plot) in &self.plots {
            let file = escape(file);
            let _ = writeln!(
                html,
                "<figure>{plot}<figcaption><a href=\"{file}\">{file}</a></figcaption></figure>"
            );
        }
        html += "</div>\n<h2>Tables</h2>\n<p class=\"source\">Averages and maxima over the formulas that every \
                 approach decided; the number of formulas stands behind the model.</p>\n";
        html += HINT;
        for table in self.tables {
            html += &table.to_html();
        }
        if !self.abbreviations.is_empty() {
            html += "<h2>Abbreviations</h2>\n";
            let list = self.abbreviations.iter();
            let list: Vec<(&str, String)> = list
                .map(|(word, meaning)| (*word, (*meaning).to_owned()))
                .collect();
            write_list(&mut html, &list);
        }
        html += "<h2>How it was run</h2>\n";
        write_list(&mut html, &self.facts);
        html + "</main>\n</body>\n</html>\n"
    }

    fn write_faults(&self, html: &mut String) {
        if self.faults.is_empty() {
            return;
        }
        *html += "<h2>Runs that failed</h2>\n<ul>\n";
        for row in &self.faults {
            let _ = writeln!(
                html,
                "<li>{}, {}: {} <code>{}</code></li>",
                escape(&row.model),
                escape(&row.approach),
                escape(&row.reason),
                escape(&row.formula)
            );
        }
        *html += "</ul>\n";
    }

    /// The claims as a table whose rows are coloured by their judgements.
    fn write_findings(&self, html: &mut String) {
        if self.findings.is_empty() {
            return;
        }
        *html += "<h2>What the paper says</h2>\n<p class=\"source\">A ratio is what the approach that is said to be better needs, as a \
                  part of what the other one needs. Confirmed: the mean is within the limit, and no more formulas need more than need \
                  less. Not confirmed: both speak against it. Mixed: one of them does.</p>\n";
        *html += HINT;
        *html += "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"claims\"><table>\n<thead><tr>\
                  <th rowspan=\"2\" scope=\"col\">judgement</th><th rowspan=\"2\" scope=\"col\">claim</th>\
                  <th rowspan=\"2\" scope=\"col\">measure</th><th colspan=\"3\" class=\"group\" scope=\"colgroup\">ratio</th>\
                  <th colspan=\"3\" class=\"group\" scope=\"colgroup\">formulas</th></tr>\n<tr>";
        for name in ["limit", "mean", "geom.", "less", "equal", "more"] {
            let _ = write!(html, "<th scope=\"col\">{}</th>", head_cell(name));
        }
        *html += "</tr></thead>\n<tbody>\n";
        for finding in self.findings {
            let class = match finding.judgement {
                Judgement::Confirmed => "confirmed",
                Judgement::Mixed => "mixed",
                Judgement::NotConfirmed => "not",
                Judgement::Open => "open",
            };
            let _ = write!(
                html,
                "<tr class=\"start {class}\"><td class=\"word\">{}</td><td class=\"claim\">{}</td><td class=\"claim\">{}</td>",
                finding.judgement.word(),
                escape(finding.claim.text),
                finding.claim.measure.name()
            );
            for cell in finding.cells() {
                let _ = write!(html, "<td>{}</td>", escape(&cell));
            }
            *html += "</tr>\n";
        }
        *html += "</tbody></table></div>\n";
    }
}
