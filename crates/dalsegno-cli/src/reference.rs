//! `dalsegno manual --markdown`: every command and option on one page, made from the options themselves.

use std::fmt::Write as _;

use clap::{Arg, Command};

use crate::fill::filled;

const TITLE: &str = "\
# Commands and options

Every command with its options. This page is what `dalsegno manual --markdown` prints. `dalsegno COMMAND --help` has
the same on a terminal, with examples.
";

/// The page of a program whose command has been built.
pub(crate) fn page(command: &Command) -> String {
    let mut out = TITLE.to_owned();
    section(command, "dalsegno", &mut out);
    out
}

/// A command and those below it.
fn section(command: &Command, name: &str, out: &mut String) {
    let about = command.get_long_about().or_else(|| command.get_about());
    let about = about.map(ToString::to_string).unwrap_or_default();
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ").trim();
    let _ = write!(out, "\n## {name}\n");
    for paragraph in about.split("\n\n") {
        out.push('\n');
        *out += &filled(&escaped(paragraph), "");
    }
    let _ = write!(out, "\n```text\n{usage}\n```\n");
    // What all commands have is told once, with the program.
    let is_top = name == "dalsegno";
    let is_own = |arg: &&Arg| {
        !arg.is_hide_set() && (is_top || !arg.is_global_set()) && arg.get_id().as_str() != "help"
    };
    let arguments: Vec<&Arg> = command.get_arguments().filter(is_own).collect();
    if !arguments.is_empty() {
        out.push('\n');
    }
    for argument in arguments {
        *out += &filled(&escaped(&described(argument)), "  ");
    }
    let after = command
        .get_after_help()
        .map(ToString::to_string)
        .unwrap_or_default();
    let paragraphs = after
        .split("\n\n")
        .filter(|text| !text.starts_with("Examples:"));
    for paragraph in paragraphs.filter(|text| !text.is_empty()) {
        out.push('\n');
        *out += &filled(&escaped(paragraph), "");
    }
    let shown = command
        .get_subcommands()
        .filter(|inner| !inner.is_hide_set());
    for inner in shown.filter(|inner| inner.get_name() != "help") {
        section(inner, &format!("{name} {}", inner.get_name()), out);
    }
}

/// An argument or an option: how it is written, what it does, its values and its default.
fn described(argument: &Arg) -> String {
    let value = argument
        .get_value_names()
        .map(|names| names.join(" "))
        .unwrap_or_default();
    let takes_value = argument
        .get_num_args()
        .is_some_and(|count| count.takes_values());
    let mut written: Vec<String> = Vec::new();
    written.extend(argument.get_short().map(|short| format!("-{short}")));
    written.extend(argument.get_long().map(|long| format!("--{long}")));
    let mut text = if written.is_empty() {
        value
    } else if !takes_value {
        written.join(", ")
    } else if argument.is_require_equals_set() {
        format!("{}[={value}]", written.join(", "))
    } else {
        format!("{} {value}", written.join(", "))
    };
    text = format!("- `{text}`: ");
    if let Some(help) = argument.get_long_help().or_else(|| argument.get_help()) {
        text += help.to_string().replace('\n', " ").trim_end_matches('.');
        text.push('.');
    }
    let values = argument.get_possible_values();
    let values: Vec<String> = values
        .iter()
        .filter(|value| takes_value && !value.is_hide_set())
        .map(|value| format!("`{}`", value.get_name()))
        .collect();
    if !values.is_empty() {
        let _ = write!(text, " Values: {}.", values.join(", "));
    }
    let defaults = argument.get_default_values().iter();
    let defaults: Vec<_> = defaults.map(|value| value.to_string_lossy()).collect();
    if takes_value && !defaults.is_empty() {
        let _ = write!(text, " Default: `{}`.", defaults.join(" "));
    }
    text
}

/// Text in which stars outside of code, and angle brackets, are no signs of Markdown.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    let mut in_code = false;
    for c in text.chars() {
        in_code ^= c == '`';
        if !in_code && (c == '*' || c == '<') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_described_as_they_are_written() {
        let count = Arg::new("count").short('n').long("count").value_name("N");
        let flag = Arg::new("all").long("all").help("Everything");
        let mut command = Command::new("program")
            .arg(Arg::new("model").value_name("MODEL").help("A model"))
            .arg(flag.action(clap::ArgAction::SetTrue))
            .arg(
                count
                    .help("How many")
                    .default_value("3")
                    .value_parser(["3", "4"]),
            );
        command.build();
        let arguments = command.get_arguments().map(described);
        let arguments: Vec<String> = arguments.take(3).collect();
        assert_eq!(
            arguments,
            [
                "- `MODEL`: A model.",
                "- `--all`: Everything.",
                "- `-n, --count N`: How many. Values: `3`, `4`. Default: `3`.",
            ]
        );
    }

    #[test]
    fn signs_of_markdown_stay_signs() {
        assert_eq!(escaped("CTL* and `a*`, <b>"), "CTL\\* and `a*`, \\<b>");
        let long = filled(&"word ".repeat(40), "  ");
        assert!(long.lines().all(|line| line.len() <= 110) && long.contains("\n  word"));
    }
}
