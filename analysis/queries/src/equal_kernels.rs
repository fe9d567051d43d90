//! Results that kernels share which are equal but for their names.
//!
//! A file has copies of kernels, and instances of one template for the same arguments in all but name. The verdicts on their loops and
//! what passes make of them follow from Lane IR alone, in which places are numbers, so they are found for one of them.
//!
//! Nothing is kept alive here: a result is known for as long as a kernel has it.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use facts::loops::Loops;
use ir::Kernel;
use passes::Outcomes;
use passes::pipeline::Options;
use rustc_hash::FxHashMap;

/// The number of new results after which those that nobody has any more are dropped, at least.
const MANY: usize = 32;

/// The results for kernels of a database.
#[derive(Debug, Default)]
pub(crate) struct EqualKernels {
    pub(crate) verdicts: Shared<(), Loops>,
    pub(crate) outcomes: Shared<Options, Outcomes>,
}

/// Results of one sort, for kernels and what else they depend on.
#[derive(Debug)]
pub(crate) struct Shared<K, T>(Mutex<Known<K, T>>);

/// What else a result depends on, the kernel that it was found for, and the result.
type Entry<K, T> = (K, Weak<Kernel>, Weak<T>);

#[derive(Debug)]
struct Known<K, T> {
    /// The results by the fingerprints of kernels.
    results: FxHashMap<u64, Vec<Entry<K, T>>>,
    /// The number of results since those without a kernel were dropped.
    n_new: usize,
}

impl<K, T> Default for Shared<K, T> {
    fn default() -> Self {
        Shared(Mutex::new(Known { results: FxHashMap::default(), n_new: 0 }))
    }
}

impl<K: PartialEq, T> Shared<K, T> {
    /// The result for a kernel: that of an equal one, or what `find` finds. Two who ask at the same time may both find it.
    pub(crate) fn of(&self, kernel: &Arc<Kernel>, key: K, find: impl FnOnce() -> T) -> Arc<T> {
        let fingerprint = kernel.fingerprint();
        if let Some(known) = self.find(fingerprint, kernel, &key) {
            return known;
        }
        let found = Arc::new(find());
        self.put(fingerprint, (key, Arc::downgrade(kernel), Arc::downgrade(&found)));
        found
    }

    fn find(&self, fingerprint: u64, kernel: &Kernel, key: &K) -> Option<Arc<T>> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let candidates = known.results.get(&fingerprint)?.iter();
        let candidates: Vec<_> = candidates
            .filter(|(of, ..)| of == key)
            .filter_map(|(_, kernel, result)| Some((kernel.upgrade()?, result.upgrade()?)))
            .collect();
        // What the last one who had it lets go of here is dropped without the lock.
        drop(known);
        candidates.into_iter().find(|(other, _)| other.is_equal_but_for_its_name(kernel)).map(|(_, result)| result)
    }

    fn put(&self, fingerprint: u64, result: Entry<K, T>) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.n_new += 1;
        if known.n_new >= MANY.max(known.results.len() / 16) {
            known.n_new = 0;
            known.results.retain(|_, results| {
                results.retain(|(_, kernel, result)| kernel.strong_count() > 0 && result.strong_count() > 0);
                !results.is_empty()
            });
        }
        known.results.entry(fingerprint).or_default().push(result);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::{Database, File, file_items, made_for};
    use crate::stage_cache::outcomes_here;
    use crate::{outcomes, verdicts};

    #[test]
    fn kernels_that_are_equal_but_for_their_names_are_worked_out_once() {
        let kernel = |name: &str, by: &str| {
            format!("kernel {name}(a: f32[n], n: i32):\n    for i in range(n):\n        a[i] = a[i] * {by}\n\n")
        };
        let text = kernel("first", "2.0") + &kernel("second_of_them", "2.0") + &kernel("third", "3.0");
        let db = Database::default();
        let file = File::new(&db, Arc::from(text));
        let [first, second, third] = file_items(&db, file)[..] else { panic!("three kernels") };
        assert!(Arc::ptr_eq(verdicts(&db, first), verdicts(&db, second)));
        assert!(!Arc::ptr_eq(verdicts(&db, first), verdicts(&db, third)));
        let made = outcomes_here(&db, first);
        assert!(Arc::ptr_eq(made, outcomes_here(&db, second)));
        assert!(Arc::ptr_eq(made, &outcomes(&db, second, made_for(&db))));
        assert!(!Arc::ptr_eq(made, outcomes_here(&db, third)));
    }

    #[test]
    fn a_result_is_known_as_long_as_a_kernel_has_it() {
        let kernel = |name: &str, number: usize| {
            let text = format!("kernel {name}(a: i32[n], n: i32):\n    a[0] = {number}\n");
            Arc::new(ir::read(&text, None).expect("a kernel").remove(0))
        };
        let shared: Shared<u8, usize> = Shared::default();
        let (first, other) = (kernel("first", 1), kernel("other", 1));
        let result = shared.of(&first, 0, || 1);
        assert!(Arc::ptr_eq(&result, &shared.of(&other, 0, || unreachable!("it is known"))));
        assert_eq!(*shared.of(&other, 1, || 2), 2);
        assert_eq!(*shared.of(&kernel("first", 2), 0, || 3), 3);
        drop(result);
        assert_eq!(*shared.of(&first, 0, || 4), 4);
        for number in 0..10 * MANY {
            shared.of(&kernel("k", number), 0, || number);
        }
        let known = shared.0.lock().expect("it is not poisoned");
        assert!(known.results.values().map(Vec::len).sum::<usize>() <= MANY + 1);
    }
}
