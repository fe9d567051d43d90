//! From the configuration of a launch to a kernel at a stage, and its data.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use driver::arguments::argument_in;
use driver::document::Document;
use driver::examples;
use driver::inputs::Input;
use driver::{machine_code, spec, stages, targets};
use queries::db::Item;
use queries::run::{self, Argument, NotRun};
use queries::stages::{Options, Stage};
use queries::stepping::{self, Stepping};
use serde::Deserialize;
use serde_json::Value;

use driver::stepping::places::Places;

/// The configuration of a launch, as editors write it.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Launch {
    /// The file.
    program: PathBuf,
    /// The folder that the paths of files and data start in.
    cwd: Option<PathBuf>,
    kernel: Option<String>,
    /// The numbers of parameters, each as `lanescope run --arg` takes it.
    #[serde(default)]
    args: Args,
    /// The example of the kernel's documentation whose arguments it takes, from 1.
    example: Option<usize>,
    stage: Option<String>,
    target: Option<String>,
    lanes: Option<u16>,
    /// Stops before the first line. Left out, it does so if there are no breakpoints.
    pub(crate) stop_on_entry: Option<bool>,
    /// Stops behind the last line, from where one can step back.
    #[serde(default)]
    pub(crate) stop_at_end: bool,
    #[serde(default)]
    pub(crate) no_debug: bool,
}

/// Arguments, by name or as a list of `NAME=SPEC`.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
enum Args {
    Named(BTreeMap<String, Value>),
    Listed(Vec<String>),
}

impl Default for Args {
    fn default() -> Args {
        Args::Listed(Vec::new())
    }
}

impl Args {
    /// Each as `NAME=SPEC`.
    fn written(&self) -> Result<Vec<String>, String> {
        match self {
            Args::Listed(list) => Ok(list.clone()),
            Args::Named(named) => {
                named.iter().map(|(name, value)| Ok(format!("{name}={}", spelled(name, value)?))).collect()
            }
        }
    }
}

/// A value of JSON as the description of data: `"ramp(8)"`, `3`, or `[1, 2]`.
fn spelled(name: &str, value: &Value) -> Result<String, String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Number(_) | Value::Bool(_) => Ok(value.to_string()),
        Value::Array(elements) => {
            let elements: Result<Vec<_>, _> = elements.iter().map(|element| spelled(name, element)).collect();
            Ok(format!("[{}]", elements?.join(", ")))
        }
        Value::Null | Value::Object(_) => Err(format!("`args.{name}` is no data; write {}", spec::FORMS)),
    }
}

/// A kernel that has been launched, before its first op.
pub(crate) struct Program {
    /// The name of the kernel.
    pub(crate) kernel: String,
    /// The path of its file.
    pub(crate) path: PathBuf,
    /// The name of the stage that runs.
    pub(crate) stage: &'static Stage,
    /// The kernel and its data.
    pub(crate) stepping: Stepping,
    /// The places that its ops came from.
    pub(crate) places: Places,
    /// The description of its data, when that was chosen for the user.
    pub(crate) note: Option<String>,
}

/// Reads the file, and prepares the run of its kernel.
pub(crate) fn launch(launch: &Launch) -> Result<Program, String> {
    let folder = launch.cwd.clone().unwrap_or_default();
    let path = folder.join(&launch.program);
    let document = Input::File(path.clone()).read()?;
    let options = options(launch)?;
    let stage = match &launch.stage {
        None => queries::stages::usual(),
        Some(name) => stages::parse_run_stage(name)?,
    };
    let document = document.made_for(&[options]);
    let item = document.kernel(launch.kernel.as_deref(), "say which in `kernel` of the launch configuration")?;
    if let Some(error) = machine_code::errors(&document, &[item]).first() {
        let line = document.place(error.range.start()).line;
        return Err(format!("{}:{line}: {}; a kernel with errors cannot run", document.name, error.message));
    }
    let (arguments, note) = arguments(&document, item, launch, path.parent().unwrap_or(Path::new("")))?;
    let stepping = stepping::start(document.db(), item, stage, options, &arguments);
    let stepping = stepping.map_err(|why| match why {
        NotRun::Missing(_) => format!("{why}; write it in `args` of the launch configuration"),
        why => why.to_string(),
    })?;
    let places = Places::of(&document, item, stepping.kernel());
    let kernel = item.name(document.db()).to_string();
    Ok(Program { kernel, path, stage, stepping, places, note })
}

fn options(launch: &Launch) -> Result<Options, String> {
    let target = targets::parse_target(launch.target.as_deref().unwrap_or("native"))?;
    if launch.lanes.is_some_and(|lanes| !(1..=64).contains(&lanes)) {
        return Err("`lanes` is a number from 1 to 64".to_owned());
    }
    Ok(Options { lanes: launch.lanes, target: target.row })
}

/// The arguments that the launch gives; else those of an example, else sample data. A note says which were chosen.
fn arguments(
    document: &Document,
    item: Item<'_>,
    launch: &Launch,
    folder: &Path,
) -> Result<(Vec<Argument>, Option<String>), String> {
    let written = launch.args.written()?;
    if !written.is_empty() && launch.example.is_none() {
        let data_folder = launch.cwd.as_deref().unwrap_or(folder);
        let given = written.iter().map(|text| argument_in(data_folder, &spec::parse(text)?));
        return Ok((given.collect::<Result<_, _>>()?, None));
    }
    let db = document.db();
    let name: &str = item.name(db);
    let calls = examples::examples(document);
    let calls: Vec<_> =
        calls.iter().filter(|example| example.call.as_ref().is_ok_and(|call| call.kernel == name)).collect();
    let number = launch.example.unwrap_or(1);
    match (number.checked_sub(1).and_then(|n| calls.get(n)), launch.example) {
        (Some(example), _) => {
            let (_, arguments) = examples::called(document, example, folder)?;
            Ok((arguments, Some(format!("{name} is run on its example {number}"))))
        }
        (None, Some(number)) => {
            let n = driver::words::count(calls.len(), "example");
            Err(format!("`{name}` has {n} in its documentation, and no number {number}"))
        }
        (None, None) => {
            let sample = run::sample(db, item, &[]).unwrap_or_default();
            let arguments: Vec<_> =
                sample.into_iter().map(|it| Argument { name: it.name, source: it.source }).collect();
            let spelled = arguments.iter().map(|it| {
                let source = spec::spelled(&it.source).unwrap_or_default();
                format!("{}={source}", it.name)
            });
            let spelled: Vec<_> = spelled.collect();
            Ok((
                arguments,
                Some(format!(
                    "{name} is run on sample data: {}; `args` of the launch configuration gives it other data",
                    spelled.join(", ")
                )),
            ))
        }
    }
}
