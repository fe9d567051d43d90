//! Codes: the names that findings, reasons and decisions go by. Each has a page in `docs/reasons.md`.
//!
//! A room lists its codes once, with [`codes!`](crate::codes), as an enum. Its own code matches on the variants; where codes of
//! several rooms come together, as in a [`Diagnostic`](crate::Diagnostic), they are a [`ReportCode`].

use std::fmt;

/// A code of any room: words joined by hyphens, stable for good.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReportCode(&'static str);

impl ReportCode {
    /// The code with this name. Rooms make codes from the variants of their own list, never from a text.
    #[doc(hidden)]
    pub const fn named(name: &'static str) -> ReportCode {
        ReportCode(name)
    }

    /// The code as it is printed.
    pub const fn name(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for ReportCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.0)
    }
}

impl fmt::Debug for ReportCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.0, f)
    }
}

/// The list of a room's codes, as an enum with the names that are printed.
///
/// ```
/// report::codes! {
///     /// What may be said of fruit.
///     pub enum Fruit {
///         /// It has to hang longer.
///         NotRipe = "not-ripe",
///         /// Somebody was here before.
///         Bitten = "bitten",
///     }
/// }
/// assert_eq!(Fruit::ALL, [Fruit::NotRipe, Fruit::Bitten]);
/// assert_eq!(Fruit::NotRipe.name(), "not-ripe");
/// let bitten = report::ReportCode::from(Fruit::Bitten);
/// assert_eq!(bitten, Fruit::Bitten);
/// assert_eq!(Fruit::of(bitten), Some(Fruit::Bitten));
/// ```
#[macro_export]
macro_rules! codes {
    (
        $(#[$meta:meta])*
        $vis:vis enum $list:ident {
            $($(#[$doc:meta])* $variant:ident = $name:literal,)*
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $vis enum $list {
            $($(#[$doc])* $variant,)*
        }

        impl $list {
            /// All of them, in the order of the list.
            pub const ALL: &[$list] = &[$($list::$variant),*];

            /// The code of this list that a code of any room is, if it is one of them.
            pub fn of(code: impl Into<$crate::ReportCode>) -> Option<$list> {
                let code = code.into();
                $list::ALL.iter().copied().find(|known| code == *known)
            }

            /// The code as it is printed.
            pub const fn name(self) -> &'static str {
                match self {
                    $($list::$variant => $name,)*
                }
            }
        }

        impl From<$list> for $crate::ReportCode {
            fn from(code: $list) -> $crate::ReportCode {
                $crate::ReportCode::named(code.name())
            }
        }

        impl PartialEq<$list> for $crate::ReportCode {
            fn eq(&self, other: &$list) -> bool {
                self.name() == other.name()
            }
        }

        impl ::std::fmt::Display for $list {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}
