//! The pictures that the screen has as pixels, and the difference to those that it should have.

use std::ops::Range;
use std::sync::Arc;

use super::raster::Ink;
use super::{CellSize, Graphics, Protocol, Raster, kitty, sixel};
use crate::layout::Area;

/// A picture at its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedImage {
    /// The cells that it covers.
    pub area: Area,
    /// Number of rows of cells of the whole picture.
    pub n_rows: usize,
    /// The first of them that is seen.
    pub first_row: usize,
    /// The picture.
    pub raster: Arc<Raster>,
    /// The colours of its lines and its ground.
    pub ink: Ink,
}

impl PlacedImage {
    fn pixels(&self, cell: CellSize) -> super::Pixels {
        let (width, height) = (usize::from(cell.width), usize::from(cell.height));
        let rows: Range<usize> = self.first_row * height..(self.first_row + usize::from(self.area.h)) * height;
        self.raster.pixels((usize::from(self.area.w) * width, self.n_rows * height), rows, self.ink)
    }
}

/// The bytes that make a screen have the pictures that it should have.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BoardChange {
    /// Sent before the cells are drawn.
    pub before: String,
    /// True if all cells are to be drawn anew, since pixels stand over them that nothing else removes.
    pub redraw: bool,
    /// Sent when the cells are drawn.
    pub after: String,
}

/// The pictures that the screen has.
#[derive(Debug, Default)]
pub struct Board {
    shown: Vec<(u32, PlacedImage)>,
    last_number: u32,
}

impl Board {
    /// Returns what makes the screen have these pictures and no others.
    pub fn change(&mut self, wanted: &[PlacedImage], graphics: Graphics) -> BoardChange {
        match graphics.protocol {
            Protocol::Blocks => BoardChange::default(),
            Protocol::Kitty => self.change_by_number(wanted, graphics.cell),
            Protocol::Sixel => self.change_all(wanted, graphics.cell),
        }
    }

    /// Forgets what the screen has, when it was cleared. Returns what takes pictures away that a cleared screen may still have.
    pub fn forget(&mut self, protocol: Protocol) -> &'static str {
        let had_any = !self.shown.is_empty();
        self.shown.clear();
        if had_any && protocol == Protocol::Kitty { kitty::ALL_DELETED } else { "" }
    }

    /// Pictures have numbers: each is deleted and shown by itself.
    fn change_by_number(&mut self, wanted: &[PlacedImage], cell: CellSize) -> BoardChange {
        let mut change = BoardChange::default();
        self.shown.retain(|(number, image)| {
            let stays = wanted.contains(image);
            if !stays {
                change.before += &kitty::deleted(*number);
            }
            stays
        });
        for image in wanted {
            if self.shown.iter().all(|(_, shown)| shown != image) {
                self.last_number += 1;
                change.after += &kitty::shown(self.last_number, &image.pixels(cell), image.area);
                self.shown.push((self.last_number, image.clone()));
            }
        }
        change
    }

    /// Pictures are part of the cells: where one goes, all is drawn anew.
    fn change_all(&mut self, wanted: &[PlacedImage], cell: CellSize) -> BoardChange {
        let is_same = self.shown.len() == wanted.len() && self.shown.iter().all(|(_, shown)| wanted.contains(shown));
        if is_same {
            return BoardChange::default();
        }
        let redraw = self.shown.iter().any(|(_, shown)| !wanted.contains(shown));
        let is_new = |image: &&PlacedImage| redraw || self.shown.iter().all(|(_, shown)| shown != *image);
        let after = wanted.iter().filter(is_new).map(|image| sixel::shown(&image.pixels(cell), image.area)).collect();
        self.shown = wanted.iter().map(|image| (0, image.clone())).collect();
        BoardChange { before: String::new(), redraw, after }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graphics::raster::tests::{INK, raster};
    use crate::pictures::arrays::ArrayForm;

    fn image(y: u16, value: f64) -> PlacedImage {
        let raster = Arc::new(raster(1, 2, ArrayForm::Image, &[value, 0.0]));
        PlacedImage { area: Area { x: 0, y, w: 2, h: 1 }, n_rows: 1, first_row: 0, raster, ink: INK }
    }

    fn graphics(protocol: Protocol) -> Graphics {
        Graphics { protocol, cell: CellSize { width: 1, height: 1 } }
    }

    #[test]
    fn kitty_deletes_what_goes_and_sends_what_comes() {
        let mut board = Board::default();
        let on = graphics(Protocol::Kitty);
        let change = board.change(&[image(1, 1.0), image(3, 0.5)], on);
        assert!(change.before.is_empty() && change.after.contains("i=1,") && change.after.contains("i=2,"));
        assert_eq!(board.change(&[image(1, 1.0), image(3, 0.5)], on), BoardChange::default());
        // One moves: it is deleted where it was.
        let change = board.change(&[image(1, 1.0), image(4, 0.5)], on);
        assert_eq!(change.before, kitty::deleted(2));
        assert!(
            change.after.starts_with("\x1b[5;1H") && change.after.contains("i=3,") && !change.after.contains("i=1,")
        );
        let change = board.change(&[], on);
        assert_eq!(
            (change.before, change.redraw, change.after.as_str()),
            (kitty::deleted(1) + &kitty::deleted(3), false, "")
        );
        assert_eq!(board.forget(Protocol::Kitty), "");
    }

    #[test]
    fn sixels_go_with_the_cells_below_them() {
        let mut board = Board::default();
        let on = graphics(Protocol::Sixel);
        let change = board.change(&[image(1, 1.0)], on);
        assert!(!change.redraw && change.after.contains("\x1bP"));
        assert_eq!(board.change(&[image(1, 1.0)], on), BoardChange::default());
        // Another one beside it leaves it as it is.
        let change = board.change(&[image(1, 1.0), image(3, 0.5)], on);
        assert!(!change.redraw && change.after.matches("\x1bP").count() == 1);
        let change = board.change(&[image(3, 0.5)], on);
        assert!(change.redraw && change.after.matches("\x1bP").count() == 1);
        assert!(board.change(&[], on).redraw);
    }

    #[test]
    fn a_cleared_screen_gets_its_pictures_again() {
        for protocol in [Protocol::Kitty, Protocol::Sixel] {
            let mut board = Board::default();
            let first = board.change(&[image(1, 1.0)], graphics(protocol));
            assert_eq!(board.forget(protocol).is_empty(), protocol == Protocol::Sixel);
            assert!(!first.after.is_empty() && !board.change(&[image(1, 1.0)], graphics(protocol)).after.is_empty());
        }
        assert_eq!(Board::default().change(&[image(1, 1.0)], graphics(Protocol::Blocks)), BoardChange::default());
    }
}
