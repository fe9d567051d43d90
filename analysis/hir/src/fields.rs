//! The fields of a struct, or those that an enum is made of, as other items see them.
//!
//! Each access to a field looks it up, and each pattern looks up those of its variant. So a field is found by its name, and the data of a
//! variant by the variant's, without a look at all the others.

use std::ops::Deref;

use rustc_hash::FxHashMap;

use crate::Name;
use crate::ty::Ty;

/// The fields of a type in order, each with its type.
#[derive(Debug, Clone, Default)]
pub struct Fields {
    all: Vec<(Name, Ty)>,
    /// The number of the first field of each name.
    numbers: FxHashMap<Name, usize>,
    /// The numbers of the fields that hold the data of each variant.
    of_variants: FxHashMap<Name, Vec<usize>>,
}

impl Fields {
    /// The field of a name, and its number.
    pub fn find(&self, name: &str) -> Option<(usize, &Ty)> {
        let number = *self.numbers.get(name)?;
        Some((number, &self.all[number].1))
    }

    /// The names of the fields that hold the data of a variant, in order.
    pub fn of_variant(&self, variant: &str) -> impl Iterator<Item = &Name> {
        self.of_variants.get(variant).into_iter().flatten().map(|&number| &self.all[number].0)
    }
}

impl FromIterator<(Name, Ty)> for Fields {
    fn from_iter<I: IntoIterator<Item = (Name, Ty)>>(fields: I) -> Fields {
        let mut made = Fields { all: fields.into_iter().collect(), ..Fields::default() };
        for (number, (name, _)) in made.all.iter().enumerate() {
            made.numbers.entry(name.clone()).or_insert(number);
            if let Some((variant, data)) = name.split_once('.')
                && !data.is_empty()
            {
                made.of_variants.entry(variant.into()).or_default().push(number);
            }
        }
        made
    }
}

impl Deref for Fields {
    type Target = [(Name, Ty)];

    fn deref(&self) -> &[(Name, Ty)] {
        &self.all
    }
}

impl PartialEq for Fields {
    fn eq(&self, other: &Fields) -> bool {
        self.all == other.all
    }
}

impl Eq for Fields {}

#[cfg(test)]
mod tests {
    use ir::Elem;

    use super::*;

    #[test]
    fn data_are_found_by_their_variant() {
        let scalar = |name: &str| (name.into(), Ty::Scalar(Elem::F32));
        let fields: Fields = ["tag.", "V1.x", "V10.x", "V1.y", "x"].map(scalar).into_iter().collect();
        let data = |variant: &str| fields.of_variant(variant).map(|name| &**name).collect::<Vec<_>>();
        assert_eq!(data("V1"), ["V1.x", "V1.y"]);
        assert_eq!(data("V10"), ["V10.x"]);
        assert_eq!((data("tag"), data("x")), (vec![], vec![]));
        assert_eq!(fields.find("x"), Some((4, &Ty::Scalar(Elem::F32))));
        assert_eq!(fields.find("V1"), None);
    }
}
