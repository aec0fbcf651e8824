//! The folders that LLVM keeps results of ThinLTO links in: how large one may get, and what goes when
//! it is too large. LLVM takes for its own what is named [`PREFIX`] and something.

use std::path::Path;
use std::ptr;
use std::str::FromStr;

use super::{c_string, shim, take_message};

/// How the names of the files begin that a [`Policy`] may take away.
pub const PREFIX: &str = "llvmcache-";

/// How large a folder may get, in LLVM's words: `prune_interval=30s:prune_after=24h:cache_size=50%`.
/// The empty text is LLVM's own choice.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Policy(String);

impl FromStr for Policy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut message = ptr::null_mut();
        let policy = c_string(text);
        // SAFETY: the text outlives the call.
        match unsafe { shim::plumbline_cache_policy(policy.as_ptr(), &mut message) } {
            // SAFETY: LLVM's message, ours now.
            0 => Err(unsafe { take_message(message) }),
            _ => Ok(Policy(text.to_owned())),
        }
    }
}

/// Takes out of a folder what the policy has no room for; false when the policy says that it is too
/// early for a look.
#[must_use]
pub fn prune(folder: &Path, policy: &Policy) -> bool {
    let (folder, policy) = (c_string(&folder.to_string_lossy()), c_string(&policy.0));
    let mut crashed = 0;
    // SAFETY: the texts outlive the call.
    let looked =
        unsafe { shim::plumbline_cache_prune(folder.as_ptr(), policy.as_ptr(), &mut crashed) };
    looked != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn policies_are_llvms() {
        for text in ["", "prune_interval=0s:cache_size_files=2", "cache_size=50%"] {
            assert!(text.parse::<Policy>().is_ok(), "{text}");
        }
        for (text, reason) in [
            ("cache_size=much", "percentage"),
            ("size=1", "size"),
            ("prune_after=1y", "1y"),
        ] {
            let error = text.parse::<Policy>().unwrap_err();
            assert!(error.contains(reason), "{text}: {error}");
        }
    }

    #[test]
    fn what_is_not_named_as_entries_are_stays() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| folder.path().join(name);
        for name in ["llvmcache-1", "llvmcache-2", "notes"] {
            std::fs::write(file(name), name).unwrap();
        }
        let policy = "prune_interval=0s:cache_size_files=1".parse().unwrap();
        assert!(prune(folder.path(), &policy));
        let entries = ["llvmcache-1", "llvmcache-2"];
        assert_eq!(entries.iter().filter(|name| file(name).exists()).count(), 1);
        assert!(file("notes").exists());
    }
}
