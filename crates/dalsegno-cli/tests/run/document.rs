//! Documents that the program prints as JSON.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::schema::Schema;

/// A folder of its own for a test.
pub fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}

/// A file in a folder, by its path.
pub fn file(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

/// A net of a family, in a file.
pub fn generated(folder: &Path, arguments: &[&str]) -> String {
    let path = folder.join("generated.pnml").to_str().unwrap().to_owned();
    let (code, ..) = run(&[&["generate"], arguments, &["-o", &path]].concat());
    assert_eq!(code, 0);
    path
}

/// The exit code and what was printed.
pub fn run(arguments: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_dalsegno"))
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let code = output.status.code().expect("ended by itself");
    (code, text(output.stdout), text(output.stderr))
}

/// The documents that a run prints, which ends as told.
pub fn documents(arguments: &[&str], code: i32) -> Vec<Value> {
    let (ended, out, said) = run(&[arguments, &["--format", "json"]].concat());
    assert_eq!(ended, code, "{arguments:?}: {out}{said}");
    let values = serde_json::Deserializer::from_str(&out).into_iter();
    let values: Result<Vec<Value>, _> = values.collect();
    values.unwrap_or_else(|error| panic!("{arguments:?}: {error}: {out}"))
}

/// The only document that a run prints, which is of a schema and has these values at these places.
pub fn document(schema: &Schema, arguments: &[&str], code: i32, has: &[(&str, Value)]) -> Value {
    let mut documents = documents(arguments, code);
    assert_eq!(documents.len(), 1, "{arguments:?}");
    let value = documents.remove(0);
    if let Err(fault) = schema.check(&value) {
        panic!("{arguments:?}: {fault}\n{value:#}");
    }
    for (place, expected) in has {
        assert_eq!(
            value.pointer(place),
            Some(expected),
            "{arguments:?}: {place}\n{value:#}"
        );
    }
    refuses_other_fields(schema, &value);
    value
}

/// Less or more than what is printed is not of the schema.
fn refuses_other_fields(schema: &Schema, value: &Value) {
    let mut more = value.clone();
    more["other"] = Value::Null;
    assert!(schema.check(&more).is_err(), "{value:#}");
    for field in schema.root()["required"].as_array().unwrap() {
        let mut less = value.clone();
        less.as_object_mut()
            .unwrap()
            .remove(field.as_str().unwrap());
        assert!(schema.check(&less).is_err(), "{field}: {value:#}");
    }
}
