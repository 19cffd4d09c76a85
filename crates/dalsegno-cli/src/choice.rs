//! Choices of the command line: those that the library knows by name, and those that several commands have.

use std::str::FromStr;

use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// The form of the output of commands that have two.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    Text,
    Json,
}

/// A parser of one of these names, which help and errors list.
pub(crate) fn choice<T: FromStr + Clone + Send + Sync + 'static>(
    names: &'static [&'static str],
) -> impl TypedValueParser<Value = T> {
    parser(PossibleValuesParser::new(names))
}

/// As [`choice`], of names with a line of help each.
pub(crate) fn explained_choice<T: FromStr + Clone + Send + Sync + 'static>(
    names: &'static [(&'static str, &'static str)],
) -> impl TypedValueParser<Value = T> {
    let value = |&(name, help): &(&'static str, &'static str)| PossibleValue::new(name).help(help);
    parser(PossibleValuesParser::new(names.iter().map(value)))
}

fn parser<T: FromStr + Clone + Send + Sync + 'static>(
    names: PossibleValuesParser,
) -> impl TypedValueParser<Value = T> {
    names.try_map(|name| {
        name.parse::<T>()
            .map_err(|_| format!("unknown name {name:?}"))
    })
}
