//! What is wrong with a command line.

/// A wrong command line.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptionsError {
    /// An option without the value that it needs.
    #[error("argument to '{0}' is missing")]
    MissingValue(String),
    /// A value that the option does not take.
    #[error("invalid value '{value}' in '{option}': expected {expected}")]
    Value {
        /// The option, with its `=`.
        option: &'static str,
        /// The value found.
        value: String,
        /// What the option takes.
        expected: &'static str,
    },
    /// A value that is none of those that there are.
    #[error("invalid value '{value}' in '{option}': expected {}", alternatives(.expected))]
    UnknownValue {
        /// The option, with its `=`.
        option: &'static str,
        /// The value found.
        value: String,
        /// The values that there are.
        expected: &'static [&'static str],
    },
    /// An option of DPC++'s driver that this one cannot do.
    #[error("'{word}' is not supported: {because}")]
    Refused {
        /// The word found.
        word: String,
        /// Why not.
        because: &'static str,
    },
    /// A word of the driver's own options that is no text.
    #[error("'{0}' is not valid UTF-8")]
    NotText(String),
    /// An option that only makes sense with another one.
    #[error("'{option}' must be used in conjunction with '{with}'")]
    Needs {
        /// The option found.
        option: &'static str,
        /// The option missing.
        with: &'static str,
    },
    /// Two options that exclude each other.
    #[error("'{0}' cannot be used together with '{1}'")]
    Conflict(&'static str, &'static str),
    /// A form of the host's half that takes no device code in.
    #[error(
        "'{0}' cannot be used together with '-fsycl-host-compiler=': device code goes into the \
         objects that another compiler makes, not into its assembly; '-fsycl-host-only' asks for \
         the host's half without it"
    )]
    NoDeviceCode(&'static str),
    /// A link of everything into one file.
    #[error(
        "'{0}' cannot be used with '-fsycl': the SYCL runtime, libplumbline_sycl, loads the drivers \
         of devices while the program runs, so that it is a shared library only; '-static-libgcc \
         -static-libstdc++' and, around '-l' options, '-Wl,-Bstatic' and '-Wl,-Bdynamic' link the \
         rest into the program"
    )]
    StaticRuntime(&'static str),
    /// No source, object or library.
    #[error("no input files{}", taken_word(.0.as_ref()))]
    NoInputs(Option<Taken>),
    /// `-o` names one file for several outputs.
    #[error("cannot specify -o when generating multiple output files")]
    SeveralOutputs,
}

/// A word that an option took for its value, though it looks like an input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taken {
    /// The option.
    pub option: &'static str,
    /// The word.
    pub word: String,
}

/// `a, b or c`.
fn alternatives(values: &[&str]) -> String {
    match values.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

/// The rest of the message about missing inputs, where an option may have taken them.
fn taken_word(taken: Option<&Taken>) -> String {
    taken.map_or_else(String::new, |Taken { option, word }| {
        format!("; '{option}' has taken '{word}' for its value")
    })
}

impl OptionsError {
    pub(super) fn value(option: &'static str, value: &str, expected: &'static str) -> Self {
        OptionsError::Value {
            option,
            value: value.to_owned(),
            expected,
        }
    }
}
