//! What a user can set, as one table: reading settings, their schema and their page in the docs follow from its rows.
//!
//! Settings come as an object, in which `hints.parameters` is `{"hints": {"parameters": …}}`, with or without `lanescope`
//! around it. A value of the wrong type is named in the log and otherwise as if it were not there.

use analysis::ide::hints::HintOptions;
use analysis::stages::STAGES;
use serde_json::{Map, Value, json};

/// What a user wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// Which hints are shown.
    pub(crate) hints: HintOptions,
    /// Whether kernels have lenses above them.
    pub(crate) lenses: bool,
    /// The stage that a view opens at.
    pub(crate) stage: String,
    /// Whether files of the workspace that are not open are read.
    pub(crate) workspace: bool,
}

impl Default for Config {
    fn default() -> Self {
        let last = STAGES.last().map(|stage| stage.name).unwrap_or_default();
        Config { hints: HintOptions::default(), lenses: true, stage: last.to_owned(), workspace: true }
    }
}

/// A setting.
struct Setting {
    name: &'static str,
    docs: &'static str,
    field: Field,
}

enum Field {
    Switch(fn(&mut Config) -> &mut bool),
    /// One of a list of words.
    Word(fn(&mut Config) -> &mut String, fn() -> Vec<&'static str>),
}

const SETTINGS: &[Setting] = &[
    switch(
        "hints.parameters",
        |config| &mut config.hints.params,
        "Show the types of parameters that have none written down.",
    ),
    switch(
        "hints.variables",
        |config| &mut config.hints.variables,
        "Show the types of variables and constants that have none written down.",
    ),
    switch("hints.indices", |config| &mut config.hints.indices, "Show the types of loop indices."),
    switch("hints.lambdas", |config| &mut config.hints.lambdas, "Show the types of the parameters of lambdas."),
    switch(
        "hints.results",
        |config| &mut config.hints.results,
        "Show the types of results that have none written down.",
    ),
    switch("hints.varying", |config| &mut config.hints.varying, "Show which variables vary from lane to lane."),
    switch(
        "hints.accesses",
        |config| &mut config.hints.accesses,
        "Show what accesses are that do not simply touch one cell, or neighbouring ones.",
    ),
    switch(
        "hints.loops",
        |config| &mut config.hints.loops,
        "Show at the end of a loop's line how many lanes it has, or why it has none.",
    ),
    switch(
        "hints.defaultedOnly",
        |config| &mut config.hints.defaulted_only,
        "Show a type only where nothing decided it, so that it is a default.",
    ),
    switch("lenses", |config| &mut config.lenses, "Show a line above each kernel that opens its lowered form."),
    word(
        "stage",
        |config| &mut config.stage,
        || STAGES.iter().map(|stage| stage.name).collect(),
        "The stage at which a view of the lowered program opens.",
    ),
    switch(
        "workspace",
        |config| &mut config.workspace,
        "Read the `.lane` files of the workspace that are not open, so that symbols and findings in them are known.",
    ),
];

const fn switch(name: &'static str, field: fn(&mut Config) -> &mut bool, docs: &'static str) -> Setting {
    Setting { name, docs, field: Field::Switch(field) }
}

const fn word(
    name: &'static str,
    field: fn(&mut Config) -> &mut String,
    words: fn() -> Vec<&'static str>,
    docs: &'static str,
) -> Setting {
    Setting { name, docs, field: Field::Word(field, words) }
}

impl Config {
    /// The settings of an object, and what is wrong with it.
    pub(crate) fn read(settings: &Value) -> (Config, Vec<String>) {
        let settings = settings.get("lanescope").unwrap_or(settings);
        let (mut config, mut wrong) = (Config::default(), Vec::new());
        for setting in SETTINGS {
            let path = format!("/{}", setting.name.replace('.', "/"));
            let Some(value) = settings.pointer(&path).filter(|value| !value.is_null()) else { continue };
            if let Err(expected) = setting.field.set(&mut config, value) {
                wrong.push(format!("the setting `lanescope.{}` is {value}; expected {expected}", setting.name));
            }
        }
        (config, wrong)
    }
}

impl Field {
    /// Sets it; `Err` says what was expected.
    fn set(&self, config: &mut Config, value: &Value) -> Result<(), String> {
        match self {
            Field::Switch(field) => {
                *field(config) = value.as_bool().ok_or("`true` or `false`")?;
            }
            Field::Word(field, words) => {
                let words = words();
                let word = value.as_str().filter(|word| words.contains(word));
                let word = word.ok_or_else(|| format!("one of {}", words.join(", ")))?;
                word.clone_into(field(config));
            }
        }
        Ok(())
    }

    /// Its schema, with its default.
    fn schema(&self) -> Map<String, Value> {
        let mut config = Config::default();
        let schema = match self {
            Field::Switch(field) => json!({ "type": "boolean", "default": *field(&mut config) }),
            Field::Word(field, words) => {
                json!({ "type": "string", "enum": words(), "default": field(&mut config).clone() })
            }
        };
        match schema {
            Value::Object(schema) => schema,
            _ => Map::new(),
        }
    }
}

/// The schema of all settings, in the form that VS Code's `contributes.configuration.properties` has.
pub fn schema() -> Value {
    let property = |setting: &Setting| {
        let mut schema = setting.field.schema();
        schema.insert("markdownDescription".to_owned(), setting.docs.into());
        (format!("lanescope.{}", setting.name), Value::Object(schema))
    };
    Value::Object(SETTINGS.iter().map(property).collect())
}

/// The page about the settings in the docs.
pub fn page() -> String {
    let mut page = "# Settings of the language server\n\n\
        A client sends them as `initializationOptions`, or as the section `lanescope` of its settings. The list is made from\n\
        the one table in `server/src/config.rs`, and so is [the schema](settings.schema.json).\n\n\
        | setting | default | does |\n|---|---|---|\n"
        .to_owned();
    for setting in SETTINGS {
        let schema = setting.field.schema();
        let mut docs = setting.docs.to_owned();
        if let Some(Value::Array(words)) = schema.get("enum") {
            let words: Vec<_> = words.iter().filter_map(Value::as_str).map(|word| format!("`{word}`")).collect();
            docs += &format!(" One of {}.", words.join(", "));
        }
        page += &format!("| `lanescope.{}` | `{}` | {docs} |\n", setting.name, schema["default"]);
    }
    page
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use expect_test::expect_file;

    use super::*;

    #[test]
    fn docs_and_schema_are_those_of_the_table() {
        let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
        expect_file![docs.join("settings.md")].assert_eq(&page());
        let schema = serde_json::to_string_pretty(&schema()).expect("a schema") + "\n";
        expect_file![docs.join("settings.schema.json")].assert_eq(&schema);
    }

    #[test]
    fn the_manifest_of_the_extension_has_all_of_them() {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../editors/vscode/package.json");
        let manifest = std::fs::read_to_string(manifest).expect("the extension's manifest");
        let manifest: Value = serde_json::from_str(&manifest).expect("JSON");
        let written = &manifest["contributes"]["configuration"]["properties"];
        let mut wanted = schema();
        wanted.as_object_mut().expect("an object").values_mut().for_each(|it| it["scope"] = json!("resource"));
        // Those of the extension itself are in no table of ours.
        let own = |name: &str| {
            name == "lanescope.target"
                || ["lanescope.server.", "lanescope.trace."].iter().any(|it| name.starts_with(it))
        };
        let mut found = written.as_object().expect("an object").clone();
        found.retain(|name, _| !own(name));
        assert_eq!(Value::Object(found), wanted, "`npm run settings` in editors/vscode writes them");
    }

    #[test]
    fn settings_are_read_one_by_one() {
        let settings = json!({ "lanescope": {
            "hints": { "parameters": false, "indices": true, "lambdas": 7, "results": null },
            "stage": "typed",
            "unknown": 1,
        }});
        let (config, wrong) = Config::read(&settings);
        let hints = HintOptions { params: false, indices: true, ..HintOptions::default() };
        assert_eq!(config, Config { hints, stage: "typed".to_owned(), ..Config::default() });
        assert_eq!(wrong, ["the setting `lanescope.hints.lambdas` is 7; expected `true` or `false`"]);
        assert_eq!(Config::read(&json!({ "lenses": false })).0, Config { lenses: false, ..Config::default() });
        assert_eq!(Config::read(&json!("nonsense")), (Config::default(), Vec::new()));
        let (_, wrong) = Config::read(&json!({ "stage": "vectorised" }));
        assert!(wrong[0].contains("expected one of parsed, typed, "), "{wrong:?}");
    }
}
