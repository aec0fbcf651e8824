//! File tables: what `sycl-post-link` made of one module, a row a split module.
//!
//! The first line names the columns, `[Code|Properties|Symbols]`; each further line has one file
//! name a column. Only the first column is always there.

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

const CODE: &str = "Code";
const PROPERTIES: &str = "Properties";
const SYMBOLS: &str = "Symbols";

impl FileTable {
    /// Reads a table.
    ///
    /// # Errors
    /// When the first line does not name known columns, or a row has another number of cells.
    pub fn parse(text: &str) -> Result<Self, TextError> {
        let mut lines = text.lines().enumerate();
        let title = lines.next().map_or("", |(_, line)| line);
        let columns = parse_title(title).map_err(|reason| TextError::new(1, reason))?;
        let mut table = FileTable {
            has_properties: columns.contains(&PROPERTIES),
            has_symbols: columns.contains(&SYMBOLS),
            rows: Vec::new(),
        };
        for (index, line) in lines.filter(|(_, line)| !line.is_empty()) {
            let row = parse_row(line, &columns);
            let row = row.map_err(|reason| TextError::new(index + 1, reason))?;
            table.rows.push(row);
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
        if ![CODE, PROPERTIES, SYMBOLS].contains(column) {
            return Err(format!("unknown column '{column}'"));
        }
        if columns.iter().take(index).any(|other| other == column) {
            return Err(format!("column '{column}' stands twice"));
        }
    }
    if !columns.contains(&CODE) {
        return Err("there is no column 'Code'".to_owned());
    }
    Ok(columns)
}

fn parse_row(line: &str, columns: &[&str]) -> Result<Row, String> {
    let cells: Vec<&str> = line.split('|').collect();
    if cells.len() != columns.len() {
        let (found, asked) = (cells.len(), columns.len());
        return Err(format!("{found} cells where the table has {asked} columns"));
    }
    let mut row = Row::default();
    for (column, cell) in columns.iter().zip(cells) {
        if cell.is_empty() {
            return Err(format!("the cell of column '{column}' is empty"));
        }
        match *column {
            PROPERTIES => row.properties = cell.to_owned(),
            SYMBOLS => row.symbols = cell.to_owned(),
            _ => row.code = cell.to_owned(),
        }
    }
    Ok(row)
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
    fn errors_name_the_line() {
        for (text, line, reason) in [
            ("", 1, "begins with"),
            ("[Code|Colour]\n", 1, "unknown column 'Colour'"),
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
