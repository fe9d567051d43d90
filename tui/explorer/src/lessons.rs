//! Lessons: programs with a task, which is checked by the facts of the analysis and by running the program.
//!
//! - `table`: the lessons

mod table;

use driver::arguments::argument;
use driver::spec;
use ide::explain::explain_item;
use queries::check;
use queries::db::{Database, File, Item, file_items};
use queries::run::{Engine, run};
use report::lanes::{Class, Explained, InLanes};
use report::{ItemKind, Severity, TextRange, TextSize};

pub use table::LESSONS;

/// A lesson.
#[derive(Debug)]
pub struct Lesson {
    /// The name of its file, without the number and the ending.
    pub name: &'static str,
    /// Its title.
    pub title: &'static str,
    /// Paragraphs to read before the task.
    pub words: &'static [&'static str],
    /// The task.
    pub task: &'static str,
    /// Things to look at, before the task or after it.
    pub look: &'static str,
    /// The program that it begins with, whose one kernel the goals are about.
    pub program: &'static str,
    /// The goals of the task, besides that the program has no errors.
    pub goals: &'static [Goal],
}

/// A goal of a task.
#[derive(Debug, Clone, Copy)]
pub enum Goal {
    /// Each loop runs as lanes, or stands in one that does.
    Lanes,
    /// Some loop has so many lanes.
    SoManyLanes(u16),
    /// A variable is the same in all lanes.
    Uniform(&'static str),
    /// All accesses in lanes are of these classes.
    Accesses(&'static [Class]),
    /// Lanes leave all loops together.
    Together,
    /// The kernel, or its loop, has this attribute.
    Attribute(&'static str),
    /// The kernel gives these results for these data: each data as `NAME=SPEC`, and each result as `lanescope run` prints it.
    Gives(&'static [&'static str], &'static str),
}

/// A step of a task, as far as somebody has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The condition that is to hold, in words.
    pub text: String,
    /// True if it holds.
    pub is_done: bool,
    /// The obstacle, if it is known.
    pub hint: Option<String>,
}

/// The number of steps of a run that is checked: more than any right answer takes.
const FUEL: u64 = 100_000;

impl Lesson {
    /// The name of its file: `03-masks.lane`.
    pub fn file_name(&self) -> String {
        let number = LESSONS.iter().position(|lesson| lesson.name == self.name).map_or(0, |n| n + 1);
        format!("{number:02}-{}.lane", self.name)
    }

    /// Checks a text for the target that questions are about.
    pub fn progress(&self, db: &Database, file: File) -> Vec<Step> {
        let mut steps = vec![without_errors(db, file)];
        let kernel = file_items(db, file).iter().copied().find(|item| item.kind(db) == ItemKind::Kernel);
        let explained = kernel.and_then(|item| explain_item(db, item)).filter(|_| steps[0].is_done);
        for goal in self.goals {
            steps.push(match (kernel, &explained) {
                (Some(item), Some(explained)) => goal.step(db, file, item, explained),
                _ => Step { text: goal.text(), is_done: false, hint: None },
            });
        }
        steps
    }
}

/// The step that the program has no errors.
fn without_errors(db: &Database, file: File) -> Step {
    let diagnostics = check::diagnostics(db, file);
    let error = diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Error);
    let hint = error.map(|error| format!("line {}: {}", line(db, file, error.range.start()), error.message));
    Step { text: "the program has no errors".to_owned(), is_done: hint.is_none(), hint }
}

impl Goal {
    /// Puts into words what is to hold.
    fn text(self) -> String {
        match self {
            Goal::Lanes => "the loop runs as lanes".to_owned(),
            Goal::SoManyLanes(lanes) => format!("the loop has {lanes} lanes"),
            Goal::Uniform(name) => format!("`{name}` is uniform: the same in all lanes"),
            Goal::Accesses(classes) => {
                let names: Vec<&str> = classes.iter().map(|class| class.name()).collect();
                format!("every load and store is {}", names.join(" or "))
            }
            Goal::Together => "all lanes leave every loop together".to_owned(),
            Goal::Attribute(name) => format!("`{name}` is written above the kernel or its loop"),
            Goal::Gives(data, result) => format!("with {} it gives {result}", data.join(", ")),
        }
    }

    fn step(self, db: &Database, file: File, item: Item<'_>, explained: &Explained<TextRange>) -> Step {
        let at = |range: &TextRange| line(db, file, range.start());
        let hint = match self {
            Goal::Lanes => {
                let is_in_order =
                    |it: &&report::lanes::Loop<TextRange>| !it.verdict.has_lanes() && it.in_lanes.is_none();
                // An outer loop may stay in order around one that has lanes.
                let has_some = explained.loops.iter().any(|it| it.verdict.has_lanes());
                let first = explained.loops.iter().find(is_in_order).filter(|_| !has_some);
                match first {
                    Some(it) => Some(format!("the loop in line {} is {}", at(&it.range), it.headline())),
                    None if explained.loops.is_empty() => Some("there is no loop".to_owned()),
                    None => None,
                }
            }
            Goal::SoManyLanes(lanes) => {
                let is_so = explained.loops.iter().any(|it| it.n_lanes() == Some(lanes));
                let now = explained.loops.first().map_or_else(|| "no loop".to_owned(), |it| it.headline());
                (!is_so).then(|| format!("now it has {now}"))
            }
            Goal::Uniform(name) => {
                let value = explained.values.iter().find(|value| value.is_definition && value.text == name);
                match value {
                    Some(value) if value.varies => {
                        let because =
                            value.because.first().map(|because| format!(", because of `{}`", because.place.text));
                        Some(format!("`{name}` in line {} varies{}", at(&value.range), because.unwrap_or_default()))
                    }
                    Some(_) => None,
                    None => Some(format!("there is no variable `{name}`")),
                }
            }
            Goal::Accesses(classes) => {
                let other = explained.accesses.iter().find(|access| !classes.contains(&access.class));
                other.map(|access| format!("`{}` in line {} is {}", access.text, at(&access.range), access.class))
            }
            Goal::Together => {
                let other = explained.loops.iter().find(|it| it.in_lanes.is_some_and(InLanes::waits));
                other.map(|it| format!("the loop in line {} goes on until its last lane has left", at(&it.range)))
            }
            Goal::Attribute(name) => {
                let is_marked = file.text(db).lines().any(|line| line.trim() == name);
                (!is_marked).then(|| "it stands in a line of its own".to_owned())
            }
            Goal::Gives(data, result) => {
                let given = given(db, item, data);
                (given != result).then(|| format!("it gives {given}"))
            }
        };
        Step { text: self.text(), is_done: hint.is_none(), hint }
    }
}

/// The results of a kernel, or the error that it ends with.
fn given(db: &Database, item: Item<'_>, data: &[&str]) -> String {
    let arguments: Result<Vec<_>, String> = data.iter().map(|data| argument(&spec::parse(data)?)).collect();
    let outcome = arguments.and_then(|arguments| {
        run(db, item, Engine::Scalar, &arguments, FUEL, &mut || false).map_err(|why| why.to_string())
    });
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(why) => return format!("nothing: {why}"),
    };
    if let Some(failure) = outcome.failure {
        return format!("an error: {}", failure.message);
    }
    let mut results: Vec<String> = outcome.result.iter().map(ToString::to_string).collect();
    for array in outcome.arrays {
        let elements: Vec<String> = array.elements.iter().map(ToString::to_string).collect();
        results.push(format!("{} = [{}]", array.name, elements.join(", ")));
    }
    results.join(", ")
}

fn line(db: &Database, file: File, at: TextSize) -> usize {
    file.text(db)[..usize::from(at)].matches('\n').count() + 1
}

#[cfg(test)]
mod tests;
