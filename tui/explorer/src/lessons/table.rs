//! The lessons, in the order in which they build on each other.

use report::lanes::Class;

use super::{Goal, Lesson};

/// Accesses that are one load or store for all lanes.
const IN_ORDER: &[Class] = &[Class::Contiguous, Class::Broadcast];

/// All lessons.
pub static LESSONS: &[Lesson] = &[
    Lesson {
        name: "lanes",
        title: "Many iterations at once",
        words: &[
            "A loop whose iterations do not need each other can run many of them at once: each in a lane of the machine's registers. Behind \
             the header of the loop in the source stands how many lanes it has for the target that is named above the stage.",
            "The stage `vector` at the right shows the loop in lanes: `base` is where a group of iterations begins, `lane_id` the number of \
             the lane, and `active` says which lanes still have an iteration.",
        ],
        task: "Give the loop exactly 4 lanes: write `@lanes(4)` in a line of its own above the `for`, indented like it.",
        look: "`t` picks another target: how many lanes does the loop have there without the attribute? `.` and `,` step through the stages.",
        program: "\
## Turns the volume of a recording up or down.
kernel scale_audio(samples: f32[n], out: f32[n], n: i32, volume: f32):
    for i in range(n):
        out[i] = samples[i] * volume
",
        goals: &[Goal::SoManyLanes(4)],
    },
    Lesson {
        name: "uniform",
        title: "Uniform and varying",
        words: &[
            "A value that is the same in all lanes is uniform: it is computed once. One that differs from lane to lane is varying, and is marked \
             with ᵛ in the source. `w` says why something varies, step by step, down to the index of the loop.",
        ],
        task: "Here `volume` grows with `i`. All samples are to get half of `from` instead: make `volume` uniform.",
        look: "Put the cursor on `volume` and press `w`, before and after. In the stage `final` the product has left the loop.",
        program: "\
## Fades a recording in.
kernel fade(samples: f32[n], out: f32[n], n: i32, from: f32):
    for i in range(n):
        let volume = from * f32(i)
        out[i] = samples[i] * volume
",
        goals: &[
            Goal::Uniform("volume"),
            Goal::Gives(&["samples=[1, 2, 3]", "out=zeros(3)", "n=3", "from=0.5"], "out = [0.25, 0.5, 0.75]"),
        ],
    },
    Lesson {
        name: "masks",
        title: "Branches become masks",
        words: &[
            "Lanes take one way through the program together. Where an `if` differs between them, both sides run, each with a mask of the lanes \
             that are to take part; a store under a mask leaves the other cells alone.",
        ],
        task: "Samples that are quieter than `least` (`abs(samples[i]) < least`) are to become 0; use an `if`. The others stay as they are.",
        look: "In the stage `vector` the condition is a mask, or a `select` between two values. `r` shows data to run the kernel on, and `r` \
               again runs it.",
        program: "\
## A noise gate.
kernel gate(samples: f32[n], out: f32[n], n: i32, least: f32):
    for i in range(n):
        out[i] = samples[i]
",
        goals: &[
            Goal::Lanes,
            Goal::Gives(
                &["samples=[1, -0.25, 0.5, -2]", "out=zeros(4)", "n=4", "least=0.5"],
                "out = [1.0, 0.0, 0.5, -2.0]",
            ),
        ],
    },
    Lesson {
        name: "strides",
        title: "Neighbours in memory",
        words: &[
            "A load whose lanes read cells that lie beside each other is contiguous: one instruction for all lanes. Here every second cell is \
             read, so the load is strided, and twice as much memory goes through the machine.",
        ],
        task: "The caller now sends all samples of the left channel first, and then all of the right. Read the left channel from there.",
        look: "Press `w` on the load, before and after, and compare the instructions in the assembly.",
        program: "\
## Takes the left channel out of a recording.
kernel left(stereo: f32[2 * n], out: f32[n], n: i32):
    for i in range(n):
        out[i] = stereo[2 * i]
",
        goals: &[
            Goal::Accesses(IN_ORDER),
            Goal::Gives(&["stereo=[1, 2, 3, 4, 5, 6]", "out=zeros(3)", "n=3"], "out = [1.0, 2.0, 3.0]"),
        ],
    },
    Lesson {
        name: "gathers",
        title: "Subscripts that are data",
        words: &[
            "Where a subscript is itself read from memory, nobody knows beforehand which cells the lanes want: the load is a gather, one cell \
             after the other. The note in the source says which value made it one.",
        ],
        task: "Whoever calls this always passes an `order` of n - 1, n - 2, … 1, 0. Say so in the subscript instead of reading it.",
        look: "A load from the last cell to the first is `reversed`: a contiguous one, and a shuffle. How much cheaper is that? `B` measures \
               the kernel on a million elements.",
        program: "\
## Plays a recording backwards.
kernel backwards(a: f32[n], order: i32[n], out: f32[n], n: i32):
    for i in range(n):
        out[i] = a[order[i]]
",
        goals: &[
            Goal::Accesses(&[Class::Contiguous, Class::Broadcast, Class::Reversed]),
            Goal::Gives(&["a=[1, 2, 3, 4]", "order=[3, 2, 1, 0]", "out=zeros(4)", "n=4"], "out = [4.0, 3.0, 2.0, 1.0]"),
        ],
    },
    Lesson {
        name: "sums",
        title: "Sums of floats",
        words: &[
            "A sum needs what the iteration before has made of it. Lanes could each have a sum of their own, joined at the end; but floats are \
             rounded at each step, so that another order gives other bits. Lane keeps the order, unless you allow another.",
        ],
        task: "Allow it: write `@reassoc` above the loop.",
        look: "The stage `final` has several vectors of partial sums, because the next addition need not wait for the one before.",
        program: "\
## The energy of a recording.
kernel energy(samples: f32[n], n: i32) -> f32:
    let sum = 0.0
    for i in range(n):
        sum += samples[i] * samples[i]
    return sum
",
        goals: &[Goal::Lanes, Goal::Gives(&["samples=[1, 2, 3, 4]", "n=4"], "30.0")],
    },
    Lesson {
        name: "dependences",
        title: "Iterations that need each other",
        words: &[
            "This loop reads in iteration i what iteration i - 1 wrote, so iterations cannot run at once. That is a dependence, and `w` on the \
             loop names the two accesses, and two iterations that meet in one cell.",
        ],
        task: "What was meant is the mean of each sample and the one before it, as they were at the start. Store it to `out`, from the second \
               sample on.",
        look: "`w` on the header of the loop, before and after.",
        program: "\
## Smooths a recording.
kernel smooth(a: f32[n], out: f32[n], n: i32):
    for i in range(1, n):
        a[i] = 0.5 * (a[i - 1] + a[i])
",
        goals: &[Goal::Lanes, Goal::Gives(&["a=[1, 3, 5, 9]", "out=zeros(4)", "n=4"], "out = [0.0, 2.0, 4.0, 7.0]")],
    },
    Lesson {
        name: "promises",
        title: "What `foreach` promises",
        words: &[
            "`for` runs in order, or gives what it would give in order. `foreach` says that its iterations do not touch what another one \
             writes; whether that is so is up to you, and the interpreter checks it.",
            "Here two values may fall into one bin, so the promise is broken. Press `r` twice to run it, and read which iterations collide.",
        ],
        task: "Make it count right.",
        look: "Does the loop have lanes now? `w` on its header says what was done about the bins.",
        program: "\
## Counts values by their remainder.
kernel histogram(values: i32[n], bins: i32[4], n: i32):
    foreach i in range(n):
        bins[values[i] & 3] += 1
",
        goals: &[Goal::Gives(&["values=[1, 5, 2, 9, 4]", "bins=zeros(4)", "n=5"], "bins = [1, 3, 1, 0]")],
    },
    Lesson {
        name: "layouts",
        title: "Arrays of structs",
        words: &[
            "The fields of a struct lie beside each other, so the same field of neighbouring elements does not: loads of all its fields become \
             one interleaved group, with shuffles, and a load of one field alone is strided.",
        ],
        task: "Take the coordinates as three arrays `x`, `y` and `z` in place of `points`, and keep the result.",
        look: "Compare the lines of assembly in the hot loop.",
        program: "\
struct Point:
    x: f32
    y: f32
    z: f32

## The squared distance of points from the origin.
kernel distances(points: Point[n], out: f32[n], n: i32):
    for i in range(n):
        let p = points[i]
        out[i] = p.x * p.x + p.y * p.y + p.z * p.z
",
        goals: &[
            Goal::Accesses(IN_ORDER),
            Goal::Gives(&["x=[1, 2]", "y=[0, 1]", "z=[2, 0]", "out=zeros(2)", "n=2"], "out = [5.0, 5.0]"),
        ],
    },
    Lesson {
        name: "divergence",
        title: "Waiting for the slowest lane",
        words: &[
            "A `while` inside of lanes goes on until the last lane has left it; the lanes that are done wait, with their mask off. Where data \
             differ much, most lanes wait most of the time.",
        ],
        task: "No number here is larger than 256, so 8 rounds are enough. Make it a `for` of 8 rounds that halves and counts only where \
               `x > 1`.",
        look: "In the stage `vector` the mask that the `while` carried is gone.",
        program: "\
## Counts how often a number can be halved before it is 1 or less.
kernel halvings(a: f32[n], out: i32[n], n: i32):
    for i in range(n):
        let x = a[i]
        let count = 0
        while x > 1:
            x *= 0.5
            count += 1
        out[i] = count
",
        goals: &[
            Goal::Together,
            Goal::Lanes,
            Goal::Gives(&["a=[1, 2, 256, 0.5, 5]", "out=zeros(5)", "n=5"], "out = [0, 1, 8, 0, 3]"),
        ],
    },
    Lesson {
        name: "contracts",
        title: "Contracts",
        words: &[
            "`@simd`, `@no_gather` and `@no_scatter` are contracts: what breaks them is an error, on each target that is asked for. So nobody \
             makes a kernel slow without noticing.",
        ],
        task: "The contract is broken. There are only 8 colours: let `colors` have 8 elements, and make the subscript `index[i] & 7`, so that \
               they fit a register and are picked there.",
        look: "`t` picks another target: does the contract hold there? `lanescope check --target all` asks for all.",
        program: "\
## Looks up the colours of an image.
kernel palette(index: i32[n], colors: f32[256], out: f32[n], n: i32):
    @no_gather
    for i in range(n):
        out[i] = colors[index[i]]
",
        goals: &[
            Goal::Attribute("@no_gather"),
            Goal::Lanes,
            Goal::Gives(
                &["index=[0, 3, 7]", "colors=[1, 2, 3, 4, 5, 6, 7, 8]", "out=zeros(3)", "n=3"],
                "out = [1.0, 4.0, 8.0]",
            ),
        ],
    },
    Lesson {
        name: "fast",
        title: "As fast as possible",
        words: &[
            "Lane rounds each operation once and keeps their order, so that all targets give the same bits. `@fast` above a kernel lets the \
             compiler contract, reorder, and take approximate functions: bits may differ then, and it is yours to say that they may.",
        ],
        task: "Measure the kernel (`B`, and `B` again), write `@fast` above it, and measure again.",
        look: "The assembly has estimates in place of the division and the square root. A hover, or `w`, on a function says how exact it is.",
        program: "\
## Reciprocal distances from the origin.
kernel reciprocal_distances(x: f32[n], y: f32[n], out: f32[n], n: i32):
    for i in range(n):
        out[i] = 1 / sqrt(x[i] * x[i] + y[i] * y[i])
",
        goals: &[Goal::Attribute("@fast"), Goal::Lanes],
    },
];
