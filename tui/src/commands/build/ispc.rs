//! `lanescope build` of ISPC files: objects and headers that take the place of ispc's.

use std::io;
use std::path::Path;
use std::rc::Rc;

use driver::ispc_building::{CompiledPart, NoIspcModule, compiled};
use driver::ispc_files::{Command, lanes};
use driver::ispc_lines::FileLines;
use driver::machine_code::NoCode;
use driver::targets::Chosen;
use native::dispatch;

use super::{Args, Emit, Made, forms};
use crate::console::{Console, Outcome};
use crate::ispc_runs;

/// The files of a source, or the outcome if there are none, which has been told.
pub(super) fn build(path: &Path, args: &Args, console: &mut Console) -> io::Result<Result<Vec<Made>, Outcome>> {
    if args.emit.iter().any(|emit| matches!(emit, Emit::Cpp | Emit::Rust | Emit::Python)) {
        let message = format!(
            "{}: modules in C++, Rust and Python are made of Lane files: leave `cpp`, `rust` and `python` out of `--emit`, and call the functions by the header",
            path.display()
        );
        return console.trouble(&message).map(|()| Err(Outcome::Trouble));
    }
    let names = || args.target.iter().map(|chosen| chosen.row.name);
    if let Some((_, twice)) = names().enumerate().find(|(at, name)| names().take(*at).any(|other| other == *name)) {
        let message = format!(
            "{}: two of the targets are `{twice}`, of which a program can have one object: leave one out, or build it into a folder of its own (`-o`)",
            path.display()
        );
        return console.trouble(&message).map(|()| Err(Outcome::Trouble));
    }
    let stem = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let several = args.target.len() > 1;
    let mut files = Vec::new();
    let mut made = None;
    for (chosen, options) in args.target.iter().zip(args.options()) {
        let command = Command { include: &args.include, define: &args.define, target: options };
        let unit = match ispc_runs::sound_unit(path, &command, console)? {
            Ok(unit) => unit,
            Err(outcome) => return Ok(Err(outcome)),
        };
        let machine = args.machine(*chosen);
        let n_lanes = lanes(path, &command);
        let suffix = several.then_some(chosen.row.name);
        let lines = Rc::new(FileLines::of(&unit));
        let module = match compiled(&unit, n_lanes, &machine, CompiledPart::Linked, suffix, lines) {
            Ok(module) => module,
            Err(NoIspcModule::Problems(problems)) => {
                return ispc_runs::draw(&unit, &problems, console).map(|()| Err(Outcome::Refused));
            }
            Err(NoIspcModule::Trouble(message)) => return console.trouble(&message).map(|()| Err(Outcome::Trouble)),
        };
        let name = suffix.map_or_else(|| stem.clone(), |suffix| format!("{stem}.{suffix}"));
        match forms(args, &name, module.ir.clone(), &machine) {
            Ok(more) => files.extend(more),
            Err(NoCode::Trouble(message) | NoCode::Stopped(message)) => {
                let message = format!("{}: {message}", path.display());
                return console.trouble(&message).map(|()| Err(Outcome::Trouble));
            }
            Err(NoCode::Errors(_)) => return Ok(Err(Outcome::Refused)),
        }
        if made.is_none() && !module.left_out.is_empty() {
            console.note(&format!(
                "{}: other files cannot call what has no machine code: `{}`",
                path.display(),
                module.left_out.join("`, `")
            ))?;
        }
        made.get_or_insert(module);
    }
    let Some(made) = made else { return Ok(Ok(files)) };
    if several {
        let machines: Vec<_> = args.target.iter().map(|chosen| chosen.row.clone()).collect();
        let row = queries::stages::target::find("scalar").unwrap_or(args.target[0].row);
        let plain = args.machine(Chosen { row, is_native: false, lanes: None });
        match forms(args, &stem, dispatch::module_of(&made.signatures, &machines), &plain) {
            Ok(more) => files.extend(more),
            Err(NoCode::Trouble(message) | NoCode::Stopped(message)) => {
                return console.trouble(&message).map(|()| Err(Outcome::Trouble));
            }
            Err(NoCode::Errors(_)) => return Ok(Err(Outcome::Refused)),
        }
    }
    if args.emit.contains(&Emit::Header) {
        files.push(Made { name: format!("{stem}.h"), content: made.header.into_bytes() });
    }
    Ok(Ok(files))
}
