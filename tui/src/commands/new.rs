//! `lanescope new`: a folder with kernels, a program that calls them, its test and its measurement, ready to run.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::console::{Console, Outcome};

const EXAMPLES: &str = "\
Examples:
  lanescope new mixer                    with a program in C, and a Makefile
  lanescope new mixer --caller cpp       with a program in C++20, and a Makefile
  lanescope new mixer --caller rust      with a package for Cargo
  lanescope new mixer --caller python    with modules for Python and NumPy

The files are yours: nothing of them is looked at again.";

/// The arguments of `new`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The folder to make; its last part is the name of the kernels' file
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// The language of the program that calls the kernels
    #[arg(long, value_name = "LANGUAGE", value_enum, default_value = "c")]
    caller: Caller,
}

/// A language that kernels are called from. (The variants have no doc comments, which would appear in `--help`.)
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Caller {
    // C, built by `make`.
    C,
    // C++20, built by `make`.
    Cpp,
    // Rust, built by Cargo.
    Rust,
    // Python with NumPy.
    Python,
}

/// The word that templates have for the name of the kernels' file.
const NAME: &str = "NAME";

/// The kernels, for all languages.
const KERNELS: &str = include_str!("new/kernels.lane");

impl Caller {
    /// The files of a project, by their paths.
    fn files(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Caller::C => &[
                ("main.c", include_str!("new/c/main.c")),
                ("Makefile", include_str!("new/c/Makefile")),
                ("README.md", include_str!("new/c/README.md")),
                (".gitignore", "/build\n"),
            ],
            Caller::Cpp => &[
                ("main.cpp", include_str!("new/cpp/main.cpp")),
                ("Makefile", include_str!("new/cpp/Makefile")),
                ("README.md", include_str!("new/cpp/README.md")),
                (".gitignore", "/build\n"),
            ],
            Caller::Rust => &[
                ("src/main.rs", include_str!("new/rust/src/main.rs.txt")),
                ("build.rs", include_str!("new/rust/build.rs.txt")),
                ("Cargo.toml", include_str!("new/rust/Cargo.toml.txt")),
                ("README.md", include_str!("new/rust/README.md")),
                (".gitignore", "/target\n"),
            ],
            Caller::Python => &[
                ("build.py", include_str!("new/python/build.py")),
                ("test_kernels.py", include_str!("new/python/test_kernels.py")),
                ("bench.py", include_str!("new/python/bench.py")),
                ("README.md", include_str!("new/python/README.md")),
                (".gitignore", "__pycache__/\n/NAME.o\n/NAME.py\n/libNAME.*\n"),
            ],
        }
    }

    /// The commands that show what there is, in the new folder.
    fn commands(self) -> &'static [&'static str] {
        match self {
            Caller::C | Caller::Cpp => &["make test", "make bench"],
            Caller::Rust => &["cargo test", "cargo run --release"],
            Caller::Python => &["python3 -m unittest", "python3 bench.py"],
        }
    }

    /// Words that no module may be called.
    fn words(self) -> &'static [&'static str] {
        match self {
            Caller::C => &[],
            // Names at the outermost level that the program uses, and `main`.
            Caller::Cpp => &["bench", "main", "std", "test"],
            Caller::Rust => &["build", "core", "self", "std", "super", "test"],
            Caller::Python => &["bench", "build", "numpy", "np", "test_kernels", "timeit", "unittest"],
        }
    }
}

/// Runs the command: writes the files, and says what to do with them.
pub fn run(args: &Args, console: &mut Console) -> io::Result<Outcome> {
    let folder = &args.folder;
    let name = match folder.file_name().map(|name| stem(&name.to_string_lossy(), args.caller)) {
        Some(Ok(name)) => name,
        Some(Err(why)) => return trouble(console, folder, &why),
        None => return trouble(console, folder, "this has no name that the kernels could have: name a folder to make"),
    };
    match std::fs::read_dir(folder).map(|mut entries| entries.next().is_some()) {
        Ok(true) => return trouble(console, folder, "there are files already, which are kept: name another folder"),
        Err(error) if error.kind() != io::ErrorKind::NotFound => return trouble(console, folder, &error.to_string()),
        Ok(false) | Err(_) => {}
    }
    let kernels = format!("{name}.lane");
    let files = [(kernels.as_str(), KERNELS)].into_iter().chain(args.caller.files().iter().copied());
    for (path, text) in files {
        let path = folder.join(path);
        if let Err(error) = write(&path, &text.replace(NAME, &name)) {
            return trouble(console, &path, &error.to_string());
        }
        writeln!(console, "{}", path.display())?;
    }
    writeln!(console, "\nNext:\n\n  cd {}", folder.display())?;
    for command in
        std::iter::once(format!("lanescope {kernels}")).chain(args.caller.commands().iter().map(|it| (*it).to_owned()))
    {
        writeln!(console, "  {command}")?;
    }
    Ok(Outcome::Done)
}

fn trouble(console: &mut Console, path: &Path, why: &str) -> io::Result<Outcome> {
    console.trouble(&format!("{}: {why}", path.display())).map(|()| Outcome::Trouble)
}

/// The name of a folder as that of a module in any language.
fn stem(folder: &str, caller: Caller) -> Result<String, String> {
    let name: String = folder.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return Err("a name of kernels starts with a letter: name the folder otherwise".to_owned());
    }
    if caller.words().contains(&name.as_str()) {
        return Err(format!("`{name}` is the name of another module that the project uses: name the folder otherwise"));
    }
    Ok(name)
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
    std::fs::write(path, text)
}
