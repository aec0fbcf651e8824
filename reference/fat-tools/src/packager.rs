//! `clang-offload-packager` (`MODEL`, "Packager"): device images into an OffloadBinary, and out of
//! any fat file.

use std::path::{Path, PathBuf};

use indexmap::IndexMap;
use offload_formats::Bytes;
use offload_formats::container::{Format, identify};
use offload_formats::device_input::DeviceInput;
use offload_formats::file_table::FileTable;
use offload_formats::offload_binary::{ImageKind, OffloadImage, OffloadKind};

use crate::copy::Input;
use crate::key_order::upstream_order;
use crate::tool::Failure;

/// The value of one `--image=` option: keys and values. A key that is given again appends to its
/// value, behind a comma.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ImageArgument {
    values: IndexMap<String, String>,
}

impl ImageArgument {
    /// Reads `key=value,key=value…`.
    ///
    /// # Errors
    /// Says which word is no pair, or which kind is unknown.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut values: IndexMap<String, String> = IndexMap::new();
        for word in text.split(',') {
            let (key, value) = word
                .split_once('=')
                .filter(|(key, _)| !key.is_empty())
                .ok_or_else(|| format!("'{word}' in --image={text} is not <key>=<value>"))?;
            values
                .entry(key.to_owned())
                .and_modify(|known| {
                    known.push(',');
                    known.push_str(value);
                })
                .or_insert_with(|| value.to_owned());
        }
        let argument = ImageArgument { values };
        argument.kind()?;
        Ok(argument)
    }

    /// The offload kind; `None` when it is not given.
    fn kind(&self) -> Result<Option<OffloadKind>, String> {
        self.values.get("kind").map(|kind| kind.parse()).transpose()
    }

    fn file(&self) -> Option<&str> {
        self.values.get("file").map(String::as_str)
    }

    /// What an image says of itself, in the order of upstream's packager.
    fn strings(&self) -> IndexMap<String, String> {
        let given: Vec<&str> = self.values.keys().map(String::as_str).collect();
        upstream_order(&given)
            .into_iter()
            .filter(|key| !["file", "kind"].contains(key))
            .filter_map(|key| self.values.get_key_value(key))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect()
    }

    /// Whether an extracted image has all that is asked for.
    fn matches(&self, input: &DeviceInput) -> bool {
        self.values.iter().all(|(key, value)| match key.as_str() {
            "file" => true,
            "kind" => value.parse() == Ok(input.kind),
            "triple" => *value == input.triple,
            "arch" => *value == input.arch,
            // A program whose images have such a key of their own means that.
            "member" if !input.properties.contains_key(key) => {
                input.origin.members.iter().any(|member| member == value)
            }
            key => input.properties.get(key).map_or("", String::as_str) == value,
        })
    }
}

/// The images that the arguments name, and their files. An argument with several files gives as
/// many images; `@LIST` stands for the files of a list: one a line, or a file table's code.
///
/// # Errors
/// When an argument has no file or triple, or a file cannot be read.
pub fn images(arguments: &[ImageArgument]) -> Result<(Vec<OffloadImage>, Vec<Input>), Failure> {
    let (mut images, mut inputs) = (Vec::new(), Vec::new());
    for argument in arguments {
        let (Some(files), true) = (argument.file(), argument.values.contains_key("triple")) else {
            return Err(Failure::usage(
                "an image to package needs 'file' and 'triple'",
            ));
        };
        for path in files
            .split(',')
            .map(listed)
            .collect::<Result<Vec<_>, _>>()?
            .concat()
        {
            let input = Input::open(&path)?;
            let image = input.bytes.clone();
            inputs.push(input);
            images.push(OffloadImage {
                image_kind: image_kind(&path, &image),
                offload_kind: argument.kind().map_err(Failure::usage)?.unwrap_or_default(),
                flags: 0,
                strings: argument.strings(),
                image,
            });
        }
    }
    Ok((images, inputs))
}

/// The files that a word stands for: itself, or those of a list.
fn listed(word: &str) -> Result<Vec<PathBuf>, Failure> {
    let Some(list) = word.strip_prefix('@') else {
        return Ok(vec![PathBuf::from(word)]);
    };
    let text = Input::open(Path::new(list))?.bytes;
    let text = String::from_utf8_lossy(&text);
    if text.starts_with('[') {
        let table = FileTable::parse(&text);
        let table = table.map_err(|error| Failure::Job(format!("{list}: {error}")))?;
        return Ok(table.code().map(Path::to_owned).collect());
    }
    let lines = text.lines().filter(|line| !line.is_empty());
    Ok(lines.map(PathBuf::from).collect())
}

/// What a device image is: bitcode by its first bytes, as compilers name it `.o` at times; anything
/// else by the extension of its file.
fn image_kind(path: &Path, image: &Bytes) -> ImageKind {
    if identify(image) == Format::Bitcode {
        return ImageKind::Bitcode;
    }
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.map_or(ImageKind::None, ImageKind::from_extension)
}

/// A file to write.
#[derive(Debug, Clone, PartialEq)]
pub struct Output {
    /// Its path.
    pub path: PathBuf,
    /// The images that go into it: one, unless an archive is asked for.
    pub images: Vec<DeviceInput>,
}

/// Which of the images in `input` go to which file; without arguments each of them to its own.
///
/// # Errors
/// When several images match an argument that names one file, unless `archive` lets them share it;
/// or an archive is asked for without a name.
pub fn select(
    input: &Path,
    found: &[DeviceInput],
    arguments: &[ImageArgument],
    archive: bool,
) -> Result<Vec<Output>, Failure> {
    let mut outputs = Vec::new();
    let all = [ImageArgument::default()];
    let arguments = match arguments {
        [] => &all,
        arguments => arguments,
    };
    for argument in arguments {
        let matching = found.iter().filter(|input| argument.matches(input));
        let matching: Vec<DeviceInput> = matching.cloned().collect();
        match argument.file() {
            _ if matching.is_empty() => {}
            None if archive => {
                return Err(Failure::usage("an archive to extract to needs a 'file'"));
            }
            Some(file) if archive || matching.len() == 1 => outputs.push(Output {
                path: PathBuf::from(file),
                images: matching,
            }),
            Some(file) => {
                let count = matching.len();
                let reason = format!("{count} images match '{file}', which can hold one");
                return Err(Failure::job(reason));
            }
            None => outputs.extend(
                matching
                    .into_iter()
                    .enumerate()
                    .map(|(index, image)| Output {
                        path: default_name(input, &image, index),
                        images: vec![image],
                    }),
            ),
        }
    }
    Ok(outputs)
}

/// `<input>-<triple>-<arch>.<index>.<extension>`, in the current folder.
fn default_name(input: &Path, image: &DeviceInput, index: usize) -> PathBuf {
    let stem = input.file_stem().unwrap_or_default().to_string_lossy();
    let (triple, arch) = (&image.triple, &image.arch);
    let name = format!(
        "{stem}-{triple}-{arch}.{index}.{}",
        image.image_kind.extension()
    );
    // A triple comes from outside: it must not lead out of the folder.
    PathBuf::from(name.replace(['/', '\\'], "_"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use offload_formats::device_input::Origin;

    fn input(triple: &str, arch: &str) -> DeviceInput {
        DeviceInput {
            kind: OffloadKind::Sycl,
            triple: triple.to_owned(),
            arch: arch.to_owned(),
            image_kind: ImageKind::SpirV,
            bytes: Bytes::new(),
            properties: IndexMap::new(),
            origin: Origin::default(),
        }
    }

    fn paths(arguments: &[&str], archive: bool) -> Result<Vec<PathBuf>, Failure> {
        let found = [
            input("spir64", "a/b"),
            input("spir64", "c"),
            input("nvptx64", "sm_70"),
        ];
        let arguments: Vec<_> = arguments
            .iter()
            .map(|a| ImageArgument::parse(a).unwrap())
            .collect();
        let outputs = select(Path::new("dir/app.o"), &found, &arguments, archive)?;
        Ok(outputs.into_iter().map(|output| output.path).collect())
    }

    #[test]
    fn keys_given_twice_share_a_value_and_known_ones_come_first() {
        let argument = ImageArgument::parse("file=a,x=1,kind=sycl,triple=t,x=2,arch=g").unwrap();
        let strings: Vec<_> = argument.strings().into_iter().collect();
        let expected = [("arch", "g"), ("triple", "t"), ("x", "1,2")];
        assert_eq!(strings, expected.map(|(k, v)| (k.to_owned(), v.to_owned())));
    }

    #[test]
    fn what_is_no_pair_or_no_kind_is_refused() {
        assert!(
            ImageArgument::parse("file=a,b")
                .unwrap_err()
                .contains("'b'")
        );
        assert!(
            ImageArgument::parse("kind=opencl")
                .unwrap_err()
                .contains("'opencl'")
        );
    }

    #[test]
    fn extraction_names_files_by_target_and_stays_in_the_folder() {
        let paths = paths(&["kind=sycl,triple=spir64"], false).unwrap();
        let expected = ["app-spir64-a_b.0.spv", "app-spir64-c.1.spv"];
        assert_eq!(paths, expected.map(PathBuf::from));
    }

    #[test]
    fn one_file_takes_one_image_unless_it_is_an_archive() {
        assert_eq!(
            paths(&["file=o,arch=sm_70"], false).unwrap(),
            [PathBuf::from("o")]
        );
        assert!(matches!(paths(&["file=o"], false), Err(Failure::Job(_))));
        assert_eq!(paths(&["file=o.a"], true).unwrap(), [PathBuf::from("o.a")]);
        assert!(matches!(
            paths(&["kind=sycl"], true),
            Err(Failure::Usage(_))
        ));
        assert!(paths(&["file=o,kind=hip"], false).unwrap().is_empty());
    }
}
