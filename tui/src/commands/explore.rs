//! `lanescope FILE`, and `lanescope explore FILE`: the explorer on a terminal, or else the whole file as text, to read
//! from top to bottom.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use driver::document::Document;
use driver::files::write_whole;
use driver::inputs::{Input, parted, text_of};
use driver::ispc_files::HeaderArguments;
use driver::spelling::did_you_mean;
use driver::stages;
use driver::surface::Surface;
use driver::words::visible;
use explorer::config::{self, Config};
use explorer::goal::Goal;
use explorer::main_loop::{self, Ended};
use explorer::recording::{self, FileRecorder};
use explorer::session::{self, Session};
use explorer::state::file::OpenFile;
use explorer::state::{Settings, State};
use explorer::terminal;
use queries::db::Item;
use queries::stages::Options;
use syntax::ast::{self, AstNode};
use syntax::{NodeOrToken, SyntaxKind, SyntaxNode};

use crate::commands::check::{draw, outcome_of};
use crate::console::{Console, Look, Outcome};
use crate::highlight::{self, FAINT, STRONG};
use crate::lanes::LaneArgs;
use crate::{cli, documents, ispc_pages, render};

const EXAMPLES: &str = "\
Examples:
  lanescope explore examples/scale_audio.lane
  lanescope examples/scale_audio.lane            does the same
  lanescope kernel.ispc -I include               opens an ISPC file
  lanescope a.lane --record tour.cast            records what is shown; `asciinema play tour.cast`";

/// The arguments of `explore`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Files, folders (all `.lane` and `.ispc` files in and under them), or `-` for standard input
    #[arg(required_unless_present = "default_config", value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    lanes: LaneArgs,
    /// A folder of headers for ISPC files; may be given several times
    #[arg(short = 'I', value_name = "DIR")]
    include: Vec<String>,
    /// A macro for ISPC files; may be given several times
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    define: Vec<String>,
    /// Print the files as plain text, as without a terminal
    #[arg(long)]
    plain: bool,
    /// Record what the terminal shows in a new file, in the form of asciicast
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Print a config file with the default of every setting
    #[arg(long)]
    default_config: bool,
}

/// Runs the command: opens the explorer, or prints the files as text if there is no terminal for it.
pub fn run(args: &Args, console: &mut Console) -> io::Result<Outcome> {
    if args.default_config {
        return write!(console, "{}", config::default_text()).map(|()| Outcome::Done);
    }
    if let Some(message) = args.files.first().and_then(|path| misspelled_subcommand(path)) {
        return console.trouble(&message).map(|()| Outcome::Trouble);
    }
    // Keys come from standard input; if that provides a text, they come from the controlling terminal.
    if args.record.is_some() && (args.plain || !console.look().terminal) {
        let why =
            "--record records what a terminal shows, and there is none: leave it out, or start this on a terminal";
        return console.trouble(why).map(|()| Outcome::Trouble);
    }
    let has_keys = io::stdin().is_terminal() || args.files.iter().any(|path| path.as_os_str() == "-");
    if console.look().terminal && has_keys && !args.plain {
        return explore(args, console);
    }
    let (of_ispc, others) = parted(&args.files);
    if !console.look().terminal {
        let stage = if others.is_empty() { Surface::Ispc.stages()[0].name } else { queries::stages::usual().name };
        console.note(&format!("lanescope: not a terminal: plain text, with the stage `{stage}` at its end"))?;
    }
    let options = args.lanes.options();
    let mut outcome = Outcome::Done;
    for path in &of_ispc {
        outcome = outcome.max(ispc_pages::show(path, &args.headers().command(options), console)?);
    }
    Ok(outcome.max(documents::each(&others, "reading", console, |document, _, console| {
        show(&document.made_for(&[options]), options, console)
    })?))
}

impl Args {
    fn headers(&self) -> HeaderArguments {
        HeaderArguments { include: self.include.clone(), define: self.define.clone() }
    }
}

/// Opens the explorer on the files.
fn explore(args: &Args, console: &mut Console) -> io::Result<Outcome> {
    let mut files = Vec::new();
    let (of_ispc, others) = parted(&args.files);
    let mut outcome = documents::each(&others, "reading", console, |document, input, _| {
        let path = match input {
            Input::File(path) => Some(path.clone()),
            Input::Stdin => None,
        };
        files.push(OpenFile::new(document.name, path, document.text));
        Ok(Outcome::Done)
    })?;
    for path in of_ispc {
        match text_of(&path) {
            Ok(text) => files.push(OpenFile::new(path.display().to_string(), Some(path), text)),
            Err(message) => {
                console.trouble(&message)?;
                outcome = Outcome::Trouble;
            }
        }
    }
    if files.is_empty() {
        return Ok(outcome);
    }
    // The file that was named first comes first; the files of a folder are sorted by name.
    let asked = |file: &OpenFile| match &file.path {
        Some(path) => args.files.iter().position(|asked| path.starts_with(asked)),
        None => args.files.iter().position(|asked| asked.as_os_str() == "-"),
    };
    files.sort_by_key(asked);
    let headers = Arc::new(args.headers());
    let recording = args.record.as_deref();
    let is_named = !args.lanes.is_usual();
    outcome = outcome.max(open(files, args.lanes, recording, console, |state| {
        state.settings.headers = headers;
        state.open_shared_view(is_named);
    })?);
    Ok(outcome)
}

/// Opens the explorer on files, of which there is one at least. `prepare` makes the state what it is at first, behind what was kept from the
/// last time.
pub(crate) fn open(
    files: Vec<OpenFile>,
    lanes: LaneArgs,
    recording: Option<&Path>,
    console: &mut Console,
    prepare: impl FnOnce(&mut State),
) -> io::Result<Outcome> {
    let config = match config::path().map_or_else(|| Ok(Config::default()), |path| config::read(&path)) {
        Ok(config) => config,
        Err(why) => return console.trouble(&why).map(|()| Outcome::Trouble),
    };
    let settings = Settings {
        keymap: config.keymap.clone(),
        depth: terminal::depth(),
        terminal: terminal::colours(),
        ascii: config.characters.unwrap_or_default().are_ascii(terminal::is_ascii()),
        graphics_setting: config.graphics.unwrap_or_default(),
        goal: Goal { options: lanes.options(), tuned: lanes.target().is_native },
        ..Settings::default()
    };
    let mut state = State::new(files, settings, (0, 0));
    let kept = session::path();
    let mut session = kept.as_deref().map(Session::read).unwrap_or_default();
    session.resume(&config, &mut state);
    prepare(&mut state);
    let recorder = match recording.map(|path| recorder(path, &state)).transpose() {
        Ok(recorder) => recorder,
        Err(why) => return console.trouble(&why).map(|()| Outcome::Trouble),
    };
    let (ended, recorded) = main_loop::run(&mut state, recorder)?;
    if let Err(error) = recorded {
        console.trouble(&format!("the recording is not whole: {error}"))?;
    }
    session.note(&state);
    if let Some(Err(error)) = kept.map(|path| session.write(&path)) {
        console.trouble(&format!("where you were is not kept for the next time: {error}"))?;
    }
    if ended == Ended::Terminated {
        for file in state.files.iter().filter(|file| file.buffer.is_dirty()) {
            rescue(file, console)?;
        }
        return Ok(Outcome::Refused);
    }
    Ok(Outcome::Done)
}

/// Begins a recording in a new file; an error says what to do.
fn recorder(path: &Path, state: &State) -> Result<FileRecorder, String> {
    let size = terminal::size().map_err(|error| format!("the terminal does not tell its size: {error}"))?;
    let title = format!("lanescope {}", state.file().name);
    recording::begin_file(path, size, &title).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => {
            format!("{}: the file is there already, and is kept: name another one for the recording", path.display())
        }
        _ => format!("{}: there is no recording: {error}", path.display()),
    })
}

/// Saves the changes of an unsaved file when the system ends the explorer. They go to a file beside the original, since
/// another program may be writing that.
fn rescue(file: &OpenFile, console: &mut Console) -> io::Result<()> {
    let mut path = file.path.clone().unwrap_or_else(|| PathBuf::from("stdin.lane")).into_os_string();
    path.push(".unsaved");
    let path = PathBuf::from(path);
    match write_whole(&path, file.buffer.text()) {
        Ok(()) => console.trouble(&format!("{} was not saved; its text is in {}", file.name, path.display())),
        Err(error) => console.trouble(&format!("{} was not saved: {error}", file.name)),
    }
}

/// Suggests a subcommand for a missing file: `lanescope chekc a.lane` parses as a request to open the file `chekc`.
fn misspelled_subcommand(path: &Path) -> Option<String> {
    let word = path.to_str().filter(|_| !path.exists())?;
    let subcommands = cli::subcommands();
    let known: Vec<_> = subcommands.iter().map(String::as_str).collect();
    let meant = did_you_mean(word, &known);
    (!meant.is_empty()).then(|| format!("{word}: no such file or subcommand{meant}"))
}

fn show(document: &Document, options: Options, console: &mut Console) -> io::Result<Outcome> {
    let look = console.look();
    let diagnostics = document.diagnostics();
    writeln!(console, "{}\n", look.paint(STRONG, &document.name))?;
    show_source(document, console)?;

    heading("Items", look, console)?;
    let items = document.items().iter();
    let outlines: Vec<_> = items.filter_map(|&item| outline(document, item, look)).collect();
    if outlines.is_empty() {
        writeln!(console, "  none")?;
    }
    for line in outlines {
        writeln!(console, "  {line}")?;
    }

    heading("Findings", look, console)?;
    if diagnostics.is_empty() {
        writeln!(console, "  none")?;
    }
    draw(document, &diagnostics, console)?;
    if let Some(summary) = render::summary(&diagnostics, 1) {
        writeln!(console, "{summary}")?;
    }

    let stage = queries::stages::usual();
    heading(&format!("Stage `{}`: {}", stage.name, stage.description), look, console)?;
    let lowered = stages::lower(document, stage, document.items(), options);
    for line in &lowered.lines {
        writeln!(console, "{}", format!("  {}", line.text).trim_end())?;
    }
    writeln!(console)?;
    Ok(outcome_of(&diagnostics))
}

fn heading(text: &str, look: Look, console: &mut Console) -> io::Result<()> {
    writeln!(console, "\n{}\n", look.paint(STRONG, text))
}

fn show_source(document: &Document, console: &mut Console) -> io::Result<()> {
    let look = console.look();
    let lines = highlight::lines(&document.syntax(), look);
    let width = lines.len().to_string().len();
    for (n, line) in lines.iter().enumerate() {
        let number = look.paint(FAINT, &format!("{:>width$} |", n + 1));
        writeln!(console, "  {}", format!("{number} {line}").trim_end())?;
    }
    Ok(())
}

/// Renders an item in one line, with the first line of its documentation below.
fn outline(document: &Document, item: Item<'_>, look: Look) -> Option<String> {
    let syntax = ast::Item::cast(document.tree(item))?;
    let (keyword, params, result) = match &syntax {
        ast::Item::Kernel(kernel) => ("kernel", kernel.params(), kernel.result()),
        ast::Item::Fn(function) => ("fn", function.params(), function.result()),
        ast::Item::Enum(_) => ("enum", None, None),
        ast::Item::Struct(_) => ("struct", None, None),
        ast::Item::Const(_) => ("const", None, None),
        ast::Item::Use(_) => return None,
    };
    let name = syntax.name();
    let at = name.as_ref().map_or(0.into(), |name| name.syntax().text_range().start());
    let name = name.and_then(|name| name.text()).unwrap_or_else(|| "?".to_owned());
    let mut line = format!("{keyword} {}", look.paint(STRONG, &name));
    if let Some(params) = params {
        let params: Vec<_> = params.params().map(|param| on_one_line(param.syntax())).collect();
        line += &format!("({})", params.join(", "));
    }
    if let Some(result) = result {
        line += &format!(" {}", on_one_line(result.syntax()));
    }
    line += &look.paint(FAINT, &format!("  line {}", document.place(at + document.start(item)).line));
    if let Some(docs) = syntax.docs() {
        line += &format!("\n      {}", visible(docs.lines().next().unwrap_or_default()));
    }
    Some(line)
}

/// Returns the text of a node on one line, without comments.
fn on_one_line(node: &SyntaxNode) -> String {
    let tokens = node.descendants_with_tokens().filter_map(NodeOrToken::into_token);
    let words = tokens.map(|token| match token.kind() {
        SyntaxKind::COMMENT | SyntaxKind::DOC_COMMENT | SyntaxKind::NEWLINE => " ".to_owned(),
        _ => token.text().to_owned(),
    });
    let line: String = words.collect();
    visible(&line.split_whitespace().collect::<Vec<_>>().join(" "))
}
