//! The look of roles: a theme gives each role a colour and a weight, and leaves everything else to the terminal.
//!
//! The themes `light` and `dark` have a background and colours of their own; `auto` is one of them, by the background that
//! the terminal tells. `terminal`, which the others are too where there are sixteen colours only, uses those that the
//! terminal's owner chose. Without colours (`NO_COLOR`), weight, underline and reversal carry the meaning. No information is
//! shown by colour alone: every colour with a meaning has a mark or a word beside it. What a program does has one hue each
//! (loads, stores, arithmetic, shuffles, masks) wherever it is shown.

mod colours;
#[cfg(test)]
mod contrast_tests;
mod sixteen;

use crate::page::Role;

pub use colours::Rgb;
pub use sixteen::TerminalColours;

/// A colour of the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    /// A colour of the palette; the first sixteen are the terminal's own.
    Ansi(u8),
    /// Red, green and blue.
    Rgb(Rgb),
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
    /// Asides in the title of a pane.
    TitleFaint,
    /// Title of the focused pane.
    TitleFocused,
    /// Asides in the title of the focused pane.
    TitleFocusedFaint,
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
    /// All of a page that is about an earlier text.
    Stale,
}

/// A theme, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Theme {
    /// Light or dark, as the terminal's background is.
    #[default]
    Auto,
    /// Light text on a dark background.
    Dark,
    /// Dark text on a light background.
    Light,
    /// The terminal's own sixteen colours, on its own background.
    Terminal,
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
    pub const ALL: [Theme; 4] = [Theme::Auto, Theme::Dark, Theme::Light, Theme::Terminal];

    /// Returns the name, as the config file spells it.
    pub fn name(self) -> &'static str {
        match self {
            Theme::Auto => "auto",
            Theme::Dark => "dark",
            Theme::Light => "light",
            Theme::Terminal => "terminal",
        }
    }

    /// Returns a short explanation for the picker.
    pub fn description(self) -> &'static str {
        match self {
            Theme::Auto => "dark or light, as the terminal's background is",
            Theme::Dark => "light on dark",
            Theme::Light => "dark on light",
            Theme::Terminal => "the terminal's own colours",
        }
    }
}

/// A theme on a screen, with all that its colours depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// The theme.
    pub theme: Theme,
    /// Number of colours of the screen.
    pub depth: Depth,
    /// Colours of the terminal.
    pub terminal: TerminalColours,
}

/// The source of the colours of a look.
enum Base {
    /// No colours.
    None,
    /// The terminal's own sixteen.
    Own(TerminalColours),
    /// The colours of a theme.
    Theme(&'static Colours),
}

impl Look {
    /// Returns the source of colours. At sixteen colours that is the terminal, since its owner has chosen those better
    /// than a theme could; where its background is unknown, a theme that was asked for says whether it is light.
    fn base(&self) -> Base {
        let asked = match self.theme {
            Theme::Dark => Some(false),
            Theme::Light => Some(true),
            Theme::Auto | Theme::Terminal => None,
        };
        match (self.depth, self.theme) {
            (Depth::None, _) => Base::None,
            (Depth::Sixteen, _) | (_, Theme::Terminal) => {
                Base::Own(TerminalColours { light: self.terminal.light.or(asked), ..self.terminal })
            }
            _ if asked.unwrap_or_else(|| self.terminal.is_light()) => Base::Theme(&LIGHT),
            _ => Base::Theme(&DARK),
        }
    }

    /// Returns the style below all others.
    pub fn ground(&self) -> Paint {
        let ground = match self.base() {
            Base::None => PLAIN,
            Base::Own(terminal) => terminal.ground(),
            Base::Theme(colours) => on(colours.text, colours.ground),
        };
        ground.within(self.depth)
    }

    /// Returns the style of a role.
    pub fn role(&self, role: Role) -> Paint {
        let paint = match self.base() {
            _ if matches!(role, Role::Pixels(..)) => self.pixels(role),
            Base::None => without_colour(role),
            Base::Own(terminal) => terminal.role(role),
            Base::Theme(colours) => coloured(role, colours),
        };
        paint.within(self.depth)
    }

    /// Returns the style of a piece of a picture, which has colours of its own whatever the theme is.
    fn pixels(&self, role: Role) -> Paint {
        let rgb = |[r, g, b]: [u8; 3]| Colour::Rgb(Rgb(r, g, b));
        match role {
            Role::Pixels(front, back) if self.depth >= Depth::Palette => on(rgb(front), rgb(back)),
            _ => PLAIN,
        }
    }

    /// Returns the style of a part of the screen.
    pub fn part(&self, part: Part) -> Paint {
        let paint = match self.base() {
            Base::None | Base::Own(_) => sixteen::part(part),
            Base::Theme(colours) => coloured_part(part, colours),
        };
        paint.within(self.depth)
    }
}

impl Paint {
    /// Combines two styles: attributes that this one leaves unset come from the other.
    pub fn over(self, below: Paint) -> Paint {
        Paint {
            fg: self.fg.or(below.fg),
            bg: self.bg.or(below.bg),
            bold: self.bold || below.bold,
            italic: self.italic || below.italic,
            underline: self.underline || below.underline,
            reverse: self.reverse || below.reverse,
        }
    }

    fn within(self, depth: Depth) -> Paint {
        let fit = |colour: Colour| match (depth, colour) {
            (Depth::Palette, Colour::Rgb(rgb)) => Colour::Ansi(colours::nearest(rgb)),
            _ => colour,
        };
        Paint { fg: self.fg.map(fit), bg: self.bg.map(fit), ..self }
    }
}

const fn rgb(hex: u32) -> Colour {
    Colour::Rgb(Rgb::hex(hex))
}

const PLAIN: Paint = Paint { fg: None, bg: None, bold: false, italic: false, underline: false, reverse: false };

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

/// The colours of a theme with its own palette. A test computes their contrast.
struct Colours {
    text: Colour,
    keyword: Colour,
    number: Colour,
    varying: Colour,
    faint: Colour,
    doc: Colour,
    error: Colour,
    warning: Colour,
    good: Colour,
    note: Colour,
    load: Colour,
    store: Colour,
    arithmetic: Colour,
    shuffle: Colour,
    mask: Colour,
    raised: Colour,
    lit: Colour,
    lit_place: Colour,
    selection: Colour,
    accent: Colour,
    ground: Colour,
}

const DARK: Colours = Colours {
    text: rgb(0xd8dee9),
    keyword: rgb(0xc9a6f2),
    number: rgb(0x8fd6c8),
    varying: rgb(0xf5a3b5),
    faint: rgb(0xa3adba),
    doc: rgb(0xb3c2aa),
    error: rgb(0xff8787),
    warning: rgb(0xf2c14e),
    good: rgb(0x7bd88f),
    note: rgb(0x8fbcff),
    load: rgb(0x7fb4ff),
    store: rgb(0xf0a35e),
    arithmetic: rgb(0x7bd88f),
    shuffle: rgb(0xf293dd),
    mask: rgb(0xe8d56a),
    raised: rgb(0x22262e),
    lit: rgb(0x1d3040),
    lit_place: rgb(0x2a3d50),
    selection: rgb(0x33384a),
    accent: rgb(0x5b96dc),
    ground: rgb(0x16181d),
};

const LIGHT: Colours = Colours {
    text: rgb(0x24292f),
    keyword: rgb(0x6f2da8),
    number: rgb(0x0b5c55),
    varying: rgb(0x9c1f5c),
    faint: rgb(0x57606a),
    doc: rgb(0x44604a),
    error: rgb(0xad1219),
    warning: rgb(0x7a4f00),
    good: rgb(0x166a2d),
    note: rgb(0x0550ae),
    load: rgb(0x0550ae),
    store: rgb(0x802b00),
    arithmetic: rgb(0x166a2d),
    shuffle: rgb(0x9a1f95),
    mask: rgb(0x6a5600),
    raised: rgb(0xecedea),
    lit: rgb(0xe3eefa),
    lit_place: rgb(0xe0eaf4),
    selection: rgb(0xdcdfeb),
    accent: rgb(0x2f6fba),
    ground: rgb(0xfcfcfa),
};

fn coloured(role: Role, colours: &Colours) -> Paint {
    match role {
        Role::Text | Role::Variable | Role::Operator | Role::Param | Role::Field | Role::Index => fg(colours.text),
        Role::Call => fg(colours.text),
        Role::Keyword | Role::Attribute => fg(colours.keyword),
        Role::Number | Role::Constant | Role::Code | Role::Type => fg(colours.number),
        Role::Item | Role::Heading | Role::Strong => bold(fg(colours.text)),
        Role::Comment | Role::Faint => fg(colours.faint),
        Role::Hint => Paint { italic: true, ..fg(colours.faint) },
        Role::Varying => Paint { italic: true, ..fg(colours.varying) },
        Role::Doc => fg(colours.doc),
        Role::Load => fg(colours.load),
        Role::Store => fg(colours.store),
        Role::Arithmetic => fg(colours.arithmetic),
        Role::Shuffle => fg(colours.shuffle),
        Role::Mask => fg(colours.mask),
        Role::Error | Role::Removed => fg(colours.error),
        Role::Warning => fg(colours.warning),
        Role::Note => fg(colours.note),
        Role::Added => fg(colours.good),
        Role::Match => on(colours.ground, colours.warning),
        Role::Dear | Role::ChangedWord => Paint { bold: true, underline: true, ..PLAIN },
        Role::Pixels(..) => PLAIN,
    }
}

fn without_colour(role: Role) -> Paint {
    match role {
        Role::Error | Role::Warning | Role::Note => bold(PLAIN),
        Role::Comment | Role::Hint | Role::Doc | Role::Varying => Paint { italic: true, ..PLAIN },
        role => Paint { fg: None, bg: None, ..TerminalColours::default().role(role) },
    }
}

fn coloured_part(part: Part, colours: &Colours) -> Paint {
    match part {
        Part::Title => on(colours.text, colours.raised),
        Part::TitleFaint => on(colours.faint, colours.raised),
        Part::TitleFocused | Part::Chosen => bold(on(colours.ground, colours.accent)),
        Part::TitleFocusedFaint => on(colours.ground, colours.accent),
        Part::Frame | Part::Keys | Part::Stale => fg(colours.faint),
        Part::CursorLine => bg(colours.raised),
        Part::Lit => bg(colours.lit),
        Part::LitPlace => bg(colours.lit_place),
        // A match inside a selection has colours of its own for both.
        Part::Selection => on(colours.text, colours.selection),
        Part::Status | Part::Box => on(colours.text, colours.raised),
        Part::Key => bold(fg(colours.text)),
    }
}
