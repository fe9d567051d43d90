//! The starting page: files that were open lately, lessons and examples, for who names no file.
//!
//! All of them are open files of the explorer, so that Enter on a line only shows one. Those whose file is gone are not on the page.

use driver::words::count;

use crate::page::{Line, Offer, Page, Role};

/// The files that the starting page offers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StartPage {
    /// Files that were open lately, the last one first.
    pub recent: Vec<StartEntry>,
    /// The lessons, in order.
    pub lessons: Vec<StartEntry>,
    /// Examples.
    pub examples: Vec<StartEntry>,
}

/// A file that the starting page offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartEntry {
    /// The number of the file in the explorer.
    pub file: usize,
    /// The name.
    pub label: String,
    /// Words about it.
    pub words: String,
    /// True for a lesson whose task is done.
    pub is_done: bool,
}

impl StartPage {
    /// The page, a line for each file.
    pub(crate) fn page(&self) -> Page {
        let mut lines = vec![
            Line::of(Role::Heading, "Lanescope shows what the lanes of data-parallel kernels do."),
            Line::of(Role::Faint, "Enter opens what the cursor is on, / searches, ? shows every key, q quits."),
            Line::of(Role::Faint, "Files of your own are opened by their names: lanescope kernel.lane"),
        ];
        let n_done = self.lessons.iter().filter(|lesson| lesson.is_done).count();
        let lessons = format!("Lessons, {n_done} of {} done", self.lessons.len());
        let recent = format!("Recent {}", if self.recent.len() == 1 { "file" } else { "files" });
        let examples = format!("{}, as copies of your own", count(self.examples.len(), "example"));
        let width = [&self.recent, &self.lessons, &self.examples].into_iter().flatten().map(|it| it.label.len()).max();
        for (title, entries) in [(recent, &self.recent), (lessons, &self.lessons), (examples, &self.examples)] {
            if entries.is_empty() {
                continue;
            }
            lines.extend([Line::default(), Line::of(Role::Heading, title)]);
            lines.extend(entries.iter().map(|entry| entry.line(width.unwrap_or(0).min(WIDEST))));
        }
        Page::prose(lines)
    }
}

/// The most columns for names; longer ones push their words to the right.
const WIDEST: usize = 40;

impl StartEntry {
    fn line(&self, width: usize) -> Line {
        let (mark, role) = if self.is_done { ("✓ ", Role::Added) } else { ("  ", Role::Text) };
        let label = format!("{:width$}", self.label);
        let line = Line::of(role, mark).and(Role::Strong, label).and(Role::Faint, format!("  {}", self.words));
        Line { is_whole: true, ..line.offering(Offer::Start(self.file)) }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn what_there_is_none_of_has_no_heading() {
        let entry = |file: usize, label: &str, words: &str, is_done| StartEntry {
            file,
            label: label.to_owned(),
            words: words.to_owned(),
            is_done,
        };
        let page = StartPage {
            recent: Vec::new(),
            lessons: vec![entry(0, "1 One lane", "", true), entry(1, "2 Many lanes", "", false)],
            examples: vec![entry(2, "audio.lane", "Sound.", false)],
        };
        expect![[r#"
            Lanescope shows what the lanes of data-parallel kernels do.
            Enter opens what the cursor is on, / searches, ? shows every key, q quits.
            Files of your own are opened by their names: lanescope kernel.lane

            Lessons, 1 of 2 done
            ✓ 1 One lane
              2 Many lanes

            1 example, as copies of your own
              audio.lane    Sound.
        "#]]
        .assert_eq(&page.page().lines.iter().map(|line| format!("{}\n", line.text.trim_end())).collect::<String>());
    }
}
