//! The look of roles: a theme gives each role a colour and a weight, and leaves everything else to the terminal.
//!
//! The themes `light` and `dark` have colours of their own; `terminal` uses the sixteen that the terminal's owner
//! chose. Without colours (`NO_COLOR`), weight, underline and reversal carry the meaning. No information is shown by
//! colour alone: every colour with a meaning has a mark beside it.

use crate::page::Role;

/// A colour of the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    /// One of the terminal's sixteen colours.
    Ansi(u8),
    /// Red, green and blue.
    Rgb(u8, u8, u8),
}

/// The style of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Paint {
    /// Colour of the text; none for the terminal's default.
    pub fg: Option<Colour>,
    /// Colour of the background; none for the terminal's default.
    pub bg: Option<Colour>,
    /// Bold text.
    pub bold: bool,
    /// Dim text.
    pub dim: bool,
    /// Italic text.
    pub italic: bool,
    /// Underlined text.
    pub underline: bool,
    /// Foreground and background exchanged.
    pub reverse: bool,
}

/// A part of the screen outside of the text of pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Title of a pane.
    Title,
    /// Title of the focused pane.
    TitleFocused,
    /// Separators between panes, and line numbers.
    Frame,
    /// Line of the cursor.
    CursorLine,
    /// Lines related to the line under the cursor.
    Lit,
    /// The exact range related to the line under the cursor.
    LitPlace,
    /// Selected text.
    Selection,
    /// Line of verdicts.
    Status,
    /// Line of keys.
    Keys,
    /// A key in the line of keys.
    Key,
    /// Box of an overlay.
    Box,
    /// Selected line of a picker.
    Chosen,
}

/// A theme, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Theme {
    /// The terminal's own sixteen colours, on its own background.
    #[default]
    Terminal,
    /// Light text on a dark background.
    Dark,
    /// Dark text on a light background.
    Light,
}

/// The colour depth of a screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Depth {
    /// No colours: `NO_COLOR`, or a terminal without them.
    None,
    /// The sixteen basic colours.
    Sixteen,
    /// A palette of 256 colours.
    Palette,
    /// Arbitrary RGB colours.
    True,
}

impl Theme {
    /// All themes.
    pub const ALL: [Theme; 3] = [Theme::Terminal, Theme::Dark, Theme::Light];

    /// Returns the name, as the config file spells it.
    pub fn name(self) -> &'static str {
        match self {
            Theme::Terminal => "terminal",
            Theme::Dark => "dark",
            Theme::Light => "light",
        }
    }

    /// Returns a short explanation for the picker.
    pub fn description(self) -> &'static str {
        match self {
            Theme::Terminal => "the terminal's own colours",
            Theme::Dark => "light on dark",
            Theme::Light => "dark on light",
        }
    }

    /// Returns the theme to use at a colour depth. At sixteen colours that is the terminal's own, since its owner has
    /// chosen those better than a theme could.
    fn on(self, depth: Depth) -> Theme {
        if depth <= Depth::Sixteen { Theme::Terminal } else { self }
    }

    /// Returns the style below all others.
    pub fn ground(self, depth: Depth) -> Paint {
        let ground = match self.on(depth) {
            Theme::Terminal => Paint::default(),
            Theme::Dark => on(rgb(0xd8dee9), rgb(0x16181d)),
            Theme::Light => on(rgb(0x24292f), rgb(0xfcfcfa)),
        };
        ground.within(depth)
    }

    /// Returns the style of a role.
    pub fn role(self, role: Role, depth: Depth) -> Paint {
        if depth == Depth::None {
            return without_colour(role);
        }
        let paint = match self.on(depth) {
            Theme::Terminal => terminal(role),
            Theme::Dark => coloured(role, &DARK),
            Theme::Light => coloured(role, &LIGHT),
        };
        paint.within(depth)
    }

    /// Returns the style of a part of the screen.
    pub fn part(self, part: Part, depth: Depth) -> Paint {
        if depth == Depth::None {
            return part_without_colour(part);
        }
        let paint = match self.on(depth) {
            Theme::Terminal => terminal_part(part),
            Theme::Dark => coloured_part(part, &DARK),
            Theme::Light => coloured_part(part, &LIGHT),
        };
        paint.within(depth)
    }
}

impl Paint {
    /// Combines two styles: attributes that this one leaves unset come from the other.
    pub fn over(self, below: Paint) -> Paint {
        Paint {
            fg: self.fg.or(below.fg),
            bg: self.bg.or(below.bg),
            bold: self.bold || below.bold,
            dim: self.dim || below.dim,
            italic: self.italic || below.italic,
            underline: self.underline || below.underline,
            reverse: self.reverse || below.reverse,
        }
    }

    fn within(self, depth: Depth) -> Paint {
        let fit = |colour: Colour| match (depth, colour) {
            (Depth::None, _) => None,
            (Depth::Palette, Colour::Rgb(r, g, b)) => Some(Colour::Ansi(nearest(r, g, b))),
            _ => Some(colour),
        };
        Paint { fg: self.fg.and_then(fit), bg: self.bg.and_then(fit), ..self }
    }
}

/// Returns the nearest of the 256 palette colours, from the cube of 6 by 6 by 6 or the 24 greys.
fn nearest(r: u8, g: u8, b: u8) -> u8 {
    const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];
    let step = |value: u8| (0..6).min_by_key(|&n| STEPS[n].abs_diff(value)).unwrap_or(0);
    let distance = |to: [u8; 3]| {
        let squares = [(r, to[0]), (g, to[1]), (b, to[2])].map(|(a, b)| u32::from(a.abs_diff(b)).pow(2));
        squares.iter().sum::<u32>()
    };
    let cube = [step(r), step(g), step(b)];
    let in_cube = (16 + 36 * cube[0] + 6 * cube[1] + cube[2]) as u8;
    let to_cube = distance(cube.map(|n| STEPS[n]));
    let grey = (0..24u8).min_by_key(|&n| distance([8 + 10 * n; 3])).unwrap_or(0);
    if distance([8 + 10 * grey; 3]) < to_cube { 232 + grey } else { in_cube }
}

const fn rgb(hex: u32) -> Colour {
    Colour::Rgb((hex >> 16) as u8, (hex >> 8) as u8, hex as u8)
}

const PLAIN: Paint =
    Paint { fg: None, bg: None, bold: false, dim: false, italic: false, underline: false, reverse: false };

const fn fg(colour: Colour) -> Paint {
    Paint { fg: Some(colour), ..PLAIN }
}

const fn bg(colour: Colour) -> Paint {
    Paint { bg: Some(colour), ..PLAIN }
}

const fn on(front: Colour, back: Colour) -> Paint {
    Paint { fg: Some(front), bg: Some(back), ..PLAIN }
}

const fn bold(paint: Paint) -> Paint {
    Paint { bold: true, ..paint }
}

/// The colours of a theme with its own palette.
struct Colours {
    text: Colour,
    keyword: Colour,
    number: Colour,
    type_: Colour,
    call: Colour,
    name: Colour,
    varying: Colour,
    faint: Colour,
    doc: Colour,
    error: Colour,
    warning: Colour,
    good: Colour,
    raised: Colour,
    lit: Colour,
    lit_place: Colour,
    selection: Colour,
    accent: Colour,
    ground: Colour,
}

const DARK: Colours = Colours {
    text: rgb(0xd8dee9),
    keyword: rgb(0xc792ea),
    number: rgb(0xf0a35e),
    type_: rgb(0xe6c07b),
    call: rgb(0x7fb4ff),
    name: rgb(0x8fd6c8),
    varying: rgb(0xf78fb3),
    faint: rgb(0x7d8797),
    doc: rgb(0x98c379),
    error: rgb(0xff6b6b),
    warning: rgb(0xf2c14e),
    good: rgb(0x7bd88f),
    raised: rgb(0x22262e),
    lit: rgb(0x24323f),
    lit_place: rgb(0x37536b),
    selection: rgb(0x3d4760),
    accent: rgb(0x4a86cf),
    ground: rgb(0x16181d),
};

const LIGHT: Colours = Colours {
    text: rgb(0x24292f),
    keyword: rgb(0x8a2fb0),
    number: rgb(0xa04b00),
    type_: rgb(0x7d5a00),
    call: rgb(0x0550ae),
    name: rgb(0x05695c),
    varying: rgb(0xb0266f),
    faint: rgb(0x6a737d),
    doc: rgb(0x2b7a2b),
    error: rgb(0xc4161c),
    warning: rgb(0x9a6700),
    good: rgb(0x1a7f37),
    raised: rgb(0xecedea),
    lit: rgb(0xe3eefa),
    lit_place: rgb(0xbcd9f7),
    selection: rgb(0xd3d8e8),
    accent: rgb(0x2f6fba),
    ground: rgb(0xfcfcfa),
};

fn coloured(role: Role, colours: &Colours) -> Paint {
    match role {
        Role::Text | Role::Variable | Role::Operator => fg(colours.text),
        Role::Keyword | Role::Attribute => fg(colours.keyword),
        Role::Number | Role::Constant | Role::Code => fg(colours.number),
        Role::Type => fg(colours.type_),
        Role::Call => fg(colours.call),
        Role::Item => bold(fg(colours.call)),
        Role::Param | Role::Field | Role::Index => fg(colours.name),
        Role::Comment | Role::Faint => fg(colours.faint),
        Role::Hint => Paint { italic: true, ..fg(colours.faint) },
        Role::Varying => Paint { italic: true, ..fg(colours.varying) },
        Role::Doc => fg(colours.doc),
        Role::Heading | Role::Strong => bold(fg(colours.text)),
        Role::Error | Role::Removed => fg(colours.error),
        Role::Warning => fg(colours.warning),
        Role::Note => fg(colours.call),
        Role::Added => fg(colours.good),
        Role::Match => on(colours.ground, colours.warning),
    }
}

fn terminal(role: Role) -> Paint {
    const RED: Colour = Colour::Ansi(1);
    const GREEN: Colour = Colour::Ansi(2);
    const YELLOW: Colour = Colour::Ansi(3);
    const BLUE: Colour = Colour::Ansi(4);
    const MAGENTA: Colour = Colour::Ansi(5);
    const CYAN: Colour = Colour::Ansi(6);
    const GREY: Colour = Colour::Ansi(8);
    const BRIGHT_MAGENTA: Colour = Colour::Ansi(13);
    match role {
        Role::Text | Role::Variable | Role::Operator => PLAIN,
        Role::Keyword | Role::Attribute => fg(MAGENTA),
        Role::Number | Role::Constant | Role::Code => fg(CYAN),
        Role::Type => fg(YELLOW),
        Role::Call | Role::Note => fg(BLUE),
        Role::Item => bold(fg(BLUE)),
        Role::Param | Role::Field | Role::Index => PLAIN,
        Role::Comment | Role::Faint => fg(GREY),
        Role::Hint => Paint { italic: true, ..fg(GREY) },
        Role::Varying => Paint { italic: true, ..fg(BRIGHT_MAGENTA) },
        Role::Doc | Role::Added => fg(GREEN),
        Role::Heading | Role::Strong => bold(PLAIN),
        Role::Error | Role::Removed => fg(RED),
        Role::Warning => fg(YELLOW),
        Role::Match => on(Colour::Ansi(0), YELLOW),
    }
}

fn without_colour(role: Role) -> Paint {
    match role {
        Role::Keyword | Role::Item | Role::Heading | Role::Strong | Role::Error => bold(PLAIN),
        Role::Comment | Role::Faint | Role::Removed => Paint { dim: true, ..PLAIN },
        Role::Hint => Paint { dim: true, italic: true, ..PLAIN },
        Role::Varying => Paint { italic: true, ..PLAIN },
        Role::Match => Paint { reverse: true, ..PLAIN },
        _ => PLAIN,
    }
}

fn coloured_part(part: Part, colours: &Colours) -> Paint {
    match part {
        Part::Title => on(colours.faint, colours.raised),
        Part::TitleFocused => bold(on(colours.ground, colours.accent)),
        Part::Frame => fg(colours.faint),
        Part::CursorLine => bg(colours.raised),
        Part::Lit => bg(colours.lit),
        Part::LitPlace => bg(colours.lit_place),
        Part::Selection => bg(colours.selection),
        Part::Status => on(colours.text, colours.raised),
        Part::Keys => fg(colours.faint),
        Part::Key => bold(fg(colours.text)),
        Part::Box => on(colours.text, colours.raised),
        Part::Chosen => on(colours.ground, colours.accent),
    }
}

fn terminal_part(part: Part) -> Paint {
    match part {
        Part::Title | Part::Keys | Part::Frame => fg(Colour::Ansi(8)),
        Part::TitleFocused | Part::Chosen => Paint { reverse: true, bold: true, ..PLAIN },
        Part::CursorLine => PLAIN,
        Part::Lit => bold(PLAIN),
        Part::LitPlace => Paint { underline: true, bold: true, ..PLAIN },
        Part::Selection => Paint { reverse: true, ..PLAIN },
        Part::Status | Part::Key => bold(PLAIN),
        Part::Box => PLAIN,
    }
}

fn part_without_colour(part: Part) -> Paint {
    match part {
        Part::Title | Part::Keys | Part::Frame => Paint { dim: true, ..PLAIN },
        _ => terminal_part(part),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_of_the_palette() {
        assert_eq!([nearest(0, 0, 0), nearest(255, 255, 255), nearest(255, 0, 0)], [16, 231, 196]);
        assert_eq!(nearest(0x22, 0x26, 0x2e), 235);
    }

    #[test]
    fn a_depth_has_only_its_colours() {
        for (theme, depth) in Theme::ALL
            .into_iter()
            .flat_map(|theme| [Depth::None, Depth::Sixteen, Depth::Palette, Depth::True].map(|depth| (theme, depth)))
        {
            let paints = [theme.ground(depth), theme.role(Role::Keyword, depth), theme.part(Part::Lit, depth)];
            for colour in paints.iter().flat_map(|paint| [paint.fg, paint.bg]).flatten() {
                let fits = match (depth, colour) {
                    (Depth::None, _) => false,
                    (Depth::Sixteen, Colour::Ansi(n)) => n < 16,
                    (Depth::Sixteen | Depth::Palette, Colour::Rgb(..)) => false,
                    (Depth::Palette, Colour::Ansi(_)) | (Depth::True, _) => true,
                };
                assert!(fits, "{theme:?} {depth:?} {colour:?}");
            }
        }
    }
}
