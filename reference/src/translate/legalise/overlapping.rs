//! The text of functions that copy between places that may overlap.

use super::Replacement;
use super::memory::GENERIC;

/// The most bytes at once: the widest integer that every device has.
const WIDEST: u64 = 8;

/// The most loads that a copy of a known size is made of without a loop.
const MOST_PIECES: usize = 16;

/// A kind of copy.
pub(super) struct Copy<'a> {
    /// The address space of the target, as the intrinsic function's name has it.
    pub to: &'a str,
    /// That of the source: the same, or one of both is the generic one.
    pub from: &'a str,
    /// The type of the size.
    pub size_type: &'a str,
    /// What both places are aligned to.
    pub alignment: u64,
    /// Whether each load and store is an effect of its own.
    pub volatile: bool,
}

/// Where one load and store of a copy is, and how wide.
struct Piece {
    offset: u64,
    bytes: u64,
}

/// A loop over a part of a copy.
struct Pass<'a> {
    label: &'a str,
    bytes: u64,
    low: &'a str,
    high: &'a str,
    /// What comes after it.
    next: &'a str,
}

impl Copy<'_> {
    /// The function that copies, of a size that is perhaps known.
    pub fn function(&self, size: Option<u64>) -> Replacement {
        match size.and_then(|size| self.pieces(size)) {
            Some(pieces) => self.at_once(&pieces),
            None => self.by_loops(),
        }
    }

    fn unit(&self) -> u64 {
        self.alignment.clamp(1, WIDEST)
    }

    /// The loads of a copy of `size` bytes; none when they are many.
    fn pieces(&self, size: u64) -> Option<Vec<Piece>> {
        let (mut offset, mut bytes) = (0, self.unit());
        let mut pieces = Vec::new();
        while offset < size {
            while bytes > size - offset {
                bytes /= 2;
            }
            if pieces.len() == MOST_PIECES {
                return None;
            }
            pieces.push(Piece { offset, bytes });
            offset += bytes;
        }
        Some(pieces)
    }

    /// All is loaded before any of it is stored.
    fn at_once(&self, pieces: &[Piece]) -> Replacement {
        let size = pieces.last().map_or(0, |last| last.offset + last.bytes);
        let symbol = format!("{}.size{size}", self.symbol());
        let mut text = self.opening(&symbol);
        for (number, piece) in pieces.iter().enumerate() {
            text += &self.load(&number.to_string(), &piece.offset.to_string(), piece.bytes);
        }
        for (number, piece) in pieces.iter().enumerate() {
            text += &self.store(&number.to_string(), &piece.offset.to_string(), piece.bytes);
        }
        text += "  ret void\n}\n";
        Replacement::defined(symbol, text)
    }

    /// From the front, or from the back when the target begins within the source.
    fn by_loops(&self) -> Replacement {
        let symbol = self.symbol();
        let unit = self.unit();
        let mut text = self.opening(&symbol);
        text += &self.address("a", "%to", self.to);
        text += &self.address("b", "%from", self.from);
        text += &match self.size_type {
            "i64" => "  %n = add i64 %size, 0\n".to_owned(),
            narrow => format!("  %n = zext {narrow} %size to i64\n"),
        };
        text += "  %ahead = sub i64 %a, %b\n  %within = icmp ult i64 %ahead, %n\n";
        // What is less than a unit lies at the end.
        text += &format!("  %whole = and i64 %n, -{unit}\n");
        text += "  br i1 %within, label %back.rest, label %front\n";
        let whole = |label, next| Pass {
            label,
            bytes: unit,
            low: "0",
            high: "%whole",
            next,
        };
        let rest = |label, next| Pass {
            label,
            bytes: 1,
            low: "%whole",
            high: "%n",
            next,
        };
        text += &self.forwards(&whole("front", "front.rest"));
        text += &self.forwards(&rest("front.rest", "done"));
        text += &self.backwards(&rest("back.rest", "back"));
        text += &self.backwards(&whole("back", "done"));
        text += "done:\n  ret void\n}\n";
        Replacement::defined(symbol, text)
    }

    fn symbol(&self) -> String {
        let Copy { to, from, .. } = self;
        let volatile = if self.volatile { ".volatile" } else { "" };
        let (size, unit) = (self.size_type, self.unit());
        format!("plumbline.memmove.{to}.{from}.{size}.by{unit}{volatile}")
    }

    /// The head of a function, which has the parameters of the intrinsic one.
    fn opening(&self, symbol: &str) -> String {
        let (to, from, size) = (pointer(self.to), pointer(self.from), self.size_type);
        format!("define void @{symbol}({to} %to, {from} %from, {size} %size, i1 %v) {{\nentry:\n")
    }

    /// Where a place is among all that the generic address space has, as a number.
    fn address(&self, name: &str, place: &str, space: &str) -> String {
        let ty = pointer(space);
        if self.to == self.from || space == GENERIC {
            return format!("  %{name} = ptrtoint {ty} {place} to i64\n");
        }
        let generic = pointer(GENERIC);
        format!(
            "  %{name}g = addrspacecast {ty} {place} to {generic}\n\
             \x20 %{name} = ptrtoint {generic} %{name}g to i64\n"
        )
    }

    fn forwards(&self, pass: &Pass<'_>) -> String {
        let Pass {
            label,
            bytes,
            low,
            high,
            next,
        } = pass;
        let at = format!("%{label}.at");
        let (load, store) = (
            self.load(label, &at, *bytes),
            self.store(label, &at, *bytes),
        );
        format!(
            "{label}:\n\
             \x20 %{label}.any = icmp ult i64 {low}, {high}\n\
             \x20 br i1 %{label}.any, label %{label}.loop, label %{next}\n\
             {label}.loop:\n\
             \x20 {at} = phi i64 [ {low}, %{label} ], [ %{label}.after, %{label}.loop ]\n\
             {load}{store}\
             \x20 %{label}.after = add i64 {at}, {bytes}\n\
             \x20 %{label}.more = icmp ult i64 %{label}.after, {high}\n\
             \x20 br i1 %{label}.more, label %{label}.loop, label %{next}\n"
        )
    }

    fn backwards(&self, pass: &Pass<'_>) -> String {
        let Pass {
            label,
            bytes,
            low,
            high,
            next,
        } = pass;
        let at = format!("%{label}.at");
        let (load, store) = (
            self.load(label, &at, *bytes),
            self.store(label, &at, *bytes),
        );
        format!(
            "{label}:\n\
             \x20 %{label}.any = icmp ult i64 {low}, {high}\n\
             \x20 br i1 %{label}.any, label %{label}.loop, label %{next}\n\
             {label}.loop:\n\
             \x20 %{label}.before = phi i64 [ {high}, %{label} ], [ {at}, %{label}.loop ]\n\
             \x20 {at} = sub i64 %{label}.before, {bytes}\n\
             {load}{store}\
             \x20 %{label}.more = icmp ult i64 {low}, {at}\n\
             \x20 br i1 %{label}.more, label %{label}.loop, label %{next}\n"
        )
    }

    /// Loads `%v<name>`.
    fn load(&self, name: &str, offset: &str, bytes: u64) -> String {
        let (ty, volatile, bits) = (pointer(self.from), self.effect(), 8 * bytes);
        format!(
            "  %f{name} = getelementptr inbounds i8, {ty} %from, i64 {offset}\n\
             \x20 %v{name} = load {volatile}i{bits}, {ty} %f{name}, align {bytes}\n"
        )
    }

    /// Stores `%v<name>`.
    fn store(&self, name: &str, offset: &str, bytes: u64) -> String {
        let (ty, volatile, bits) = (pointer(self.to), self.effect(), 8 * bytes);
        format!(
            "  %t{name} = getelementptr inbounds i8, {ty} %to, i64 {offset}\n\
             \x20 store {volatile}i{bits} %v{name}, {ty} %t{name}, align {bytes}\n"
        )
    }

    fn effect(&self) -> &'static str {
        match self.volatile {
            true => "volatile ",
            false => "",
        }
    }
}

/// The type of pointers into an address space.
fn pointer(space: &str) -> String {
    format!("ptr addrspace({})", space.trim_start_matches('p'))
}
