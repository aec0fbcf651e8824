//! The ratios of a bench as a picture: a row each, a mark a peer, what lies left of 1 is faster than it.
//!
//! SVG with colours for light and for dark surroundings, and a ground of its own.

use std::io;

use quick_xml::Writer;
use quick_xml::events::{BytesText, Event};

/// A ratio in the picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// What was measured.
    pub row: String,
    /// Against whom.
    pub peer: String,
    /// Ours to the peer's.
    pub ratio: f64,
    /// Between what the middle half of the rounds lies.
    pub middle_half: (f64, f64),
    /// The most that it should be, where there is such an aim.
    pub at_most: Option<f64>,
}

impl Mark {
    fn is_missed(&self) -> bool {
        self.at_most.is_some_and(|most| self.ratio > most)
    }
}

/// What stands around the marks.
#[derive(Debug, Clone, Copy)]
pub struct Captions<'a> {
    /// What was measured.
    pub title: &'a str,
    /// When and on what.
    pub circumstances: &'a str,
    /// Figures that are no ratios, a line each.
    pub notes: &'a [String],
}

/// Widths in pixels of a letter, at the size of labels and of small print.
const LETTER: f64 = 6.7;
const LINE: f64 = 17.0;
/// The area of the marks, and what stands right of it.
const PLOT: f64 = 420.0;
const VALUES: f64 = 64.0;
const EDGE: f64 = 20.0;
/// The longest label, in letters.
const LONGEST: usize = 62;
/// Where lines may be drawn across the marks.
const TICKS: [f64; 12] = [0.3, 0.5, 0.7, 0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 2.0, 3.0, 5.0];
/// Ratios outside of these are drawn at the edge.
const LIMITS: (f64, f64) = (0.25, 5.0);

const STYLE: &str = "
svg { --ground: #ffffff; --ink: #1f2328; --soft: #59636e; --line: #d8dee4; --band: #f6f8fa;
      --peer0: #0969da; --peer1: #bc4c00; --peer2: #8250df; --peer3: #1a7f37; }
@media (prefers-color-scheme: dark) {
  svg { --ground: #0d1117; --ink: #e6edf3; --soft: #9198a1; --line: #30363d; --band: #161b22;
        --peer0: #58a6ff; --peer1: #f0883e; --peer2: #bc8cff; --peer3: #3fb950; } }
text { font: 12px system-ui, 'DejaVu Sans', sans-serif; fill: var(--ink); }
.title { font-size: 16px; font-weight: 600; }
.soft { fill: var(--soft); font-size: 11px; }
.end { text-anchor: end; }
.middle { text-anchor: middle; }
.ground { fill: var(--ground); }
.band { fill: var(--band); }
.grid { stroke: var(--line); }
.one { stroke: var(--ink); stroke-width: 1.5; }
.aim { stroke: var(--ink); stroke-width: 2; }
.p0 { stroke: var(--peer0); fill: var(--peer0); } .p1 { stroke: var(--peer1); fill: var(--peer1); }
.p2 { stroke: var(--peer2); fill: var(--peer2); } .p3 { stroke: var(--peer3); fill: var(--peer3); }
.t0 { fill: var(--peer0); } .t1 { fill: var(--peer1); } .t2 { fill: var(--peer2); } .t3 { fill: var(--peer3); }
.missed { fill: var(--ground); stroke-width: 2; }
";

/// The picture; `None` when there is no mark to draw.
pub fn draw(captions: Captions<'_>, marks: &[Mark]) -> Option<String> {
    let scale = Scale::of(marks)?;
    let mut picture = Picture {
        to: Writer::new(Vec::new()),
        labels: label_width(marks),
        scale,
        peers: distinct(marks.iter().map(|mark| mark.peer.as_str())),
    };
    // Writing to memory fails for nothing.
    picture.write(captions, marks).ok()?;
    let text = String::from_utf8(picture.to.into_inner()).ok()?;
    Some(text + "\n")
}

fn label_width(marks: &[Mark]) -> f64 {
    let lengths = marks.iter().map(|mark| mark.row.chars().count());
    #[expect(clippy::cast_precision_loss, reason = "a few letters")]
    let longest = lengths.max().unwrap_or(0).min(LONGEST) as f64;
    longest * LETTER
}

/// Each text once, in the order of their first places.
fn distinct<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut all = Vec::new();
    for text in texts {
        if !all.contains(&text) {
            all.push(text);
        }
    }
    all
}

/// From ratios to places: logarithms, so that twice and half are equally far from 1.
struct Scale {
    least: f64,
    most: f64,
}

impl Scale {
    /// A scale that has all marks and what they spread over; `None` for none.
    fn of(marks: &[Mark]) -> Option<Scale> {
        if marks.is_empty() {
            return None;
        }
        let values = marks.iter().flat_map(|mark| {
            let aim = mark.at_most.unwrap_or(1.0);
            [mark.ratio, mark.middle_half.0, mark.middle_half.1, aim]
        });
        let values = values.filter(|value| value.is_finite());
        let within = values.map(|value| value.clamp(LIMITS.0, LIMITS.1));
        let (least, most) = within.fold((0.8f64, 1.25f64), |(least, most), value| {
            (least.min(value), most.max(value))
        });
        Some(Scale {
            least: least / 1.03,
            most: most * 1.03,
        })
    }

    /// The place of a ratio, from 0 to 1.
    fn place(&self, ratio: f64) -> f64 {
        let ratio = ratio.clamp(self.least, self.most);
        (ratio / self.least).ln() / (self.most / self.least).ln()
    }

    /// Where to draw lines: the round numbers that are far enough apart, 1 before all others.
    fn ticks(&self) -> Vec<f64> {
        let is_far = |a: f64, b: f64| (self.place(a) - self.place(b)).abs() * PLOT > 34.0;
        let mut chosen = vec![1.0];
        for tick in TICKS {
            let is_inside = tick > self.least && tick < self.most;
            if is_inside && chosen.iter().all(|other| is_far(tick, *other)) {
                chosen.push(tick);
            }
        }
        chosen
    }
}

struct Picture<'a> {
    to: Writer<Vec<u8>>,
    labels: f64,
    scale: Scale,
    peers: Vec<&'a str>,
}

impl Picture<'_> {
    fn write(&mut self, captions: Captions<'_>, marks: &[Mark]) -> io::Result<()> {
        let rows = distinct(marks.iter().map(|mark| mark.row.as_str()));
        #[expect(clippy::cast_precision_loss, reason = "a few peers, rows and lines")]
        let [peers, count, notes] =
            [self.peers.len(), rows.len(), captions.notes.len()].map(|n| n as f64);
        let width = EDGE + self.labels + 12.0 + PLOT + VALUES * peers + EDGE;
        let row_height = (peers * 9.0).max(LINE) + 6.0;
        let top = 62.0 + LINE * (peers + 1.0) + 24.0;
        let bottom = top + row_height * count;
        let below = if captions.notes.is_empty() { 0.0 } else { 14.0 };
        let height = bottom + below + LINE * notes + EDGE;

        let size = [width, height].map(number);
        let open = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" \
             viewBox=\"0 0 {0} {1}\" role=\"img\"><style>{STYLE}</style>",
            size[0], size[1]
        );
        self.raw(&open)?;
        self.element("title", &[], Some(captions.title))?;
        let whole = [("class", "ground"), ("width", "100%"), ("height", "100%")];
        self.element("rect", &whole, None)?;
        self.text(EDGE, 30.0, "title", captions.title)?;
        self.text(EDGE, 48.0, "soft", captions.circumstances)?;
        self.legend(62.0 + LINE * 0.6)?;
        self.grid(top, bottom)?;
        let mut y = top;
        for (place, row) in rows.into_iter().enumerate() {
            let of_row = marks.iter().filter(|mark| mark.row == row);
            self.row(row, y, row_height, place % 2 == 0, of_row)?;
            y += row_height;
        }
        // Over the bands of the rows.
        let one = EDGE + self.labels + 12.0 + self.scale.place(1.0) * PLOT;
        self.line("one", (one, top), (one, bottom))?;
        for note in captions.notes {
            y += LINE;
            self.text(EDGE, y + below, "soft", note)?;
        }
        self.raw("</svg>")
    }

    fn legend(&mut self, mut y: f64) -> io::Result<()> {
        let peers: Vec<String> = self.peers.iter().map(|peer| (*peer).to_owned()).collect();
        for (place, peer) in peers.iter().enumerate() {
            self.shape(place, (EDGE + 6.0, y), false)?;
            self.text(EDGE + 18.0, y + 4.0, "", &format!("ours / {peer}"))?;
            y += LINE;
        }
        let key = "Left of 1: ours takes less. Bar: the middle half of the rounds. Upright: the aim; a hollow \
                   mark misses it.";
        self.text(EDGE, y + 4.0, "soft", key)
    }

    fn grid(&mut self, top: f64, bottom: f64) -> io::Result<()> {
        for tick in self.scale.ticks() {
            let x = EDGE + self.labels + 12.0 + self.scale.place(tick) * PLOT;
            self.line("grid", (x, top - 6.0), (x, bottom))?;
            self.text(x, top - 10.0, "soft middle", &format!("{tick}"))?;
        }
        Ok(())
    }

    fn row<'m>(
        &mut self,
        name: &str,
        y: f64,
        height: f64,
        has_band: bool,
        marks: impl Iterator<Item = &'m Mark>,
    ) -> io::Result<()> {
        let left = EDGE + self.labels + 12.0;
        if has_band {
            // Under the labels alone: the lines across the marks stay seen.
            let band = [EDGE - 6.0, y, self.labels + 12.0, height].map(number);
            let band = [
                ("class", "band"),
                ("x", band[0].as_str()),
                ("y", band[1].as_str()),
                ("width", band[2].as_str()),
                ("height", band[3].as_str()),
            ];
            self.element("rect", &band, None)?;
        }
        let middle = y + height / 2.0;
        let label = shortened(name);
        self.text(left - 12.0, middle + 4.0, "end", &label)?;
        #[expect(clippy::cast_precision_loss, reason = "a few peers")]
        let several = (self.peers.len() as f64 - 1.0) / 2.0;
        for mark in marks {
            let peer = self.peers.iter().position(|peer| *peer == mark.peer);
            let peer = peer.unwrap_or(0);
            #[expect(clippy::cast_precision_loss, reason = "a few peers")]
            let number_of_peer = peer as f64;
            let y = middle + (number_of_peer - several) * 9.0;
            let x = |ratio: f64| left + self.scale.place(ratio) * PLOT;
            let (least, most) = (x(mark.middle_half.0), x(mark.middle_half.1));
            let (at, aim) = (x(mark.ratio), mark.at_most.map(x));
            self.line(&format!("p{}", peer % 4), (least, y), (most, y))?;
            if let Some(aim) = aim {
                self.line("aim", (aim, y - 4.5), (aim, y + 4.5))?;
            }
            self.shape(peer, (at, y), mark.is_missed())?;
            let x = left + PLOT + VALUES * (number_of_peer + 1.0) - 8.0;
            let value = format!("{:.2}", mark.ratio);
            let class = format!("end t{}", peer % 4);
            self.text(x, middle + 4.0, &class, &value)?;
        }
        Ok(())
    }

    /// The mark of a peer: shapes tell them apart where colours do not.
    fn shape(&mut self, peer: usize, (x, y): (f64, f64), is_missed: bool) -> io::Result<()> {
        let missed = if is_missed { " missed" } else { "" };
        let class = format!("p{}{missed}", peer % 4);
        let points = match peer % 4 {
            0 => {
                let [x, y] = [x, y].map(number);
                let circle = [("class", class.as_str()), ("cx", &x), ("cy", &y)];
                return self.element("circle", &[&circle[..], &[("r", "4")]].concat(), None);
            }
            1 => vec![(-3.6, -3.6), (3.6, -3.6), (3.6, 3.6), (-3.6, 3.6)],
            2 => vec![(0.0, -5.0), (5.0, 0.0), (0.0, 5.0), (-5.0, 0.0)],
            _ => vec![(0.0, -5.0), (4.6, 3.6), (-4.6, 3.6)],
        };
        let points = points.iter().map(|(dx, dy)| {
            let (x, y) = (number(x + dx), number(y + dy));
            format!("{x},{y}")
        });
        let points: Vec<String> = points.collect();
        let points = points.join(" ");
        self.element("polygon", &[("class", &class), ("points", &points)], None)
    }

    fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) -> io::Result<()> {
        let ends = [from.0, from.1, to.0, to.1].map(number);
        let attributes = [
            ("class", class),
            ("x1", &ends[0]),
            ("y1", &ends[1]),
            ("x2", &ends[2]),
            ("y2", &ends[3]),
        ];
        self.element("line", &attributes, None)
    }

    fn text(&mut self, x: f64, y: f64, class: &str, text: &str) -> io::Result<()> {
        let [x, y] = [x, y].map(number);
        let attributes = [("class", class), ("x", &x), ("y", &y)];
        self.element("text", &attributes, Some(text))
    }

    fn element(
        &mut self,
        name: &str,
        attributes: &[(&str, &str)],
        text: Option<&str>,
    ) -> io::Result<()> {
        let element = self.to.create_element(name);
        let element = element.with_attributes(attributes.iter().copied());
        match text {
            Some(text) => element.write_text_content(BytesText::new(text))?,
            None => element.write_empty()?,
        };
        Ok(())
    }

    /// What is no text of a bench's.
    fn raw(&mut self, text: &str) -> io::Result<()> {
        let text = BytesText::from_escaped(text);
        self.to.write_event(Event::Text(text))
    }
}

/// A length, as short as it says enough.
fn number(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

fn shortened(name: &str) -> String {
    if name.chars().count() <= LONGEST {
        return name.to_owned();
    }
    let kept: String = name.chars().take(LONGEST - 1).collect();
    kept + "…"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(row: &str, peer: &str, ratio: f64, at_most: Option<f64>) -> Mark {
        Mark {
            row: row.to_owned(),
            peer: peer.to_owned(),
            ratio,
            middle_half: (ratio * 0.9, ratio * 1.1),
            at_most,
        }
    }

    const CAPTIONS: Captions<'static> = Captions {
        title: "launches & <others>",
        circumstances: "2026-01-01",
        notes: &[],
    };

    #[test]
    fn all_marks_are_in_the_picture_and_the_text_is_escaped() {
        let marks = [
            mark("one", "a", 0.5, Some(1.0)),
            mark("one", "b", 4.0, Some(1.15)),
            mark("two", "a", 1.0, None),
        ];
        let picture = draw(CAPTIONS, &marks).unwrap();
        let count = |text: &str| picture.matches(text).count();
        // One more of each for the legend.
        assert_eq!(count("<circle "), 3);
        assert_eq!(count("<polygon "), 2);
        assert_eq!(count("class=\"p1 missed\""), 1);
        assert_eq!(count("class=\"aim\""), 2);
        assert!(picture.contains("launches &amp; &lt;others&gt;"));
        assert!(picture.contains(">4.00<"));
        let mut reader = quick_xml::Reader::from_str(&picture);
        while !matches!(reader.read_event().unwrap(), Event::Eof) {}
    }

    #[test]
    fn nothing_measured_is_no_picture() {
        assert_eq!(draw(CAPTIONS, &[]), None);
    }

    #[test]
    fn half_and_twice_are_equally_far_from_1() {
        let scale = Scale::of(&[mark("x", "a", 0.5, None), mark("x", "a", 2.0, None)]).unwrap();
        let [half, one, twice] = [0.5, 1.0, 2.0].map(|ratio| scale.place(ratio));
        assert!((one - half - (twice - one)).abs() < 1e-9);
        assert!(scale.ticks().contains(&1.0));
        // What is far outside is at the edge, and what is none is no edge.
        let wild = Scale::of(&[mark("x", "a", f64::NAN, None), mark("x", "a", 1e9, None)]).unwrap();
        assert!(wild.most < 6.0 && wild.least > 0.5);
        assert!((wild.place(1e9) - 1.0).abs() < 1e-9);
    }
}
