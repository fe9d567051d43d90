//! Pictures as real pixels, on terminals that can show them: Kitty's protocol or Sixel.
//!
//! A page says where its pictures are ([`PageImage`](crate::page::PageImage)), and what they are of, a [`Raster`] of any size. The same
//! picture stands there in characters, so it is seen wherever pixels are not: below a dialog, scrolled to the side, on another terminal. A
//! [`Board`] remembers what pixels the screen has, and says what is to be sent, and what taken away, for those that it should have.
//!
//! The terminal is asked what it can do, by its own queries and with a time limit; its name decides nothing. Within a multiplexer it is
//! that which answers: tmux passes Sixel on where it can, and else has characters.
//!
//! - [`raster`]: arrays as pixels
//! - [`kitty`], [`sixel`]: the two encodings
//! - [`asking`]: the queries, and what their answers mean
//! - [`board`]: what the screen has

pub mod asking;
pub mod board;
pub mod kitty;
pub mod raster;
pub mod sixel;

use serde::Deserialize;

pub use board::Board;
pub use raster::Raster;

/// The ways in which a terminal shows pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Protocol {
    /// In characters.
    #[default]
    Blocks,
    /// As pixels, by the protocol of Kitty.
    Kitty,
    /// As pixels, by the protocol of DEC's printers and terminals.
    Sixel,
}

/// The setting for pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GraphicsSetting {
    /// The best of what the terminal says that it can.
    #[default]
    Auto,
    /// Kitty's protocol, unasked.
    Kitty,
    /// Sixel, unasked.
    Sixel,
    /// Characters.
    Blocks,
}

/// The graphics of a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Graphics {
    /// The way in which it shows pictures.
    pub protocol: Protocol,
    /// Width and height of a cell in pixels.
    pub cell: CellSize,
}

impl Graphics {
    /// Returns true if pictures are pixels.
    pub fn has_pixels(&self) -> bool {
        self.protocol != Protocol::Blocks
    }
}

/// The size of a cell in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CellSize {
    /// Its width.
    pub width: u16,
    /// Its height.
    pub height: u16,
}

impl Default for CellSize {
    /// The size that terminals without a word about it have most often.
    fn default() -> CellSize {
        CellSize { width: 8, height: 16 }
    }
}

/// Pixels, row by row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pixels {
    /// Number of columns.
    pub width: usize,
    /// Number of rows.
    pub height: usize,
    /// Red, green and blue of each.
    pub rgb: Vec<[u8; 3]>,
}
