//! The pages that are made: options from the program, JSON documents from their schemas.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Map, Value};

use super::fill::filled;

/// The reference of options, as the program prints it.
pub fn options() -> String {
    let (code, out, said) = crate::document::run(&["manual", "--markdown"]);
    assert_eq!((code, &*said), (0, ""));
    out
}

const SCHEMAS: &str = "\
# JSON documents

Every field of every document that the program prints. This page is made from the [JSON Schemas](schemas/README.md);
`BOOK=update cargo test -p dalsegno-cli --test everyday book` writes it anew.

A field can be null only where that is said. A field that *may be missing* is left out where it does not apply.
";

/// The reference of the documents, from all schemas in a folder.
pub fn schemas(folder: &Path) -> String {
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .collect();
    files.sort();
    let mut out = SCHEMAS.to_owned();
    for path in files {
        let text = std::fs::read_to_string(&path).unwrap();
        let schema: Map<String, Value> = serde_json::from_str(&text).unwrap();
        let name = path.file_stem().unwrap().to_str().unwrap();
        let file = path.file_name().unwrap().to_str().unwrap();
        let title = schema["title"].as_str().unwrap();
        let _ = write!(out, "\n## {title}\n\n");
        let description = schema["description"].as_str().unwrap();
        out += &filled(&format!("{description} [The schema](schemas/{file})."), "");
        fields(name, &schema, &mut out);
        let Some(parts) = schema.get("$defs") else {
            continue;
        };
        for (part, schema) in parts.as_object().unwrap() {
            let _ = write!(out, "\n### {name}: {part}\n\n");
            let schema = schema.as_object().unwrap();
            if let Some(description) = schema.get("description") {
                out += &filled(description.as_str().unwrap(), "");
            }
            if schema.contains_key("properties") {
                fields(name, schema, &mut out);
            } else {
                out += &filled(&format!("It is {}.", kind(name, schema)), "");
            }
        }
    }
    out
}

/// A list of the fields of an object.
fn fields(name: &str, schema: &Map<String, Value>, out: &mut String) {
    let required: Vec<&str> = schema
        .get("required")
        .map(|names| {
            names
                .as_array()
                .unwrap()
                .iter()
                .filter_map(Value::as_str)
                .collect()
        })
        .unwrap_or_default();
    out.push('\n');
    for (field, schema) in schema["properties"].as_object().unwrap() {
        let schema = schema.as_object().unwrap();
        let missing = if required.contains(&&**field) {
            ""
        } else {
            "; may be missing"
        };
        let described = schema
            .get("description")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let line = format!("- `{field}` ({}{missing}). {described}", kind(name, schema));
        *out += &filled(line.trim_end(), "  ");
    }
}

/// What a value is, in words.
fn kind(name: &str, schema: &Map<String, Value>) -> String {
    if let Some(reference) = schema.get("$ref") {
        let part = reference.as_str().unwrap().rsplit('/').next().unwrap();
        return format!("[{part}](#{name}-{})", part.to_lowercase());
    }
    if let Some(value) = schema.get("const") {
        return format!("`{value}`");
    }
    if let Some(values) = schema.get("enum") {
        let values = values.as_array().unwrap().iter();
        return values
            .map(|value| format!("`{value}`"))
            .collect::<Vec<_>>()
            .join(", ");
    }
    if let Some(choices) = schema.get("anyOf") {
        let choices = choices.as_array().unwrap().iter();
        let choices = choices.map(|choice| kind(name, choice.as_object().unwrap()));
        return choices.collect::<Vec<_>>().join(" or ");
    }
    let of = |keyword: &str| {
        let inner = schema.get(keyword)?.as_object()?;
        Some(kind(name, inner))
    };
    let types = match &schema.get("type") {
        Some(Value::Array(types)) => types.iter().filter_map(Value::as_str).collect(),
        Some(Value::String(single)) => vec![&**single],
        _ => vec!["any value"],
    };
    let words =
        types.iter().map(
            |single| match (*single, of("items"), of("additionalProperties")) {
                ("array", Some(items), _) => format!("list of {items}"),
                ("object", _, Some(values)) => format!("object whose values are {values}"),
                (single, ..) => single.to_owned(),
            },
        );
    words.collect::<Vec<_>>().join(" or ")
}
