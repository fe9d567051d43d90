//! The user actions of the explorer, as a table: the palette, the help, the key line, the config file and its
//! documentation all follow from its rows.

use std::collections::BTreeMap;

use crate::keys::Key;

/// An action of the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Action {
    Up,
    Down,
    Left,
    Right,
    WordLeft,
    WordRight,
    LineStart,
    LineEnd,
    PageUp,
    PageDown,
    Top,
    Bottom,
    NextPane,
    PreviousPane,
    Source,
    Stage,
    Assembly,
    Details,
    Beside,
    Zoom,
    Wider,
    Narrower,
    Taller,
    Shorter,
    FitPane,
    Fold,
    Open,
    NextStage,
    PreviousStage,
    PickStage,
    PickTarget,
    PickLanes,
    PickBeside,
    PickWriting,
    PickKernel,
    PickFile,
    Diff,
    HideUnchanged,
    ToggleAssembly,
    Why,
    Problems,
    Task,
    Variants,
    Start,
    NextProblem,
    PreviousProblem,
    ApplyFix,
    Run,
    PickEngine,
    Bench,
    Sweep,
    Iterations,
    Statements,
    Arrays,
    NextForm,
    NextVersion,
    Lanes,
    StepOp,
    BackOp,
    StepLine,
    BackLine,
    StepGroup,
    BackGroup,
    RunOn,
    RunBack,
    ToDivergence,
    BackToDivergence,
    ToStart,
    ToEnd,
    Breakpoint,
    Condition,
    Search,
    NextMatch,
    PreviousMatch,
    Filter,
    Edit,
    Save,
    Undo,
    Redo,
    Cut,
    Paste,
    Format,
    Reload,
    Editor,
    Copy,
    CopyPane,
    Export,
    Palette,
    Help,
    Theme,
    Hints,
    Mouse,
    Stop,
    Suspend,
    Redraw,
    Quit,
}

/// A row of the table of actions.
pub struct Row {
    /// The action that the row describes.
    pub action: Action,
    /// Name of the action in the config file.
    pub name: &'static str,
    /// Effect of the action, in the imperative, as the palette and the help show it.
    pub description: &'static str,
    /// Heading of the action in the help.
    pub group: &'static str,
    /// Default keys, used unless the config file binds others; the first is the one to show.
    pub keys: &'static [&'static str],
}

const MOVE: &str = "Moving";
const PANES: &str = "Panes";
const LOOK: &str = "Looking";
const DRAW: &str = "Pictures";
const STEP: &str = "Stepping through lanes";
const FIND: &str = "Finding";
const EDIT: &str = "Editing";
const TAKE: &str = "Taking along";
const REST: &str = "The explorer";

const fn row(
    action: Action,
    group: &'static str,
    name: &'static str,
    keys: &'static [&'static str],
    description: &'static str,
) -> Row {
    Row { action, name, description, group, keys }
}

/// All actions, in the order of the help.
pub static ACTIONS: &[Row] = &[
    row(Action::Up, MOVE, "up", &["up", "k"], "go up a line"),
    row(Action::Down, MOVE, "down", &["down", "j"], "go down a line"),
    row(Action::Left, MOVE, "left", &["left", "h"], "go left; scroll left where there is no cursor"),
    row(Action::Right, MOVE, "right", &["right", "l"], "go right; scroll right where there is no cursor"),
    row(Action::WordLeft, MOVE, "word-left", &["ctrl-left", "alt-b", "b"], "go to the start of a word"),
    row(Action::WordRight, MOVE, "word-right", &["ctrl-right", "alt-f"], "go behind the end of a word"),
    row(Action::LineStart, MOVE, "line-start", &["home", "0"], "go to the start of the line"),
    row(Action::LineEnd, MOVE, "line-end", &["end", "$"], "go to the end of the line"),
    row(Action::PageUp, MOVE, "page-up", &["pageup"], "go up a page"),
    row(Action::PageDown, MOVE, "page-down", &["pagedown", "space"], "go down a page"),
    row(Action::Top, MOVE, "top", &["g", "ctrl-home"], "go to the first line"),
    row(Action::Bottom, MOVE, "bottom", &["G", "ctrl-end"], "go to the last line"),
    row(Action::NextPane, PANES, "next-pane", &["tab"], "go to the next pane"),
    row(Action::PreviousPane, PANES, "previous-pane", &["shift-tab"], "go to the pane before"),
    row(Action::Source, PANES, "source", &["1"], "go to the source"),
    row(Action::Stage, PANES, "stage", &["2"], "go to the stage: the program after a pass"),
    row(Action::Assembly, PANES, "assembly", &["3"], "go to the assembly"),
    row(Action::Details, PANES, "details", &["4"], "go to the details: why, problems, run"),
    row(Action::Beside, PANES, "beside", &["5"], "go to the second assembly, which `C` asks for"),
    row(Action::Zoom, PANES, "zoom", &["z"], "give the whole screen to one pane, and back"),
    row(Action::Wider, PANES, "wider", &[">"], "make the pane wider"),
    row(Action::Narrower, PANES, "narrower", &["<"], "make the pane narrower"),
    row(Action::Taller, PANES, "taller", &["+"], "make the pane taller"),
    row(Action::Shorter, PANES, "shorter", &["-"], "make the pane shorter"),
    row(Action::FitPane, PANES, "fit-pane", &["="], "fit the pane to its content; once more: the usual sizes"),
    row(Action::ToggleAssembly, PANES, "toggle-assembly", &["m"], "show or hide the assembly"),
    row(Action::Open, LOOK, "open", &["enter"], "edit the source, or go to where a line is from, or do what it offers"),
    row(Action::NextStage, LOOK, "next-stage", &["."], "show the next stage"),
    row(Action::PreviousStage, LOOK, "previous-stage", &[","], "show the stage before"),
    row(Action::PickStage, LOOK, "pick-stage", &["s"], "pick a stage"),
    row(Action::PickTarget, LOOK, "pick-target", &["t"], "pick the target"),
    row(Action::PickLanes, LOOK, "pick-lanes", &["L"], "pick how many lanes loops take"),
    row(Action::PickBeside, LOOK, "pick-beside", &["C"], "pick another target or lanes to compare assembly with"),
    row(Action::PickWriting, LOOK, "pick-writing", &["S"], "pick how machine code is written: AT&T, Intel, LLVM IR"),
    row(Action::PickKernel, LOOK, "pick-kernel", &["o"], "pick a kernel of any file or an item here"),
    row(Action::PickFile, LOOK, "pick-file", &["O"], "pick a file"),
    row(Action::Diff, LOOK, "diff", &["d"], "mark differences: from the stage before, from before the edit, none"),
    row(Action::HideUnchanged, LOOK, "hide-unchanged", &["x"], "hide stages that changed nothing, or show them"),
    row(Action::Fold, LOOK, "fold", &["v"], "show all of the assembly, or its hot loops alone"),
    row(Action::Why, LOOK, "why", &["w"], "explain what is under the cursor"),
    row(Action::Problems, LOOK, "problems", &["e"], "list errors, warnings and notes"),
    row(Action::Task, LOOK, "task", &["K"], "show the task of a lesson (`lanescope learn`)"),
    row(Action::Variants, LOOK, "variants", &["V"], "compare targets, lanes and attributes: what each would cost"),
    row(Action::Start, LOOK, "start", &["~"], "show the starting page: recent files, lessons, examples"),
    row(Action::NextProblem, LOOK, "next-problem", &["]", "f8"], "go to the next problem"),
    row(Action::PreviousProblem, LOOK, "previous-problem", &["[", "shift-f8"], "go to the problem before"),
    row(
        Action::ApplyFix,
        LOOK,
        "apply-fix",
        &["a"],
        "pick a fix for the problem here, see what it changes, and apply it",
    ),
    row(Action::Run, LOOK, "run", &["r"], "show the data to run the kernel on; once more to run it"),
    row(
        Action::PickEngine,
        LOOK,
        "pick-engine",
        &["E"],
        "pick what runs kernels: a stage, the evaluator, this machine",
    ),
    row(Action::Bench, LOOK, "bench", &["B"], "measure the kernel on its data, as scalar and as vector code"),
    row(
        Action::Sweep,
        LOOK,
        "sweep",
        &["W"],
        "measure the kernel on many sizes, with many lanes, and on all targets that run here",
    ),
    row(
        Action::Iterations,
        DRAW,
        "iterations",
        &["I"],
        "draw the iterations of the loop here: what meets, and their order",
    ),
    row(
        Action::Statements,
        DRAW,
        "statements",
        &["Q"],
        "draw the statements of the loop here: what they need of each other",
    ),
    row(Action::Arrays, DRAW, "arrays", &["A"], "draw the arrays of the last run, or run the kernel for that"),
    row(Action::NextForm, DRAW, "next-form", &["'"], "draw arrays otherwise: plot, waveform, heat map, image"),
    row(Action::NextVersion, DRAW, "next-version", &["@"], "draw arrays as now, as before the edit, or the difference"),
    row(Action::Lanes, STEP, "lanes", &["D"], "step through the lanes of the stage on the data of `r`"),
    row(Action::StepOp, STEP, "step-op", &[")", "f11"], "step on by one op"),
    row(Action::BackOp, STEP, "back-op", &["(", "shift-f11"], "step back by one op"),
    row(Action::StepLine, STEP, "step-line", &["}", "f10"], "step on to the next line of the source"),
    row(Action::BackLine, STEP, "back-line", &["{", "shift-f10"], "step back to the line before"),
    row(Action::StepGroup, STEP, "step-group", &["J"], "step on to the next group of lanes, or iteration"),
    row(Action::BackGroup, STEP, "back-group", &["P"], "step back to the start of the group, or the group before"),
    row(Action::RunOn, STEP, "run-on", &["c", "f5"], "run on to the next breakpoint, or the end"),
    row(Action::RunBack, STEP, "run-back", &["Z", "shift-f5"], "run back to the breakpoint before, or the start"),
    row(Action::ToDivergence, STEP, "to-divergence", &["*"], "run on to where lanes part: some active, others not"),
    row(Action::BackToDivergence, STEP, "back-to-divergence", &["#"], "run back to where lanes parted last"),
    row(Action::ToStart, STEP, "to-start", &["^"], "go back to the start of the run"),
    row(Action::ToEnd, STEP, "to-end", &["&"], "run on to the end, past breakpoints"),
    row(
        Action::Breakpoint,
        STEP,
        "breakpoint",
        &["!", "f9"],
        "set a breakpoint in this line of source or stage, or remove it",
    ),
    row(
        Action::Condition,
        STEP,
        "condition",
        &[";", "shift-f9"],
        "say on which values or hits the breakpoint in this line stops",
    ),
    row(Action::Search, FIND, "search", &["/", "ctrl-f"], "search the pane"),
    row(
        Action::NextMatch,
        FIND,
        "next-match",
        &["n"],
        "go to the next match, or without a search to the next difference",
    ),
    row(Action::PreviousMatch, FIND, "previous-match", &["N"], "go to the match before, or the difference"),
    row(Action::Filter, FIND, "filter", &["f"], "show only lines that have a text in them (not in the source)"),
    row(Action::Edit, EDIT, "edit", &["i"], "edit the source; Esc ends it"),
    row(Action::Save, EDIT, "save", &["ctrl-s"], "save the file"),
    row(Action::Undo, EDIT, "undo", &["u", "alt-u", "ctrl-/"], "undo"),
    row(Action::Redo, EDIT, "redo", &["U", "alt-r", "ctrl-y"], "redo what was undone"),
    row(Action::Cut, EDIT, "cut", &["ctrl-x"], "cut what is selected, or the line; Shift and a movement select"),
    row(Action::Paste, EDIT, "paste", &["ctrl-v", "p"], "paste what was cut or copied here"),
    row(Action::Format, EDIT, "format", &["F"], "bring the source into the canonical form"),
    row(Action::Reload, EDIT, "reload", &["R"], "read the file from disk again"),
    row(
        Action::Editor,
        EDIT,
        "editor",
        &["ctrl-e"],
        "open the file at the cursor in the editor that VISUAL or EDITOR names",
    ),
    row(Action::Copy, TAKE, "copy", &["y", "alt-c"], "copy what is selected, or the line, to the terminal's clipboard"),
    row(Action::CopyPane, TAKE, "copy-pane", &["Y"], "copy the whole pane"),
    row(
        Action::Export,
        TAKE,
        "export",
        &["X"],
        "write to a file: the pane, a picture (`.svg`), all (`.html`, `.view.lane`)",
    ),
    row(Action::Palette, REST, "palette", &[":", "ctrl-p"], "find an action by what it does"),
    row(Action::Help, REST, "help", &["?", "f1"], "show every key"),
    row(Action::Theme, REST, "theme", &["T"], "pick a theme"),
    row(Action::Hints, REST, "hints", &["H"], "show or hide inferred types in the source"),
    row(Action::Mouse, REST, "mouse", &["M"], "leave the mouse to the terminal, or take it back"),
    row(Action::Stop, REST, "stop", &["esc", "ctrl-c"], "close what is open, end editing, stop a run, go back"),
    row(Action::Suspend, REST, "suspend", &["ctrl-z"], "go to the shell; `fg` comes back"),
    row(Action::Redraw, REST, "redraw", &["ctrl-l"], "draw the screen anew"),
    row(Action::Quit, REST, "quit", &["q", "ctrl-q"], "quit"),
];

/// Returns the row of an action.
pub fn row_of(action: Action) -> &'static Row {
    ACTIONS.iter().find(|row| row.action == action).expect("every action has a row, which a test holds")
}

/// The bindings between keys and actions, in both directions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keymap {
    actions: BTreeMap<Key, Action>,
    /// The keys of each action; the first is the one to show.
    keys: BTreeMap<Action, Vec<Key>>,
}

impl Default for Keymap {
    fn default() -> Self {
        let mut keymap = Keymap { actions: BTreeMap::new(), keys: BTreeMap::new() };
        for row in ACTIONS {
            let keys = row.keys.iter().map(|key| key.parse().expect("the table's keys are keys, which a test holds"));
            keymap.bind(row.action, keys.collect());
        }
        keymap
    }
}

impl Keymap {
    /// Binds an action to exactly these keys; other actions lose them.
    pub fn bind(&mut self, action: Action, keys: Vec<Key>) {
        self.actions.retain(|_, bound| *bound != action);
        for (other, bound) in &mut self.keys {
            bound.retain(|key| *other == action || !keys.contains(key));
        }
        self.actions.extend(keys.iter().map(|&key| (key, action)));
        self.keys.insert(action, keys);
    }

    /// Returns the action that a key is bound to.
    pub fn action(&self, key: Key) -> Option<Action> {
        self.actions.get(&key).copied()
    }

    /// Returns the keys of an action; the first is the one to show.
    pub fn keys(&self, action: Action) -> &[Key] {
        self.keys.get(&action).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_words_and_no_key_stands_for_two_actions() {
        let mut names = BTreeSet::new();
        let mut keys = BTreeSet::new();
        for row in ACTIONS {
            assert!(
                names.insert(row.name) && row.name.chars().all(|c| c.is_ascii_lowercase() || c == '-'),
                "{}",
                row.name
            );
            assert_eq!(row_of(row.action).name, row.name, "an action has one row");
            assert!(row.description.len() < 90 && !row.description.ends_with('.'), "{}", row.description);
            for key in row.keys {
                assert_eq!(key.parse::<Key>().expect("a key").to_string(), *key);
                assert!(keys.insert(*key), "{key} is bound twice");
            }
        }
    }

    #[test]
    fn a_key_that_is_bound_anew_leaves_its_old_action() {
        let mut keymap = Keymap::default();
        keymap.bind(Action::Save, vec![Key::char('q')]);
        assert_eq!(keymap.action(Key::char('q')), Some(Action::Save));
        assert_eq!(keymap.keys(Action::Quit).iter().map(Key::to_string).collect::<Vec<_>>(), ["ctrl-q"]);
        assert_eq!(keymap.action("ctrl-s".parse().expect("a key")), None);
    }
}
