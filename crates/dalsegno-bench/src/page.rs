//! One page with everything: findings, plots and tables, readable without a network or a script.

use std::fmt::Write as _;

use crate::findings::{Finding, Judgement};
use crate::ledger::Row;
use crate::svg;
use crate::table::Table;

const STYLE: &str = "\
:root{color-scheme:light dark;--ink:#24292f;--soft:#57606a;--paper:#fff;--line:#d8dee4;--tint:#f6f8fa;\
--good:#1a7f37;--bad:#cf222e;--mixed:#9a6700}\
@media (prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9da7b3;--paper:#0d1117;--line:#30363d;\
--tint:#161b22;--good:#3fb950;--bad:#f85149;--mixed:#d29922}}\
body{margin:0 auto;max-width:84rem;padding:1rem 1.5rem 4rem;font:16px/1.5 system-ui,sans-serif;\
color:var(--ink);background:var(--paper)}\
h1{font-size:1.6rem;margin:1rem 0 .2rem}h2{font-size:1.2rem;margin:2rem 0 .6rem}\
p.source{color:var(--soft);margin-top:0}\
ul.seen{max-width:70rem;padding-left:1.2rem}\
dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem;margin:1rem 0}\
dt{color:var(--soft)}dd{margin:0}\
ul.claims{padding:0;list-style:none;max-width:70rem}\
ul.claims li{margin:.5rem 0;padding:.4rem .8rem;border-left:4px solid var(--line);background:var(--tint)}\
ul.claims .word{font-weight:600}ul.claims .numbers{color:var(--soft);display:block;font-size:.9rem}\
.confirmed{border-color:var(--good)!important}.confirmed .word{color:var(--good)}\
.not{border-color:var(--bad)!important}.not .word{color:var(--bad)}\
.mixed{border-color:var(--mixed)!important}.mixed .word{color:var(--mixed)}\
.plots{display:flex;flex-wrap:wrap;gap:1rem}\
figure{margin:0;border:1px solid var(--line);border-radius:6px;overflow:hidden}\
figure svg{display:block;max-width:100%;height:auto}\
.wide{overflow-x:auto;margin:1rem 0 2rem}\
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
    /// What is seen, in sentences.
    pub overview: Vec<String>,
    /// The claims and what becomes of them.
    pub findings: &'p [Finding],
    /// Plots as SVG elements.
    pub plots: Vec<String>,
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

impl Page<'_> {
    /// The page.
    #[must_use]
    pub fn to_html(&self) -> String {
        let title = escape(self.title);
        let mut html = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
             <title>{title}</title>\n<style>{STYLE}\n{}</style>\n</head>\n<body>\n\
             <h1>{title}</h1>\n<p class=\"source\">{}</p>\n",
            svg::STYLE,
            escape(self.source)
        );
        html += "<h2>What is seen</h2>\n";
        if let [first, rest @ ..] = &self.overview[..] {
            let _ = writeln!(html, "<p>{}</p>\n<ul class=\"seen\">", escape(first));
            for sentence in rest {
                let _ = writeln!(html, "<li>{}</li>", escape(sentence));
            }
            html += "</ul>\n";
        }
        self.write_findings(&mut html);
        if !self.faults.is_empty() {
            html += "<h2>Runs that failed</h2>\n<ul>\n";
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
            html += "</ul>\n";
        }
        html += "<h2>Plots</h2>\n<p class=\"source\">A point is a formula, or a model if there are no formulas. Below the diagonal the approach \
                 along the vertical axis is better; dashed lines mark a factor of ten; runs that gave up lie beyond \
                 the frame.</p>\n<div class=\"plots\">\n";
        for plot in &self.plots {
            let _ = writeln!(html, "<figure>{plot}</figure>");
        }
        html += "</div>\n<h2>Tables</h2>\n<p class=\"source\">Averages and maxima over the formulas that every \
                 approach decided; the number of formulas stands behind the model.</p>\n";
        for table in self.tables {
            html += &table.to_html();
        }
        html += "<h2>How it was run</h2>\n<dl>\n";
        for (name, value) in &self.facts {
            let _ = writeln!(html, "<dt>{name}</dt><dd>{}</dd>", escape(value));
        }
        html + "</dl>\n</body>\n</html>\n"
    }

    fn write_findings(&self, html: &mut String) {
        if self.findings.is_empty() {
            return;
        }
        *html += "<h2>What the paper says</h2>\n<ul class=\"claims\">\n";
        for finding in self.findings {
            let class = match finding.judgement {
                Judgement::Confirmed => "confirmed",
                Judgement::Mixed => "mixed",
                Judgement::NotConfirmed => "not",
                Judgement::Open => "open",
            };
            let _ = writeln!(
                html,
                "<li class=\"{class}\">{} – <span class=\"word\">{}</span>\
                 <span class=\"numbers\">{}</span></li>",
                escape(finding.claim.text),
                finding.judgement.word(),
                escape(&finding.sentence)
            );
        }
        *html += "</ul>\n";
    }
}
