//! Titles of panes, the line of verdicts, the line of keys.

use driver::words::count;
use queries::stages::target::Family;
use report::{Diagnostic, Severity, TextRange};

use super::canvas::{Canvas, Pen};
use crate::actions::Action;
use crate::answers::role_of_severity;
use crate::glyphs;
use crate::goal::Writing;
use crate::keys::Key;
use crate::layout::{Area, Pane};
use crate::page::Role;
use crate::questions::Verdict;
use crate::state::{AssemblyComparing, Comparing, State, Topic};
use crate::theme::{Paint, Part};

/// Draws the title of a pane: its number, its content, and active modes such as filters.
pub(super) fn title(state: &State, pane: Pane, area: Area, canvas: &mut Canvas) {
    if area.h == 0 {
        return;
    }
    let focused = state.focus == pane;
    let ground = canvas.part(if focused { Part::TitleFocused } else { Part::Title });
    let faint = canvas.part(if focused { Part::TitleFocusedFaint } else { Part::TitleFaint });
    let mut pen = Pen::new(area, 0);
    let number = Pane::ALL.iter().position(|other| *other == pane).map_or(0, |n| n + 1);
    canvas.text(&mut pen, &format!(" {number} "), ground);
    let aside = aside(state, pane);
    let aside_width = glyphs::width(&aside);
    if aside_width + 12 < pen.left() {
        pen.keep_right(aside_width);
    }
    for (text, strength) in words(state, pane, pen.left()) {
        let paint = match strength {
            Strength::Plain => ground,
            Strength::Chosen => Paint { bold: true, underline: true, ..Paint::default() }.over(ground),
            Strength::Faint => faint,
        };
        let text = glyphs::cut(&text, pen.left());
        canvas.text(&mut pen, &text, paint);
    }
    canvas.rest(&mut pen, ground);
    if aside_width + 12 < usize::from(area.w) {
        let right = Area { x: area.x + area.w - aside_width as u16, w: aside_width as u16, ..area };
        canvas.text(&mut Pen::new(right, 0), &aside, ground);
    }
}

enum Strength {
    Plain,
    Chosen,
    Faint,
}

fn words(state: &State, pane: Pane, width: usize) -> Vec<(String, Strength)> {
    let plain = |text: &str| (text.to_owned(), Strength::Plain);
    match pane {
        Pane::Source => {
            let file = state.file();
            let dirty = if file.buffer.is_dirty() { " ●" } else { "" };
            let others = if state.files.len() > 1 {
                format!("  {}/{}", state.current + 1, state.files.len())
            } else {
                String::new()
            };
            vec![plain(&file.name), plain(dirty), (others, Strength::Faint)]
        }
        Pane::Stage => stage_words(state, width),
        Pane::Assembly => vec![plain(assembly_word(state))],
        Pane::Beside => vec![plain(assembly_word(state))],
        Pane::Details => {
            let problems = match state.file().words.diagnostics.len() {
                0 => "Problems".to_owned(),
                n => format!("Problems {n}"),
            };
            let start = state.start.as_ref().map(|_| (Topic::Start, "Start".to_owned()));
            let task = state.file().lesson.map(|_| (Topic::Task, "Task".to_owned()));
            let rest = [
                (Topic::Why, "Why".to_owned()),
                (Topic::Problems, problems),
                (Topic::Run, "Run".to_owned()),
                (Topic::Lanes, "Lanes".to_owned()),
                (Topic::Variants, "Variants".to_owned()),
                (Topic::Pictures, "Pictures".to_owned()),
            ];
            let topics =
                start.into_iter().chain(task).chain(rest.into_iter().filter(|(topic, _)| state.has_topic(*topic)));
            let strength = |topic| if topic == state.topic { Strength::Chosen } else { Strength::Faint };
            let topics: Vec<_> = topics.collect();
            // On a narrow screen they stand closer together.
            let widths = topics.iter().map(|(_, name)| glyphs::width(name) + 2);
            let gap = if widths.sum::<usize>() > width + 1 { " " } else { "  " };
            let topics = fitting(topics, state.topic, gap.len(), width);
            topics.into_iter().flat_map(|(topic, name)| [(name, strength(topic)), plain(gap)]).collect()
        }
    }
}

/// Leaves out topics at the end until the chosen one is in sight.
fn fitting(mut topics: Vec<(Topic, String)>, chosen: Topic, gap: usize, width: usize) -> Vec<(Topic, String)> {
    let wide = |topics: &[(Topic, String)]| topics.iter().map(|(_, name)| glyphs::width(name) + gap).sum::<usize>();
    while wide(&topics) > width + gap {
        let Some(last) = topics.iter().rposition(|(topic, _)| *topic != chosen) else { break };
        topics.remove(last);
    }
    topics
}

/// Lists the item and the stages, with the current stage marked; without room for all, only the current one and its
/// number.
fn stage_words(state: &State, width: usize) -> Vec<(String, Strength)> {
    let item = state.subject().map_or("", |item| &item.name);
    let (all, shown) = (state.surface().stages(), state.shown_stage());
    let stages = all.iter().enumerate().filter_map(|(n, stage)| {
        let strength = match state.stage_view.changed.get(n).copied().flatten() {
            _ if n == shown => Strength::Chosen,
            Some(true) => Strength::Plain,
            // A stage that changed nothing, or that the item does not reach.
            _ if state.settings.hide_unchanged => return None,
            _ => Strength::Faint,
        };
        Some([(" ".to_owned(), Strength::Plain), (stage.name.to_owned(), strength)])
    });
    let mut words = vec![(item.to_owned(), Strength::Plain), (" ".to_owned(), Strength::Plain)];
    words.extend(stages.flatten());
    if words.iter().map(|(word, _)| glyphs::width(word)).sum::<usize>() > width {
        let number = format!(" {}/{}  ", shown + 1, all.len());
        let chosen = (all[shown].name.to_owned(), Strength::Chosen);
        return vec![chosen, (number, Strength::Faint), (item.to_owned(), Strength::Plain)];
    }
    words
}

/// Returns the name of the current notation of machine code.
fn assembly_word(state: &State) -> &'static str {
    match (state.settings.writing, state.settings.goal.options.target.family) {
        (Writing::Intel, Family::X86) => "Assembly, Intel",
        (Writing::Att | Writing::Intel, _) => "Assembly",
        (Writing::LlvmOpt, _) => "LLVM IR, optimised",
        (Writing::Llvm, _) => "LLVM IR",
    }
}

fn aside(state: &State, pane: Pane) -> String {
    let mut words = Vec::new();
    if let Some(n) = state.n_changes_since(pane) {
        words.push(format!("as of {} ago", count(usize::try_from(n).unwrap_or(usize::MAX), "change")));
    }
    if pane == Pane::Source && state.editing {
        words.push("editing".to_owned());
    }
    if pane == Pane::Stage {
        words.push(state.settings.goal.label());
        match state.comparing {
            Comparing::Nothing => {}
            Comparing::Before => words.push("± stage before".to_owned()),
            Comparing::LastGood => words.push("± last edit".to_owned()),
        }
    }
    if pane == Pane::Assembly {
        words.push(state.settings.goal.label());
        match (state.assembly_comparing, state.settings.beside) {
            (AssemblyComparing::Beside, Some(goal)) => words.push(format!("± {}", goal.label())),
            (AssemblyComparing::LastGood, _) => words.push("± last edit".to_owned()),
            _ => {}
        }
    }
    if let (Pane::Beside, Some(goal)) = (pane, state.settings.beside) {
        words.push(goal.label());
    }
    if state.is_filtered(pane) {
        words.push(format!("only {}", state.page_view(pane).map_or("", |view| view.filter())));
    }
    if state.zoomed && state.focus == pane {
        words.push("zoomed".to_owned());
    }
    words.iter().map(|word| format!(" {word}")).collect::<String>() + " "
}

/// Draws the line of verdicts: the message to the user, or else the state of the kernel.
pub(super) fn status(state: &State, canvas: &mut Canvas) {
    let area = state.arrangement.status;
    if area.h == 0 {
        return;
    }
    let ground = canvas.part(Part::Status);
    let mut pen = Pen::new(area, 0);
    let buffer = &state.file().buffer;
    let spinner = if state.spins() { SPINNER[state.waited as usize % SPINNER.len()] } else { " " };
    let place = format!(" {spinner} {}:{} ", buffer.cursor_line() + 1, buffer.cursor_column() + 1);
    let place_width = glyphs::width(&place);
    let has_room = place_width + 20 < pen.left();
    if has_room {
        pen.keep_right(place_width);
    }
    canvas.text(&mut pen, " ", ground);
    for (role, text) in verdicts(state) {
        let text = glyphs::cut(&text, pen.left());
        canvas.text(&mut pen, &text, canvas.role(role).over(ground));
    }
    canvas.rest(&mut pen, ground);
    if has_room {
        let right = Area { x: area.x + area.w - place_width as u16, w: place_width as u16, ..area };
        canvas.text(&mut Pen::new(right, 0), &place, ground);
    }
}

const SPINNER: [&str; 8] = ["⠋", "⠙", "⠸", "⠴", "⠦", "⠇", "⠏", "⠹"];

fn verdicts(state: &State) -> Vec<(Role, String)> {
    if let Some(message) = &state.message {
        return vec![(message.role, message.text.clone())];
    }
    let Some(item) = state.subject() else {
        // What a file has in it is known once it was analysed.
        let text = match state.waits() {
            true => "the text is being analysed".to_owned(),
            false => format!("no {} in this file yet", state.surface().kernel_word()),
        };
        return vec![(Role::Faint, text)];
    };
    let mut verdicts = vec![(Role::Strong, item.name.to_string())];
    verdicts.extend(loop_verdicts(state));
    let words = &state.file().words;
    let own = words.outline.iter().find(|other| other.which == *item).map_or(TextRange::default(), |item| item.range);
    let (here, elsewhere): (Vec<_>, Vec<_>) =
        words.diagnostics.iter().partition(|found| own.contains_range(found.range));
    if here.is_empty() {
        verdicts.push((Role::Added, " · no problems".to_owned()));
    }
    for (role, text) in counts(&here) {
        verdicts.push((role, format!(" · {text}")));
    }
    if !elsewhere.is_empty() {
        let texts: Vec<_> = counts(&elsewhere).into_iter().map(|(_, text)| text).collect();
        verdicts.push((Role::Faint, format!(" ({} elsewhere in the file)", texts.join(", "))));
    }
    if let Some(n) = state.n_changes_since(Pane::Stage).or_else(|| state.n_changes_since(Pane::Assembly)) {
        let n = count(usize::try_from(n).unwrap_or(usize::MAX), "change");
        verdicts.push((Role::Warning, format!(" · dimmed: the code of {n} ago, before the errors")));
    }
    if state.stage_view.n_missing > 0 {
        verdicts.push((Role::Warning, format!(" · {} not lowered", count(state.stage_view.n_missing, "part"))));
    }
    let stage = state.stage_shown();
    let changed = match state.stage_view.changed.get(state.shown_stage()).copied().flatten() {
        Some(true) => "",
        Some(false) => " (changed nothing)",
        None => " (not reached)",
    };
    verdicts.push((Role::Faint, format!(" · {}{changed}: {}", stage.name, stage.description)));
    verdicts
}

/// Lists the verdict on each loop of the item, with its line. Of many loops, those with the cursor in their line come
/// first.
fn loop_verdicts(state: &State) -> Vec<(Role, String)> {
    let buffer = &state.file().buffer;
    let line = |verdict: &Verdict| buffer.line_of(verdict.range.start().into());
    let mut known: Vec<_> = state.stage_view.verdicts.iter().collect();
    known.sort_by_key(|verdict| (line(verdict) != buffer.cursor_line(), line(verdict)));
    let words = known.into_iter().map(|verdict| {
        let role = if verdict.has_lanes { Role::Added } else { Role::Warning };
        (role, format!(" · line {}: {}", line(verdict) + 1, verdict.headline))
    });
    words.collect()
}

/// Lists the number of findings for each severity that occurs.
fn counts(diagnostics: &[&Diagnostic]) -> Vec<(Role, String)> {
    let severities = [Severity::Error, Severity::Warning, Severity::Note];
    let counts = severities.map(|severity| {
        let n = diagnostics.iter().filter(|found| found.severity == severity).count();
        (n > 0).then(|| (role_of_severity(severity), count(n, severity.name())))
    });
    counts.into_iter().flatten().collect()
}

/// Draws the line of keys: as many of the currently available actions as fit.
pub(super) fn keys(state: &State, canvas: &mut Canvas) {
    let area = state.arrangement.keys;
    if area.h == 0 {
        return;
    }
    let (ground, strong) = (canvas.part(Part::Keys), canvas.part(Part::Key));
    let mut pen = Pen::new(area, 0);
    canvas.text(&mut pen, " ", ground);
    for (actions, label) in offered(state) {
        // In edit mode, keys that type characters are not available for actions.
        let does = |key: &&Key| !state.editing || key.typed().is_none();
        let keys = actions.iter().filter_map(|action| state.settings.keymap.keys(*action).iter().find(does));
        let keys: Vec<_> = keys.map(ToString::to_string).collect();
        let width = glyphs::width(&keys.join(" ")) + glyphs::width(label) + 3;
        if keys.is_empty() || width > pen.left() {
            continue;
        }
        canvas.text(&mut pen, &keys.join(" "), strong);
        canvas.text(&mut pen, &format!(" {label}  "), ground);
    }
    canvas.rest(&mut pen, ground);
}

fn offered(state: &State) -> Vec<(&'static [Action], &'static str)> {
    if state.editing {
        return vec![
            (&[Action::Stop], "done"),
            (&[Action::Save], "save"),
            (&[Action::Undo], "undo"),
            (&[Action::Cut], "cut"),
            (&[Action::Help], "help"),
        ];
    }
    let enter = match state.focus {
        Pane::Source => "edit",
        Pane::Stage | Pane::Assembly | Pane::Beside => "to the source",
        Pane::Details if state.topic == Topic::Run => "change",
        Pane::Details if state.topic == Topic::Start => "open",
        Pane::Details => "choose",
    };
    if state.shows_lanes() {
        return vec![
            (&[Action::Help], "help"),
            (&[Action::BackOp, Action::StepOp], "op"),
            (&[Action::BackLine, Action::StepLine], "line"),
            (&[Action::BackGroup, Action::StepGroup], "group"),
            (&[Action::RunBack, Action::RunOn], "run"),
            (&[Action::BackToDivergence, Action::ToDivergence], "lanes part"),
            (&[Action::ToStart, Action::ToEnd], "ends"),
            (&[Action::Breakpoint, Action::Condition], "breakpoint"),
            (&[Action::PreviousStage, Action::NextStage], "stage"),
            (&[Action::Run], "data"),
            (&[Action::NextPane], "pane"),
            (&[Action::Zoom], "zoom"),
            (&[Action::Palette], "everything"),
            (&[Action::Quit], "quit"),
        ];
    }
    if state.settings.details && state.topic == Topic::Pictures {
        return vec![
            (&[Action::Help], "help"),
            (&[Action::Iterations], "iterations"),
            (&[Action::Statements], "statements"),
            (&[Action::Arrays], "arrays"),
            (&[Action::NextForm], "form"),
            (&[Action::NextVersion], "before"),
            (&[Action::PreviousStage, Action::NextStage], "stage"),
            (&[Action::Run], "data"),
            (&[Action::Export], "write"),
            (&[Action::NextPane], "pane"),
            (&[Action::Zoom], "zoom"),
            (&[Action::Palette], "everything"),
            (&[Action::Quit], "quit"),
        ];
    }
    vec![
        (&[Action::Help], "help"),
        (&[Action::Open], enter),
        (&[Action::PreviousStage, Action::NextStage], "stage"),
        (&[Action::Quit], "quit"),
        (&[Action::NextPane], "pane"),
        (&[Action::Diff], "diff"),
        (&[Action::Why], "why"),
        (&[Action::Problems], "problems"),
        (&[Action::Run], "run"),
        (&[Action::PickKernel], "kernels"),
        (&[Action::PickTarget], "target"),
        (&[Action::PickBeside], "beside"),
        (&[Action::Palette], "everything"),
        (&[Action::Search], "search"),
        (&[Action::ApplyFix], "fix"),
        (&[Action::Bench], "bench"),
        (&[Action::Sweep], "sweep"),
        (&[Action::Zoom], "zoom"),
        (&[Action::Save], "save"),
    ]
}
