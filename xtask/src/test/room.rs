//! Room on the disk: without any, tests fail one after the other for reasons that do not name it.

use std::path::Path;

use suites::leftovers;

/// With less than this, in bytes, what failed may have failed for it.
const LITTLE: u64 = 256 << 20;

/// What to say behind tests that failed, where the disk of their folder is full.
pub fn lacking(folder: &Path) -> Option<String> {
    explanation(folder, leftovers::room(folder))
}

fn explanation(folder: &Path, free: u64) -> Option<String> {
    (free < LITTLE).then(|| {
        format!(
            "{} MiB are left on the disk of {}: tests may have failed for want of room",
            free >> 20,
            folder.display()
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_told_and_no_other() {
        let folder = Path::new("target");
        assert_eq!(explanation(folder, 1 << 30), None);
        let told = explanation(folder, 3 << 20).unwrap();
        assert!(
            told.starts_with("3 MiB are left on the disk of target"),
            "{told}"
        );
        assert_eq!(lacking(Path::new("/no/such/folder")), None);
    }
}
