//! Panes as HTML: their lines in the colours of the theme, one below the other.

use std::fmt::Write;
use std::ops::Range;

use super::escaped;
use crate::page::{Change, Line, Role};
use crate::theme::{Colour, Look, Paint, Rgb};

/// A pane for a page of HTML.
pub(crate) struct HtmlPane<'p> {
    /// The title.
    pub title: String,
    /// The lines.
    pub lines: Vec<&'p Line>,
}

/// Writes panes as a page of HTML, under a title.
pub(crate) fn html(title: &str, panes: &[HtmlPane<'_>], look: &Look) -> String {
    let ground = look.ground();
    let title = escaped(title);
    let mut text = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title}</title>\n<style>\n\
         body {{ font: 14px/1.35 monospace; {} }}\n\
         h1, h2 {{ font: bold 14px monospace }}\n\
         pre {{ font: inherit; line-height: 1.15; margin: 0 0 1.5em 0; overflow-x: auto }}\n\
         </style>\n</head>\n<body>\n<h1>{title}</h1>\n",
        css(ground)
    );
    for pane in panes {
        let _ = write!(text, "<h2>{}</h2>\n<pre>", escaped(&pane.title));
        for line in &pane.lines {
            text += match line.change {
                Change::Same => "",
                Change::Added => "+ ",
                Change::Removed => "- ",
            };
            line_in(&mut text, line, look);
            text.push('\n');
        }
        text += "</pre>\n";
    }
    text + "</body>\n</html>\n"
}

/// Writes a line, each piece in its style.
fn line_in(text: &mut String, line: &Line, look: &Look) {
    let mut at = 0;
    let mut spans: Vec<&(Range<usize>, Role)> = line.spans.iter().collect();
    spans.sort_by_key(|(range, _)| range.start);
    for (range, role) in spans {
        // Where two overlap, the first one counts.
        let start = range.start.max(at);
        if start >= range.end {
            continue;
        }
        *text += &escaped(&line.text[at..start]);
        let style = css(look.role(*role));
        let _ = write!(text, "<span style=\"{style}\">{}</span>", escaped(&line.text[start..range.end]));
        at = range.end;
    }
    *text += &escaped(&line.text[at..]);
}

/// A style in CSS. Colours of the terminal's own have no value there, and are those of text.
fn css(paint: Paint) -> String {
    let mut css = String::new();
    let rgb = |colour: Option<Colour>| match colour {
        Some(Colour::Rgb(Rgb(r, g, b))) => Some(format!("#{r:02x}{g:02x}{b:02x}")),
        _ => None,
    };
    for (name, colour) in [("color", rgb(paint.fg)), ("background", rgb(paint.bg))] {
        if let Some(colour) = colour {
            let _ = write!(css, "{name}: {colour};");
        }
    }
    for (is_set, rule) in [
        (paint.bold, "font-weight: bold;"),
        (paint.italic, "font-style: italic;"),
        (paint.underline, "text-decoration: underline;"),
    ] {
        css += if is_set { rule } else { "" };
    }
    css
}
