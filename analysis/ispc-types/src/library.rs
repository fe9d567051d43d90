//! The standard library of ispc, as a header of this package: declarations alone, each with a comment that editors show.

use std::sync::LazyLock;

use ispc::config::Config;
use ispc::file::{FileText, NoFiles};
use ispc::unit::Unit;

/// The library, read.
pub struct Library {
    /// Its unit.
    pub unit: Unit,
}

/// The text of the header.
pub const TEXT: &str = include_str!("stdlib.isph");

/// The name of the header, as it is shown.
pub const NAME: &str = "stdlib.isph";

/// The library.
pub fn library() -> &'static Library {
    static LIBRARY: LazyLock<Library> = LazyLock::new(|| {
        let file = FileText::new(NAME, TEXT);
        let unit = ispc::read(file.into(), &Config::default(), &NoFiles);
        Library { unit }
    });
    &LIBRARY
}
