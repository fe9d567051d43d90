//! `lanescope` without a file: the explorer's starting page, with recent files, lessons and examples. Without a terminal, how the command
//! is used.

use std::fs;
use std::io::{self, IsTerminal};
use std::path::Path;

use driver::surface::Surface;
use explorer::lessons::LESSONS;
use explorer::session::{self, Session};
use explorer::start::{StartEntry, StartPage};
use explorer::state::file::OpenFile;

use crate::cli;
use crate::commands::{explore, learn};
use crate::console::{Console, Outcome};
use crate::lanes::LaneArgs;

/// The most recent files on the page.
const MOST_RECENT: usize = 10;

macro_rules! examples {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../../examples/", $name)))),*]
    };
}

/// The examples that come with the program.
const EXAMPLES: &[(&str, &str)] = examples![
    "scale_audio.lane",
    "color_by_number.lane",
    "audio.lane",
    "filters.lane",
    "futhark.lane",
    "image.lane",
    "ispc.lane",
    "julia.lane",
    "lookup.lane",
    "loudness.lane",
    "mandelbrot.lane",
    "matmul.lane",
    "memory.lane",
    "nadya.lane",
    "nbody.lane",
    "nbody_fast.lane",
    "neural.lane",
    "options.lane",
    "particles.lane",
    "pypy.lane",
    "raymarch.lane",
    "shapes.lane",
    "softmax.lane",
    "synth.lane",
];

/// Runs the command.
pub fn run(console: &mut Console) -> io::Result<Outcome> {
    if !console.look().terminal || !io::stdin().is_terminal() {
        cli::usage();
    }
    let lanes = match LaneArgs::usual() {
        Ok(lanes) => lanes,
        Err(why) => return console.trouble(&why).map(|()| Outcome::Trouble),
    };
    let Some(folder) = learn::folder() else {
        let why = "there is no folder to keep lessons and examples in; let LANESCOPE_STATE name a file in one";
        return console.trouble(why).map(|()| Outcome::Trouble);
    };
    let (files, page) = match offered(&folder, lanes) {
        Ok(offered) => offered,
        Err(error) => return console.trouble(&format!("{}: {error}", folder.display())).map(|()| Outcome::Trouble),
    };
    // Behind the page is the file that is the likeliest to be opened.
    let behind = page.recent.first().or(page.lessons.iter().find(|lesson| !lesson.is_done)).map_or(0, |it| it.file);
    explore::open(files, lanes, None, console, |state| {
        state.current = behind;
        state.start = Some(page);
        state.show_start();
    })
}

/// The files that the page offers, and the page. `folder` is that of the lessons; the examples are beside it.
fn offered(folder: &Path, lanes: LaneArgs) -> io::Result<(Vec<OpenFile>, StartPage)> {
    let (mut files, mut page) = (Vec::new(), StartPage::default());
    let examples = folder.with_file_name("examples");
    let kept = session::path().map(|path| Session::read(&path)).unwrap_or_default();
    let is_own = |path: &Path| {
        [folder, examples.as_path()].iter().any(|own| fs::canonicalize(own).is_ok_and(|own| path.starts_with(own)))
    };
    for (path, line) in kept.recent().into_iter().filter(|(path, _)| !is_own(path)) {
        if page.recent.len() == MOST_RECENT {
            break;
        }
        // What can't be read any more is left out, as what is gone.
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let label = shown(&path);
        page.recent.push(entry(files.len(), label.clone(), format!("line {line}")));
        files.push(OpenFile::new(label, Some(path), text));
    }
    for (n, lesson) in LESSONS.iter().enumerate() {
        let text = learn::text(folder, lesson, false)?;
        // A lesson that nobody has touched is not done, which needs no look.
        let is_done = text != lesson.program && learn::steps(lesson, &text, lanes).iter().all(|step| step.is_done);
        let label = format!("{:>2} {}", n + 1, lesson.title);
        page.lessons.push(StartEntry { is_done, ..entry(files.len(), label, String::new()) });
        let mut file = OpenFile::new(lesson.file_name(), Some(folder.join(lesson.file_name())), text);
        file.lesson = Some(n);
        files.push(file);
    }
    for (name, own) in EXAMPLES {
        let text = learn::copy(&examples, name, own, false)?;
        page.examples.push(entry(files.len(), (*name).to_owned(), about(own)));
        files.push(OpenFile::new(*name, Some(examples.join(name)), text));
    }
    Ok((files, page))
}

fn entry(file: usize, label: String, words: String) -> StartEntry {
    StartEntry { file, label, words, is_done: false }
}

/// The names of the kernels of a program.
fn about(text: &str) -> String {
    let names = Surface::Lane.kernels_in(text).into_iter().map(|declared| &text[declared.name]);
    names.collect::<Vec<_>>().join(", ")
}

/// A path as a person writes it: from the present folder, or from the home folder.
fn shown(path: &Path) -> String {
    let here = std::env::current_dir().ok().and_then(|folder| fs::canonicalize(folder).ok());
    if let Some(rest) = here.and_then(|here| path.strip_prefix(here).ok().map(Path::to_owned)) {
        return rest.display().to_string();
    }
    let home = std::env::var_os("HOME").and_then(|home| fs::canonicalize(home).ok());
    match home.and_then(|home| path.strip_prefix(home).ok().map(Path::to_owned)) {
        Some(rest) => format!("~/{}", rest.display()),
        None => path.display().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_examples_are_offered_with_their_kernels() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
        let mut there: Vec<String> = fs::read_dir(folder)
            .expect("the examples")
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
            .filter(|name| name.ends_with(".lane"))
            .collect();
        there.sort();
        let mut offered: Vec<&str> = EXAMPLES.iter().map(|(name, _)| *name).collect();
        offered.sort_unstable();
        assert_eq!(offered, there);
        for (name, text) in EXAMPLES {
            assert!(!about(text).is_empty(), "{name} has kernels");
        }
    }
}
