//! Choices by name: types with a few values, each with a name that command lines and outputs spell the same way.

use thiserror::Error;

/// A name that is none of those that there are.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("unknown {what} {name:?}: there are {known}", known = listed(known))]
pub struct UnknownName {
    what: &'static str,
    name: String,
    known: &'static [&'static str],
}

impl UnknownName {
    /// A name of no such thing.
    #[must_use]
    pub fn new(what: &'static str, name: &str, known: &'static [&'static str]) -> Self {
        UnknownName {
            what,
            name: name.to_owned(),
            known,
        }
    }
}

fn listed(names: &[&str]) -> String {
    match names {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        _ => names.join(""),
    }
}

/// Gives the values of a type names: `name`, `ALL`, `NAMES`, and conversions from and to texts.
///
/// ```
/// #[derive(Clone, Copy, PartialEq, Debug)]
/// enum Way {
///     There,
///     Back,
/// }
/// dalsegno_kripke::choices!(Way, "way", There => "there", Back => "back");
/// assert_eq!("back".parse(), Ok(Way::Back));
/// assert_eq!(Way::ALL[0].to_string(), Way::NAMES[0]);
/// let error = "up".parse::<Way>().unwrap_err();
/// assert_eq!(error.to_string(), "unknown way \"up\": there are there and back");
/// ```
#[macro_export]
macro_rules! choices {
    ($type:ty, $what:literal, $($variant:ident => $name:literal),+ $(,)?) => {
        impl $type {
            /// All values.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Their names.
            pub const NAMES: &'static [&'static str] = &[$($name),+];

            /// The name, as the command line and the outputs spell it.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name),+
                }
            }
        }

        impl ::std::fmt::Display for $type {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl ::std::str::FromStr for $type {
            type Err = $crate::UnknownName;

            fn from_str(text: &str) -> ::std::result::Result<Self, Self::Err> {
                match text {
                    $($name => Ok(Self::$variant),)+
                    _ => Err($crate::UnknownName::new($what, text, Self::NAMES)),
                }
            }
        }
    };
}
