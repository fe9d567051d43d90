//! What the programs that go through public sources share: their arguments, files of the disk as units, and the lines of places.

#![allow(dead_code, reason = "each program uses some of it")]

use std::fs;
use std::sync::Arc;

use ispc::config::{Config, Target};
use ispc::file::{FileText, Files};
use ispc::unit::{SourcePlace, Unit};

/// The arguments of a program: `[-I DIR]… [-D NAME[=VALUE]]… [--target NAME] [-v | -E] FILES…`.
#[derive(Default)]
pub(crate) struct Request {
    pub(crate) config: Config,
    pub(crate) paths: Vec<String>,
    /// Other flags, as they were written.
    flags: Vec<String>,
}

impl Request {
    /// Reads the program's arguments.
    pub(crate) fn of_args() -> Self {
        let mut request = Self::default();
        let config = &mut request.config;
        let mut args = std::env::args().skip(1);
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "-I" => config.include_folders.extend(args.next()),
                "-D" => config.define(&args.next().unwrap_or_default()),
                "--target" => config.target = args.next().and_then(|name| Target::named(&name)).expect("a target"),
                _ if arg.starts_with('-') => request.flags.push(arg),
                _ => request.paths.push(arg),
            }
        }
        request
    }

    pub(crate) fn has(&self, flag: &str) -> bool {
        self.flags.iter().any(|given| given == flag)
    }

    /// The unit of a file; a file that cannot be read has none.
    pub(crate) fn unit(&self, path: &str) -> Option<Unit> {
        Some(ispc::read(Disk.file(path)?, &self.config, &Disk))
    }

    /// The units of all files that can be read, each with its path.
    pub(crate) fn units(&self) -> impl Iterator<Item = (&str, Unit)> {
        self.paths.iter().filter_map(|path| Some((path.as_str(), self.unit(path)?)))
    }
}

struct Disk;

impl Files for Disk {
    fn file(&self, path: &str) -> Option<Arc<FileText>> {
        let text = String::from_utf8_lossy(&fs::read(path).ok()?).into_owned();
        Some(Arc::new(FileText::new(path, text)))
    }
}

/// A unit is whole if no problem of it is an error.
pub(crate) fn is_whole(unit: &Unit) -> bool {
    unit.problems.iter().all(|problem| problem.is_warning)
}

/// A place as its file and line.
pub(crate) fn line(unit: &Unit, place: SourcePlace) -> String {
    let text = unit.text(place.file);
    let line = text.get(..place.start as usize).unwrap_or_default().matches('\n').count() + 1;
    format!("{}:{line}", unit.path(place.file))
}
