//! Rows of data for the passes of a scenario, read from the text of a file: comma-separated with a header line, or a JSON array of objects.
//!
//! Pure: the bytes are handed in, so that a profile is checked and a load is fed by the same reading. Errors name lines and columns, never what
//! a cell holds: rows are accounts and passwords. It may import `text`.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::text::{clean_short, nearest};

/// Rows under named columns; at least one row, each with a cell for every column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rows {
    /// Names of the columns, in order.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<Cell>>,
}

/// One cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    /// As text.
    pub text: String,
    /// Whether it is a JSON number, truth value, null, list or object, and so stands without quotes where it is a whole JSON value. What comes
    /// from a comma-separated file is text.
    pub bare: bool,
}

/// How rows are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowsKind {
    /// A header line, then a line for each row; `,`, `;` or tab, whichever the header holds most of.
    Csv,
    /// An array of objects with the same fields.
    Json,
}

/// Why rows could not be read. `line` counts from 1, `row` too.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RowsError {
    /// Nothing at all, or no row below the header.
    #[error("it holds no row; a feeder needs at least one")]
    Empty,
    /// Not text.
    #[error("line {line} is not UTF-8; save the file as UTF-8")]
    NotText {
        /// Which line.
        line: u64,
    },
    /// A column without a name.
    #[error("column {column} of the header has no name; give each column one")]
    Nameless {
        /// Which column, from 1.
        column: usize,
    },
    /// Two columns of one name.
    #[error("the column `{name}` stands there twice; a placeholder could mean either")]
    Twice {
        /// Its name.
        name: String,
    },
    /// A row with more or fewer cells than the header.
    #[error("line {line} has {found} cells, the header has {wanted} ({columns}); a cell that holds the delimiter needs quotes")]
    Ragged {
        /// Which line.
        line: u64,
        /// Cells of the row.
        found: usize,
        /// Cells of the header.
        wanted: usize,
        /// The header's names.
        columns: String,
    },
    /// A quote or another mark where none may stand.
    #[error("line {line} can not be read as comma-separated values: {why}")]
    Malformed {
        /// Which line.
        line: u64,
        /// What is wrong.
        why: String,
    },
    /// Not JSON.
    #[error("it is not JSON: {why}")]
    NotJson {
        /// What is wrong, and where.
        why: String,
    },
    /// JSON, but no array of objects.
    #[error("it is JSON, but {found}; a feeder needs an array of objects: [{{\"username\": \"a\"}}, …]")]
    NotRows {
        /// What it is.
        found: String,
    },
    /// An object without a field that the first has, or with one that it has not.
    #[error("object {row} {how} the field `{field}`; every object needs the fields of the first ({columns})")]
    Uneven {
        /// Which object, from 1.
        row: usize,
        /// `lacks` or `adds`.
        how: &'static str,
        /// Which field.
        field: String,
        /// The first object's fields.
        columns: String,
    },
}

impl Rows {
    /// Reads rows of either kind.
    pub fn parse(kind: RowsKind, bytes: &[u8]) -> Result<Self, RowsError> {
        match kind {
            RowsKind::Csv => Self::csv(bytes),
            RowsKind::Json => Self::json(bytes),
        }
    }

    /// Reads comma-separated values with a header line. Names of columns lose the blanks around them, cells stay as they are.
    pub fn csv(bytes: &[u8]) -> Result<Self, RowsError> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let mut reader = csv::ReaderBuilder::new().delimiter(delimiter(bytes)).flexible(true).from_reader(bytes);
        let columns: Vec<String> = reader.headers().map_err(|e| malformed(&e))?.iter().map(|name| name.trim().to_owned()).collect();
        check_names(&columns)?;
        let mut rows = Vec::new();
        for record in reader.records() {
            let record = record.map_err(|e| malformed(&e))?;
            if record.len() != columns.len() {
                let line = record.position().map_or(0, csv::Position::line);
                return Err(RowsError::Ragged { line, found: record.len(), wanted: columns.len(), columns: list(&columns) });
            }
            rows.push(record.iter().map(|text| Cell { text: text.to_owned(), bare: false }).collect());
        }
        if rows.is_empty() { Err(RowsError::Empty) } else { Ok(Self { columns, rows }) }
    }

    /// Reads an array of objects. Texts are taken as they are, everything else keeps its type.
    pub fn json(bytes: &[u8]) -> Result<Self, RowsError> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        if bytes.trim_ascii().is_empty() {
            return Err(RowsError::Empty);
        }
        let read: Value = serde_json::from_slice(bytes).map_err(|e| RowsError::NotJson { why: e.to_string() })?;
        let Value::Array(items) = read else { return Err(RowsError::NotRows { found: kind(&read).to_owned() }) };
        let mut columns: Option<Vec<String>> = None;
        let mut rows = Vec::with_capacity(items.len());
        for (at, item) in items.into_iter().enumerate() {
            let Value::Object(fields) = item else {
                return Err(RowsError::NotRows { found: format!("item {} is {}", at + 1, kind(&item)) });
            };
            let columns = columns.get_or_insert_with(|| fields.keys().cloned().collect());
            rows.push(cells(at + 1, fields, columns)?);
        }
        let columns = columns.ok_or(RowsError::Empty)?;
        check_names(&columns)?;
        Ok(Self { columns, rows })
    }

    /// Which column has this name.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|c| c == name)
    }

    /// What to say of a column that is not there: the columns there are, and the one that was probably meant.
    #[must_use]
    pub fn missing(&self, name: &str) -> String {
        let known: Vec<&str> = self.columns.iter().map(String::as_str).collect();
        let meant = nearest(name, &known).map(|near| format!("; did you mean `{}`?", clean_short(near, 40)));
        format!("it has no column `{}`, only {}{}", clean_short(name, 40), list(&self.columns), meant.unwrap_or_default())
    }
}

/// Which of the delimiters the header holds most of, outside quotes.
fn delimiter(bytes: &[u8]) -> u8 {
    let mut counts = [(b',', 0_u32), (b';', 0), (b'\t', 0)];
    let mut quoted = false;
    for byte in bytes.iter().skip_while(|b| b.is_ascii_whitespace() && **b != b'\t') {
        match byte {
            b'"' => quoted = !quoted,
            b'\n' | b'\r' if !quoted => break,
            _ if quoted => {}
            byte => counts.iter_mut().filter(|c| c.0 == *byte).for_each(|c| c.1 += 1),
        }
    }
    // The last of equals wins; a comma should.
    counts.iter().rev().max_by_key(|c| c.1).map_or(b',', |c| c.0)
}

fn malformed(error: &csv::Error) -> RowsError {
    let line = error.position().map_or(1, csv::Position::line);
    match error.kind() {
        csv::ErrorKind::Utf8 { .. } => RowsError::NotText { line },
        _ => RowsError::Malformed { line, why: clean_short(&error.to_string(), 120) },
    }
}

fn check_names(columns: &[String]) -> Result<(), RowsError> {
    if columns.is_empty() {
        return Err(RowsError::Empty);
    }
    let mut seen: HashSet<&str> = HashSet::new();
    for (at, name) in columns.iter().enumerate() {
        if name.is_empty() {
            return Err(RowsError::Nameless { column: at + 1 });
        }
        if !seen.insert(name) {
            return Err(RowsError::Twice { name: clean_short(name, 40) });
        }
    }
    Ok(())
}

fn cells(row: usize, mut fields: Map<String, Value>, columns: &[String]) -> Result<Vec<Cell>, RowsError> {
    let uneven = |how, field: &str| RowsError::Uneven { row, how, field: clean_short(field, 40), columns: list(columns) };
    let mut cells = Vec::with_capacity(columns.len());
    for column in columns {
        cells.push(match fields.shift_remove(column) {
            None => return Err(uneven("lacks", column)),
            Some(Value::String(text)) => Cell { text, bare: false },
            Some(other) => Cell { text: other.to_string(), bare: true },
        });
    }
    match fields.keys().next() {
        Some(more) => Err(uneven("adds", more)),
        None => Ok(cells),
    }
}

const fn kind(value: &Value) -> &'static str {
    match value {
        Value::Object(_) => "an object",
        Value::Array(_) => "an array",
        Value::String(_) => "a text",
        Value::Number(_) => "a number",
        Value::Bool(_) => "a truth value",
        Value::Null => "null",
    }
}

/// At most so many names are listed.
const MOST_LISTED: usize = 12;

fn list(columns: &[String]) -> String {
    let mut names: Vec<String> = columns.iter().take(MOST_LISTED).map(|c| format!("`{}`", clean_short(c, 40))).collect();
    if columns.len() > MOST_LISTED {
        names.push(format!("{} more", columns.len() - MOST_LISTED));
    }
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn texts(rows: &Rows) -> Vec<Vec<&str>> {
        rows.rows.iter().map(|r| r.iter().map(|c| c.text.as_str()).collect()).collect()
    }

    #[test]
    fn any_of_the_usual_delimiters() {
        for text in [
            "name,pass\nann,\"a,;\tb\"\n",
            "name;pass\nann;\"a,;\tb\"",
            "name\tpass\r\nann\t\"a,;\tb\"\r\n",
            "\u{feff}name, pass\n\nann,\"a,;\tb\"\n",
        ] {
            let rows = Rows::csv(text.as_bytes()).unwrap();
            assert_eq!(
                (rows.columns.as_slice(), texts(&rows)),
                (["name".to_owned(), "pass".to_owned()].as_slice(), vec![vec!["ann", "a,;\tb"]]),
                "{text:?}"
            );
            assert_eq!((rows.column("pass"), rows.column("x")), (Some(1), None));
        }
    }

    #[test]
    fn one_column_needs_no_delimiter() {
        let rows = Rows::csv(b"id\n1\n2\n").unwrap();
        assert_eq!(texts(&rows), [["1"], ["2"]]);
        assert!(!rows.rows[0][0].bare, "a cell of a comma-separated file is text");
    }

    #[test]
    fn what_is_wrong_with_a_csv_is_said_with_its_line() {
        let said = |text: &[u8]| Rows::parse(RowsKind::Csv, text).unwrap_err().to_string();
        for text in [&b""[..], b"\n\n", b"a,b\n", b"\xef\xbb\xbf"] {
            assert_eq!(Rows::csv(text), Err(RowsError::Empty), "{text:?}");
        }
        assert!(said(b"a,b\n1,2\n3\n").contains("line 3 has 1 cells, the header has 2 (`a`, `b`)"));
        assert!(said(b"a,b\n1,2,3\n").contains("line 2 has 3 cells"));
        assert!(said(b"a,,c\n1,2,3\n").contains("column 2"));
        assert!(said(b"a,b,a\n1,2,3\n").contains("`a` stands there twice"));
        assert!(said(b"a,b\n1,\xff\xfe\n").contains("UTF-8"));
    }

    #[test]
    fn errors_do_not_show_cells() {
        for text in ["user,pass\nann,s3cret,x\n", "user,pass\nann\ns3cret\n"] {
            assert!(!Rows::csv(text.as_bytes()).unwrap_err().to_string().contains("s3cret"));
        }
        for text in [r#"[{"user":"s3cret"},{"user":"s3cret","b":"s3cret"}]"#, r#"["s3cret"]"#, r#"{"a":"s3cret"}"#, r#"[{"a":"s3cret"#] {
            assert!(!Rows::json(text.as_bytes()).unwrap_err().to_string().contains("s3cret"), "{text}");
        }
    }

    #[test]
    fn json_keeps_its_types() {
        let rows = Rows::parse(RowsKind::Json, br#"[{"id":7,"name":"a\"b","on":true},{"on":null,"name":"c","id":8}]"#).unwrap();
        assert_eq!(texts(&rows), [["7", "a\"b", "true"], ["8", "c", "null"]]);
        assert_eq!(rows.rows[0].iter().map(|c| c.bare).collect::<Vec<_>>(), [true, false, true]);
    }

    #[test]
    fn what_is_wrong_with_json_is_said() {
        let said = |text: &str| Rows::json(text.as_bytes()).unwrap_err().to_string();
        assert_eq!(Rows::json(b" \n"), Err(RowsError::Empty));
        assert_eq!(Rows::json(b"[]"), Err(RowsError::Empty));
        assert_eq!(Rows::json(b"[{}]"), Err(RowsError::Empty));
        assert!(said("[{").contains("not JSON") && said("[{").contains("line 1"));
        assert!(said(r#"{"rows":[]}"#).contains("an object"));
        assert!(said(r#"[{"a":1},2]"#).contains("item 2 is a number"));
        assert!(said(r#"[{"a":1,"b":2},{"a":1}]"#).contains("object 2 lacks the field `b`"));
        assert!(said(r#"[{"a":1},{"a":1,"c":2}]"#).contains("object 2 adds the field `c`"));
    }

    #[test]
    fn a_missing_column_is_told_with_the_ones_there_are() {
        let rows = Rows::csv(b"username,password\na,b\n").unwrap();
        let said = rows.missing("usename");
        assert!(
            said.contains("no column `usename`") && said.contains("`username`, `password`") && said.contains("did you mean `username`?"),
            "{said}"
        );
        assert!(!rows.missing("zzzzzzz").contains("did you mean"));
    }

    proptest! {
        #[test]
        fn any_bytes_are_rows_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            for kind in [RowsKind::Csv, RowsKind::Json] {
                if let Ok(rows) = Rows::parse(kind, &bytes) {
                    prop_assert!(!rows.rows.is_empty() && rows.rows.iter().all(|r| r.len() == rows.columns.len()));
                }
            }
        }
    }
}
