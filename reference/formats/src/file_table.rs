//! File tables: what `sycl-post-link` made of one module, a row a split module.
//!
//! The first line names the columns, `[Code|Properties|Symbols]`; each further line has one file
//! name a column. Of these three only the first is always there in what the toolchain makes; other
//! tools may add columns of their own.

use std::path::Path;

use crate::TextError;

/// A table of files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileTable {
    /// Whether there is a column of property-set files.
    pub has_properties: bool,
    /// Whether there is a column of symbols files.
    pub has_symbols: bool,
    /// The split modules, in order.
    pub rows: Vec<Row>,
}

/// The files of one split module. Relative names are relative to where the tools run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Row {
    /// The device code.
    pub code: String,
    /// Its property sets; empty when the table has no such column.
    pub properties: String,
    /// Its symbols file; empty when the table has no such column.
    pub symbols: String,
}

/// The title of the column of device code.
pub const CODE: &str = "Code";
/// The title of the column of property-set files.
pub const PROPERTIES: &str = "Properties";
const SYMBOLS: &str = "Symbols";

/// A table as it is written, whatever its columns are: for tools that hand rows on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lines<'a> {
    title: &'a str,
    columns: Vec<&'a str>,
    /// The rows in order, each with its number as a line of the file.
    pub rows: Vec<(usize, &'a str)>,
}

impl<'a> Lines<'a> {
    /// Parts a table into lines and reads the first of them.
    ///
    /// # Errors
    /// When the first line names no columns, or one of them twice.
    pub fn parse(text: &'a str) -> Result<Self, TextError> {
        let mut lines = (1..).zip(text.lines());
        let title = lines.next().map_or("", |(_, line)| line);
        let columns = parse_title(title).map_err(|reason| TextError::new(1, reason))?;
        Ok(Lines {
            title,
            columns,
            rows: lines.filter(|(_, line)| !line.is_empty()).collect(),
        })
    }

    /// Whether there is a column of this title.
    #[must_use]
    pub fn has(&self, column: &str) -> bool {
        self.columns.contains(&column)
    }

    /// The cell of a row under the title `column`; `None` when there is no such column.
    ///
    /// # Errors
    /// When the row has another number of cells than the table has columns, or the cell is empty.
    pub fn cell(
        &self,
        (number, line): (usize, &'a str),
        column: &str,
    ) -> Result<Option<&'a str>, TextError> {
        let (found, asked) = (line.split('|').count(), self.columns.len());
        if found != asked {
            let reason = format!("{found} cells where the table has {asked} columns");
            return Err(TextError::new(number, reason));
        }
        let mut cells = self.columns.iter().zip(line.split('|'));
        match cells.find(|(title, _)| **title == column) {
            Some((_, "")) => {
                let reason = format!("the cell of column '{column}' is empty");
                Err(TextError::new(number, reason))
            }
            found => Ok(found.map(|(_, cell)| cell)),
        }
    }

    /// The table with the rows that it has now.
    #[must_use]
    pub fn to_text(&self) -> String {
        let rows = self.rows.iter().map(|(_, line)| *line);
        let lines = std::iter::once(self.title).chain(rows);
        lines.flat_map(|line| [line, "\n"]).collect()
    }
}

impl FileTable {
    /// Reads a table. What stands in columns of other tools is left out.
    ///
    /// # Errors
    /// When the first line names no column of code, or a row has another number of cells.
    pub fn parse(text: &str) -> Result<Self, TextError> {
        let lines = Lines::parse(text)?;
        if !lines.has(CODE) {
            return Err(TextError::new(1, "there is no column 'Code'"));
        }
        let mut table = FileTable {
            has_properties: lines.has(PROPERTIES),
            has_symbols: lines.has(SYMBOLS),
            rows: Vec::new(),
        };
        for row in &lines.rows {
            let cell = |column| lines.cell(*row, column);
            table.rows.push(Row {
                code: cell(CODE)?.unwrap_or_default().to_owned(),
                properties: cell(PROPERTIES)?.unwrap_or_default().to_owned(),
                symbols: cell(SYMBOLS)?.unwrap_or_default().to_owned(),
            });
        }
        Ok(table)
    }

    /// Writes the table.
    ///
    /// # Errors
    /// When a file name is empty or holds a line break or `|`: the form cannot carry it.
    pub fn to_text(&self) -> Result<String, TextError> {
        let mut text = format!("[{}]\n", self.cells(CODE, PROPERTIES, SYMBOLS).join("|"));
        for (index, row) in self.rows.iter().enumerate() {
            let cells = self.cells(&row.code, &row.properties, &row.symbols);
            if let Some(cell) = cells.iter().find(|cell| !can_stand_in_a_cell(cell)) {
                let reason = format!("{cell:?} cannot stand in a file table");
                return Err(TextError::new(index + 2, reason));
            }
            text.push_str(&cells.join("|"));
            text.push('\n');
        }
        Ok(text)
    }

    /// The code files, in order.
    pub fn code(&self) -> impl Iterator<Item = &Path> {
        self.rows.iter().map(|row| Path::new(&row.code))
    }

    fn cells<'a>(&self, code: &'a str, properties: &'a str, symbols: &'a str) -> Vec<&'a str> {
        let mut cells = vec![code];
        cells.extend(self.has_properties.then_some(properties));
        cells.extend(self.has_symbols.then_some(symbols));
        cells
    }
}

fn can_stand_in_a_cell(cell: &str) -> bool {
    !cell.is_empty() && !cell.contains(['|', '\n', '\r'])
}

fn parse_title(line: &str) -> Result<Vec<&str>, String> {
    let inner = line
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    let inner = inner.ok_or("a file table begins with a line like [Code|Properties|Symbols]")?;
    let columns: Vec<&str> = inner.split('|').collect();
    for (index, column) in columns.iter().enumerate() {
        if columns.iter().take(index).any(|other| other == column) {
            return Err(format!("column '{column}' stands twice"));
        }
    }
    Ok(columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(stem: &str) -> Row {
        Row {
            code: format!("{stem}.bc"),
            properties: format!("{stem}.prop"),
            symbols: format!("{stem}.sym"),
        }
    }

    #[test]
    fn a_full_table_comes_back() {
        let table = FileTable {
            has_properties: true,
            has_symbols: true,
            rows: vec![row("d_0"), row("d_1")],
        };
        let text = table.to_text().unwrap();
        assert_eq!(
            text,
            "[Code|Properties|Symbols]\nd_0.bc|d_0.prop|d_0.sym\nd_1.bc|d_1.prop|d_1.sym\n"
        );
        assert_eq!(FileTable::parse(&text).unwrap(), table);
    }

    #[test]
    fn columns_that_were_not_asked_for_are_absent() {
        let table = FileTable::parse("[Code|Symbols]\nm.bc|m.sym\n").unwrap();
        assert!(!table.has_properties && table.has_symbols);
        assert_eq!(table.rows[0].symbols, "m.sym");
        assert_eq!(table.to_text().unwrap(), "[Code|Symbols]\nm.bc|m.sym\n");
    }

    #[test]
    fn columns_of_other_tools_are_no_hindrance() {
        let text = "[Bundle|Code|Colour]\nb|m.bc|\n";
        let table = FileTable::parse(text).unwrap();
        assert_eq!(table.code().collect::<Vec<_>>(), [Path::new("m.bc")]);
        assert!(!table.has_properties && !table.has_symbols);
    }

    #[test]
    fn lines_stay_as_they_are_written() {
        let text = "[Bundle|Properties]\n|a.prop\nb|b.prop\n";
        let mut lines = Lines::parse(text).unwrap();
        assert_eq!(lines.to_text(), text);
        let cell = lines.cell(lines.rows[1], PROPERTIES).unwrap();
        assert_eq!(cell, Some("b.prop"));
        assert_eq!(lines.cell(lines.rows[0], "Code").unwrap(), None);
        let empty = lines.cell(lines.rows[0], "Bundle").unwrap_err();
        assert_eq!(empty.line, 2);
        lines.rows.remove(0);
        assert_eq!(lines.to_text(), "[Bundle|Properties]\nb|b.prop\n");
    }

    #[test]
    fn errors_name_the_line() {
        for (text, line, reason) in [
            ("", 1, "begins with"),
            ("Code|Symbols\n", 1, "begins with"),
            ("[Symbols]\n", 1, "no column 'Code'"),
            ("[Code|Code]\n", 1, "twice"),
            ("[Code|Symbols]\na.bc|a.sym\nb.bc\n", 3, "1 cells"),
            ("[Code|Symbols]\na.bc|\n", 2, "'Symbols' is empty"),
        ] {
            let error = FileTable::parse(text).unwrap_err();
            assert_eq!(error.line, line, "{text:?}");
            assert!(error.reason.contains(reason), "{text:?}: {error}");
        }
    }

    #[test]
    fn a_name_with_a_bar_is_refused() {
        let rows = vec![row("a|b")];
        let table = FileTable {
            rows,
            ..FileTable::default()
        };
        assert_eq!(table.to_text().unwrap_err().line, 2);
    }
}
