//! Toolchains as the harness sees them: names of roles, the commands that play them, and what is
//! known to deviate. Descriptions stand in `suites/toolchains/*.yaml`, or in any file given.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::by_hand;
use crate::case::{Case, Outcome};
use crate::deviation::Deviation;
use crate::dialect::{Dialect, Translation};
use crate::layout::Layout;

/// Who can be asked for something: the tools by their contract names, and the library and headers
/// that built programs use.
pub const ROLES: [&str; 12] = [
    "sycl-clang++",
    "clang-offload-packager",
    "clang-offload-bundler",
    "clang-linker-wrapper",
    "clang-sycl-linker",
    "sycl-lower",
    "sycl-post-link",
    "sycl-aspect-filter",
    "opencl-aot",
    "offload-inspect",
    "headers",
    "runtime",
];

/// The one way in for an implementation.
pub trait Toolchain: Sync {
    /// Its name, as reports show it.
    fn name(&self) -> &str;
    /// What `--toolchain` was given, so that a line that repeats a case names the same one.
    fn origin(&self) -> &str {
        self.name()
    }
    /// The words that start the tool of `role`; none when the toolchain has no such tool.
    fn command(&self, role: &str) -> Option<&[String]>;
    /// Variables that its tools and the programs they build need.
    fn env(&self) -> &BTreeMap<String, String>;
    /// Variables that bring a named setting about, such as the device that a built program chooses.
    fn setting(&self, name: &str) -> Option<&BTreeMap<String, String>>;
    /// The words that start programs that it built, in front of the program's own.
    fn launcher(&self) -> &[String] {
        &[]
    }
    /// The program that judges for it in the place of the one that `suites/tools.yaml` calls `name`.
    fn judge(&self, _name: &str) -> Option<&Path> {
        None
    }
    /// A case in its own words.
    fn translated(&self, case: &Case) -> Case {
        case.clone()
    }
    /// The components, one of which has to be there for it to be capable of `capability`, a name of
    /// `suites/tools.yaml`; none where that takes nothing from outside.
    fn relies_on(&self, _capability: &str) -> &[String] {
        &[]
    }
    /// The command that succeeds when it is capable of `capability`, where that depends on how it was built;
    /// none where nothing has to be tried.
    fn tries(&self, _capability: &str) -> &[String] {
        &[]
    }
    /// Folders beside a case's own that its tools and the programs they build write to.
    fn writes(&self) -> &[PathBuf] {
        &[]
    }
    /// The exit statuses by which its tools report `outcome`.
    fn exits(&self, outcome: Outcome) -> &[i32];
    /// Why it has no way to show `name` (a role, a setting, a need, a case or a requirement), where its
    /// description says so.
    fn cannot_show(&self, name: &str) -> Option<&str>;
    /// Why it has no way to show what `case` looks at, by what its description says of words.
    fn hides(&self, _case: &Case) -> Option<&str> {
        None
    }
    /// The roles that another toolchain's play for it, so that their requirements say nothing of it.
    fn borrows(&self) -> &[String] {
        &[]
    }
    /// The toolchain whose golden files hold for it, too, where it has none of its own.
    fn goldens(&self) -> Option<&str> {
        None
    }
    /// What it is known to fail.
    fn deviations(&self) -> &[Deviation];
    /// Whether it is held to cases that go beyond the documents as well.
    fn answers_beyond(&self) -> bool;
}

/// A toolchain description as its file holds it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Description {
    name: String,
    about: String,
    /// The toolchain that it is but for what stands here, a name of `suites/toolchains` or a path from this
    /// file's folder: [`Description::upon`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    based_on: Option<String>,
    /// The command whose first line of output is its version.
    #[serde(default)]
    version: Vec<String>,
    #[serde(default)]
    tools: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    #[serde(default)]
    settings: BTreeMap<String, BTreeMap<String, String>>,
    /// Folders that it writes to, beside a case's own: a cache, a licence's lock.
    #[serde(default)]
    writes: Vec<PathBuf>,
    #[serde(default)]
    exits: BTreeMap<Outcome, Vec<i32>>,
    /// The words that start programs that it built: an emulator, a job scheduler.
    #[serde(default)]
    programs: Vec<String>,
    /// Programs that judge in the place of those of `suites/tools.yaml`, by their names there.
    #[serde(default)]
    judges: BTreeMap<String, PathBuf>,
    /// For what cases can need of it: the components, one of which has to be there.
    #[serde(default)]
    relies_on: BTreeMap<String, Vec<String>>,
    /// For what cases can need of it: a command that succeeds when it has that, and else says why not.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    tries: BTreeMap<String, Vec<String>>,
    /// Its own words for what cases say.
    #[serde(default)]
    dialect: Vec<Translation>,
    /// What it has no way to show: a role, a setting, a need, a case or requirements, and why.
    #[serde(default)]
    cannot_show: BTreeMap<String, String>,
    /// Roles that are played for it by another toolchain's: a runtime, headers.
    #[serde(default)]
    borrows: Vec<String>,
    #[serde(default)]
    deviations: Vec<Deviation>,
    /// Cases that the toolchain it is based on is known to fail, and it is not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    mended: Vec<String>,
    /// The toolchain whose golden files hold for it, too, where it has none of its own. One that is based on
    /// another says so itself: what it writes may be its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    goldens: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    answers_beyond: Option<bool>,
    /// Whether it is nobody's toolchain, but one on which the suites try themselves.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    stand_in: bool,
}

impl Description {
    /// Reads a description, and the one that it is based on; `fill_in` fills in the places of each, by its file.
    fn read(
        file: &Path,
        layout: &Layout,
        fill_in: &dyn Fn(&mut Self, &Path),
    ) -> Result<Self, String> {
        let mut own: Self = offload_formats::yaml::from_file(file).map_err(|e| e.to_string())?;
        own.take_in(file)?;
        fill_in(&mut own, file);
        let Some(name) = &own.based_on else {
            return Ok(own);
        };
        let wrong = |reason: String| format!("{}: based-on: {reason}", file.display());
        let mut place = file_of(name, layout).map_err(wrong)?;
        // A name is of a shipped description, a path is from this file's folder.
        if is_path(name) {
            place = file.with_file_name("").join(place);
        }
        let base = offload_formats::yaml::from_file(&place);
        let mut base: Self = base.map_err(|e| wrong(e.to_string()))?;
        base.take_in(&place)?;
        fill_in(&mut base, &place);
        match base.based_on {
            Some(other) => Err(wrong(format!("'{name}' is itself based on '{other}'"))),
            None => Ok(own.upon(base)),
        }
    }

    /// Puts the texts of files in the place of their names.
    fn take_in(&mut self, file: &Path) -> Result<(), String> {
        let scripts = self.deviations.iter_mut();
        for script in scripts.filter_map(|known| known.by_hand.as_mut()) {
            *script = by_hand::text_of(&file.with_file_name("").join(&script))?;
        }
        Ok(())
    }

    /// Fills in places.
    fn fill_in(&mut self, folder: &Path, layout: &Layout) {
        let words = self.tools.values_mut().flatten().chain(&mut self.version);
        let words = words.chain(&mut self.programs);
        let words = words.chain(self.tries.values_mut().flatten());
        let values = self.settings.values_mut().flat_map(|s| s.values_mut());
        for text in words.chain(self.env.values_mut()).chain(values) {
            *text = located(text, folder, layout);
        }
        for path in self.judges.values_mut().chain(&mut self.writes) {
            *path = located(&path.to_string_lossy(), folder, layout).into();
        }
    }

    /// This description with all that `base` says and it does not: of names and cases that both have, this
    /// one's stand; other lists are joined, but for words that are one command. What it is called, and whether
    /// it is a stand-in, it says itself.
    fn upon(self, base: Self) -> Self {
        let is_taken_over = |known: &Deviation| {
            let own = self.deviations.iter().any(|own| own.case == known.case);
            !own && !self.mended.contains(&known.case)
        };
        let deviations = base.deviations.into_iter().filter(is_taken_over);
        let deviations = deviations.chain(self.deviations.iter().cloned()).collect();
        fn joined<K: Ord, V>(base: BTreeMap<K, V>, own: BTreeMap<K, V>) -> BTreeMap<K, V> {
            base.into_iter().chain(own).collect()
        }
        fn both<T>(base: Vec<T>, own: Vec<T>) -> Vec<T> {
            base.into_iter().chain(own).collect()
        }
        fn either(base: Vec<String>, own: Vec<String>) -> Vec<String> {
            if own.is_empty() { base } else { own }
        }
        Description {
            name: self.name,
            about: self.about,
            based_on: None,
            version: either(base.version, self.version),
            tools: joined(base.tools, self.tools),
            env: joined(base.env, self.env),
            settings: joined(base.settings, self.settings),
            writes: both(base.writes, self.writes),
            exits: joined(base.exits, self.exits),
            programs: either(base.programs, self.programs),
            judges: joined(base.judges, self.judges),
            relies_on: joined(base.relies_on, self.relies_on),
            tries: joined(base.tries, self.tries),
            dialect: both(base.dialect, self.dialect),
            cannot_show: joined(base.cannot_show, self.cannot_show),
            borrows: both(base.borrows, self.borrows),
            mended: Vec::new(),
            deviations,
            goldens: self.goldens,
            answers_beyond: self.answers_beyond.or(base.answers_beyond),
            stand_in: self.stand_in,
        }
    }
}

/// A toolchain that a description file brings in.
#[derive(Debug, Clone)]
pub struct Described {
    description: Description,
    dialect: Dialect,
    /// The name or file that it was asked for by.
    origin: String,
}

impl Described {
    /// Reads the description `name` of `suites/toolchains/`, or the file `name` when it is a path.
    ///
    /// # Errors
    /// With the file, and the line where the reader knows it; an unknown name lists the known ones.
    pub fn load(name: &str, layout: &Layout) -> Result<Self, String> {
        let file = file_of(name, layout)?;
        let fill_in = |description: &mut Description, file: &Path| {
            description.fill_in(file.parent().unwrap_or(Path::new(".")), layout);
        };
        Self::placed(&file, name, &fill_in, layout)
    }

    /// A description whose places stay open, for the exported runner to fill in: nothing in it is of this machine.
    ///
    /// # Errors
    /// As [`Described::load`].
    pub fn movable(file: &Path, layout: &Layout) -> Result<Self, String> {
        Self::placed(file, &file.to_string_lossy(), &|_, _| (), layout)
    }

    fn placed(
        file: &Path,
        origin: &str,
        fill_in: &dyn Fn(&mut Description, &Path),
        layout: &Layout,
    ) -> Result<Self, String> {
        let description = Description::read(file, layout, fill_in)?;
        let roles = description.tools.keys().chain(&description.borrows);
        if let Some(role) = roles
            .into_iter()
            .find(|role| !ROLES.contains(&role.as_str()))
        {
            return Err(format!("{}: no role '{role}'", file.display()));
        }
        let goldens = description.goldens.as_ref();
        if let Some(name) = goldens.filter(|name| !layout.golden.join(name).is_dir()) {
            return Err(format!("{}: goldens: no golden/{name}", file.display()));
        }
        let dialect = Dialect::new(&description.dialect);
        let dialect = dialect.map_err(|e| format!("{}: {e}", file.display()))?;
        Ok(Described {
            description,
            dialect,
            origin: origin.to_owned(),
        })
    }

    /// The description as JSON: what the exported runner reads.
    ///
    /// # Errors
    /// When it cannot be written as JSON.
    pub fn json(&self) -> Result<String, String> {
        serde_json::to_string_pretty(&self.description).map_err(|e| e.to_string())
    }

    /// What it is, for readers.
    #[must_use]
    pub fn about(&self) -> &str {
        self.description.about.trim()
    }

    /// The command that tells its version; empty when the description names none.
    #[must_use]
    pub fn version(&self) -> &[String] {
        &self.description.version
    }

    /// What its description calls not observable, by name, with the reason.
    #[must_use]
    pub fn unobservable(&self) -> &BTreeMap<String, String> {
        &self.description.cannot_show
    }

    /// What it relies on, by capability.
    #[must_use]
    pub fn relied_on(&self) -> &BTreeMap<String, Vec<String>> {
        &self.description.relies_on
    }

    /// Whether it is nobody's toolchain: the suites try themselves on it, and the book leaves it out.
    #[must_use]
    pub fn is_stand_in(&self) -> bool {
        self.description.stand_in
    }

    /// Whether a place is in anything that it says of its tools and programs.
    #[must_use]
    pub fn names_place(&self, place: &Path) -> bool {
        let place = place.to_string_lossy();
        let described = &self.description;
        let words = described.tools.values().flatten();
        let words = words.chain(&described.programs).chain(&described.version);
        let settings = described.settings.values().flat_map(BTreeMap::values);
        let mut words = words.chain(described.env.values()).chain(settings);
        let mut judges = described.judges.values();
        words.any(|word| word.contains(&*place))
            || judges.any(|judge| judge.to_string_lossy().contains(&*place))
    }

    /// The programs that judge for it, by name.
    #[must_use]
    pub fn judges(&self) -> &BTreeMap<String, PathBuf> {
        &self.description.judges
    }

    /// The first program of a role that is not there, as a mistake that names both.
    #[must_use]
    pub fn absent_tool(&self) -> Option<String> {
        let tools = self.description.tools.iter();
        let tools = tools.filter_map(|(role, words)| Some((role, words.first()?.as_str())));
        let judges = self.description.judges.iter();
        let judges = judges.filter_map(|(name, program)| Some((name, program.to_str()?)));
        tools
            .chain(judges)
            .find(|(_, program)| program.contains('/') && !Path::new(program).exists())
            .map(|(role, program)| {
                format!(
                    "toolchain '{}': its {role}, '{program}', is not there",
                    self.name()
                )
            })
    }
}

impl Toolchain for Described {
    fn name(&self) -> &str {
        &self.description.name
    }

    fn origin(&self) -> &str {
        &self.origin
    }

    fn command(&self, role: &str) -> Option<&[String]> {
        self.description.tools.get(role).map(Vec::as_slice)
    }

    fn env(&self) -> &BTreeMap<String, String> {
        &self.description.env
    }

    fn setting(&self, name: &str) -> Option<&BTreeMap<String, String>> {
        self.description.settings.get(name)
    }

    fn launcher(&self) -> &[String] {
        &self.description.programs
    }

    fn judge(&self, name: &str) -> Option<&Path> {
        self.description.judges.get(name).map(PathBuf::as_path)
    }

    fn translated(&self, case: &Case) -> Case {
        self.dialect.translated(case)
    }

    fn hides(&self, case: &Case) -> Option<&str> {
        self.dialect.hides(case)
    }

    fn relies_on(&self, capability: &str) -> &[String] {
        let components = self.description.relies_on.get(capability);
        components.map_or(&[], Vec::as_slice)
    }

    fn tries(&self, capability: &str) -> &[String] {
        let command = self.description.tries.get(capability);
        command.map_or(&[], Vec::as_slice)
    }

    fn writes(&self) -> &[PathBuf] {
        &self.description.writes
    }

    fn exits(&self, outcome: Outcome) -> &[i32] {
        match self.description.exits.get(&outcome) {
            Some(exits) => exits,
            None => outcome.exits(),
        }
    }

    fn cannot_show(&self, name: &str) -> Option<&str> {
        let hidden = self.description.cannot_show.iter();
        let mut hidden = hidden.filter(|(hidden, _)| names(hidden, name));
        hidden.next().map(|(_, reason)| reason.trim())
    }

    fn borrows(&self) -> &[String] {
        &self.description.borrows
    }

    fn goldens(&self) -> Option<&str> {
        self.description.goldens.as_deref()
    }

    fn deviations(&self) -> &[Deviation] {
        &self.description.deviations
    }

    fn answers_beyond(&self) -> bool {
        self.description.answers_beyond.unwrap_or_default()
    }
}

/// The description's own folder.
const HERE: &str = "%{here}";

/// Whether what a description says it cannot show names `name`: itself, or what its names begin with
/// and a star.
#[must_use]
pub fn names(hidden: &str, name: &str) -> bool {
    let begins = hidden.strip_suffix('*');
    hidden == name || begins.is_some_and(|begins| name.starts_with(begins))
}

/// Whether a toolchain is asked for by the path of its description.
fn is_path(name: &str) -> bool {
    name.contains('/') || name.ends_with(".yaml")
}

/// The file that describes `name`.
fn file_of(name: &str, layout: &Layout) -> Result<PathBuf, String> {
    if is_path(name) {
        return Ok(PathBuf::from(name));
    }
    let file = layout.toolchains.join(format!("{name}.yaml"));
    if file.exists() {
        return Ok(file);
    }
    let known: Vec<String> = layout
        .descriptions()?
        .iter()
        .filter_map(|file| Some(file.file_stem()?.to_str()?.to_owned()))
        .collect();
    Err(format!("no toolchain '{name}'; known: {}", known.join(" ")))
}

/// A word of a description with its places filled in: `%{plumbline}` the staged reference,
/// `%{build}` the running build's programs, `%{here}` the description's own folder, `%{set-up:NAME}`
/// what `cargo xtask setup --toolchain NAME` brought.
pub(crate) fn located(text: &str, here: &Path, layout: &Layout) -> String {
    let text = match text.split_once("%{set-up:") {
        Some((before, rest)) => match rest.split_once('}') {
            Some((name, after)) => {
                let place = layout.set_up(name);
                format!("{before}{}{after}", place.display())
            }
            None => text.to_owned(),
        },
        None => text.to_owned(),
    };
    [
        ("%{plumbline}", layout.plumbline.as_path()),
        ("%{build}", layout.build.as_path()),
        ("%{work}", layout.work.as_path()),
        (HERE, here),
    ]
    .iter()
    .fold(text, |text, (name, path)| {
        text.replace(name, &path.to_string_lossy())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(text: &str) -> Result<Described, String> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x.yaml");
        std::fs::write(&file, text).unwrap();
        Described::load(&file.to_string_lossy(), &Layout::of(Path::new("/repo")))
    }

    #[test]
    fn a_description_names_its_tools_by_role() {
        let toolchain = load(
            "name: x\nabout: y\ntools:\n  sycl-post-link: ['%{plumbline}/bin/p', -v]\n\
             exits: {malformed: [3]}\n",
        )
        .unwrap();
        let words = toolchain.command("sycl-post-link").unwrap();
        assert!(words[0].ends_with("plumbline/bin/p"), "{words:?}");
        assert_eq!(toolchain.exits(Outcome::Malformed), [3]);
        assert_eq!(toolchain.exits(Outcome::Passes), [0]);
        assert!(toolchain.command("opencl-aot").is_none());
        assert!(!toolchain.answers_beyond());
    }

    #[test]
    fn a_star_stands_for_the_rest_of_a_name() {
        let text = "name: x\nabout: y\ntools: {}\ncannot-show: {OFF-LINK-*: no linker, a/b: c}\n";
        let toolchain = load(text).unwrap();
        assert_eq!(toolchain.cannot_show("OFF-LINK-001"), Some("no linker"));
        assert_eq!(toolchain.cannot_show("OFF-LIN"), None);
        assert_eq!(toolchain.cannot_show("a/b"), Some("c"));
        assert_eq!(toolchain.cannot_show("a/b/c"), None);
    }

    #[test]
    fn a_description_may_be_another_but_for_what_it_says() {
        let root = tempfile::tempdir().unwrap();
        let layout = Layout::of(root.path());
        std::fs::create_dir_all(&layout.toolchains).unwrap();
        let write = |name: &str, text: &str| {
            let file = layout.toolchains.join(name).with_extension("yaml");
            std::fs::write(file, format!("name: {name}\nabout: y\n{text}")).unwrap();
        };
        write(
            "base",
            "tools: {sycl-clang++: [a, b], opencl-aot: ['%{here}/c']}\nenv: {A: '1', B: '2'}\n\
             deviations: [{case: a/b, link: 'OFF, \"X\"', reason: z}]\nstand-in: true\nversion: [v]\n",
        );
        write(
            "own",
            "based-on: base\ntools: {sycl-clang++: [d]}\nenv: {B: '3'}\n\
             deviations: [{case: c/d, link: 'OFF, \"X\"', reason: z}]\n",
        );
        let elsewhere = root.path().join("elsewhere.yaml");
        std::fs::write(
            &elsewhere,
            "name: z\nabout: y\nbased-on: base\nmended: [a/b]\nenv: {A: '%{here}'}\n",
        )
        .unwrap();
        let patched = Described::load(&elsewhere.to_string_lossy(), &layout).unwrap();
        assert!(patched.deviations().is_empty());
        assert_eq!(patched.env()["A"], root.path().to_string_lossy());
        let place = &layout.toolchains.join("c");
        assert_eq!(
            patched.command("opencl-aot").unwrap(),
            [place.to_string_lossy()]
        );
        assert!(patched.names_place(&layout.toolchains));
        assert!(!patched.names_place(&layout.plumbline));
        write("third", "based-on: own\n");
        let own = Described::load("own", &layout).unwrap();
        assert_eq!(own.name(), "own");
        assert!(!own.is_stand_in());
        assert_eq!(own.version(), ["v"]);
        assert_eq!(own.command("sycl-clang++").unwrap(), ["d"]);
        assert_eq!(
            own.command("opencl-aot").unwrap(),
            [place.to_string_lossy()]
        );
        let env: Vec<_> = own.env().values().collect();
        assert_eq!(env, ["1", "3"]);
        let cases: Vec<_> = own.deviations().iter().map(|d| d.case.as_str()).collect();
        assert_eq!(cases, ["a/b", "c/d"]);
        assert!(!own.json().unwrap().contains("based"));
        let error = Described::load("third", &layout).unwrap_err();
        assert!(error.contains("'own' is itself based on 'base'"), "{error}");
        let near = layout.toolchains.join("near.yaml");
        std::fs::write(&near, "name: n\nabout: y\nbased-on: ./base.yaml\n").unwrap();
        let near = Described::load("near", &layout).unwrap();
        assert_eq!(near.version(), ["v"]);
        write("circle", "based-on: ./circle.yaml\n");
        let error = Described::load("circle", &layout).unwrap_err();
        assert!(error.contains("is itself based on"), "{error}");
        write("far", "based-on: ./none.yaml\n");
        let error = Described::load("far", &layout).unwrap_err();
        assert!(
            error.contains("far.yaml: based-on: ") && error.contains("none.yaml: "),
            "{error}"
        );
        write("lost", "based-on: nobody\n");
        let error = Described::load("lost", &layout).unwrap_err();
        assert!(error.contains("no toolchain 'nobody'"), "{error}");
    }

    #[test]
    fn golden_files_of_another_have_to_be_there() {
        let error = load("name: x\nabout: y\ntools: {}\ngoldens: z\n").unwrap_err();
        assert!(error.ends_with("goldens: no golden/z"), "{error}");
    }

    #[test]
    fn a_deviation_without_a_reason_is_refused() {
        let error = load("name: x\nabout: y\ntools: {}\ndeviations: [{case: a/b}]\n").unwrap_err();
        assert!(error.contains("missing field `reason`"), "{error}");
    }

    #[test]
    fn an_unknown_role_or_name_is_refused() {
        assert!(
            load("name: x\nabout: y\ntools: {cook: [a]}\n")
                .unwrap_err()
                .contains("no role 'cook'")
        );
        assert!(
            load("name: x\nabout: y\ntools: {}\nborrows: [cook]\n")
                .unwrap_err()
                .contains("no role 'cook'")
        );
        let error = Described::load("nobody", &Layout::here()).unwrap_err();
        assert!(error.contains("known: "), "{error}");
    }
}
