//! Results that kernels share which are equal but for their names.
//!
//! A file has copies of kernels, and instances of one template for the same arguments in all but name; and while a variable is renamed, a
//! kernel is the one before but for that name. The verdicts on their loops and what passes make of them follow from Lane IR alone, in
//! which places are numbers, so they are found for one of them.
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

/// The number of equal kernels by which one result is known. A file may have thousands, and one that lives on is enough.
const MOST_EQUAL: usize = 4;

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
        let known = self.find(fingerprint, kernel, &key);
        if let Some((of, result)) = &known
            && Arc::ptr_eq(of, kernel)
        {
            return result.clone();
        }
        // Put in for this kernel, too, which may live on when the other one is gone.
        let found = known.map_or_else(|| Arc::new(find()), |(_, result)| result);
        self.put(fingerprint, (key, Arc::downgrade(kernel), Arc::downgrade(&found)));
        found
    }

    /// An equal kernel, the very one if it is known, and its result.
    fn find(&self, fingerprint: u64, kernel: &Arc<Kernel>, key: &K) -> Option<(Arc<Kernel>, Arc<T>)> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let candidates = known.results.get(&fingerprint)?.iter();
        let candidates: Vec<_> = candidates
            .filter(|(of, ..)| of == key)
            .filter_map(|(_, kernel, result)| Some((kernel.upgrade()?, result.upgrade()?)))
            .collect();
        // What the last one who had it lets go of here is dropped without the lock.
        drop(known);
        let own = candidates.iter().find(|(other, _)| Arc::ptr_eq(other, kernel)).cloned();
        own.or_else(|| candidates.into_iter().find(|(other, _)| other.is_equal_but_for_names(kernel)))
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
        let of_equal = known.results.entry(fingerprint).or_default();
        of_equal.retain(|(_, kernel, result)| kernel.strong_count() > 0 && result.strong_count() > 0);
        if of_equal.iter().filter(|(.., other)| Weak::ptr_eq(other, &result.2)).count() < MOST_EQUAL {
            of_equal.push(result);
        }
    }
}

#[cfg(test)]
mod tests {
    use salsa::Setter;

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
    fn what_is_known_of_a_kernel_holds_while_a_variable_is_renamed() {
        let text = |name: &str, by: &str| {
            format!(
                "kernel k(a: f32[n], n: i32):\n    for i in range(n):\n        let {name} = a[i] * {by}\n        a[i] = {name}\n"
            )
        };
        let mut db = Database::default();
        let file = File::new(&db, Arc::from(text("x", "2.0")));
        let found = |db: &Database| {
            let kernel = file_items(db, file)[0];
            (verdicts(db, kernel).clone(), outcomes_here(db, kernel).clone())
        };
        let (loops, made) = found(&db);
        for name in ["xy", "xyz", "xyzw"] {
            file.set_text(&mut db).to(Arc::from(text(name, "2.0")));
            let now = found(&db);
            assert!(Arc::ptr_eq(&loops, &now.0) && Arc::ptr_eq(&made, &now.1), "{name}");
        }
        file.set_text(&mut db).to(Arc::from(text("x", "3.0")));
        assert!(!Arc::ptr_eq(&loops, &found(&db).0));
    }

    #[test]
    fn a_result_of_many_equal_kernels_is_known_by_a_few() {
        let text = "kernel k(a: i32[n], n: i32):\n    a[0] = 1\n";
        let kernel = || Arc::new(ir::read(text, None).expect("a kernel").remove(0));
        let shared: Shared<(), usize> = Shared::default();
        let mut kernels = vec![kernel()];
        let result = shared.of(&kernels[0], (), || 1);
        for _ in 0..2 * MOST_EQUAL {
            kernels.push(kernel());
            assert!(Arc::ptr_eq(&result, &shared.of(kernels.last().expect("one"), (), || unreachable!("it is known"))));
        }
        assert_eq!(
            shared.0.lock().expect("it is not poisoned").results.values().map(Vec::len).sum::<usize>(),
            MOST_EQUAL
        );
        kernels.drain(..2);
        assert!(Arc::ptr_eq(&result, &shared.of(&kernel(), (), || unreachable!("others have it"))));
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
