//! User settings as one table, from whose rows the reader, the JSON schema and the page in the docs are derived.
//!
//! Settings arrive as an object in which `hints.parameters` is `{"hints": {"parameters": …}}`, with or without `lanescope` around
//! it. A value of the wrong type is reported in the log and otherwise ignored.

use ide::hints::HintOptions;
use queries::stages::{STAGES, target};
use serde_json::{Map, Value, json};

/// Name of the target that stands for the machine the server runs on.
pub(crate) const NATIVE: &str = "native";

/// Notes on performance are hints, which editors mark in the text and list nowhere.
pub(crate) const HINTS: &str = "hints";
/// Notes on performance are information, which editors list among the problems.
pub(crate) const PROBLEMS: &str = "problems";
/// There are no notes on performance.
pub(crate) const OFF: &str = "off";

/// Values of all user settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// Categories of inlay hints that are shown.
    pub(crate) hints: HintOptions,
    /// Shows code lenses above kernels.
    pub(crate) lenses: bool,
    /// The form of notes on performance: one of [`HINTS`], [`PROBLEMS`] and [`OFF`].
    pub(crate) notes: String,
    /// Runs kernels on this machine where an action or a lens asks for it.
    pub(crate) run: bool,
    /// Stage at which a view opens by default.
    pub(crate) stage: String,
    /// Name of the target that kernels are analysed for.
    pub(crate) target: String,
    /// Names of further targets for which promises such as `@simd` are checked.
    pub(crate) targets: Vec<String>,
    /// Reads files of the workspace that are not open in the editor.
    pub(crate) workspace: bool,
    /// Folders of headers, and macros, for ISPC files.
    pub(crate) ispc_include: Vec<String>,
    pub(crate) ispc_define: Vec<String>,
    /// Target of ISPC files, as ispc names it; empty for that of the list of commands, or the one closest to `target`.
    pub(crate) ispc_target: String,
}

impl Default for Config {
    fn default() -> Self {
        let last = STAGES.last().map(|stage| stage.name).unwrap_or_default();
        Config {
            hints: HintOptions::default(),
            lenses: true,
            notes: HINTS.to_owned(),
            run: true,
            stage: last.to_owned(),
            target: NATIVE.to_owned(),
            targets: Vec::new(),
            workspace: true,
            ispc_include: Vec::new(),
            ispc_define: Vec::new(),
            ispc_target: String::new(),
        }
    }
}

/// A row of the table: one setting with its name, type and documentation.
struct Setting {
    name: &'static str,
    docs: &'static str,
    field: Field,
}

enum Field {
    Switch(fn(&mut Config) -> &mut bool),
    /// A word out of a list, some of which have a description.
    Word(fn(&mut Config) -> &mut String, fn() -> Vec<Word>),
    /// Any number of words out of a list.
    Words(fn(&mut Config) -> &mut Vec<String>, fn() -> Vec<Word>),
    Text(fn(&mut Config) -> &mut String),
    Texts(fn(&mut Config) -> &mut Vec<String>),
}

struct Word {
    word: &'static str,
    meaning: &'static str,
}

/// Builds a row from `switch`, `text`, `texts`, `word` or `words`, the setting's name, its field, the allowed words, and a description.
macro_rules! setting {
    (switch $name:literal, $($field:ident).+, $docs:literal) => {
        Setting { name: $name, docs: $docs, field: Field::Switch(|config| &mut config.$($field).+) }
    };
    (text $name:literal, $field:ident, $docs:literal) => {
        Setting { name: $name, docs: $docs, field: Field::Text(|config| &mut config.$field) }
    };
    (texts $name:literal, $field:ident, $docs:literal) => {
        Setting { name: $name, docs: $docs, field: Field::Texts(|config| &mut config.$field) }
    };
    (words $name:literal, $field:ident, $words:expr, $docs:literal) => {
        Setting { name: $name, docs: $docs, field: Field::Words(|config| &mut config.$field, $words) }
    };
    (word $name:literal, $field:ident, $words:expr, $docs:literal) => {
        Setting { name: $name, docs: $docs, field: Field::Word(|config| &mut config.$field, $words) }
    };
}

const SETTINGS: &[Setting] = &[
    setting!(switch "hints.parameters", hints.params, "Show the types of parameters that have none written down."),
    setting!(
        switch "hints.variables",
        hints.variables,
        "Show the types of variables and constants that have none written down."
    ),
    setting!(switch "hints.indices", hints.indices, "Show the types of loop indices."),
    setting!(switch "hints.lambdas", hints.lambdas, "Show the types of the parameters of lambdas."),
    setting!(switch "hints.results", hints.results, "Show the types of results that have none written down."),
    setting!(switch "hints.arguments", hints.arguments, "Show the names of parameters before literals in calls."),
    setting!(switch "hints.varying", hints.varying, "Show which variables vary from lane to lane."),
    setting!(
        switch "hints.accesses",
        hints.accesses,
        "Show what an access is, such as a gather or strided, unless it touches one cell or neighbouring ones."
    ),
    setting!(
        switch "hints.loops",
        hints.loops,
        "Show at the end of a loop's line how many lanes it has, or why it has none."
    ),
    setting!(
        switch "hints.costs",
        hints.costs,
        "Show beside the lanes of a loop how many cycles an element is estimated to take."
    ),
    setting!(
        switch "hints.defaultedOnly",
        hints.defaulted_only,
        "Show a type only where nothing decided it, so that it is a default."
    ),
    setting!(switch "lenses", lenses, "Show a line above each kernel that opens its lowered form."),
    setting!(
        word "notes",
        notes,
        notes,
        "How notes on performance, such as those on a gather or a loop without lanes, are shown beside errors and warnings."
    ),
    setting!(
        switch "run",
        run,
        "Run kernels on this machine where a lens or an action asks for it. VS Code runs none in a folder that is not trusted."
    ),
    setting!(word "stage", stage, stages, "The stage at which a view of the lowered program opens."),
    setting!(word "target", target, targets, "The target that kernels are analysed for: hints, hovers, notes and views show its lanes."),
    setting!(
        words "targets",
        targets,
        targets,
        "Other targets that `@simd`, `@no_gather`, `@no_scatter`, `@no_scratch` and `@cost` are to hold for: findings name those on which they do not."
    ),
    setting!(
        switch "workspace",
        workspace,
        "Read the sources of the workspace that are not open, so that their symbols and findings are known."
    ),
    setting!(
        texts "ispc.includeFolders",
        ispc_include,
        "Folders in which ISPC files look for headers, as by `-I`; relative ones are in the first folder of the workspace."
    ),
    setting!(texts "ispc.defines", ispc_define, "Macros for ISPC files, as by `-D`: `NAME` or `NAME=VALUE`."),
    setting!(
        text "ispc.target",
        ispc_target,
        "The target of ISPC files, as ispc names it: `avx2-i32x8`. If empty, that of `compile_commands.json`, or the one closest to `lanescope.target`."
    ),
];

fn notes() -> Vec<Word> {
    let words = [
        (HINTS, "marked in the text, and in no list of problems"),
        (PROBLEMS, "listed among the problems"),
        (OFF, "not at all"),
    ];
    words.map(|(word, meaning)| Word { word, meaning }).into()
}

fn stages() -> Vec<Word> {
    STAGES.iter().map(|stage| Word { word: stage.name, meaning: stage.description }).collect()
}

/// Lists the accepted target names: `native` and every known target.
fn targets() -> Vec<Word> {
    let named =
        target::names().into_iter().filter_map(|word| Some(Word { word, meaning: target::find(word)?.meaning }));
    std::iter::once(Word { word: NATIVE, meaning: "this machine" }).chain(named).collect()
}

/// The words of a list that a user chooses from. Of two names of one target, the first is listed.
fn listed(words: Vec<Word>) -> Vec<Word> {
    let mut listed: Vec<Word> = Vec::new();
    for word in words {
        let alias = |other: &Word| target::find(word.word).is_some_and(|it| target::find(other.word) == Some(it));
        if !listed.iter().any(alias) {
            listed.push(word);
        }
    }
    listed
}

impl Config {
    /// Reads settings from an object, and collects messages about wrong values.
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
    /// Assigns a value to the setting; `Err` says what was expected.
    fn set(&self, config: &mut Config, value: &Value) -> Result<(), String> {
        match self {
            Field::Switch(field) => {
                *field(config) = value.as_bool().ok_or("`true` or `false`")?;
            }
            Field::Word(field, words) => {
                let words: Vec<_> = words().iter().map(|it| it.word).collect();
                let word = value.as_str().filter(|word| words.contains(word));
                let word = word.ok_or_else(|| format!("one of {}", words.join(", ")))?;
                word.clone_into(field(config));
            }
            Field::Text(field) => value.as_str().ok_or("a text")?.clone_into(field(config)),
            Field::Texts(field) => {
                let texts = value.as_array().ok_or("a list of texts")?.iter();
                let texts = texts.map(|text| text.as_str().map(str::to_owned)).collect::<Option<_>>();
                *field(config) = texts.ok_or("a list of texts")?;
            }
            Field::Words(field, words) => {
                let known: Vec<_> = words().iter().map(|it| it.word).collect();
                let expected = || format!("a list of some of {}", known.join(", "));
                let wanted = value.as_array().ok_or_else(expected)?.iter();
                let wanted = wanted.map(|word| word.as_str().filter(|word| known.contains(word)).map(str::to_owned));
                *field(config) = wanted.collect::<Option<_>>().ok_or_else(expected)?;
            }
        }
        Ok(())
    }

    /// Builds the schema of the setting, with its default.
    fn schema(&self) -> Map<String, Value> {
        let mut config = Config::default();
        let schema = match self {
            Field::Switch(field) => json!({ "type": "boolean", "default": *field(&mut config) }),
            Field::Word(field, words) => {
                let (words, meanings): (Vec<_>, Vec<_>) =
                    listed(words()).iter().map(|it| (it.word, it.meaning)).unzip();
                let default = field(&mut config).clone();
                json!({ "type": "string", "enum": words, "enumDescriptions": meanings, "default": default })
            }
            Field::Text(field) => json!({ "type": "string", "default": field(&mut config).clone() }),
            Field::Texts(field) => {
                json!({ "type": "array", "items": { "type": "string" }, "default": field(&mut config).clone() })
            }
            Field::Words(field, words) => {
                let (words, meanings): (Vec<_>, Vec<_>) =
                    listed(words()).iter().map(|it| (it.word, it.meaning)).unzip();
                let items = json!({ "type": "string", "enum": words, "enumDescriptions": meanings });
                let default = field(&mut config).clone();
                json!({ "type": "array", "items": items, "uniqueItems": true, "default": default })
            }
        };
        match schema {
            Value::Object(schema) => schema,
            _ => Map::new(),
        }
    }
}

/// Builds the schema of all settings, in the form of VS Code's `contributes.configuration.properties`.
pub fn schema() -> Value {
    let property = |setting: &Setting| {
        let mut schema = setting.field.schema();
        schema.insert("markdownDescription".to_owned(), setting.docs.into());
        (format!("lanescope.{}", setting.name), Value::Object(schema))
    };
    Value::Object(SETTINGS.iter().map(property).collect())
}

/// Renders the page about the settings in the docs.
pub fn page() -> String {
    let mut page = "# Settings of the language server\n\n\
        A client sends them as `initializationOptions`, or as the section `lanescope` of its settings. The list is made from\n\
        the one table in `server/src/config.rs`, and so is [the schema](settings.schema.json).\n\n\
        | setting | default | does |\n|---|---|---|\n"
        .to_owned();
    for setting in SETTINGS {
        let schema = setting.field.schema();
        let mut docs = setting.docs.to_owned();
        let of_items = || schema.get("items").and_then(|items| items.get("enum"));
        if let Some(Value::Array(words)) = schema.get("enum").or_else(of_items) {
            let words: Vec<_> = words.iter().filter_map(Value::as_str).map(|word| format!("`{word}`")).collect();
            let which = if schema.contains_key("enum") { "One" } else { "Some" };
            docs += &format!(" {which} of {}.", words.join(", "));
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
        wanted.as_object_mut().expect("an object").values_mut().for_each(|it| it["scope"] = json!("window"));
        // Settings of the extension itself are not in the server's table.
        let own = |name: &str| ["lanescope.server.", "lanescope.trace."].iter().any(|it| name.starts_with(it));
        let mut found = written.as_object().expect("an object").clone();
        found.retain(|name, _| !own(name));
        assert_eq!(Value::Object(found), wanted, "`npm run settings` in editors/vscode writes them");
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../editors/vscode/README.md");
        let page = std::fs::read_to_string(page).expect("the extension's page");
        for (name, setting) in schema().as_object().expect("an object") {
            let row = format!("| `{name}` | {} |", setting["markdownDescription"].as_str().expect("a text"));
            assert!(page.contains(&row), "`npm run settings` in editors/vscode writes {row}");
        }
    }

    #[test]
    fn settings_are_read_one_by_one() {
        let settings = json!({ "lanescope": {
            "hints": { "parameters": false, "indices": true, "lambdas": 7, "results": null },
            "stage": "typed",
            "target": "sve",
            "targets": ["neon", "sse4"],
            "unknown": 1,
        }});
        let (config, wrong) = Config::read(&settings);
        let hints = HintOptions { params: false, indices: true, ..HintOptions::default() };
        let [stage, target] = ["typed", "sve"].map(str::to_owned);
        let targets = ["neon", "sse4"].map(str::to_owned).to_vec();
        assert_eq!(config, Config { hints, stage, target, targets, ..Config::default() });
        assert_eq!(wrong, ["the setting `lanescope.hints.lambdas` is 7; expected `true` or `false`"]);
        assert_eq!(Config::read(&json!({ "lenses": false })).0, Config { lenses: false, ..Config::default() });
        assert_eq!(Config::read(&json!("nonsense")), (Config::default(), Vec::new()));
        let (_, wrong) = Config::read(&json!({ "stage": "vectorised" }));
        assert!(wrong[0].contains("expected one of parsed, typed, "), "{wrong:?}");
        let (_, wrong) = Config::read(&json!({ "targets": ["neon", "altivec"] }));
        assert!(wrong[0].contains("expected a list of some of native, sse4, "), "{wrong:?}");
    }
}
