//! Writing what is part of an input. The system copies it from file to file, so that a large image
//! passes through no memory of the tool: its pages count neither as mapped nor as written.

use std::fs::File;
use std::io::{self, Read as _, Seek, SeekFrom, Write};
use std::path::Path;

use offload_formats::{Bytes, archive, container};

use crate::tool::{self, Failure};

/// An input: its contents, mapped into memory, and the file that they are mapped from.
#[derive(Debug)]
pub struct Input {
    /// The contents.
    pub bytes: Bytes,
    /// None for standard input, for what is no regular file, and for small files.
    file: Option<File>,
}

impl Input {
    /// Opens a file; `-` is standard input.
    ///
    /// # Errors
    /// Names the path and the reason.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        let fail = |e: io::Error| Failure::Job(format!("cannot read '{}': {e}", path.display()));
        if path == Path::new("-") {
            return Ok(Input {
                bytes: tool::read_input(path)?,
                file: None,
            });
        }
        let is_file = |file: &File| file.metadata().is_ok_and(|metadata| metadata.is_file());
        match File::open(path) {
            Ok(file) if is_file(&file) => {
                let bytes = container::map_open_file(&file).map_err(fail)?;
                // A file too small to be copied from need not stay open: there may be thousands.
                let file = (bytes.len() >= WORTH_COPYING).then_some(file);
                Ok(Input { bytes, file })
            }
            _ => Ok(Input {
                bytes: tool::read_input(path)?,
                file: None,
            }),
        }
    }

    /// Where in the file the bytes lie that `part` is.
    fn find(&self, part: &[u8]) -> Option<(&File, u64)> {
        let all = self.bytes.as_ptr_range();
        let range = part.as_ptr_range();
        let within = all.start <= range.start && range.end <= all.end;
        let offset = (range.start as usize).checked_sub(all.start as usize)?;
        Some((self.file.as_ref()?, offset as u64)).filter(|_| within)
    }
}

/// What an output is written through: anything that lies in one of the inputs is copied from there.
pub struct Copier<'a> {
    out: &'a mut File,
    inputs: &'a [Input],
}

/// Parts that are shorter are written like any other bytes.
const WORTH_COPYING: usize = 64 << 10;

impl Write for Copier<'_> {
    fn write(&mut self, part: &[u8]) -> io::Result<usize> {
        let found = self.inputs.iter().find_map(|input| input.find(part));
        let Some((mut file, offset)) = found.filter(|_| part.len() >= WORTH_COPYING) else {
            return self.out.write(part);
        };
        file.seek(SeekFrom::Start(offset))?;
        let copied = io::copy(&mut file.take(part.len() as u64), self.out)?;
        Ok(usize::try_from(copied).unwrap_or(part.len()))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Seek for Copier<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.out.seek(to)
    }
}

/// Writes a whole file like [`tool::write_whole_with`], parts of `inputs` copied from there.
///
/// # Errors
/// Names the path and the reason; nothing is left behind then.
pub fn write_whole(
    path: &Path,
    inputs: &[Input],
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    if path == Path::new("-") {
        return tool::write_whole_with(path, fill);
    }
    tool::write_file(path, |out| fill(&mut Copier { out, inputs }))
}

/// Writes an archive of `members`, those that are part of `inputs` copied from there.
///
/// # Errors
/// As [`write_whole`], and when a member cannot be one.
pub fn write_archive(
    path: &Path,
    inputs: &[Input],
    members: &[(String, Bytes)],
) -> Result<(), Failure> {
    if path == Path::new("-") {
        let bytes = archive::write(members).map_err(Failure::job)?;
        return tool::write_whole(path, &bytes);
    }
    tool::write_file(path, |out| {
        archive::write_to(&mut Copier { out, inputs }, members)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_inputs_and_other_bytes_arrive_in_their_order() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let large: Vec<u8> = (0..300_000_u32).flat_map(u32::to_le_bytes).collect();
        std::fs::write(path("in"), &large).unwrap();
        let inputs = [Input::open(&path("in")).unwrap()];
        let part = inputs[0].bytes.slice(4096..1_000_000);
        assert!(inputs[0].find(&part).is_some() && inputs[0].find(&large).is_none());
        write_whole(&path("out"), &inputs, |out| {
            out.write_all(b"head")?;
            out.write_all(&part)?;
            out.write_all(&large)?;
            out.write_all(&part[..10])
        })
        .unwrap();
        let expected = [b"head", &part[..], &large, &part[..10]].concat();
        assert!(std::fs::read(path("out")).unwrap() == expected);
    }

    #[test]
    fn a_file_cut_short_under_the_copy_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("in"), vec![1; 200_000]).unwrap();
        let inputs = [Input::open(&path("in")).unwrap()];
        File::options()
            .write(true)
            .open(path("in"))
            .unwrap()
            .set_len(0)
            .unwrap();
        let part = inputs[0].bytes.clone();
        let written = write_whole(&path("out"), &inputs, |out| out.write_all(&part));
        assert!(written.is_err() && !path("out").exists());
    }
}
