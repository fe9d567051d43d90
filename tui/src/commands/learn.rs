//! `lanescope learn`: lessons in the explorer, or as text where there is no terminal.

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use driver::document::Document;
use driver::files::write_whole;
use explorer::lessons::{LESSONS, Lesson, Step};
use explorer::session;
use explorer::state::Topic;
use explorer::state::file::OpenFile;

use crate::commands::explore;
use crate::console::{Console, Outcome};
use crate::highlight::STRONG;
use crate::lanes::LaneArgs;

const EXAMPLES: &str = "\
Examples:
  lanescope learn        open the first lesson whose task is not done
  lanescope learn 6      open the sixth

Without a terminal it lists the lessons, or prints one with its task and how far that has come.";

/// The arguments of `learn`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The number of a lesson
    #[arg(value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..=LESSONS.len() as i64))]
    lesson: Option<u16>,
    /// Check this file in place of what was written in the explorer; the exit code is 1 if the task is not done
    #[arg(long, value_name = "FILE", requires = "lesson")]
    check: Option<PathBuf>,
    /// Begin anew: of the lesson that is named, or of all
    #[arg(long)]
    reset: bool,
    #[command(flatten)]
    lanes: LaneArgs,
}

/// Runs the command.
pub fn run(args: &Args, console: &mut Console) -> io::Result<Outcome> {
    let number = args.lesson.map(|lesson| usize::from(lesson) - 1);
    if let (Some(path), Some(lesson)) = (&args.check, number) {
        return match fs::read_to_string(path) {
            Ok(text) => print(&LESSONS[lesson], text, args.lanes, console),
            Err(error) => console.trouble(&format!("{}: {error}", path.display())).map(|()| Outcome::Trouble),
        };
    }
    let Some(folder) = folder() else {
        let why = "there is no folder to keep lessons in; let LANESCOPE_STATE name a file in one";
        return console.trouble(why).map(|()| Outcome::Trouble);
    };
    let again = |n| args.reset && number.is_none_or(|number| number == n);
    let texts: io::Result<Vec<_>> =
        LESSONS.iter().enumerate().map(|(n, lesson)| text(&folder, lesson, again(n))).collect();
    let texts = match texts {
        Ok(texts) => texts,
        Err(error) => {
            return console.trouble(&format!("{}: {error}", folder.display())).map(|()| Outcome::Trouble);
        }
    };
    if !console.look().terminal || !io::stdin().is_terminal() {
        return match number {
            Some(lesson) => print(&LESSONS[lesson], texts[lesson].clone(), args.lanes, console).map(|_| Outcome::Done),
            None => list(&texts, args.lanes, console),
        };
    }
    let is_done = |n: usize| steps(&LESSONS[n], &texts[n], args.lanes).iter().all(|step| step.is_done);
    let first = number.or_else(|| (0..LESSONS.len()).find(|&n| !is_done(n))).unwrap_or(0);
    let files = LESSONS.iter().zip(texts).enumerate().map(|(n, (lesson, text))| {
        let name = lesson.file_name();
        let mut file = OpenFile::new(name.clone(), Some(folder.join(name)), text);
        file.lesson = Some(n);
        file
    });
    explore::open(files.collect(), args.lanes, None, console, |state| {
        state.current = first;
        state.topic = Topic::Task;
        state.settings.details = true;
    })
}

/// The folder with the user's copies of the lessons, beside what the explorer keeps from one time to the next.
pub(crate) fn folder() -> Option<PathBuf> {
    Some(session::path()?.parent()?.join("lessons"))
}

/// The user's text of a lesson, which is the lesson's own at first.
pub(crate) fn text(folder: &Path, lesson: &Lesson, again: bool) -> io::Result<String> {
    copy(folder, &lesson.file_name(), lesson.program, again)
}

/// The user's copy of a text that comes with the program, which is written if there is none yet, or again.
pub(crate) fn copy(folder: &Path, name: &str, own: &str, again: bool) -> io::Result<String> {
    let path = folder.join(name);
    match fs::read_to_string(&path) {
        Ok(text) if !again => Ok(text),
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => {
            fs::create_dir_all(folder)?;
            write_whole(&path, own)?;
            Ok(own.to_owned())
        }
    }
}

/// Checks the steps of a lesson's task.
pub(crate) fn steps(lesson: &Lesson, text: &str, lanes: LaneArgs) -> Vec<Step> {
    let document = Document::new(lesson.file_name(), text).made_for(&[lanes.options()]);
    lesson.progress(document.db(), document.file())
}

/// Lists the lessons, each with a mark if its task is done.
fn list(texts: &[String], lanes: LaneArgs, console: &mut Console) -> io::Result<Outcome> {
    for (n, (lesson, text)) in LESSONS.iter().zip(texts).enumerate() {
        let is_done = steps(lesson, text, lanes).iter().all(|step| step.is_done);
        let mark = if is_done { "done" } else { "    " };
        writeln!(console, "{:>2}  {mark}  {}", n + 1, lesson.title)?;
    }
    Ok(Outcome::Done)
}

/// Prints a lesson, and how far its task has come.
fn print(lesson: &Lesson, text: String, lanes: LaneArgs, console: &mut Console) -> io::Result<Outcome> {
    let look = console.look();
    let title = look.paint(STRONG, lesson.title);
    writeln!(console, "{title}\n")?;
    for words in lesson.words.iter().chain([&lesson.task]) {
        writeln!(console, "{words}\n")?;
    }
    let steps = steps(lesson, &text, lanes);
    for step in &steps {
        writeln!(console, "{} {}", if step.is_done { "[x]" } else { "[ ]" }, step.text)?;
        if let Some(hint) = &step.hint {
            writeln!(console, "    {hint}")?;
        }
    }
    writeln!(console, "\n{}\n\n{text}", lesson.look)?;
    Ok(if steps.iter().all(|step| step.is_done) { Outcome::Done } else { Outcome::Refused })
}
