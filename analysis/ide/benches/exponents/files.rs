//! The families of files that use each other.

/// The names and texts of some files.
pub(crate) type Files = Vec<(String, String)>;

/// A family of files: its name, the files for a size, and the two sizes.
pub(crate) type FileFamily = (&'static str, fn(usize) -> Files, [usize; 2]);

pub(crate) const FILES: [FileFamily; 4] = [
    ("files in a chain of use", chain, [50, 200]),
    ("files that use one", users, [50, 200]),
    ("files that one uses", library, [50, 200]),
    ("files that use twenty", net, [50, 200]),
];

fn file(n: usize, uses: &str, called: &str) -> (String, String) {
    let function = format!("fn half{n}(x: f32) -> f32:\n    return x * {n}.5 + 1.0\n\n");
    let kernel = format!("kernel k{n}(a: f32[n], n: i32):\n    for i in range(n):\n        a[i] = {called}\n");
    (format!("src/m{n}.lane"), format!("{uses}\n{function}{kernel}"))
}

fn chain(n: usize) -> Files {
    let link = |k: usize| match k {
        0 => file(0, "", "a[i]"),
        _ => file(k, &format!("use m{}\n", k - 1), &format!("half{}(a[i])", k - 1)),
    };
    (0..n).map(link).collect()
}

fn users(n: usize) -> Files {
    std::iter::once(file(0, "", "a[i]")).chain((1..n).map(|k| file(k, "use m0\n", "half0(a[i])"))).collect()
}

fn library(n: usize) -> Files {
    let uses: String = (1..n).map(|k| format!("use m{k}\n")).collect();
    let calls: Vec<_> = (1..n).map(|k| format!("half{k}(a[i])")).collect();
    (1..n).map(|k| file(k, "", "a[i]")).chain([file(0, &uses, &calls.join(" + "))]).collect()
}

/// Each file uses those of the twenty before it that use no others themselves.
fn net(n: usize) -> Files {
    let link = |k: usize| {
        if k % 2 == 0 {
            return file(k, "", "a[i]");
        }
        let used: Vec<_> = (1..=20).filter_map(|back| (k + 1).checked_sub(2 * back)).collect();
        let uses: String = used.iter().map(|k| format!("use m{k}\n")).collect();
        let calls: Vec<_> = used.iter().map(|k| format!("half{k}(a[i])")).collect();
        file(k, &uses, &calls.join(" + "))
    };
    (0..n).map(link).collect()
}
