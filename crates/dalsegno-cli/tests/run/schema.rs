//! JSON Schemas, as far as those of the program need them: draft 2020-12 with few keywords.
//!
//! A keyword that is not known is a panic: a schema must not ask for more than is checked.

use serde_json::{Map, Value, json};

/// Keywords that may have any operand.
const KEYWORDS: [&str; 14] = [
    "$id",
    "$defs",
    "title",
    "description",
    "type",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "minItems",
    "minimum",
    "enum",
    "const",
    "anyOf",
];

/// A schema whose keywords are all known.
pub struct Schema(Value);

impl Schema {
    /// A schema of `docs/schemas`.
    pub fn named(name: &str) -> Self {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/schemas");
        let text = std::fs::read_to_string(format!("{folder}/{name}.json")).unwrap();
        Schema::new(serde_json::from_str(&text).unwrap())
    }

    /// A schema.
    ///
    /// # Panics
    /// If it has keywords that are not known, or refers to what is not there.
    pub fn new(root: Value) -> Self {
        each(&root, "", &mut |schema, at| {
            for (keyword, operand) in schema {
                let known = match keyword.as_str() {
                    "$schema" => *operand == "https://json-schema.org/draft/2020-12/schema",
                    "$ref" => target(&root, operand).is_some(),
                    "pattern" => matches_pattern(operand, "").is_some(),
                    keyword => KEYWORDS.contains(&keyword),
                };
                assert!(known, "{at}: unknown keyword {keyword}: {operand}");
            }
        });
        Schema(root)
    }

    /// The schema itself.
    pub fn root(&self) -> &Value {
        &self.0
    }

    /// Whether a value is of the schema; if not, where and why.
    pub fn check(&self, value: &Value) -> Result<(), String> {
        check(&self.0, &self.0, value, "")
    }
}

/// Calls `visit` with each schema inside a schema, and its place.
pub fn each(schema: &Value, at: &str, visit: &mut dyn FnMut(&Map<String, Value>, &str)) {
    let object = match schema {
        Value::Object(object) => object,
        Value::Bool(_) => return,
        other => panic!("{at}: no schema: {other}"),
    };
    visit(object, at);
    for (keyword, operand) in object {
        let inside = format!("{at}/{keyword}");
        match keyword.as_str() {
            "properties" | "$defs" => {
                for (name, schema) in operand.as_object().unwrap() {
                    each(schema, &format!("{inside}/{name}"), visit);
                }
            }
            "items" | "additionalProperties" => each(operand, &inside, visit),
            "anyOf" => {
                for schema in operand.as_array().unwrap() {
                    each(schema, &inside, visit);
                }
            }
            _ => {}
        }
    }
}

fn target<'s>(root: &'s Value, reference: &Value) -> Option<&'s Value> {
    root.pointer(reference.as_str()?.strip_prefix('#')?)
}

/// Whether a text is of a pattern; none if the pattern is none of those that the schemas use.
fn matches_pattern(pattern: &Value, text: &str) -> Option<bool> {
    let decimal = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    match pattern.as_str()? {
        "^[0-9]+$" => Some(decimal),
        r"^([0-9]+|\+inf)$" => Some(decimal || text == "+inf"),
        _ => None,
    }
}

fn is_type(value: &Value, name: &str) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => panic!("unknown type {name}"),
    }
}

fn check(root: &Value, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
    let Some(schema) = schema.as_object() else {
        return match schema {
            Value::Bool(true) => Ok(()),
            _ => Err(format!("{at}: must not be there")),
        };
    };
    for (keyword, operand) in schema {
        let refused = |why: &str| Err(format!("{at}: {why} {operand}: {value}"));
        match keyword.as_str() {
            "$ref" => check(root, target(root, operand).unwrap(), value, at)?,
            "type" => {
                let names = match operand {
                    Value::Array(names) => names.iter().map(|n| n.as_str().unwrap()).collect(),
                    name => vec![name.as_str().unwrap()],
                };
                if !names.iter().any(|name| is_type(value, name)) {
                    return refused("is not of type");
                }
            }
            "const" if value != operand => return refused("is not"),
            "enum" if !operand.as_array().unwrap().contains(value) => {
                return refused("is none of");
            }
            "anyOf" => {
                let schemas = operand.as_array().unwrap().iter();
                let tried: Result<Vec<String>, ()> = schemas
                    .map(|schema| check(root, schema, value, at).err().ok_or(()))
                    .collect();
                if let Ok(faults) = tried {
                    return Err(faults.join("; "));
                }
            }
            "pattern" => {
                let text = value.as_str();
                if text.is_some_and(|text| matches_pattern(operand, text) == Some(false)) {
                    return refused("is not of the pattern");
                }
            }
            "minimum" => {
                let least = operand.as_f64().unwrap();
                if value.as_f64().is_some_and(|number| number < least) {
                    return refused("is less than");
                }
            }
            "minItems" => {
                let length = value.as_array().map(|list| list.len() as u64);
                if length.is_some_and(|length| length < operand.as_u64().unwrap()) {
                    return refused("has fewer items than");
                }
            }
            "items" => {
                for (i, item) in value.as_array().into_iter().flatten().enumerate() {
                    check(root, operand, item, &format!("{at}/{i}"))?;
                }
            }
            "required" => {
                for name in operand.as_array().unwrap() {
                    let missing =
                        |object: &Map<String, Value>| !object.contains_key(name.as_str().unwrap());
                    if value.as_object().is_some_and(missing) {
                        return Err(format!("{at}: {name} is missing"));
                    }
                }
            }
            "properties" | "additionalProperties" => {
                let properties = schema.get("properties");
                for (name, field) in value.as_object().into_iter().flatten() {
                    let here = format!("{at}/{name}");
                    match properties.and_then(|p| p.get(name)) {
                        Some(own) if keyword == "properties" => check(root, own, field, &here)?,
                        None if keyword != "properties" => check(root, operand, field, &here)?,
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
    Ok(())
}

#[test]
fn values_that_are_not_of_a_schema_are_refused() {
    let schema = Schema::new(json!({
        "type": "object",
        "properties": {
            "kind": { "const": "a" },
            "count": { "$ref": "#/$defs/count" },
            "list": { "type": "array", "items": { "type": ["integer", "null"], "minimum": 0 }, "minItems": 2 },
            "free": { "type": "object", "additionalProperties": { "enum": ["x", null] } },
            "either": { "anyOf": [{ "type": "boolean" }, { "type": "number" }] },
        },
        "required": ["kind"],
        "additionalProperties": false,
        "$defs": { "count": { "type": "string", "pattern": "^[0-9]+$" } },
    }));
    let good = json!({
        "kind": "a", "count": "12", "list": [1, null], "free": { "u": "x", "v": null }, "either": 0.5,
    });
    assert_eq!(schema.check(&good), Ok(()));
    for (place, value, why) in [
        ("/kind", json!("b"), "is not \"a\""),
        ("/kind", json!(1), "is not \"a\""),
        ("/count", json!(12), "is not of type \"string\""),
        ("/count", json!("-1"), "is not of the pattern"),
        ("/count", json!(""), "is not of the pattern"),
        ("/list", json!([1]), "has fewer items than 2"),
        ("/list/1", json!("1"), "is not of type"),
        ("/list/1", json!(1.5), "is not of type"),
        ("/list/1", json!(-1), "is less than 0"),
        ("/free/u", json!("y"), "is none of"),
        ("/either", json!(null), "is not of type \"boolean\""),
    ] {
        let mut bad = good.clone();
        *bad.pointer_mut(place).unwrap() = value;
        let fault = schema.check(&bad).unwrap_err();
        assert!(
            fault.starts_with(&format!("{place}: ")) && fault.contains(why),
            "{fault}"
        );
    }
    let mut more = good.clone();
    more["more"] = json!(1);
    assert_eq!(
        schema.check(&more),
        Err("/more: must not be there".to_owned())
    );
    let missing = schema.check(&json!({ "count": "1" }));
    assert_eq!(missing, Err(": \"kind\" is missing".to_owned()));
    assert!(schema.check(&json!([])).is_err());
}

#[test]
#[should_panic(expected = "/properties/a: unknown keyword maxLength")]
fn a_keyword_that_is_not_checked_is_refused() {
    Schema::new(json!({ "properties": { "a": { "maxLength": 1 } } }));
}
