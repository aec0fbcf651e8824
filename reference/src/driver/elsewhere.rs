//! Objects that lie in folders which take no new file: a compiler would empty them first and leave half
//! of them behind. They are made in a folder of their own.

use std::path::{Path, PathBuf};

use super::clang_plan::{ClangPlan, HostCompile};
use super::options::{Options, Phase, Side};
use crate::temporary::Temporary;
use crate::tool::{self, Failure};

/// The objects that are made in another folder.
pub(super) struct Elsewhere {
    folder: Temporary,
    /// The final places, in the order of the names in the folder.
    outputs: Vec<PathBuf>,
}

impl Elsewhere {
    /// Makes the compilations write such objects elsewhere.
    ///
    /// # Errors
    /// When there is no room for that.
    pub(super) fn of(
        options: &Options,
        host: &mut ClangPlan,
    ) -> Result<Option<Elsewhere>, Failure> {
        let compiled = matches!(options.phase, Phase::Object | Phase::Assembly);
        let shut = |compile: &HostCompile| {
            let output = options.placed(Path::new(compile.output()?));
            tool::can_only_be_written_over(&output).then_some(output)
        };
        if !compiled
            || options.side == Side::Device
            || !host.compiles.iter().any(|c| shut(c).is_some())
        {
            return Ok(None);
        }
        let folder = Temporary::folder("sycl-clang-")
            .map_err(|error| Failure::Job(format!("cannot make a temporary folder: {error}")))?;
        let mut outputs = Vec::new();
        for compile in &mut host.compiles {
            if let Some(output) = shut(compile) {
                compile.set_output(&folder.path().join(outputs.len().to_string()));
                outputs.push(output);
            }
        }
        Ok(Some(Elsewhere { folder, outputs }))
    }

    /// Brings them to their places, complete.
    ///
    /// # Errors
    /// When one cannot be written.
    pub(super) fn bring(self) -> Result<(), Failure> {
        for (index, output) in self.outputs.iter().enumerate() {
            let made = self.folder.path().join(index.to_string());
            let mut whole = std::fs::File::open(&made).map_err(|error| {
                Failure::Job(format!("cannot write '{}': {error}", output.display()))
            })?;
            tool::write_over(output, &mut whole)?;
        }
        Ok(())
    }
}
