//! Libraries: files written in Lane that come with the program, for whoever says `use complex`.

/// A library.
#[derive(Debug, Clone, Copy)]
pub struct Library {
    /// The name that a `use` has for it.
    pub name: &'static str,
    /// The text of its file.
    pub text: &'static str,
}

impl Library {
    /// The name of its file where files have names.
    pub fn file_name(&self) -> String {
        format!("libraries/{}.lane", self.name)
    }
}

/// All libraries, by name.
pub const LIBRARIES: &[Library] = &[
    Library { name: "colour", text: include_str!("../libraries/colour.lane") },
    Library { name: "complex", text: include_str!("../libraries/complex.lane") },
    Library { name: "filters", text: include_str!("../libraries/filters.lane") },
    Library { name: "noise", text: include_str!("../libraries/noise.lane") },
    Library { name: "random", text: include_str!("../libraries/random.lane") },
    Library { name: "sorting", text: include_str!("../libraries/sorting.lane") },
    Library { name: "statistics", text: include_str!("../libraries/statistics.lane") },
];
