//! The first command of a unit: LLVM's part of the link. It has a plan of its own, which says no more than
//! what it depends on: what else the images of the unit hold is no reason to optimize it again.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::plan::{
    File, MadeBy, json, made_of, optimize_plan_of, optimized_of, read_plan, seal_of,
};
use crate::link::device_link::thin::summarized::new_link;
use crate::link::trace;
use crate::link::{DeviceTarget, LinkError};
use crate::llvm::LlvmError;
use crate::llvm::lto::Resolution;
use crate::store::sealed;

/// What is to be done to optimize a unit, as its `N.opt.json` has it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct OptimizePlan {
    #[serde(flatten)]
    by: MadeBy,
    triple: String,
    arch: String,
    /// The units that its index has something of, itself first.
    pub(super) imports: Vec<File>,
    pub(super) index: File,
}

impl OptimizePlan {
    pub(super) fn new(target: &DeviceTarget, imports: Vec<File>, index: File) -> Self {
        OptimizePlan {
            by: MadeBy::this_tool(),
            triple: target.triple.clone(),
            arch: target.arch.clone(),
            imports,
            index,
        }
    }

    /// The hash of all that the unit's optimized form is made of.
    pub(super) fn made_of(&self) -> String {
        made_of(&self.imports, &self.index)
    }

    pub(super) fn to_bytes(&self) -> Result<Vec<u8>, LinkError> {
        json(self)
    }
}

/// Does LLVM's part of the link for one unit.
///
/// # Errors
/// When a file is not there or not what its step writes, or the result cannot be written.
pub(in crate::link) fn optimize(unit: &Path) -> Result<(), LinkError> {
    let path = optimize_plan_of(unit);
    let (plan, _): (OptimizePlan, _) = read_plan(&path, |plan: &OptimizePlan| &plan.by)?;
    let index = plan.index.read()?;
    let files = plan.imports.iter().map(File::read);
    let files: Vec<_> = files.collect::<Result<_, _>>()?;
    let mut link = new_link(&DeviceTarget::new(&plan.triple, &plan.arch))?;
    for (file, bytes) in plan.imports.iter().zip(&files) {
        // The index says it all.
        link.add(known_as(file)?, &file.file, bytes, |_| {
            Resolution::default()
        })?;
    }
    let Some(own) = plan.imports.first() else {
        return Err(not_own(unit));
    };
    let name = known_as(own)?;
    let optimized = link.back_end(name, &plan.index.file, &index)?;
    let optimized = optimized.module(name).map_err(|e| LlvmError::Link {
        origin: plan.index.file.clone(),
        reason: e.to_string(),
    })?;
    let seal = seal_of(&plan.made_of());
    trace::write(&optimized_of(unit), &sealed(&seal, optimized))
}

/// The name under which LLVM knows a unit.
fn known_as(unit: &File) -> Result<&str, LinkError> {
    let name = Path::new(&unit.file).file_name();
    let name = name.and_then(|name| name.to_str());
    name.ok_or_else(|| not_own(Path::new(&unit.file)))
}

/// The error of a unit with a plan that is another's.
pub(super) fn not_own(unit: &Path) -> LinkError {
    let path = unit.display();
    LinkError::Option(format!("'{path}': its plan is not its own"))
}
