//! The line that the host linker is started with: nothing in it is changed but three things. The
//! wrapper's object comes in, the output is named anew while it is being written, and inputs that are
//! nothing but device code are left out.

use std::ffi::OsString;
use std::path::Path;

use super::LinkerLine;

impl LinkerLine {
    /// The line with `object` put in before the first input named in `before` and its output
    /// written to `output`, without the pieces `left_out`.
    #[must_use]
    pub fn with(
        &self,
        object: Option<(&Path, usize)>,
        output: &Path,
        left_out: &[usize],
    ) -> Vec<OsString> {
        let renamed = self.output_piece.map(|(place, _)| place);
        let changed = renamed.iter().chain(left_out);
        let changed: Vec<usize> = changed.map(|place| self.pieces[*place].word).collect();
        let mut words = Vec::with_capacity(self.words.len() + 3);
        for (index, word) in self.words.iter().enumerate() {
            if let Some((object, _)) = object.filter(|(_, at)| *at == index) {
                words.push(object.into());
            }
            match changed.contains(&index) {
                true => self.changed(index, output, left_out, &mut words),
                false => words.push(word.clone()),
            }
        }
        if self.output_piece.is_none() {
            words.extend(["-o".into(), output.into()]);
        }
        words
    }

    /// A word that names the output, with another name, or what is left out: a word that holds
    /// several pieces comes piece by piece.
    fn changed(&self, index: usize, output: &Path, left_out: &[usize], words: &mut Vec<OsString>) {
        let is_mark = |word: &OsString| word == "-Xlinker";
        // The mark of the first piece may stand before the word already.
        let mut is_marked = words.last().is_some_and(is_mark);
        for (at, piece) in self.pieces.iter().enumerate() {
            if piece.word != index || left_out.contains(&at) {
                continue;
            }
            if piece.wrapped && !std::mem::take(&mut is_marked) {
                words.push("-Xlinker".into());
            }
            words.push(match self.output_piece {
                Some((place, prefix)) if place == at => {
                    let mut renamed = OsString::from(prefix);
                    renamed.push(output);
                    renamed
                }
                _ => piece.text.clone(),
            });
        }
        // Nothing is left that it could stand before.
        if is_marked && words.last().is_some_and(is_mark) {
            words.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::super::tests::line;
    use super::*;

    #[test]
    fn the_object_goes_in_and_the_output_is_renamed() {
        let with = |words: &[&str]| {
            let words = line(words).with(Some((Path::new("w.o"), 0)), Path::new("new"), &[]);
            words.join(OsStr::new(" ")).into_string().unwrap()
        };
        assert!(LinkerLine::parse(vec!["a.o".into(), "-o".into()]).nameless);
        assert_eq!(with(&["a.o", "-o", "out"]), "w.o a.o -o new");
        assert_eq!(with(&["a.o", "-oout", "-lm"]), "w.o a.o -onew -lm");
        assert_eq!(with(&["a.o", "--output=out"]), "w.o a.o --output=new");
        assert_eq!(with(&["a.o"]), "w.o a.o -o new");
        assert_eq!(with(&["a.o", "/OUT:a.exe"]), "w.o a.o /out:new");
        assert_eq!(with(&["-out:a.exe", "a.o"]), "w.o -out:new a.o");
    }

    #[test]
    fn what_is_left_out_takes_its_mark_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        for name in ["a.o", "b.img", "c.o"] {
            std::fs::write(path(name), "").unwrap();
        }
        let (a, b, c) = (path("a.o"), path("b.img"), path("c.o"));
        std::fs::write(path("all"), format!("{a} {b} -s {c}")).unwrap();
        let all = format!("@{}", path("all"));
        let left = |words: &[&str]| {
            let line = line(words);
            let image = line
                .inputs
                .iter()
                .find(|i| i.path == Path::new(&b))
                .unwrap();
            let left_out: Vec<usize> = image.piece.into_iter().collect();
            let object = Some((Path::new("w.o"), image.word));
            let words = line.with(object, Path::new("new"), &left_out);
            let words = words.join(OsStr::new(" ")).into_string().unwrap();
            words.replace(&format!("{}/", folder.path().display()), "")
        };
        assert_eq!(left(&[&a, &b, &c, "-oout"]), "a.o w.o c.o -onew");
        assert_eq!(left(&["-Xlinker", &b, &c]), "-Xlinker w.o c.o -o new");
        let joined = format!("-Wl,-x,{b},-s");
        assert_eq!(left(&[&joined]), "w.o -Xlinker -x -Xlinker -s -o new");
        assert_eq!(left(&[&all, "-oout"]), "w.o a.o -s c.o -onew");
        let library = format!("-L{}", folder.path().display());
        assert_eq!(
            left(&[&library, "-l:b.img", "-oout"]),
            format!("{library} w.o -l:b.img -onew")
        );
        let marked = line(&["-Xlinker", &b, &c]);
        let words = marked.with(None, Path::new("new"), &[0]);
        assert_eq!(words, [OsString::from(&c), "-o".into(), "new".into()]);
    }

    #[test]
    fn a_word_that_holds_the_output_and_more_comes_piece_by_piece() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            format!("@{}", path.display())
        };
        let with = |words: &[&str]| {
            let words = line(words).with(Some((Path::new("w.o"), 0)), Path::new("n,w"), &[]);
            words.join(OsStr::new(" ")).into_string().unwrap()
        };
        assert_eq!(
            with(&["a.o", "-Wl,-o,out,-z,now", "-Wl,-x,-y"]),
            "w.o a.o -Xlinker -o -Xlinker n,w -Xlinker -z -Xlinker now -Wl,-x,-y"
        );
        assert_eq!(
            with(&["-Wl,-o", "-Wl,out", "a.o"]),
            "w.o -Wl,-o -Xlinker n,w a.o"
        );
        assert_eq!(
            with(&["-Xlinker", "-o", "-Xlinker", "out", "a.o"]),
            "w.o -Xlinker -o -Xlinker n,w a.o"
        );
        let inner = file("inner", "-o out 'b c.o'");
        let outer = file("outer", &format!("a.o -Wl,-x -Xlinker -s {inner} d.o"));
        assert_eq!(
            with(&[&outer, "-lm"]),
            "w.o a.o -Xlinker -x -Xlinker -s -o n,w b c.o d.o -lm"
        );
        let wrapped = file("wrapped", "-o out a.o");
        assert_eq!(
            with(&["-Xlinker", &wrapped, "-lm"]),
            "w.o -Xlinker -o -Xlinker n,w -Xlinker a.o -lm"
        );
        let odd = file("odd", "-o out #made.o 'b c.o");
        assert_eq!(with(&[&odd]), "w.o -o n,w #made.o b c.o");
        // What holds no output stays as it is; a file that names itself ends.
        let other = file("other", "a.o b.o");
        assert_eq!(with(&[&other, "-oout"]), format!("w.o {other} -on,w"));
        let endless = format!("@{}", folder.path().join("endless").display());
        file("endless", &format!("a.o {endless} {endless} {endless}"));
        assert_eq!(with(&[&endless, "-oout"]), format!("w.o {endless} -on,w"));
        assert_eq!(with(&["@not-there", "-oout"]), "w.o @not-there -on,w");
    }
}
