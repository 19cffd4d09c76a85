//! Writing ETF, so that [`parse`](super::parse()) reads back what was written.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::{Column, Etf};

/// Writes a file.
///
/// # Errors
/// When `out` cannot be written.
pub fn write(etf: &Etf, out: &mut impl Write) -> io::Result<()> {
    columns("state", &etf.variables, out)?;
    columns("edge", &etf.edge_labels, out)?;
    writeln!(out, "begin init")?;
    let initial: Vec<String> = etf.initial.iter().map(u32::to_string).collect();
    writeln!(out, "{}\nend init", initial.join(" "))?;
    let labels = etf.edge_labels.len();
    let mut line = Vec::new();
    for section in &etf.sections {
        writeln!(out, "begin trans")?;
        for (i, row) in section.rows().enumerate() {
            line.clear();
            let mut column = 0;
            for cell in row {
                line.extend(std::iter::repeat_n(b" *", (cell.column - column) as usize).flatten());
                write!(line, " {}/{}", cell.before, cell.after)?;
                column = cell.column + 1;
            }
            let rest = etf.variables.len() - column as usize;
            line.extend(std::iter::repeat_n(b" *", rest).flatten());
            for label in &section.labels[i * labels..(i + 1) * labels] {
                write!(line, " {label}")?;
            }
            line.push(b'\n');
            out.write_all(&line)?;
        }
        writeln!(out, "end trans")?;
    }
    for map in &etf.maps {
        writeln!(out, "begin map {}", typed(&map.label))?;
        for (pattern, value) in &map.rows {
            for cell in pattern {
                match cell {
                    Some(value) => write!(out, " {value}")?,
                    None => write!(out, " *")?,
                }
            }
            writeln!(out, " {value}")?;
        }
        writeln!(out, "end map")?;
    }
    for sort in &etf.sorts {
        writeln!(out, "begin sort {}", escaped(&sort.name))?;
        for value in &sort.values {
            writeln!(out, "{}", quoted(value))?;
        }
        writeln!(out, "end sort")?;
    }
    Ok(())
}

fn columns(section: &str, columns: &[Column], out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "begin {section}")?;
    if !columns.is_empty() {
        let columns: Vec<String> = columns.iter().map(typed).collect();
        writeln!(out, "{}", columns.join(" "))?;
    }
    writeln!(out, "end {section}")
}

fn typed(column: &Column) -> String {
    if column.name == "_" && column.sort == "_" {
        return "_".to_owned();
    }
    format!("{}:{}", escaped(&column.name), escaped(&column.sort))
}

fn escaped(name: &str) -> String {
    let mut escaped = String::with_capacity(name.len());
    for c in name.chars() {
        if !c.is_alphanumeric() && c != '_' {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

/// A value in quotes if it is text that fits on a line, and as its bytes otherwise.
fn quoted(value: &[u8]) -> String {
    match std::str::from_utf8(value) {
        Ok(text) if !text.chars().any(char::is_control) => {
            format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
        }
        _ => {
            let mut hex = String::from("#");
            for byte in value {
                let _ = write!(hex, "{byte:02x}");
            }
            hex.push('#');
            hex
        }
    }
}
