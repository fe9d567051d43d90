//! Help, versions, and unknown words.

use super::*;

#[test]
fn help_of_everything() {
    let folder = Folder::new(&[]);
    let mut help = folder.run(&["--help"]).to_string();
    for subcommand in tui::cli::subcommands() {
        help += &format!("\n=== {subcommand} ===\n{}", folder.run(&[&subcommand, "--help"]));
    }
    expect![[r#"
        See what the lanes of a data-parallel kernel do

        Usage: lanescope [OPTIONS] [FILE]...
               lanescope <COMMAND>

        Commands:
          explore      Open the explorer: source, stages, what is wrong and why (`lanescope FILE` does the
                       same)
          learn        Learn what lanes do, lesson by lesson, in the explorer
          check        Find what is wrong with kernels
          explain      Tell what the lanes of a program do and why, or what the code of a finding means
          compare      Compare kernels on all targets, with other lanes and attributes: lanes, estimated
                       cycles, what differs
          lower        Print a program as it is at a stage on its way to vector code
          asm          Print the assembly of kernels, each line beside its source
          run          Run a kernel on given data, and print its result and every array that it writes
          bench        Measure a kernel: scalar code, vector code and the bandwidth of memory
          faster       Try every known change of a kernel, and say which make it faster and what they do to
                       its results
          build        Write object files, and a C header or modules in C++, Rust and Python
          new          Make a folder with kernels, a program that calls them, its test and its measurement
          test         Run the examples in the documentation of kernels, and compare what they give with
                       what they say
          fmt          Format files, in the one canonical form
          targets      List the targets that code can be made for, the LLVM that makes it, and what this
                       machine is
          doctor       Say what is found on this machine, what is missing, and what to type
          lsp          Serve an editor: diagnostics, hovers, hints and views of the lowered program, while
                       kernels are typed
          dap          Serve an editor's debugger: step through the lanes of a kernel, forth and back
          completions  Print what a shell needs to complete this command
          man          Print the manual page
          help         Print this message or the help of the given subcommand(s)

        Arguments:
          [FILE]...  Files, folders (all `.lane` and `.ispc` files in and under them), or `-` for standard
                     input

        Options:
              --target <TARGET>  The target: native, sse4, avx2, avx512, neon, sve, rvv or scalar
                                 (`lanescope targets` tells more) [default: native]
              --lanes <N>        The number of lanes of loops; left out, as many as fill the target's
                                 registers
          -I <DIR>               A folder of headers for ISPC files; may be given several times
          -D <NAME[=VALUE]>      A macro for ISPC files; may be given several times
              --plain            Print the files as plain text, as without a terminal
              --record <FILE>    Record what the terminal shows in a new file, in the form of asciicast
              --default-config   Print a config file with the default of every setting
          -h, --help             Print help
          -V, --version          Print version

        Examples:
          lanescope                              open the explorer's starting page: recent files, lessons,
          examples
          lanescope examples/scale_audio.lane    open the explorer on a file
          lanescope check examples/              find what is wrong in all files of a folder

        Exit codes: 0 done, 1 the kernels have errors (or a check failed), 2 wrong usage or no such file.
        --- exit 0 ---

        === explore ===
        Open the explorer: source, stages, what is wrong and why (`lanescope FILE` does the same)

        Usage: lanescope explore [OPTIONS] [FILE]...

        Arguments:
          [FILE]...  Files, folders (all `.lane` and `.ispc` files in and under them), or `-` for standard
                     input

        Options:
              --target <TARGET>  The target: native, sse4, avx2, avx512, neon, sve, rvv or scalar
                                 (`lanescope targets` tells more) [default: native]
              --lanes <N>        The number of lanes of loops; left out, as many as fill the target's
                                 registers
          -I <DIR>               A folder of headers for ISPC files; may be given several times
          -D <NAME[=VALUE]>      A macro for ISPC files; may be given several times
              --plain            Print the files as plain text, as without a terminal
              --record <FILE>    Record what the terminal shows in a new file, in the form of asciicast
              --default-config   Print a config file with the default of every setting
          -h, --help             Print help

        Examples:
          lanescope explore examples/scale_audio.lane
          lanescope examples/scale_audio.lane            does the same
          lanescope kernel.ispc -I include               opens an ISPC file
          lanescope a.lane --record tour.cast            records what is shown; `asciinema play tour.cast`
        --- exit 0 ---

        === learn ===
        Learn what lanes do, lesson by lesson, in the explorer

        Usage: lanescope learn [OPTIONS] [NUMBER]

        Arguments:
          [NUMBER]  The number of a lesson

        Options:
              --check <FILE>     Check this file in place of what was written in the explorer; the exit code
                                 is 1 if the task is not done
              --reset            Begin anew: of the lesson that is named, or of all
              --target <TARGET>  The target: native, sse4, avx2, avx512, neon, sve, rvv or scalar
                                 (`lanescope targets` tells more) [default: native]
              --lanes <N>        The number of lanes of loops; left out, as many as fill the target's
                                 registers
          -h, --help             Print help

        Examples:
          lanescope learn        open the first lesson whose task is not done
          lanescope learn 6      open the sixth

        Without a terminal it lists the lessons, or prints one with its task and how far that has come.
        --- exit 0 ---

        === check ===
        Find what is wrong with kernels

        Usage: lanescope check [OPTIONS] <FILE>...

        Arguments:
          <FILE>...  Files, folders (all `.lane` and `.ispc` files in and under them), or `-` for standard
                     input

        Options:
              --target <TARGET>  The targets: native, sse4, avx2, avx512, neon, sve, rvv or scalar, joined
                                 by commas or given one by one; `all` of them (`lanescope targets` tells
                                 more). Left out, `explain` takes this machine, and `check` avx2, so that it
                                 finds the same on every machine
              --lanes <N>        The number of lanes of loops; left out, as many as fill the target's
                                 registers
              --deny <CODE>      Make findings with this code errors; may be given several times
          -I <DIR>               A folder of headers for ISPC files; may be given several times
          -D <NAME[=VALUE]>      A macro for ISPC files; may be given several times
              --json             Print one JSON object, described in docs/json.md
          -h, --help             Print help

        Examples:
          lanescope check examples/
          lanescope check blur.lane --deny tab-indent
          lanescope check blur.lane --target sse4,neon
          lanescope check kernel.ispc -I include -D WIDTH=8
          lanescope check - --json < blur.lane
        --- exit 0 ---

        === explain ===
        Tell what the lanes of a program do and why, or what the code of a finding means

        Usage: lanescope explain [OPTIONS] <FILE|CODE>

        Arguments:
          <FILE|CODE>  A file, `-` for standard input, or the code of a finding, as `check` prints it in
                       brackets

        Options:
              --kernel <NAME>    Explain only this kernel (or `fn`), of an ISPC file the functions of this
                                 name
              --line <N>         Explain only what stands on this line, down to its single expressions
              --target <TARGET>  The targets: native, sse4, avx2, avx512, neon, sve, rvv or scalar, joined
                                 by commas or given one by one; `all` of them (`lanescope targets` tells
                                 more). Left out, `explain` takes this machine, and `check` avx2, so that it
                                 finds the same on every machine
              --lanes <N>        The number of lanes of loops; left out, as many as fill the target's
                                 registers
              --graph[=<FORM>]   Draw the statements of each loop and what they need of each other: as text,
                                 with `=svg` as a picture, with `=dot` for Graphviz [possible values: text,
                                 dot, svg]
          -I <DIR>               A folder of headers for ISPC files; may be given several times
          -D <NAME[=VALUE]>      A macro for ISPC files; may be given several times
              --json             Print one JSON object, described in docs/json.md
          -h, --help             Print help

        Examples:
          lanescope explain examples/color_by_number.lane
          lanescope explain blur.lane --kernel blur_rows --line 12
          lanescope explain blur.lane --target sse4,avx512
          lanescope explain blur.lane --graph
          lanescope explain kernel.ispc -I include --kernel shade
          lanescope explain gather-varying-index
        --- exit 0 ---

        === compare ===
        Compare kernels on all targets, with other lanes and attributes: lanes, estimated cycles, what
        differs

        Usage: lanescope compare [OPTIONS] <FILE> [KERNEL]

        Arguments:
          <FILE>    A file, or `-` for standard input
          [KERNEL]  The kernel to compare; left out, all of the file

        Options:
              --targets <TARGET>       The targets to compare with, joined by commas; left out, all of them
              --lanes <N>              The numbers of lanes to try; left out, 4, 8, 16 and 32
              --attributes [<yes|no>]  Whether attributes are tried: `@reassoc` and `@fast`, written above
                                       the kernel or taken away [default: yes] [possible values: yes, no]
              --target <TARGET>        The target that all is compared with: native, sse4, avx2, avx512,
                                       neon, sve, rvv or scalar [default: native]
              --asm                    Count instructions, vector registers and spills in the assembly of
                                       each variant, too
              --json                   Print one JSON object, described in docs/json.md
          -h, --help                   Print help

        Examples:
          lanescope compare examples/color_by_number.lane
          lanescope compare examples/audio.lane mix --targets avx2,avx512,neon --asm
          lanescope compare examples/audio.lane mix --lanes 4,8,16 --json
        --- exit 0 ---

        === lower ===
        Print a program as it is at a stage on its way to vector code

        Usage: lanescope lower [OPTIONS] [FILE]

        Arguments:
          [FILE]  A file, or `-` for standard input

        Options:
              --kernel <NAME>    Print only this kernel (or `fn`, `struct`, `const`)
              --stage <STAGE>    The stage to print, `vector` when left out; `list` names all and what they
                                 show
              --target <TARGET>  The target: native, sse4, avx2, avx512, neon, sve, rvv or scalar
                                 (`lanescope targets` tells more) [default: native]
              --lanes <N>        The number of lanes of loops; left out, as many as fill the target's
                                 registers
              --diff             Print what differs from the stage before
          -I <DIR>               A folder of headers for ISPC files; may be given several times
          -D <NAME[=VALUE]>      A macro for ISPC files; may be given several times
              --json             Print one JSON object, described in docs/json.md
          -h, --help             Print help

        Examples:
          lanescope lower examples/scale_audio.lane
          lanescope lower blur.lane --kernel blur_rows --stage parsed
          lanescope lower blur.lane --stage final --diff
          lanescope lower --stage list
        --- exit 0 ---

        === asm ===
        Print the assembly of kernels, each line beside its source

        Usage: lanescope asm [OPTIONS] <FILE>

        Arguments:
          <FILE>  A file, or `-` for standard input

        Options:
              --kernel <NAME>    Print only this kernel
              --target <TARGET>  The target: native, sse4, avx2, avx512, neon, sve, rvv or scalar
                                 (`lanescope targets` tells more) [default: native]
              --lanes <N>        The number of lanes of loops; left out, as many as fill the target's
                                 registers
              --source           Print each source line before the instructions that came from it
          -I <DIR>               A folder of headers for ISPC files; may be given several times
          -D <NAME[=VALUE]>      A macro for ISPC files; may be given several times
              --json             Print one JSON object, described in docs/json.md
          -h, --help             Print help

        Examples:
          lanescope asm examples/scale_audio.lane
          lanescope asm blur.lane --kernel blur_rows --target avx2 --source
          lanescope asm blur.lane --target neon --json
          lanescope asm kernel.ispc --target avx2-i32x8
        --- exit 0 ---

        === run ===
        Run a kernel on given data, and print its result and every array that it writes

        Usage: lanescope run [OPTIONS] <FILE>

        Arguments:
          <FILE>  A file, or `-` for standard input

        Options:
              --kernel <NAME>      The kernel to run; may be left out when the file has only one
              --arg <NAME=SPEC>    A parameter and its numbers; one for each parameter
              --engine <ENGINE>    What runs it: the interpreter of Lane IR, the plain evaluator of the
                                   language (`scalar`), or this machine, by native code (`native`), after
                                   the interpreter has looked for an error of the program in the first three
                                   million steps [default: interp] [possible values: interp, scalar, native]
              --native             Run machine code: the same as `--engine native`
              --stage <STAGE>      The stage that the interpreter runs, `sequential` when left out (`lower
                                   --stage list` names all)
              --target <TARGET>    The target: native, sse4, avx2, avx512, neon, sve, rvv or scalar
                                   (`lanescope targets` tells more) [default: native]
              --lanes <N>          The number of lanes of loops; left out, as many as fill the target's
                                   registers
              --fuel <STEPS>       Stop a run that takes more steps than this [default: 1000000000]
              --timeout <SECONDS>  Stop native code that takes longer than this [default: 10]
              --threads <N>        The number of threads that run a kernel under `@threads` natively; left
                                   out, one for each processor
          -I <DIR>                 A folder of headers for ISPC files; may be given several times
          -D <NAME[=VALUE]>        A macro for ISPC files; may be given several times
              --json               Print one JSON object, described in docs/json.md
          -h, --help               Print help

        Examples:
          lanescope run examples/scale_audio.lane --kernel scale_audio \
              --arg 'samples=ramp(4)' --arg 'out=zeros(4)' --arg n=4 --arg volume=0.5
          lanescope run examples/scale_audio.lane --engine native \
              --arg 'samples=ramp(4)' --arg 'out=zeros(4)' --arg n=4 --arg volume=0.5

        A SPEC is a number, `[1, 2.5, 3]`, `"text"`, `ramp(n)`, `random(n, seed)`, `zeros(n)`,
        `fill(n, x)`, `@file.npy`, or `a[3:]` (the array of parameter `a` from element 3 on).
        --- exit 0 ---

        === bench ===
        Measure a kernel: scalar code, vector code and the bandwidth of memory

        Usage: lanescope bench [OPTIONS] <FILE>

        Arguments:
          <FILE>  A file, or `-` for standard input

        Options:
              --kernel <NAME>        The kernel to measure; may be left out when the file has only one
              --arg <NAME=SPEC>      A parameter and its numbers; an array that is not given has about a
                                     million elements
              --target <TARGET>      The target: native, sse4, avx2, avx512, neon, sve, rvv or scalar
                                     (`lanescope targets` tells more) [default: native]
              --lanes <N>            The number of lanes of loops; left out, as many as fill the target's
                                     registers
              --time <MILLISECONDS>  The length of each measurement [default: 300]
              --timeout <SECONDS>    Stop native code that takes longer than this, besides the time it is
                                     measured for [default: 10]
              --threads <N>          The number of threads that a kernel under `@threads` is measured with
                                     as well; left out, one for each processor
              --sweep <WHAT>         Measure the kernel on data of many sizes, with many numbers of lanes,
                                     or for all targets that run here: sizes, lanes or targets, joined by
                                     commas
          -I <DIR>                   A folder of headers for ISPC files; may be given several times
          -D <NAME[=VALUE]>          A macro for ISPC files; may be given several times
              --json                 Print one JSON object, described in docs/json.md
          -h, --help                 Print help

        Examples:
          lanescope bench examples/scale_audio.lane
          lanescope bench examples/scale_audio.lane \
              --arg 'samples=random(1000000, 1)' --arg 'out=zeros(1000000)' --arg n=1000000 --arg volume=0.5
          lanescope bench examples/scale_audio.lane --sweep sizes,lanes,targets
          lanescope bench kernel.ispc --kernel scale -I include
        --- exit 0 ---

        === faster ===
        Try every known change of a kernel, and say which make it faster and what they do to its results

        Usage: lanescope faster [OPTIONS] <FILE>

        Arguments:
          <FILE>  A file, or `-` for standard input

        Options:
              --kernel <NAME>        The kernel to make faster; may be left out when the file has only one
              --arg <NAME=SPEC>      A parameter and its numbers; an array that is not given has about a
                                     million elements
              --target <TARGET>      The target: native, sse4, avx2, avx512, neon, sve, rvv or scalar
                                     (`lanescope targets` tells more) [default: native]
              --lanes <N>            The number of lanes of loops; left out, as many as fill the target's
                                     registers
              --time <MILLISECONDS>  The time for which each change is measured, and the kernel as it is
                                     beside it [default: 100]
              --timeout <SECONDS>    Stop native code that takes longer than this, besides the time it is
                                     measured for [default: 10]
              --write[=<BITS>]       Write the best changes to the file: those that keep the bits of all
                                     results, or any [possible values: same-bits, any-bits]
              --json                 Print one JSON object, described in docs/json.md
          -h, --help                 Print help

        Examples:
          lanescope faster examples/audio.lane --kernel mix
          lanescope faster kernel.lane --arg n=4096 --write
          lanescope faster kernel.lane --write=any-bits --json
        --- exit 0 ---

        === build ===
        Write object files, and a C header or modules in C++, Rust and Python

        Usage: lanescope build [OPTIONS] --out <DIR> <FILE>...

        Arguments:
          <FILE>...  Files, folders (all `.lane` and `.ispc` files in and under them), or `-` for standard
                     input

        Options:
          -o, --out <DIR>        The folder to write to; made if it is not there
              --target <TARGET>  The target, or several of x86 (sse4,avx2,avx512,scalar) [default: native]
              --triple <TRIPLE>  The system to make objects for, as LLVM names it, instead of Linux
              --lanes <N>        The number of lanes of loops; left out, as many as fill the target's
                                 registers
              --emit <WHAT>      What to write [default: obj,header] [possible values: obj, asm, llvm,
                                 header, cpp, rust, python]
          -I <DIR>               A folder of headers for ISPC files; may be given several times
          -D <NAME[=VALUE]>      A macro for ISPC files; may be given several times
          -h, --help             Print help

        Examples:
          lanescope build examples/scale_audio.lane -o out
          lanescope build blur.lane -o out --target sse4,avx2,avx512
          lanescope build blur.lane -o out --target neon --emit obj,asm,llvm,header
          lanescope build blur.lane -o out --emit obj,rust,python
          lanescope build blur.lane -o out --emit obj,cpp
          lanescope build blur.lane -o out --target neon --triple arm64-apple-macosx14.0
          lanescope build blur.lane -o out --target avx2 --triple x86_64-pc-windows-msvc
          lanescope build kernel.ispc -o out --target sse4-i32x4,avx2-i32x8 -I include

        With several x86 targets, `NAME.o` holds one symbol for each kernel, which picks at its first
        call, and `NAME.TARGET.o` the code for each: link all of them.
        --- exit 0 ---

        === new ===
        Make a folder with kernels, a program that calls them, its test and its measurement

        Usage: lanescope new [OPTIONS] <FOLDER>

        Arguments:
          <FOLDER>  The folder to make; its last part is the name of the kernels' file

        Options:
              --caller <LANGUAGE>  The language of the program that calls the kernels [default: c] [possible
                                   values: c, cpp, rust, python]
          -h, --help               Print help

        Examples:
          lanescope new mixer                    with a program in C, and a Makefile
          lanescope new mixer --caller cpp       with a program in C++20, and a Makefile
          lanescope new mixer --caller rust      with a package for Cargo
          lanescope new mixer --caller python    with modules for Python and NumPy

        The files are yours: nothing of them is looked at again.
        --- exit 0 ---

        === test ===
        Run the examples in the documentation of kernels, and compare what they give with what they say

        Usage: lanescope test [OPTIONS] <FILE>...

        Arguments:
          <FILE>...  Files, folders (all `.lane` files in and under them), or `-` for standard input

        Options:
              --target <TARGET>    The target: native, sse4, avx2, avx512, neon, sve, rvv or scalar
                                   (`lanescope targets` tells more) [default: native]
              --lanes <N>          The number of lanes of loops; left out, as many as fill the target's
                                   registers
              --update             Write below each call what it gives, in place of what is there
              --fuel <STEPS>       Stop a run that takes more steps than this [default: 100000000]
              --timeout <SECONDS>  Stop native code that takes longer than this [default: 10]
              --json               Print one JSON object, described in docs/json.md
          -h, --help               Print help

        Examples:
          lanescope test kernels/
          lanescope test blur.lane --target sse4
          lanescope test blur.lane --update

        An example stands in the `##` lines above a kernel: a call behind `>`, and below it what it gives.

          ## > scale([1, 2], out = zeros(2), n = 2, by = 0.5)
          ## out = [0.5, 1.0]

        Arguments are those of `lanescope run`. Expected are a result (`3.5`), arrays that the
        kernel writes (`out = [0.5, …]`), or the error that ends the run (`error[overflow]`);
        behind `≈` numbers may differ by one part in ten thousand. Each example runs in the plain
        evaluator of the language, in the interpreter on the last stage, and natively.
        --- exit 0 ---

        === fmt ===
        Format files, in the one canonical form

        Usage: lanescope fmt [OPTIONS] <FILE>...

        Arguments:
          <FILE>...  Files, folders (all `.lane` and `.ispc` files in and under them), or `-` for standard
                     input to standard output

        Options:
              --check        Write nothing: name the files that would change, and end with 1 if there are
                             any
          -I <DIR>           A folder of headers for ISPC files; may be given several times
          -D <NAME[=VALUE]>  A macro for ISPC files; may be given several times
          -h, --help         Print help

        Examples:
          lanescope fmt examples/
          lanescope fmt --check examples/
          lanescope fmt kernel.ispc -I include
          lanescope fmt - < blur.lane
        --- exit 0 ---

        === targets ===
        List the targets that code can be made for, the LLVM that makes it, and what this machine is

        Usage: lanescope targets [OPTIONS]

        Options:
              --json  Print one JSON object, described in docs/json.md
          -h, --help  Print help

        Examples:
          lanescope targets
          lanescope targets --json
        --- exit 0 ---

        === doctor ===
        Say what is found on this machine, what is missing, and what to type

        Usage: lanescope doctor [OPTIONS]

        Options:
              --json  Print one JSON object, described in docs/json.md
          -h, --help  Print help

        Examples:
          lanescope doctor
          lanescope doctor --json

        Exit code 1 says that native code can be neither made nor run here; all else works without it.
        --- exit 0 ---

        === lsp ===
        Serve an editor: diagnostics, hovers, hints and views of the lowered program, while kernels are
        typed

        Usage: lanescope lsp [OPTIONS]

        Options:
              --stdio  Talk on standard input and output, which is what happens anyway; some editors say it
          -h, --help   Print help

        Examples:
          lanescope lsp            what an editor is told to start
          nvim --cmd 'lua vim.lsp.start({ name = "lanescope", cmd = { "lanescope", "lsp" } })'

        The server talks to an editor in the Language Server Protocol. docs/settings.md lists what can be
        set.
        --- exit 0 ---

        === dap ===
        Serve an editor's debugger: step through the lanes of a kernel, forth and back

        Usage: lanescope dap

        Options:
          -h, --help  Print help

        Examples:
          lanescope dap            what an editor is told to start

        The adapter talks to an editor in the Debug Adapter Protocol. docs/debugging.md lists what a launch
        configuration may say, and what editors need.
        --- exit 0 ---

        === worker ===
        Make and run native code for another process (internal)

        Usage: lanescope worker [OPTIONS]

        Options:
              --intel  Write x86 assembly as Intel does
          -h, --help   Print help

        Example:
          lanescope worker    serve requests on standard input until it ends (other commands start it
          themselves)
        --- exit 0 ---

        === completions ===
        Print what a shell needs to complete this command

        Usage: lanescope completions <SHELL>

        Arguments:
          <SHELL>  The shell [possible values: bash, elvish, fish, powershell, zsh]

        Options:
          -h, --help  Print help

        Examples:
          lanescope completions bash > ~/.local/share/bash-completion/completions/lanescope
          lanescope completions zsh > ~/.zfunc/_lanescope
          lanescope completions fish > ~/.config/fish/completions/lanescope.fish
        --- exit 0 ---

        === man ===
        Print the manual page

        Usage: lanescope man [SUBCOMMAND]

        Arguments:
          [SUBCOMMAND]  The page of this subcommand

        Options:
          -h, --help  Print help

        Examples:
          lanescope man | man -l -
          lanescope man check > lanescope-check.1
        --- exit 0 ---
    "#]]
    .assert_eq(&help);
}

#[test]
fn every_help_has_an_example() {
    let folder = Folder::new(&[]);
    for subcommand in tui::cli::subcommands() {
        let help = folder.run(&[&subcommand, "--help"]);
        assert_eq!(help.code, Some(0), "{subcommand}");
        assert!(help.stdout.contains(&format!("\n  lanescope {subcommand} ")), "{}", help.stdout);
    }
}

#[test]
fn no_arguments_is_wrong_usage() {
    let run = Folder::new(&[]).run(&[]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("Usage: lanescope"), "{run}");
    assert_eq!(run.stdout, "");
}

#[test]
fn version() {
    let version = concat!("lanescope ", env!("CARGO_PKG_VERSION"), "\n");
    assert_eq!(Folder::new(&[]).run(&["--version"]).stdout, version);
}

#[test]
fn words_that_are_not_known() {
    check(
        &[("a.lane", WHOLE)],
        &["chekc", "a.lane"],
        expect![[r#"
        --- stderr ---
        lanescope: chekc: no such file or subcommand; did you mean `check`?
        --- exit 2 ---
    "#]],
    );
    check(
        &[("a.lane", WHOLE)],
        &["check", "a.lane", "--deny", "tab-indnet"],
        expect![[r#"
        --- stderr ---
        error: invalid value 'tab-indnet' for '--deny <CODE>': there is no such code; did you mean `tab-indent`?

        For more information, try '--help'.
        --- exit 2 ---
    "#]],
    );
    check(
        &[("a.lane", WHOLE)],
        &["check", "a.lane", "--jsno"],
        expect![[r#"
        --- stderr ---
        error: unexpected argument '--jsno' found

          tip: a similar argument exists: '--json'

        Usage: lanescope check --json <FILE>...

        For more information, try '--help'.
        --- exit 2 ---
    "#]],
    );
    check(
        &[("a.lane", WHOLE)],
        &["lower", "a.lane", "--stage", "prased"],
        expect![[r#"
            --- stderr ---
            error: invalid value 'prased' for '--stage <STAGE>': there is no such stage; did you mean `parsed`? (`lower --stage list` names them)

            For more information, try '--help'.
            --- exit 2 ---
        "#]],
    );
    check(
        &[("a.lane", "kernel blur():\n    pass\n")],
        &["lower", "a.lane", "--kernel", "blurr"],
        expect![[r#"
        --- stderr ---
        lanescope: a.lane: there is no `blurr` in this file; did you mean `blur`?
        --- exit 2 ---
    "#]],
    );
    check(
        &[],
        &["lower"],
        expect![[r#"
        --- stderr ---
        error: a file to lower is missing, or `-` for standard input

        Usage: lanescope lower [OPTIONS] [FILE]

        For more information, try '--help'.
        --- exit 2 ---
    "#]],
    );
}

#[test]
fn shells_and_manuals_know_every_subcommand() {
    let folder = Folder::new(&[]);
    for shell in ["bash", "zsh", "fish"] {
        let script = folder.run(&["completions", shell]);
        assert_eq!(script.code, Some(0), "{script}");
        for subcommand in tui::cli::subcommands() {
            assert!(script.stdout.contains(&subcommand), "{shell}: {subcommand}");
        }
    }
    let page = folder.run(&["man"]).stdout;
    assert!(page.contains(".TH lanescope 1") && page.contains("lanescope\\-lower(1)"), "{page}");
    let page = folder.run(&["man", "lower"]).stdout;
    assert!(page.contains(".TH lanescope-lower 1") && page.contains("\\-\\-stage"), "{page}");
    let unknown = folder.run(&["man", "lowre"]);
    assert_eq!(unknown.stderr, "lanescope: there is no subcommand `lowre`; did you mean `lower`?\n");
    assert_eq!(unknown.code, Some(2));
}

#[test]
fn the_default_config_is_one() {
    let config = Folder::new(&[]).run(&["explore", "--default-config"]);
    assert!(config.stdout.contains("theme = \"auto\"") && config.code == Some(0), "{config}");
}
