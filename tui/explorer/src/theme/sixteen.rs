//! The look of roles in the terminal's own sixteen colours, on its own background.
//!
//! Which of the sixteen can be read on the background differs from terminal to terminal: in Solarized colour 8 is the
//! background itself, and xterm's blue has a contrast of 2 on black. So the terminal is asked for its colours, each role
//! has several that it would like, and takes the first that can be read; without such a one it has the colour of text,
//! and its weight alone. A terminal that does not tell its colours gets those only that can be read in all that are
//! known.

use super::colours::{READABLE, Rgb, contrast};
use super::{Colour, PLAIN, Paint, Part, bold};
use crate::page::Role;

/// The colours of the terminal, as far as they are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TerminalColours {
    /// Background, if the terminal told it.
    pub background: Option<Rgb>,
    /// Text, if the terminal told it.
    pub foreground: Option<Rgb>,
    /// The sixteen colours, if the terminal told them.
    pub sixteen: [Option<Rgb>; 16],
    /// True for a light background, false for a dark one, as the environment says; the terminal's word counts more.
    pub light: Option<bool>,
}

impl TerminalColours {
    /// Returns true for a light background, and false for a dark or an unknown one: the terminals that do not tell it,
    /// such as the console of Linux, are dark.
    pub fn is_light(&self) -> bool {
        self.background.map(Rgb::is_light).or(self.light).unwrap_or(false)
    }

    /// Returns the first of some colours that can be read on the background.
    fn readable(&self, wanted: &[u8]) -> Option<Colour> {
        // White and the bright cyan, which can be read on every dark background that is known; on the light ones none can.
        const ON_DARK: [u8; 3] = [7, 14, 15];
        let can_be_read = |n: u8| match (self.background, self.sixteen[usize::from(n)]) {
            (Some(background), Some(colour)) => contrast(colour, background) >= READABLE,
            _ => !self.is_light() && ON_DARK.contains(&n),
        };
        wanted.iter().copied().find(|n| can_be_read(*n)).map(Colour::Ansi)
    }

    /// Returns the style below all others: the terminal's own, unless its text cannot be read, as in Solarized Light.
    pub(super) fn ground(&self) -> Paint {
        let own = self.foreground.zip(self.background).map_or(READABLE, |(text, back)| contrast(text, back));
        if own >= READABLE { PLAIN } else { self.in_colour(&[0, 15, 7]) }
    }

    fn in_colour(&self, wanted: &[u8]) -> Paint {
        Paint { fg: self.readable(wanted), ..PLAIN }
    }

    /// Returns the style of a role. Every hue is preferred bright on a dark background, and dark on a light one.
    pub(super) fn role(&self, role: Role) -> Paint {
        let hue = |n: u8| self.in_colour(&if self.is_light() { [n, n + 8] } else { [n + 8, n] });
        let in_italics = |paint| Paint { italic: true, ..paint };
        match role {
            Role::Text | Role::Variable | Role::Param | Role::Field | Role::Index | Role::Faint | Role::Operator => {
                PLAIN
            }
            Role::Call | Role::Number | Role::Constant | Role::Code | Role::Type => PLAIN,
            Role::Keyword | Role::Attribute | Role::Item | Role::Heading | Role::Strong => bold(PLAIN),
            Role::Comment | Role::Hint | Role::Doc => in_italics(PLAIN),
            Role::Varying => in_italics(self.in_colour(&[13, 5])),
            Role::Load => self.in_colour(&[12, 4, 14]),
            Role::Store => hue(3),
            Role::Arithmetic => hue(2),
            Role::Shuffle => self.in_colour(&[5, 13]),
            Role::Mask => self.in_colour(&[6, 14]),
            Role::Error => bold(hue(1)),
            Role::Removed => hue(1),
            Role::Warning => bold(hue(3)),
            Role::Note => bold(self.in_colour(&[12, 4, 14])),
            Role::Added => hue(2),
            Role::Match => Paint { reverse: true, bold: true, ..PLAIN },
            Role::Dear | Role::ChangedWord => Paint { bold: true, underline: true, ..PLAIN },
            Role::Pixels(..) => PLAIN,
        }
    }
}

/// Returns the style of a part of the screen, which has weight and no hue.
pub(super) fn part(part: Part) -> Paint {
    match part {
        Part::Title => Paint { underline: true, bold: true, ..PLAIN },
        Part::TitleFaint => Paint { underline: true, ..PLAIN },
        Part::TitleFocused | Part::Chosen => Paint { reverse: true, bold: true, ..PLAIN },
        Part::TitleFocusedFaint | Part::Selection => Paint { reverse: true, ..PLAIN },
        Part::LitPlace => Paint { underline: true, bold: true, ..PLAIN },
        Part::Lit | Part::Status | Part::Key => bold(PLAIN),
        Part::Stale => Paint { italic: true, ..PLAIN },
        Part::Keys | Part::Frame | Part::CursorLine | Part::Box => PLAIN,
    }
}
