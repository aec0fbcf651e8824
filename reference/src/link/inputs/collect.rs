//! Device code out of the inputs of a host link.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use offload_formats::Bytes;
use offload_formats::container::{
    ContainerError, Extractor, Format, identify, let_go_of, map_file,
};
use offload_formats::device_input::{DeviceInput, Origin};
use rayon::prelude::*;

use crate::link::LinkError;
use crate::link::inputs::archives::Archives;
use crate::link::inputs::host_symbols::{self, HostFile};
use crate::link::line::linker_line::{HostInput, LinkerLine};
use crate::link::line::symbol_options::SymbolOptions;
use crate::llvm::embedded;
use crate::tool::say;

/// The device code of a host link.
#[derive(Debug, Clone, Default)]
pub struct Collected {
    /// What is linked whole: of objects, and of archives that are linked whole.
    pub whole: Vec<DeviceInput>,
    /// What is linked whole where it is for a triple that the link has: of the members of other
    /// archives that the host link takes.
    pub taken: Vec<DeviceInput>,
    /// What is linked as far as it is needed: of the other members of archives.
    pub lazy: Vec<DeviceInput>,
    /// In which order the host link takes the inputs and members that these are in ([`Collected::place`]);
    /// empty where that is the order of the line.
    pub order: HashMap<Place, usize>,
    /// The first word of the linker's line that names an input with device code.
    pub first_word: Option<usize>,
    /// Which pieces of the linker's line name inputs that are nothing but device code.
    pub bare: Vec<usize>,
}

/// An input of the host link, and in an archive the member.
pub type Place = (PathBuf, Option<usize>);

impl Collected {
    /// Where device code is.
    #[must_use]
    pub fn place(input: &DeviceInput) -> Place {
        let member = input.origin.numbers.first();
        (input.origin.file.clone(), member.copied())
    }

    /// Puts what is linked whole in the order in which the host link takes it: of several definitions the
    /// host has the first.
    pub fn sort(&self, inputs: &mut [DeviceInput]) {
        if !self.order.is_empty() {
            inputs.sort_by_cached_key(|input| self.order.get(&Collected::place(input)).copied());
        }
    }
}

/// An input of the host link with what was found in it.
struct Found<'a> {
    input: &'a HostInput,
    bytes: Bytes,
    images: Vec<DeviceInput>,
}

/// Takes the device code out of every input of `line`; the host's linker looks at archives as `archives` says.
/// `early` sees images as they are found, from several threads and in any order.
///
/// # Errors
/// When an input cannot be read or is malformed.
pub fn collect(
    line: &LinkerLine,
    archives: Archives,
    early: impl Fn(&DeviceInput) + Sync,
) -> Result<Collected, LinkError> {
    // Of several failures the first input's is told, whichever came first.
    let found: Vec<Result<Found<'_>, LinkError>> = line
        .inputs
        .par_iter()
        .map(|input| {
            let found = extract(input)?;
            found.images.iter().for_each(&early);
            Ok(found)
        })
        .collect();
    let found: Vec<_> = found.into_iter().collect::<Result<_, _>>()?;
    let taken = taken(&found, &line.symbols, archives);
    let mut collected = Collected::default();
    for (order, (number, member)) in taken.iter().enumerate() {
        let file = found.get(*number).map(|found| &found.input.path);
        if let Some(file) = file {
            let place = (file.clone(), *member);
            collected.order.entry(place).or_insert(order);
        }
    }
    let taken: HashSet<host_symbols::Place> = taken.into_iter().collect();
    for (number, found) in found.into_iter().enumerate() {
        if !found.images.is_empty() {
            collected.first_word.get_or_insert(found.input.word);
        }
        if identify(&found.bytes) == Format::OffloadBinary {
            collected.bare.extend(found.input.piece);
        }
        for image in found.images {
            let list = match image.origin.numbers.first() {
                Some(_) if found.input.whole => &mut collected.whole,
                None if !found.input.lazy => &mut collected.whole,
                member if taken.contains(&(number, member.copied())) => &mut collected.taken,
                _ => &mut collected.lazy,
            };
            list.push(image);
        }
    }
    Ok(collected)
}

/// Says of a relocatable link (`-r`) that device code stays in its output: whoever takes that to a host
/// linker alone, as is usual with such objects, gets a program without it.
pub fn say_that_code_stays(line: &LinkerLine) {
    let has_code = |input: &&HostInput| extract(input).is_ok_and(|found| !found.images.is_empty());
    if let Some(input) = line.inputs.iter().find(has_code) {
        say(&format!(
            "clang-linker-wrapper: remark: the device code of '{}' and of other inputs stays in the \
             relocatable output: only a link by clang-linker-wrapper puts it into a program\n",
            input.path.display()
        ));
    }
}

/// Takes the device code out of one file, whatever it is.
///
/// # Errors
/// When the file cannot be read or is malformed.
pub fn extract_bytes(bytes: &Bytes, origin: &Origin) -> Result<Vec<DeviceInput>, ContainerError> {
    let named = origin.to_string();
    Extractor {
        bitcode: &|bitcode| embedded::offload_binaries(bitcode, &named),
    }
    .bytes(bytes, origin)
}

fn extract(input: &HostInput) -> Result<Found<'_>, LinkError> {
    let bytes = map_file(&input.path).map_err(|reason| LinkError::Read {
        path: input.path.clone(),
        reason,
    })?;
    let images = extract_bytes(&bytes, &Origin::file(&input.path))?;
    // The images are read one after the other, and much later.
    let_go_of(&bytes);
    Ok(Found {
        input,
        bytes,
        images,
    })
}

/// What the host link takes, in its order; the symbols of the inputs are read only when an archive
/// holds device code that depends on it.
fn taken(
    found: &[Found<'_>],
    options: &SymbolOptions,
    archives: Archives,
) -> Vec<host_symbols::Place> {
    let waits = |found: &&Found<'_>| {
        let mut images = found.images.iter();
        let of_archive = images.any(|image| !image.origin.members.is_empty());
        match of_archive {
            true => !found.input.whole,
            false => found.input.lazy && !found.images.is_empty(),
        }
    };
    if !found.iter().any(|found| waits(&found)) {
        return Vec::new();
    }
    let files: Vec<HostFile<'_>> = found
        .iter()
        .map(|found| HostFile {
            path: &found.input.path,
            bytes: &found.bytes,
            whole: found.input.whole,
            as_needed: found.input.as_needed,
            lazy: found.input.lazy,
            group: found.input.group,
        })
        .collect();
    host_symbols::taken(&files, options, archives)
}

#[cfg(test)]
mod tests {
    use std::thread::sleep;
    use std::time::Duration;

    use offload_formats::offload_binary::{self, OffloadImage, OffloadKind};

    use super::*;

    #[test]
    fn of_several_malformed_inputs_the_first_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let good = OffloadImage {
            offload_kind: OffloadKind::Sycl,
            ..OffloadImage::default()
        };
        let words = (0..64).map(|number| {
            let path = folder.path().join(format!("input-{number}.img"));
            let bytes = match number {
                0 => offload_binary::write(std::slice::from_ref(&good)),
                _ => b"\x10\xff\x10\xad and no more".to_vec(),
            };
            std::fs::write(&path, bytes).unwrap();
            path.into()
        });
        let line = LinkerLine::parse(words.collect());
        // While one thread is busy with the good input, the other meets malformed ones further on.
        let threads = rayon::ThreadPoolBuilder::new().num_threads(2);
        let pool = threads.build().unwrap();
        let busy = |_: &DeviceInput| sleep(Duration::from_millis(100));
        let failure = pool.install(|| {
            collect(&line, Archives::InGroups, busy)
                .map(drop)
                .unwrap_err()
        });
        assert!(failure.to_string().contains("input-1.img"), "{failure}");
    }
}
