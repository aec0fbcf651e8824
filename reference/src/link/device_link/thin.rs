//! The ThinLTO link of one target (`THIN`, "Device code link time changes"): an index over the
//! summaries of all modules, then, for several modules at a time, all that makes images of one.
//!
//! What LLVM's ThinLTO does to several modules at a time comes first, once for each: it imports what is
//! worth inlining, inlines it, and drops what nothing reaches ([`lto`]). A call that stays a call
//! would then be the linker's. SPIR-V has none that could resolve what is open, so every module that
//! becomes images is completed with the optimized functions that it lacks, the device libraries among
//! them where they have summaries; that optimizes nothing again. Then comes the post-link stage, of
//! which each module is one image, and the image's writer.
//!
//! Each worker has one module in memory, with what that imports.
//!
//! What was made is kept for later links where there is a cache: each unit as LLVM's link optimized it, under
//! LLVM's own key ([`summarized`]), and the images of each module ([`keys`]). The same work may be that of
//! many processes ([`distributed`]).

mod counting;
pub(in crate::link) mod distributed;
mod keys;
mod made;
mod module;
mod summarized;
mod units;

use std::collections::HashMap;

use offload_formats::device_input::DeviceInput;
use rayon::prelude::*;

use crate::link::cache::{Cache, Entry};
use crate::link::device_link::same_kernels::SameKernels;
use crate::link::device_link::undefined;
use crate::link::images::maker::ImageMaker;
use crate::link::images::split;
use crate::link::inputs::group::LinkGroup;
use crate::link::{DeviceTarget, LinkError};
use crate::llvm::{self, diagnostics};
use crate::post_link::PostLinkError;
use crate::shelf::Shelf;
use crate::wrap::DeviceImage;
use keys::Keys;
use made::{Made, Scoped};
use module::ThinLink;
use summarized::{Summarized, name};
use units::Units;

/// The images of a group's bitcode, in the order of the modules. A module that has no entry points
/// becomes none.
///
/// # Errors
/// When a module lacks what no other one gives, or defines a kernel that another one defines; and what making an
/// image fails with.
pub(in crate::link) fn images(
    group: &LinkGroup,
    maker: &ImageMaker<'_>,
) -> Result<Vec<DeviceImage>, LinkError> {
    if let Some(folder) = &maker.wishes.gathered {
        return distributed::gathered(group, folder, maker);
    }
    let target = &group.target;
    let libraries = maker.tools.device_libraries(target)?;
    let summarized = Summarized::of(group, &libraries)?;
    maker.trace.stage(|| match summarized.modules {
        0 => format!(
            "ThinLTO for {target}: nothing was compiled with -foffload-lto=thin, which changes nothing"
        ),
        modules => format!(
            "ThinLTO for {target}: an index of {modules} modules, split as they were compiled, and what they may import"
        ),
    });
    let (kernels, shelf) = (SameKernels::default(), Shelf::new());
    let mut units = Units::read(
        &summarized.indexed,
        (summarized.modules, &summarized.order),
        (target, &kernels),
        &shelf,
    )?;
    let optimized = summarized.optimize(&units, target, (maker.cache, &shelf))?;
    // From here on what became of them counts.
    units.bitcode = Vec::new();
    let inputs = (group, &libraries);
    let keys = match maker.cache {
        Some(cache) => {
            Keys::new(inputs, &summarized, (&units, &optimized), maker)?.map(|keys| (cache, keys))
        }
        None => None,
    };
    let kept = |number| keys.as_ref().and_then(|keys| kept(keys, number));
    let modules = summarized.modules();
    let found = (0..modules.len()).into_par_iter().map(kept);
    let found: Vec<Option<Made>> = found.map(|made| made.map(|made| made.on(&shelf))).collect();
    if summarized.plain.is_empty() && found.iter().all(Option::is_some) {
        let whole = found.into_iter().flatten().collect();
        return finished(whole, Vec::new(), &summarized, target);
    }
    let named = summarized.indexed.iter().enumerate();
    let bytes = named.map(|(number, input)| optimized.module(&name(number, input)));
    let bytes = bytes.collect::<Result<_, _>>()?;
    let around = (&units, &kernels);
    let link = ThinLink::new(inputs, &summarized, around, bytes, maker)?;
    let make = |(number, (input, found)): (usize, (&&DeviceInput, Option<Made>))| {
        if let Some(found) = found {
            return Ok(found);
        }
        let label = format!("{}_{number}", target.file_name());
        let origin = input.origin.to_string();
        let made = diagnostics::working_on(&origin, || link.module(number, input, &label))?;
        if let Some(keys) = &keys {
            keep(keys, number, &made);
        }
        Ok(made.on(&shelf))
    };
    // Of several failures the first module's is told, whichever came first, and all that is undefined.
    let made: Vec<Result<Made, LinkError>> = modules
        .par_iter()
        .zip(found)
        .enumerate()
        .map(make)
        .collect();
    let (mut whole, mut failures) = (Vec::new(), Vec::new());
    for made in made {
        made.map_or_else(|failure| failures.push(failure), |made| whole.push(made));
    }
    let are_undefined = |failure: &LinkError| matches!(failure, LinkError::Undefined { .. });
    let (mut plain, mut scoped) = (Vec::new(), Vec::new());
    if !summarized.plain.is_empty() && failures.iter().all(are_undefined) {
        let made = link.plain_images(group);
        made.map_or_else(
            |failure| failures.push(failure),
            |made| (plain, scoped) = made,
        );
    }
    if let Some(failure) = undefined::united(failures) {
        return Err(failure);
    }
    let scoped = scoped.into_iter().map(|scoped| {
        let origin = link.plain_definer(&scoped.symbol);
        (scoped, origin)
    });
    let mut images = finished(whole, scoped.collect(), &summarized, target)?;
    images.extend(plain);
    Ok(images)
}

/// What the cache has of a module.
fn kept((cache, keys): &(&Cache, Keys<'_>), number: usize) -> Option<Made> {
    let found = cache.read(&keys.of(number));
    let found = found.and_then(|bytes| Made::of_bytes(&bytes));
    cache.count(Entry::Images, found.is_some());
    found
}

/// Keeps what was made of a module for later links. What of other binaries is loaded beside the program
/// may be another thing then.
fn keep((cache, keys): &(&Cache, Keys<'_>), number: usize, made: &Made) {
    if let (false, Ok(bytes)) = (made.open, made.to_bytes()) {
        cache.write(&keys.of(number), &bytes);
    }
}

/// The images of what was made of the modules, when they go together; `plain` are the variables that one image alone
/// may have of modules without a summary, and where they come from.
///
/// # Errors
/// When two have a variable that one image alone may have.
fn finished(
    made: Vec<Made>,
    plain: Vec<(Scoped, String)>,
    summarized: &Summarized<'_>,
    target: &DeviceTarget,
) -> Result<Vec<DeviceImage>, LinkError> {
    let mut claimed: HashMap<&str, (usize, String)> = HashMap::new();
    let thin = made.iter().enumerate().flat_map(|(number, made)| {
        let holder = move |scoped| (scoped, (number, summarized.origin(number)));
        made.scoped.iter().map(holder)
    });
    let plain = plain.iter();
    let plain = plain.map(|(scoped, origin)| (scoped, (made.len(), origin.clone())));
    for (Scoped { id, symbol }, holder) in thin.chain(plain) {
        if let Some(first) = claimed.insert(id, holder.clone()) {
            return Err(PostLinkError::ScopedGlobalTwice {
                origin: target.triple.clone(),
                variable: symbol.clone(),
                first,
                second: holder,
            }
            .into());
        }
    }
    let warnings: Vec<&String> = made.iter().flat_map(|made| &made.warnings).collect();
    split::warn(&warnings);
    Ok(made.into_iter().flat_map(|made| made.images).collect())
}

/// Refuses modules that were compiled for ThinLTO: they are open, and split already. Members of archives
/// are among them whether or not the host link takes them, which nobody sees.
///
/// # Errors
/// Names the first, and the first that was compiled without.
pub(in crate::link) fn refuse(group: &LinkGroup) -> Result<(), LinkError> {
    let inputs: Vec<&DeviceInput> = group.bitcode.iter().chain(&group.lazy).collect();
    let has_summary =
        |input: &&DeviceInput| llvm::thin::has_summary(&input.bytes, &input.origin.to_string());
    let summaries: Vec<Result<bool, _>> = inputs.par_iter().map(has_summary).collect();
    let summaries: Vec<bool> = summaries.into_iter().collect::<Result<_, _>>()?;
    let first = |summary: bool| {
        let number = summaries.iter().position(|own| *own == summary)?;
        inputs.get(number).map(|input| input.origin.clone())
    };
    match first(true) {
        Some(origin) => Err(LinkError::Thin(Box::new((origin, first(false))))),
        None => Ok(()),
    }
}
