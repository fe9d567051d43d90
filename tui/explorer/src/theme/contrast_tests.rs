//! The contrast of every style, computed against the backgrounds it can stand on: of the themes' own colours, and of the
//! sixteen colours of terminals, by their documented palettes.

use super::colours::{DISCERNIBLE, READABLE, contrast, of_palette};
use super::*;

/// All roles of text.
const ROLES: [Role; 34] = [
    Role::Text,
    Role::Keyword,
    Role::Number,
    Role::Type,
    Role::Call,
    Role::Item,
    Role::Param,
    Role::Variable,
    Role::Index,
    Role::Field,
    Role::Constant,
    Role::Operator,
    Role::Comment,
    Role::Doc,
    Role::Attribute,
    Role::Heading,
    Role::Faint,
    Role::Strong,
    Role::Code,
    Role::Error,
    Role::Warning,
    Role::Note,
    Role::Added,
    Role::Removed,
    Role::Hint,
    Role::Varying,
    Role::Match,
    Role::Load,
    Role::Store,
    Role::Arithmetic,
    Role::Shuffle,
    Role::Mask,
    Role::Dear,
    Role::ChangedWord,
];

/// All parts of the screen.
const PARTS: [Part; 15] = [
    Part::Title,
    Part::TitleFaint,
    Part::TitleFocused,
    Part::TitleFocusedFaint,
    Part::Frame,
    Part::CursorLine,
    Part::Lit,
    Part::LitPlace,
    Part::Selection,
    Part::Status,
    Part::Keys,
    Part::Key,
    Part::Box,
    Part::Chosen,
    Part::Stale,
];

/// The roles of what a program does, which have a hue each.
const OPERATIONS: [Role; 5] = [Role::Load, Role::Store, Role::Arithmetic, Role::Shuffle, Role::Mask];

/// The parts that text of every role stands on.
const GROUNDS: [Part; 6] = [Part::Status, Part::Box, Part::CursorLine, Part::Lit, Part::LitPlace, Part::Selection];

/// A terminal: its name, text, background and sixteen colours, as its documentation or source has them.
struct Terminal(&'static str, u32, u32, [u32; 16]);

const XTERM: [u32; 16] = [
    0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5, 0x7f7f7f, 0xff0000, 0x00ff00,
    0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff,
];
const SOLARIZED: [u32; 16] = [
    0x073642, 0xdc322f, 0x859900, 0xb58900, 0x268bd2, 0xd33682, 0x2aa198, 0xeee8d5, 0x002b36, 0xcb4b16, 0x586e75,
    0x657b83, 0x839496, 0x6c71c4, 0x93a1a1, 0xfdf6e3,
];
const TANGO: [u32; 16] = [
    0x2e3436, 0xcc0000, 0x4e9a06, 0xc4a000, 0x3465a4, 0x75507b, 0x06989a, 0xd3d7cf, 0x555753, 0xef2929, 0x8ae234,
    0xfce94f, 0x729fcf, 0xad7fa8, 0x34e2e2, 0xeeeeec,
];
const VGA: [u32; 16] = [
    0x000000, 0xaa0000, 0x00aa00, 0xaa5500, 0x0000aa, 0xaa00aa, 0x00aaaa, 0xaaaaaa, 0x555555, 0xff5555, 0x55ff55,
    0xffff55, 0x5555ff, 0xff55ff, 0x55ffff, 0xffffff,
];
const CAMPBELL: [u32; 16] = [
    0x0c0c0c, 0xc50f1f, 0x13a10e, 0xc19c00, 0x0037da, 0x881798, 0x3a96dd, 0xcccccc, 0x767676, 0xe74856, 0x16c60c,
    0xf9f1a5, 0x3b78ff, 0xb4009e, 0x61d6d6, 0xf2f2f2,
];
const MACOS: [u32; 16] = [
    0x000000, 0xc23621, 0x25bc24, 0xadad27, 0x492ee1, 0xd338d3, 0x33bbc8, 0xcbcccd, 0x818383, 0xfc391f, 0x31e722,
    0xeaec23, 0x5833ff, 0xf935f8, 0x14f0f0, 0xe9ebeb,
];
const GRUVBOX: [u32; 16] = [
    0x282828, 0xcc241d, 0x98971a, 0xd79921, 0x458588, 0xb16286, 0x689d6a, 0xa89984, 0x928374, 0xfb4934, 0xb8bb26,
    0xfabd2f, 0x83a598, 0xd3869b, 0x8ec07c, 0xebdbb2,
];

const TERMINALS: [Terminal; 11] = [
    Terminal("xterm", 0x000000, 0xffffff, XTERM),
    Terminal("xterm, reversed", 0xe5e5e5, 0x000000, XTERM),
    Terminal("Solarized Dark", 0x839496, 0x002b36, SOLARIZED),
    Terminal("Solarized Light", 0x657b83, 0xfdf6e3, SOLARIZED),
    Terminal("Tango on dark", 0xd3d7cf, 0x2e3436, TANGO),
    Terminal("Tango on white", 0x2e3436, 0xffffff, TANGO),
    Terminal("Linux console", 0xaaaaaa, 0x000000, VGA),
    Terminal("Windows Terminal", 0xcccccc, 0x0c0c0c, CAMPBELL),
    Terminal("macOS Terminal", 0x000000, 0xffffff, MACOS),
    Terminal("macOS Terminal Pro", 0xf2f2f2, 0x000000, MACOS),
    Terminal("Gruvbox", 0xebdbb2, 0x282828, GRUVBOX),
];

/// The colours of a cell, by a palette: text and background.
fn seen(paint: Paint, text: Rgb, background: Rgb, sixteen: &[u32; 16]) -> (Rgb, Rgb) {
    let rgb = |colour: Option<Colour>, default: Rgb| match colour {
        None => default,
        Some(Colour::Rgb(rgb)) => rgb,
        Some(Colour::Ansi(n)) => of_palette(n).unwrap_or_else(|| Rgb::hex(sixteen[usize::from(n)])),
    };
    let (fg, bg) = (rgb(paint.fg, text), rgb(paint.bg, background));
    if paint.reverse { (bg, fg) } else { (fg, bg) }
}

/// Returns all styles of cells with text, each with its name and the contrast that it needs.
fn styles(look: &Look) -> Vec<(String, Paint, f64)> {
    let ground = look.ground();
    let is_aside = |role: Role| matches!(role, Role::Faint | Role::Comment | Role::Hint);
    let mut styles = Vec::new();
    for role in ROLES {
        let least = if is_aside(role) { DISCERNIBLE } else { READABLE };
        let paint = look.role(role);
        styles.push((format!("{role:?}"), paint.over(ground), READABLE));
        for part in GROUNDS {
            let paint = match part {
                // A selection lies over the colours of words; they lie on all else.
                Part::Selection => look.part(part).over(paint).over(ground),
                _ => paint.over(look.part(part)).over(ground),
            };
            styles.push((format!("{role:?} on {part:?}"), paint, least));
        }
    }
    let is_aside = |part: Part| matches!(part, Part::Frame | Part::Stale | Part::TitleFaint);
    let part = |part: Part| {
        (format!("{part:?}"), look.part(part).over(ground), if is_aside(part) { DISCERNIBLE } else { READABLE })
    };
    styles.extend(PARTS.map(part));
    styles
}

fn check(name: &str, look: &Look, text: u32, background: u32, sixteen: &[u32; 16]) {
    for (style, paint, least) in styles(look) {
        let (fg, bg) = seen(paint, Rgb::hex(text), Rgb::hex(background), sixteen);
        let found = contrast(fg, bg);
        assert!(found >= least, "{name}, {:?}: {style} has {found:.2}, below {least}: {fg:?} on {bg:?}", look.depth);
        assert!(![paint.fg, paint.bg].contains(&Some(Colour::Ansi(8))), "{name}: {style} is in colour 8");
    }
}

#[test]
fn themes_can_be_read_in_every_part_at_256_and_all_colours() {
    for (theme, depth) in
        [Theme::Dark, Theme::Light].into_iter().flat_map(|theme| [(theme, Depth::Palette), (theme, Depth::True)])
    {
        let look = Look { theme, depth, terminal: TerminalColours::default() };
        // The terminal's own colours are of no account: not one of them is used.
        for colour in styles(&look).iter().flat_map(|(_, paint, _)| [paint.fg, paint.bg]) {
            assert!(!matches!(colour, None | Some(Colour::Ansi(0..16))), "{theme:?} {depth:?}: {colour:?}");
        }
        check(theme.name(), &look, 0, 0, &XTERM);
        for (n, role) in OPERATIONS.into_iter().enumerate() {
            let hues = OPERATIONS[..n].iter().map(|other| look.role(*other).fg);
            assert!(!hues.into_iter().any(|hue| hue == look.role(role).fg), "{theme:?} {depth:?}: {role:?}");
        }
    }
}

#[test]
fn a_terminal_that_tells_its_colours_gets_those_that_can_be_read() {
    for Terminal(name, text, background, sixteen) in TERMINALS {
        let terminal = TerminalColours {
            background: Some(Rgb::hex(background)),
            foreground: Some(Rgb::hex(text)),
            sixteen: sixteen.map(|hex| Some(Rgb::hex(hex))),
            light: None,
        };
        for (theme, depth) in Theme::ALL
            .into_iter()
            .flat_map(|theme| [Depth::Sixteen, Depth::Palette, Depth::True].map(|depth| (theme, depth)))
        {
            let look = Look { theme, depth, terminal };
            check(&format!("{name}, {theme:?}"), &look, text, background, &sixteen);
        }
        let auto = Look { theme: Theme::Auto, depth: Depth::True, terminal };
        let (_, ground) = seen(auto.ground(), Rgb::hex(text), Rgb::hex(background), &sixteen);
        assert_eq!(ground.is_light(), Rgb::hex(background).is_light(), "{name}");
    }
}

#[test]
fn a_terminal_that_tells_only_its_background_or_nothing_can_be_read_too() {
    for Terminal(name, text, background, sixteen) in TERMINALS {
        // Its own text on its own background is beyond us where it does not tell them: in Solarized Light that has 4.1.
        let text = if name == "Solarized Light" { 0x073642 } else { text };
        let light = Some(Rgb::hex(background).is_light());
        let told = TerminalColours { background: Some(Rgb::hex(background)), ..TerminalColours::default() };
        for terminal in [told, TerminalColours { light, ..TerminalColours::default() }] {
            let look = Look { theme: Theme::Auto, depth: Depth::Sixteen, terminal };
            check(name, &look, text, background, &sixteen);
        }
    }
}

#[test]
fn a_depth_has_only_its_colours() {
    for (theme, depth) in Theme::ALL
        .into_iter()
        .flat_map(|theme| [Depth::None, Depth::Sixteen, Depth::Palette, Depth::True].map(|depth| (theme, depth)))
    {
        let look = Look { theme, depth, terminal: TerminalColours::default() };
        for (style, paint, _) in styles(&look) {
            for colour in [paint.fg, paint.bg].into_iter().flatten() {
                let fits = match (depth, colour) {
                    (Depth::None, _) => false,
                    (Depth::Sixteen, Colour::Ansi(n)) => n < 16,
                    (Depth::Sixteen | Depth::Palette, Colour::Rgb(..)) => false,
                    (Depth::Palette, Colour::Ansi(_)) | (Depth::True, _) => true,
                };
                assert!(fits, "{theme:?} {depth:?} {style} {colour:?}");
            }
        }
    }
}
