//! The settings that apply to all files, and what stages and assembly are compared with.

use std::sync::Arc;

use driver::ispc_files::HeaderArguments;

use crate::actions::Keymap;
use crate::goal::{Goal, Writing};
use crate::graphics::{Graphics, GraphicsSetting};
use crate::layout::Sizes;
use crate::theme::{Depth, Look, TerminalColours, Theme};

/// The settings that apply to all files.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Theme of colours and weights.
    pub theme: Theme,
    /// Number of colours of the screen.
    pub depth: Depth,
    /// Colours of the terminal, as far as they are known.
    pub terminal: TerminalColours,
    /// The way in which the user wants pictures to be shown.
    pub graphics_setting: GraphicsSetting,
    /// Graphics of the terminal.
    pub graphics: Graphics,
    /// True if nothing but ASCII is drawn.
    pub ascii: bool,
    /// Bindings between keys and actions.
    pub keymap: Keymap,
    /// True if the explorer handles the mouse, false if the terminal does.
    pub mouse: bool,
    /// True if inferred types are shown in the source.
    pub hints: bool,
    /// True if stages that changed nothing are skipped.
    pub hide_unchanged: bool,
    /// True if the assembly is shown.
    pub assembly: bool,
    /// Notation of the assembly.
    pub writing: Writing,
    /// Goal of a second assembly that is shown beside the first.
    pub beside: Option<Goal>,
    /// True if the details are shown.
    pub details: bool,
    /// Goal that stages and assembly are compiled for.
    pub goal: Goal,
    /// Sizes of panes that the user has set.
    pub sizes: Sizes,
    /// Arguments for ISPC files.
    pub headers: Arc<HeaderArguments>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            theme: Theme::default(),
            depth: Depth::Sixteen,
            terminal: TerminalColours::default(),
            graphics_setting: GraphicsSetting::default(),
            graphics: Graphics::default(),
            ascii: false,
            keymap: Keymap::default(),
            mouse: true,
            hints: true,
            hide_unchanged: false,
            assembly: true,
            writing: Writing::default(),
            beside: None,
            details: true,
            goal: Goal::default(),
            sizes: Sizes::default(),
            headers: Arc::default(),
        }
    }
}

impl Settings {
    /// Returns the theme as it looks on this terminal.
    pub fn look(&self) -> Look {
        Look { theme: self.theme, depth: self.depth, terminal: self.terminal }
    }

    /// Returns true if pictures are drawn as pixels.
    pub fn has_pixels(&self) -> bool {
        self.graphics.has_pixels() && !self.ascii && self.depth != Depth::None
    }
}

/// The version that a stage is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Comparing {
    /// No comparison.
    #[default]
    Nothing,
    /// The stage before it in the list.
    Before,
    /// The stage as of before the last edit; while there are errors, as of the last text without errors.
    LastGood,
}

/// The version that assembly is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AssemblyComparing {
    /// No comparison.
    #[default]
    Nothing,
    /// The assembly for the goal that it is shown beside.
    Beside,
    /// The assembly as of before the last edit.
    LastGood,
}
