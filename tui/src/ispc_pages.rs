//! An ISPC file as a page of text, to be read from top to bottom where there is no terminal for the explorer.

use std::io::{self, Write};
use std::path::Path;

use annotate_snippets::Level;
use driver::ispc_files::{Command, ReadFile, function_names, lanes, read};
use driver::ispc_running;
use driver::surface::Surface;
use driver::words::visible;
use ispc::unit::FileId;

use crate::console::{Console, Outcome};
use crate::highlight::{FAINT, STRONG};
use crate::ispc_findings;

/// Prints a file: its source, its functions, what is wrong, what costs lanes, and its functions as blocks of lanes.
pub(crate) fn show(path: &Path, command: &Command<'_>, console: &mut Console) -> io::Result<Outcome> {
    let ReadFile { unit, notes } = match read(path, command) {
        Ok(read) => read,
        Err(message) => return console.trouble(&message).map(|()| Outcome::Trouble),
    };
    let look = console.look();
    writeln!(console, "{}\n", look.paint(STRONG, &path.display().to_string()))?;
    let text = unit.text(FileId::MAIN);
    let width = text.lines().count().to_string().len();
    for (n, line) in text.lines().enumerate() {
        let number = look.paint(FAINT, &format!("{:>width$} |", n + 1));
        writeln!(console, "  {}", format!("{number} {}", visible(line)).trim_end())?;
    }
    let heading = |text: &str, console: &mut Console| writeln!(console, "\n{}\n", look.paint(STRONG, text));
    heading("Functions", console)?;
    let names = function_names(&unit);
    if names.is_empty() {
        writeln!(console, "  none")?;
    }
    names.iter().try_for_each(|name| writeln!(console, "  {}", visible(name)))?;
    heading("Findings", console)?;
    if unit.problems.is_empty() && notes.is_empty() {
        writeln!(console, "  none")?;
    }
    ispc_findings::draw_all(&unit, &notes, console)?;
    if unit.problems.iter().any(|problem| !problem.is_warning) {
        return Ok(Outcome::Refused);
    }
    let stage = Surface::Ispc.stages()[0];
    heading(&format!("Stage `{}`: {}", stage.name, stage.description), console)?;
    let lowered = ispc_running::lowered_for(&unit, lanes(path, command), None);
    for (line, _) in ispc_running::text_lines(&lowered) {
        writeln!(console, "{}", format!("  {line}").trim_end())?;
    }
    for problem in ispc_running::problems(&lowered) {
        write!(console, "{}", ispc_findings::drawn(&unit, &problem, Level::NOTE, None, look))?;
    }
    writeln!(console)?;
    Ok(Outcome::Done)
}
