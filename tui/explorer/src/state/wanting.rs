//! The parts of an answer that the screen needs, derived from the state however that was reached.

use std::sync::Arc;

use report::{ItemKind, TextRange, TextSize};

use super::run_form::RunForm;
use super::{AssemblyComparing, Comparing, Goods, Settings, State, Topic};
use crate::layout::Pane;
use crate::overlay::Overlay;
use crate::questions::{
    Against, AssemblyKey, Compared, LessonKey, PlaceKey, Question, SamplesKey, StageKey, VariantsKey, Wanted, Which,
    WordsKey,
};

impl State {
    /// Returns the position to ask about: that of the cursor, or the source of the line under the cursor. In an
    /// indentation it is the first word of the line.
    pub(super) fn asked_place(&self) -> TextSize {
        // The lines of the details lead to other positions, so they must not change the one that is asked about.
        let pane = self.page_view(self.focus).filter(|_| self.focus != Pane::Details);
        let source = pane.and_then(|view| view.line()?.source);
        let under_cursor = || {
            let buffer = &self.file().buffer;
            let line = buffer.line_range(buffer.cursor_line());
            let indent = buffer.text()[line.clone()].len() - buffer.text()[line.clone()].trim_start().len();
            TextSize::new(buffer.cursor().max(line.start + indent) as u32)
        };
        source.map_or_else(under_cursor, TextRange::start)
    }

    /// Returns the keys of everything that the screen needs.
    pub(super) fn wants(&self) -> Wanted {
        let of = self.version();
        let item = self.subject().cloned();
        let is_kernel = |item: &Which| item.kind == ItemKind::Kernel;
        let stage = item.clone().map(|item| StageKey {
            of,
            stage: self.shown_stage(),
            options: self.settings.goal.options,
            against: self.against(&item),
            item,
        });
        let assembly = item.clone().filter(|_| self.settings.assembly).map(|item| AssemblyKey {
            of,
            goal: self.settings.goal,
            writing: self.settings.writing,
            against: self.assembly_against(&item),
            item,
        });
        let beside = assembly.clone().zip(self.settings.beside);
        let beside = beside.map(|(key, goal)| AssemblyKey { goal, against: Compared::Nothing, ..key });
        let runs = self.settings.details && matches!(self.topic, Topic::Run | Topic::Lanes | Topic::Pictures);
        let samples = item.filter(|item| runs && is_kernel(item)).map(|item| {
            let given = self.forms.get(&(self.current, item.clone())).map(RunForm::given).unwrap_or_default();
            SamplesKey { of, item, given }
        });
        // A page that is being read changes with the text only, and not when the reader moves down a line.
        let is_read = self.focus == Pane::Details && self.known.place.as_ref().is_some_and(|key| key.of == of);
        let place = self.settings.details && self.topic == Topic::Why && !is_read;
        let is_answered = self.settings.details && self.topic_lacks().is_none();
        let lesson = self.file().lesson.filter(|_| is_answered && self.topic == Topic::Task);
        let compares = is_answered && self.topic == Topic::Variants;
        let subject = self.subject().filter(|item| compares && is_kernel(item));
        let variants = subject.cloned().map(|item| VariantsKey { of, item, goal: self.settings.goal });
        let preview = match &self.overlay {
            Some(Overlay::Fix(fix)) => Some(fix.key.clone()),
            _ => None,
        };
        Wanted {
            words: Some(WordsKey { of, range: self.file().window(), options: self.settings.goal.options }),
            stage,
            place: place.then(|| PlaceKey { of, at: self.asked_place(), options: self.settings.goal.options }),
            samples,
            variants,
            picture: self.wanted_picture(),
            lesson: lesson.map(|lesson| LessonKey { of, lesson, options: self.settings.goal.options }),
            preview,
            assembly,
            beside,
        }
    }

    fn against(&self, item: &Which) -> Against {
        let goods = || self.goods.get(&(self.current, item.clone(), self.shown_stage()));
        match self.comparing {
            Comparing::Nothing => Against::Nothing,
            Comparing::Before => Against::Before,
            Comparing::LastGood => match goods() {
                Some(Goods { now, before }) => {
                    let old = if self.stage_view.good { before.as_ref().unwrap_or(now) } else { now };
                    Against::Lines(old.clone())
                }
                None => Against::Nothing,
            },
        }
    }

    fn assembly_against(&self, item: &Which) -> Compared {
        let Settings { goal, writing, beside, .. } = self.settings;
        match self.assembly_comparing {
            AssemblyComparing::Nothing => Compared::Nothing,
            AssemblyComparing::Beside => beside.map_or(Compared::Nothing, Compared::Goal),
            AssemblyComparing::LastGood => {
                let goods = self.assembly_goods.get(&(self.current, item.clone(), goal, writing));
                goods.map_or(Compared::Nothing, |Goods { now, before }| {
                    Compared::Lines(before.as_ref().unwrap_or(now).clone())
                })
            }
        }
    }

    /// Returns the keys of the parts that are needed and not yet known.
    pub fn wanted(&self) -> Wanted {
        fn missing<K: PartialEq>(wanted: Option<K>, known: &Option<K>) -> Option<K> {
            if wanted == *known { None } else { wanted }
        }
        let wants = self.wants();
        Wanted {
            words: missing(wants.words, &self.known.words),
            stage: missing(wants.stage, &self.known.stage),
            place: missing(wants.place, &self.known.place),
            samples: missing(wants.samples, &self.known.samples),
            lesson: missing(wants.lesson, &self.known.lesson),
            variants: missing(wants.variants, &self.known.variants),
            picture: missing(wants.picture, &self.known.picture),
            preview: missing(wants.preview, &self.known.preview),
            assembly: missing(wants.assembly, &self.known.assembly),
            beside: missing(wants.beside, &self.known.beside),
        }
    }

    /// Returns the next question, unless it equals the last one.
    pub(super) fn next_question(&mut self) -> Option<Question> {
        let wanted = self.wanted();
        if wanted == self.asked {
            return None;
        }
        self.asked = wanted.clone();
        if wanted.is_empty() {
            return None;
        }
        let file = self.file();
        let headers = self.settings.headers.clone();
        Some(Question { path: file.name.clone(), text: Arc::from(file.buffer.text()), headers, wanted })
    }
}
