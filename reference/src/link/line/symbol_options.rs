//! What options of a host linker say of symbols, as far as it decides which members of archives are
//! taken.

/// The options that a line has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SymbolOptions {
    /// Symbols that are wanted from the start (`-u`, `--require-defined=`, `--entry=`), or that
    /// another is defined by (`--defsym=`).
    pub wanted: Vec<String>,
    /// Symbols that references to are turned to another for (`--wrap=`).
    pub wrapped: Vec<String>,
    /// The output is a library, which has no start (`-shared`).
    pub shared: bool,
}

impl SymbolOptions {
    /// Takes in an option, when it is one of these, and its value, which `next` gives where it is a
    /// word of its own. Whether it was.
    pub(in crate::link) fn read(
        &mut self,
        text: &str,
        next: impl FnOnce() -> Option<String>,
    ) -> bool {
        let (option, value) = match text.split_once('=') {
            Some((option, value)) => (option, Some(value.to_owned())),
            None => (text, None),
        };
        let Some(name) = option.strip_prefix('-') else {
            return false;
        };
        let value = || value.or_else(next);
        match name.strip_prefix('-').unwrap_or(name) {
            "u" | "undefined" | "require-defined" | "e" | "entry" => self.wanted.extend(value()),
            "wrap" => self.wrapped.extend(value()),
            "defsym" => self.wanted.extend(value().and_then(defined_by)),
            "shared" | "Bshareable" => self.shared = true,
            _ => {
                let joined = name
                    .strip_prefix(['u', 'e'])
                    .filter(|rest| !rest.is_empty());
                self.wanted.extend(joined.map(str::to_owned));
                return joined.is_some();
            }
        }
        true
    }
}

/// The symbol that stands alone on the right of `a=b`.
fn defined_by(definition: String) -> Option<String> {
    let (_, right) = definition.split_once('=').unwrap_or(("", &definition));
    let is_number = right.starts_with(|c: char| c.is_ascii_digit());
    (!is_number).then(|| right.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_spelling_is_known() {
        let mut options = SymbolOptions::default();
        for (text, value) in [
            ("-u", Some("a")),
            ("-ub", None),
            ("--undefined=c", None),
            ("-undefined", Some("d")),
            ("--require-defined=e", None),
            ("-e", Some("f")),
            ("--entry=g", None),
            ("--defsym=x=h", None),
            ("--defsym", Some("x=i")),
            ("--defsym=x=0x10", None),
            ("--wrap=j", None),
            ("-wrap", Some("k")),
            ("-shared", None),
        ] {
            assert!(options.read(text, || value.map(str::to_owned)), "{text}");
        }
        assert_eq!(options.wanted.join(""), "abcdefghi");
        assert_eq!(options.wrapped, ["j", "k"]);
        assert!(options.shared);
        for text in ["a.o", "-L.", "--", "-lm", "--whole-archive", "u", "-z"] {
            assert!(!options.read(text, || None), "{text}");
        }
    }
}
