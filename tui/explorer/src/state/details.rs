//! The pages about the position under the cursor: facts, problems and runs.

use report::{ItemKind, TextRange, TextSize};

use super::picturing::PictureLook;
use super::run_form::RunForm;
use super::{State, Topic};
use crate::answers::{problem, problems};
use crate::colouring::sentence;
use crate::layout::Pane;
use crate::lessons::LESSONS;
use crate::page::{Line, Offer, Page, Role};
use crate::questions::{Version, Which};

/// The inputs of a details page, which is rebuilt when they change.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Key {
    topic: Topic,
    of: Version,
    line: usize,
    epoch: u64,
    subject: Option<Which>,
    running: bool,
    /// The width of the pane and the stage, where the page depends on them.
    width: u16,
    stage: usize,
    look: PictureLook,
}

impl State {
    /// Updates the details page if its inputs have changed.
    pub(super) fn show_details(&mut self) {
        let key = Key {
            topic: self.topic,
            of: self.version(),
            line: if matches!(self.topic, Topic::Task | Topic::Variants | Topic::Lanes | Topic::Pictures | Topic::Start)
            {
                0
            } else {
                self.file().buffer.cursor_line()
            },
            epoch: self.details_epoch,
            subject: self.file().subject.clone(),
            running: self.running.is_some(),
            stage: if self.topic == Topic::Lanes { self.shown_stage() } else { 0 },
            width: match self.topic {
                Topic::Lanes | Topic::Pictures => self.body(Pane::Details).w,
                _ => 0,
            },
            look: self.picture_look(),
        };
        if self.details_key.as_ref() == Some(&key) {
            return;
        }
        // A page that is being read must not change just because the source scrolls along.
        let reading = self.focus == Pane::Details && self.topic == Topic::Why;
        let is_new = self.details_key.as_ref().is_none_or(|old| old.topic != key.topic || old.epoch != key.epoch);
        if reading && !is_new {
            return;
        }
        let page = match self.topic {
            _ if self.topic_lacks().is_some() => Page::notice(self.topic_lacks().map_or_else(String::new, as_sentence)),
            Topic::Why => self.why_page(),
            Topic::Problems => problems(&self.file().words.diagnostics, &self.file().buffer),
            Topic::Run => self.run_page(),
            Topic::Lanes => self.lanes_page(),
            Topic::Task => self.task_page(),
            Topic::Variants => self.variants_page(),
            Topic::Pictures => self.picture_page(),
            Topic::Start => self.start_page(),
        };
        let ran = self.details_key.as_ref().is_some_and(|old| old.running);
        let is_other = self.details_key.as_ref().is_none_or(|old| old.topic != key.topic);
        let follows = !matches!(
            self.topic,
            Topic::Run | Topic::Lanes | Topic::Task | Topic::Variants | Topic::Pictures | Topic::Start
        ) && self.focus != Pane::Details;
        match matches!(self.topic, Topic::Lanes | Topic::Pictures | Topic::Start) && !is_other {
            true => self.details_pane.show_in_place(page),
            false => self.details_pane.show(page),
        }
        self.details_key = Some(key);
        if self.topic == Topic::Lanes {
            self.lanes.n_rows = self.lanes.n_rows.max(self.details_pane.rows().len());
        }
        if is_other || follows {
            self.begin_details();
        }
        if ran && self.topic == Topic::Run {
            self.reveal_outcome();
        }
    }

    /// Moves to the start of a new page; among the problems, to those of the cursor's line or else the next ones.
    fn begin_details(&mut self) {
        let file = self.file();
        let here = TextSize::new(file.buffer.line_range(file.buffer.cursor_line()).start as u32);
        let sources = self.details_pane.rows().iter().map(|row| self.details_pane.page().lines[row.line].source);
        let is_next = |source: Option<TextRange>| source.is_some_and(|range| range.start() >= here);
        let next = sources.map(is_next).position(|is_next| is_next).filter(|_| self.topic == Topic::Problems);
        // The starting page begins at the first file that it offers.
        let mut offers =
            self.details_pane.rows().iter().map(|row| self.details_pane.page().lines[row.line].offer.is_some());
        let first = offers.position(|is_offer| is_offer).filter(|_| self.topic == Topic::Start);
        self.details_pane.begin();
        self.details_pane.go_to(next.or(first).unwrap_or(0));
    }

    /// Scrolls to the outcome of a run, as much of it as fits below the data.
    fn reveal_outcome(&mut self) {
        let form = self.subject().and_then(|item| self.forms.get(&(self.current, item.clone())));
        if let Some(line) = form.and_then(RunForm::outcome_line) {
            let height = self.body(Pane::Details).h;
            self.details_pane.reveal_from(line, height);
        }
    }

    /// Builds the page with the problems of the cursor's line and the facts about the position.
    fn why_page(&self) -> Page {
        let file = self.file();
        let line = file.buffer.cursor_line();
        let mut lines = Vec::new();
        for (n, diagnostic) in file.words.diagnostics.iter().enumerate() {
            let (first, last) = file.lines_of(diagnostic.range);
            if first == line || (first..=last).contains(&line) && last - first < 2 {
                lines.extend(problem(n, diagnostic, "", Some(&file.buffer)));
            }
        }
        if let Some((range, text)) = file.failure.as_ref().filter(|(range, _)| file.lines_of(*range).0 == line) {
            lines.push(Line::of(Role::Error, text.clone()).from_source(Some(*range)).offering(Offer::Source));
        }
        if !lines.is_empty() && !self.place.is_empty() {
            lines.push(Line::default());
        }
        lines.extend(self.place.iter().cloned());
        if lines.is_empty() {
            lines.push(Line::of(
                Role::Faint,
                "Put the cursor on a name, an operator or an access to see what is known of it.",
            ));
        }
        Page::prose(lines)
    }

    /// The page about an item that is of no kind that stages and runs are of.
    pub(super) fn no_kernel(&self, item: &Which) -> Page {
        let word = self.surface().kernel_word();
        Page::notice(format!("{} is no {word}; put the cursor in one, or pick one with o.", item.name))
    }

    /// The page about a file without an item.
    pub(super) fn no_subject(&self) -> Page {
        match self.waits() {
            true => Page::notice("The text is being analysed."),
            false => Page::notice(format!("There is no {} in this file.", self.surface().kernel_word())),
        }
    }

    /// Builds the page of a lesson: its words, its task, how far that has come, and the way on.
    fn task_page(&self) -> Page {
        let Some((n, lesson)) = self.file().lesson.and_then(|n| Some((n, LESSONS.get(n)?))) else {
            return Page::notice("This file is no lesson; `lanescope learn` opens those.");
        };
        let title = format!("Lesson {} of {}: {}", n + 1, LESSONS.len(), lesson.title);
        let mut lines = vec![Line::of(Role::Heading, title), Line::default()];
        for words in lesson.words {
            lines.extend([sentence(words), Line::default()]);
        }
        lines.push(sentence(lesson.task));
        let is_known = self.known.lesson.as_ref().is_some_and(|key| key.lesson == n);
        let steps = if is_known { &self.steps[..] } else { &[] };
        for step in steps {
            let (mark, role) = if step.is_done { ("✓ ", Role::Added) } else { ("· ", Role::Text) };
            lines.push(Line::of(role, mark).and(Role::Text, &step.text));
            lines.extend(step.hint.iter().map(|hint| Line::of(Role::Faint, format!("  {hint}"))));
        }
        lines.extend([Line::default(), sentence(lesson.look)]);
        if !steps.is_empty() && steps.iter().all(|step| step.is_done) {
            lines.push(Line::default());
            lines.push(match self.lesson_file(n + 1) {
                Some(_) => Line::of(Role::Strong, "Done. Enter on this line goes to the next lesson.")
                    .offering(Offer::Lesson(n + 1)),
                None => Line::of(Role::Strong, "Done. That was the last lesson; examples/ has more to look at."),
            });
        }
        Page::prose(lines)
    }

    /// The file that is open for a lesson.
    pub(super) fn lesson_file(&self, lesson: usize) -> Option<usize> {
        self.files.iter().position(|file| file.lesson == Some(lesson))
    }

    /// Builds the page with the kernel's variants. What was known of an earlier text stays until there is something newer.
    fn variants_page(&self) -> Page {
        match self.subject() {
            Some(item) if item.kind != ItemKind::Kernel => self.no_kernel(item),
            Some(_) if self.variants.lines.is_empty() => Page::notice("All targets are being tried."),
            Some(_) => self.variants.clone(),
            None => self.no_subject(),
        }
    }

    fn run_page(&self) -> Page {
        let Some(item) = self.subject() else {
            return self.no_subject();
        };
        if item.kind != ItemKind::Kernel {
            return self.no_kernel(item);
        }
        let form = self.forms.get(&(self.current, item.clone()));
        match form {
            Some(form) => {
                let mut page = form.page(&item.name, self.surface(), self.engine, self.running.is_some());
                page.lines.extend(self.kept_rows());
                page
            }
            None => Page::notice(format!("{} has errors and cannot be run; e lists them.", item.name)),
        }
    }
}

/// A reason as a sentence of its own.
fn as_sentence(why: &'static str) -> String {
    let mut letters = why.chars();
    letters.next().map_or_else(String::new, |first| format!("{}{}.", first.to_uppercase(), letters.as_str()))
}
