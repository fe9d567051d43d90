//! The pictures of the details: what is asked for, how it is shown, and what is written to files.

use report::ItemKind;

use super::{State, Topic};
use crate::event::Effect;
use crate::layout::Pane;
use crate::page::{Page, Role};
use crate::page_view::GUTTER;
use crate::pictures::arrays::{ArrayForm, ArrayVersion, ArraysOnPage, page};
use crate::pictures::files::{HtmlPane, arrays_svg, html, svg};
use crate::pictures::{Drawing, PictureKey, PictureKind, Shades};
use crate::questions::{How, Which};
use crate::theme::Depth;

/// The picture that is shown.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ShownPicture {
    /// The thing that it is of.
    pub kind: PictureKind,
    /// The latest answer about it.
    pub drawing: Drawing,
    /// The form of arrays.
    pub form: ArrayForm,
    /// The run whose arrays are drawn.
    pub version: ArrayVersion,
    /// True if the kernel is to be run for its arrays, as soon as there are data.
    pub asks_for_run: bool,
}

/// The choices that the look of a picture depends on, besides its content and its width.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct PictureLook {
    kind: PictureKind,
    form: ArrayForm,
    version: ArrayVersion,
    shades: Shades,
    rows: usize,
    has_pixels: bool,
}

impl State {
    /// Returns true if a picture is shown, or would be if the details had room.
    fn shows_pictures(&self) -> bool {
        self.settings.details && self.topic == Topic::Pictures
    }

    /// Shows a picture. If it is shown already, goes to it.
    pub(super) fn show_picture(&mut self, kind: PictureKind) {
        let is_other = self.shown.kind != kind;
        if is_other {
            self.shown.kind = kind;
            self.shown.drawing = Drawing::Nothing;
            self.known.picture = None;
            self.details_epoch += 1;
        }
        match is_other && self.shows_pictures() && self.arrangement.area(Pane::Details).is_some() {
            true => self.details_pane.begin_with_next(),
            false => self.show_topic(Topic::Pictures),
        }
        self.shown.asks_for_run = kind == PictureKind::Arrays;
    }

    /// Runs the kernel if arrays are to be drawn and there are none; returns true if it did. Data may come later than the key.
    pub(super) fn run_for_arrays(&mut self, effects: &mut Vec<Effect>) -> bool {
        if !self.shown.asks_for_run || !self.shows_pictures() || self.running.is_some() {
            return false;
        }
        let Some(has_arrays) = self.drawn_form().map(|form| form.arrays.is_some()) else { return false };
        self.shown.asks_for_run = false;
        if has_arrays {
            return false;
        }
        self.start_run(How::Once(self.engine.in_surface(self.surface())), effects);
        true
    }

    /// Draws arrays in the next form.
    pub(super) fn draw_otherwise(&mut self) {
        if self.lacks_arrays() {
            return;
        }
        self.shown.form = self.shown.form.next();
        self.tell(Role::Faint, format!("arrays are drawn: {}", self.shown.form.name()));
    }

    /// Draws the arrays of another run.
    pub(super) fn draw_other_run(&mut self) {
        if self.lacks_arrays() {
            return;
        }
        let has_earlier = self.drawn_form().is_some_and(|form| form.earlier_arrays.is_some());
        let (version, words) = match self.shown.version {
            ArrayVersion::Now if !has_earlier => {
                let words = "there is nothing to compare with yet: run the kernel (r), edit it, and run it again";
                return self.tell(Role::Faint, words);
            }
            ArrayVersion::Now => (ArrayVersion::Before, "the arrays of the last run before the edit"),
            ArrayVersion::Before => (ArrayVersion::Difference, "the arrays now, less those before the edit"),
            ArrayVersion::Difference => (ArrayVersion::Now, "the arrays of the last run"),
        };
        self.shown.version = version;
        self.tell(Role::Faint, words);
    }

    /// Returns true if no arrays are drawn, and says so.
    fn lacks_arrays(&mut self) -> bool {
        let lacks = !self.shows_pictures() || self.shown.kind != PictureKind::Arrays;
        if lacks {
            self.tell(Role::Faint, "this is about the picture of arrays, which A shows");
        }
        lacks
    }

    fn drawn_form(&self) -> Option<&super::RunForm> {
        self.forms.get(&(self.current, self.subject()?.clone()))
    }

    /// Returns the key of the picture that is to be made of the text.
    pub(super) fn wanted_picture(&self) -> Option<PictureKey> {
        let has_picture = self.shows_pictures() && self.topic_lacks().is_none();
        let is_of_text = has_picture && self.shown.kind != PictureKind::Arrays && !self.editing;
        let item = self.subject().filter(|item: &&Which| is_of_text && item.kind == ItemKind::Kernel)?;
        // Without data there is no run to follow, and data are on their way.
        let form = self.drawn_form()?;
        Some(PictureKey {
            of: self.version(),
            item: item.clone(),
            kind: self.shown.kind,
            at: self.asked_place(),
            stage: self.shown_stage(),
            options: self.settings.goal.options,
            arguments: form.arguments(),
        })
    }

    /// Returns what the look of a picture depends on.
    pub(super) fn picture_look(&self) -> PictureLook {
        if !self.shows_pictures() {
            return PictureLook::default();
        }
        let ShownPicture { kind, form, version, .. } = self.shown;
        let shades = match (self.settings.ascii, self.settings.depth) {
            (true, _) => Shades::Ascii,
            (false, Depth::Palette | Depth::True) => Shades::Colours,
            (false, _) => Shades::Blocks,
        };
        let height = usize::from(self.size.1);
        let rows = if self.zoomed { height.saturating_sub(8) } else { height / 4 };
        let has_pixels = self.settings.has_pixels();
        PictureLook { kind, form, version, shades, rows, has_pixels }
    }

    /// Returns the page of the picture.
    pub(super) fn picture_page(&self) -> Page {
        let Some(item) = self.subject() else {
            return self.no_subject();
        };
        if item.kind != ItemKind::Kernel {
            return self.no_kernel(item);
        }
        let Some(form) = self.drawn_form() else {
            return Page::notice(match self.waits() {
                true => "The text is being analysed.".to_owned(),
                false => format!("{} has errors and cannot be run; e lists them.", item.name),
            });
        };
        let columns = usize::from(self.body(Pane::Details).w).saturating_sub(GUTTER + 1);
        if self.shown.kind != PictureKind::Arrays {
            return self.shown.drawing.page(self.file().buffer.text(), columns);
        }
        match (&form.arrays, &form.outcome) {
            (Some((_, arrays)), _) => {
                let PictureLook { form: how, version, shades, rows, has_pixels, .. } = self.picture_look();
                let before = form.earlier_arrays.as_ref().map(|before| &before[..]);
                page(&ArraysOnPage { now: arrays, before, form: how, version, shades, has_pixels }, columns, rows)
            }
            (None, Some(outcome)) => outcome.clone(),
            (None, None) if self.running.is_some() => Page::notice("The kernel is running (esc stops it)."),
            (None, None) => Page::notice("There was no run on these data yet; A runs the kernel."),
        }
    }

    /// Returns the shown picture as SVG, if it is one and has the keys.
    pub(super) fn picture_svg(&self) -> Option<String> {
        if self.focus != Pane::Details || !self.shows_pictures() {
            return None;
        }
        let item = &self.subject()?.name;
        match self.shown.kind {
            PictureKind::Arrays => {
                let (_, arrays) = self.drawn_form()?.arrays.as_ref()?;
                Some(arrays_svg(arrays, self.shown.form))
            }
            PictureKind::Iterations | PictureKind::Statements => svg(&self.shown.drawing, item),
        }
    }

    /// Returns the default file name for an export of the picture, if one is shown.
    pub(super) fn picture_name(&self) -> Option<&'static str> {
        self.shows_pictures().then_some(match self.shown.kind {
            PictureKind::Iterations => "iterations.svg",
            PictureKind::Statements => "statements.svg",
            PictureKind::Arrays => "arrays.svg",
        })
    }

    /// Returns all open panes as a page of HTML.
    pub(super) fn view_html(&self) -> String {
        let source = self.source_page();
        let mut panes = vec![HtmlPane { title: self.file().name.clone(), lines: source.lines.iter().collect() }];
        let pages = [Pane::Stage, Pane::Assembly, Pane::Beside, Pane::Details];
        for pane in pages.into_iter().filter(|pane| self.has_pane(*pane)) {
            let Some(view) = self.page_view(pane) else { continue };
            let title = match pane {
                Pane::Stage => format!("Stage {}", self.stage_shown().name),
                Pane::Assembly => format!("Assembly for {}", self.settings.goal.label()),
                Pane::Beside => {
                    format!("Assembly for {}", self.settings.beside.map_or_else(String::new, |goal| goal.label()))
                }
                Pane::Details | Pane::Source => "Details".to_owned(),
            };
            panes.push(HtmlPane { title, lines: view.page().lines.iter().collect() });
        }
        let item = self.subject().map_or("", |item| &item.name);
        html(&format!("{} {item}", self.file().name), &panes, &self.settings.look())
    }
}
