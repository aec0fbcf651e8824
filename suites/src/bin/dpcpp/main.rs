//! `dpcpp sycl-clang++ WORD…`: DPC++'s run-time compiler (`libsycl-jit.so`) in the place of a driver, so
//! that sources of cases can be put to it, and the programs run on DPC++'s runtime (`libsycl.so.9`).
//!
//! Everything that speaks of device code is DPC++'s: its front end, what it requires of devices, its
//! split, its properties, its integration header. What the packages do not have is made here, and is no
//! part of the judgement: the host half is compiled by plain clang with that header, and the images
//! are registered with DPC++'s descriptor ([`wrap`]). What DPC++'s own driver would do with other
//! words, objects or targets does not show: such a [`line`] is refused. `dpcpp program WORD…` starts what
//! was built.

mod line;
mod program;
mod wrap;

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use components::process::Job;
use components::{Component, Components, DpcppRuntime};
use offload_formats::{Bytes, syclbin};
use regex::{NoExpand, Regex};
use suites::layout::Layout;

use line::{Item, Line};

/// What went wrong, as people read it; whoever refused the source has said why already.
type Outcome<T> = Result<T, String>;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let told = match words.split_first() {
        Some((mode, rest)) if mode == "sycl-clang++" => Line::parse(rest).map(Some),
        Some((mode, [])) if mode == "version" => Ok(None),
        Some((mode, rest)) if mode == "program" => {
            return match program::run(rest) {
                Ok(status) => ExitCode::from(status),
                Err(mistake) => failed(&mistake),
            };
        }
        _ => Err("the first word is 'sycl-clang++', 'program' or 'version'".to_owned()),
    };
    let done = match told {
        Err(mistake) => {
            eprintln!("dpcpp: {mistake}");
            return ExitCode::from(2);
        }
        Ok(line) => DpcPp::here().and_then(|dpcpp| match line {
            Some(line) => dpcpp.run(&line),
            None => {
                println!("DPC++ {}", dpcpp.runtime.version);
                Ok(())
            }
        }),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(mistake) => failed(&mistake),
    }
}

fn failed(mistake: &str) -> ExitCode {
    eprintln!("dpcpp: {mistake}");
    ExitCode::FAILURE
}

/// DPC++ as its packages have it, and what stands in for the rest.
struct DpcPp {
    runtime: DpcppRuntime,
    clang: PathBuf,
    /// `fixtures/dpcpp/compile.cpp`, built.
    compiler: PathBuf,
    env: Vec<(std::ffi::OsString, std::ffi::OsString)>,
}

impl DpcPp {
    fn here() -> Outcome<Self> {
        let components = Components::here().map_err(|e| e.to_string())?;
        let runtime = components.dpcpp_runtime().map_err(|e| e.to_string())?;
        let opencl = components.opencl_cpu().map_err(|e| e.to_string())?;
        let clang = components
            .find(Component::Clang)
            .map_err(|e| e.to_string())?;
        let mut env = runtime.env(&opencl);
        env.push(("ONEAPI_DEVICE_SELECTOR".into(), "opencl:cpu".into()));
        let mut dpcpp = DpcPp {
            runtime,
            clang: clang.path,
            compiler: PathBuf::new(),
            env,
        };
        dpcpp.compiler = dpcpp.built(&Layout::here())?;
        Ok(dpcpp)
    }

    /// The program that calls the run-time compiler. It is built once, and again when its source or the
    /// release of DPC++ is another.
    fn built(&self, layout: &Layout) -> Outcome<PathBuf> {
        let source = layout.fixtures.join("dpcpp/compile.cpp");
        let text = std::fs::read(&source).map_err(cannot("read", &source))?;
        let mut hasher = DefaultHasher::new();
        (&text, &self.runtime.version, &self.runtime.lib).hash(&mut hasher);
        let folder = layout.work.join(".dpcpp");
        std::fs::create_dir_all(&folder).map_err(cannot("make", &folder))?;
        let program = folder.join(format!("compile-{:016x}", hasher.finish()));
        let lock = program.with_extension("lock");
        let held = std::fs::File::create(&lock).map_err(cannot("write", &lock))?;
        rustix::fs::flock(&held, rustix::fs::FlockOperation::LockExclusive)
            .map_err(|e| cannot("lock", &lock)(e.into()))?;
        if !program.exists() {
            let partial = program.with_extension("partial");
            let compile = Job::new(&self.clang)
                .args(["-std=c++17", "-w", "-isystem"])
                .arg(&self.runtime.include)
                .arg(&source);
            self.linked(compile)
                .arg("-o")
                .arg(&partial)
                .run()
                .map_err(|e| e.to_string())?;
            std::fs::rename(&partial, &program).map_err(cannot("write", &program))?;
        }
        Ok(program)
    }

    /// A link with DPC++'s runtime, which programs find where it is.
    fn linked(&self, job: Job) -> Job {
        let lib = self.runtime.lib.display();
        job.arg(format!("-L{lib}"))
            .arg("-l:libsycl.so.9")
            .arg(format!("-Wl,-rpath,{lib},-rpath-link,{lib}"))
    }

    fn run(&self, line: &Line) -> Outcome<()> {
        let temporary = tempfile::tempdir().map_err(|e| e.to_string())?;
        let mut linked = Vec::new();
        for (index, item) in line.items.iter().enumerate() {
            match item {
                Item::Word(word) => linked.push(PathBuf::from(word)),
                Item::Source(source) => {
                    let folder = temporary.path().join(index.to_string());
                    std::fs::create_dir(&folder).map_err(cannot("make", &folder))?;
                    let objects = self.compiled(source, line, &folder)?;
                    match line.compiles_only {
                        true => self.joined(&objects, &line.object_of(source))?,
                        false => linked.extend(objects),
                    }
                }
            }
        }
        if line.compiles_only {
            return Ok(());
        }
        let link = Job::new(&self.clang).args(linked);
        let link = self.linked(link).arg("-o").arg(line.program());
        link.run().map_err(|e| e.to_string())
    }

    /// The objects of one source: its host half, and its images with what registers them.
    fn compiled(&self, source: &Path, line: &Line, folder: &Path) -> Outcome<[PathBuf; 2]> {
        let in_folder = |name: &str| folder.join(name);
        let (header, footer) = (in_folder("header.h"), in_folder("footer.h"));
        let made = in_folder("device.syclbin");
        let beside = source.parent().unwrap_or(Path::new("."));
        let beside = match beside.as_os_str().is_empty() {
            true => Path::new("."),
            false => beside,
        };
        let device = Job::new(&self.compiler).arg(source).arg(&made);
        let device = device
            .arg("-iquote")
            .arg(beside)
            .args(line.device_words())
            .args([
                "-Xclang".to_owned(),
                format!("-fsycl-int-header={}", header.display()),
            ])
            .args([
                "-Xclang".to_owned(),
                format!("-fsycl-int-footer={}", footer.display()),
            ]);
        let device = self.env.iter().fold(device, |job, (k, v)| job.env(k, v));
        let output = device.output(b"").map_err(|e| e.to_string())?;
        let said = String::from_utf8_lossy(&output.stderr);
        eprint!("{}", of_source(&said, source)?);
        if !output.status.success() {
            return Err(format!("'{}' is refused", source.display()));
        }
        if line.keeps_header {
            let stem = source.file_stem().unwrap_or_default().to_string_lossy();
            let kept = PathBuf::from(format!("{stem}-header.h"));
            std::fs::copy(&header, &kept).map_err(cannot("write", &kept))?;
        }

        let file = std::fs::read(&made).map_err(cannot("read", &made))?;
        let modules = syclbin::read(&Bytes::from(file)).map_err(|e| e.to_string())?;
        complete(&modules, &header)?;
        let images = in_folder("images.s");
        let text = wrap::assembly(&modules, folder)?;
        std::fs::write(&images, text).map_err(cannot("write", &images))?;
        let images_object = in_folder("images.o");
        let assemble = Job::new(&self.clang).arg("-c").arg(&images);
        assemble
            .arg("-o")
            .arg(&images_object)
            .run()
            .map_err(|e| e.to_string())?;

        let whole = std::fs::canonicalize(source).map_err(cannot("read", source))?;
        let host = in_folder("host.cpp");
        let parts = [header.as_path(), &whole, &footer];
        let text = parts.map(|part| format!("#include \"{}\"\n", part.display()));
        std::fs::write(&host, text.concat()).map_err(cannot("write", &host))?;
        let host_object = in_folder("host.o");
        // DPC++'s host compiler is no part of the packages: what this one would warn of says nothing.
        let compile = Job::new(&self.clang)
            .args([
                "-std=c++17",
                "-Xclang",
                "-fsycl-is-host",
                "-D__SYCL_UNNAMED_LAMBDA__=1",
            ])
            .args(["-D__INTEL_SYCL_USE_INTEGRATION_HEADERS=1", "-fPIC"])
            .args(line.host_words())
            .arg("-w")
            .arg("-isystem")
            .arg(&self.runtime.include)
            .arg("-c")
            .arg(&host)
            .arg("-o")
            .arg(&host_object);
        compile.run().map_err(|e| e.to_string())?;
        Ok([host_object, images_object])
    }

    /// Two objects in one.
    fn joined(&self, objects: &[PathBuf; 2], output: &Path) -> Outcome<()> {
        let join = Job::new(&self.clang)
            .args(["-r", "-nostdlib"])
            .args(objects);
        join.arg("-o").arg(output).run().map_err(|e| e.to_string())
    }
}

/// Messages with the source's own name: the run-time compiler is given text alone, and numbers it.
fn of_source(said: &str, source: &Path) -> Outcome<String> {
    let numbered = Regex::new(r"\brtc_\d+\.cpp\b").map_err(|e| e.to_string())?;
    let name = source.to_string_lossy();
    Ok(numbered.replace_all(said, NoExpand(&name)).into_owned())
}

/// Refuses what the run-time compiler gave where it leaves out a kernel that the header announces: it
/// gives no image that none of the devices here can take.
fn complete(modules: &[syclbin::Module], header: &Path) -> Outcome<()> {
    let text = std::fs::read_to_string(header).map_err(cannot("read", header))?;
    let mut names = text
        .lines()
        .skip_while(|line| !line.contains("kernel_names[]"));
    let names = names
        .by_ref()
        .skip(1)
        .map_while(|line| line.trim().strip_prefix('"'));
    let names: Vec<&str> = names.filter_map(|rest| rest.strip_suffix("\",")).collect();
    let has = |name: &str| {
        modules
            .iter()
            .any(|module| module.kernels().any(|k| k == name))
    };
    let missing: Vec<&str> = names
        .into_iter()
        .filter(|n| !n.is_empty() && !has(n))
        .collect();
    match missing.is_empty() {
        true => Ok(()),
        false => Err(format!(
            "the run-time compiler gives no image of {}, which no device here supports",
            missing.join(" and of ")
        )),
    }
}

/// What could not be done with a file, and why.
fn cannot<'a>(what: &'a str, path: &'a Path) -> impl Fn(std::io::Error) -> String + 'a {
    move |error| format!("cannot {what} '{}': {error}", path.display())
}
