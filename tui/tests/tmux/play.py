"""Plays the explorer's stories in tmux: `play.py COMMAND EXAMPLES PICTURES`."""

import os
import re
import shlex
import signal
import subprocess
import sys
import time

from terminal import Terminal, contrast, rgb, tmux

COMMAND, EXAMPLES, PICTURES = (os.path.abspath(path) for path in sys.argv[1:4])
#: Backgrounds of terminals: black and white, and both of Solarized.
BACKGROUNDS = {"black": "#000000", "white": "#ffffff", "solarized-dark": "#002b36", "solarized-light": "#fdf6e3"}
#: What tells a program how many colours there are.
DEPTHS = {"16": ("xterm", ""), "256": ("xterm-256color", ""), "true": ("xterm-256color", "truecolor")}
LEAST_CONTRAST = 4.5


def explore(terminal, name):
    terminal.run(f"{shlex.quote(COMMAND)} {shlex.quote(os.path.join(EXAMPLES, name))}")
    terminal.shows("? help")


def check(holds, *what):
    if not holds:
        raise AssertionError("\n".join(str(part) for part in what))


def pane(text, title):
    """The lines of a pane at the right, below its title."""
    lines = [line[line.rfind("│") + 1 :] for line in text.splitlines()]
    start = next(n for n, line in enumerate(lines) if line.strip().startswith(title))
    end = next((n for n in range(start + 1, len(lines)) if re.match(r" \d [A-Z]", lines[n])), len(lines))
    return lines[start + 1 : end]


def stages_are_compared():
    with Terminal(PICTURES) as terminal:
        explore(terminal, "nbody.lane")
        terminal.shows("vector_for")
        terminal.keys("d")
        terminal.shows("± stage before", "lines: prologue")
        terminal.picture("noise-stages")
        lines = pane(terminal.text(), "2 vector")
        marked = [line for line in lines if re.match(r" [-+] ", line)]
        check(any("vector_for" in line for line in marked), lines)
        check(not any("rsqrt" in line for line in marked), "renumbered temporaries are no change", *marked)
        # A line that is longer than the pane goes on, and its end can be seen.
        check(any(line.rstrip().endswith("…") for line in lines), *lines)
        terminal.keys("2", "$")
        terminal.shows("az_1 = splat(0.0):")


def targets_are_compared_by_loop():
    with Terminal(PICTURES) as terminal:
        explore(terminal, "nbody.lane")
        terminal.shows("lines: prologue")
        terminal.keys("C")
        terminal.type("sse4")
        terminal.keys("Enter")
        terminal.shows("5 Assembly")
        terminal.keys("3", "d")
        terminal.shows("the loops on top are beside those of sse4", "iterations a turn", "instructions each")
        terminal.picture("noise-targets")
        marked = [line for line in terminal.text().splitlines() if re.search(r"(^|│) [-+] ", line)]
        check(not marked, "a wall of differences", *marked)


def assembly_opens_on_its_hot_loop():
    with Terminal(PICTURES) as terminal:
        explore(terminal, "scale_audio.lane")
        terminal.shows("lines: prologue")
        terminal.keys("3", "z")
        terminal.shows("lines: remainder and end")
        terminal.picture("noise-hot-loop")
        terminal.keys("v")
        terminal.hides("lines: prologue")


def colours_can_be_read():
    for background, colour in BACKGROUNDS.items():
        for depth, (term, colorterm) in DEPTHS.items():
            with Terminal(PICTURES, (120, 30), colour, {"TERM": term, "COLORTERM": colorterm}) as terminal:
                explore(terminal, "particles.lane")
                terminal.shows("vector_for", "lines: prologue")
                terminal.keys("d")
                terminal.shows("± stage before")
                # The answer about the background may come late.
                time.sleep(0.7)
                terminal.picture(f"looks-{background}-{depth}")
                for x, y, character, fg, bg in terminal.cells():
                    check(fg not in ("90", "5;8"), f"{background} {depth}: {character} at {x}, {y} is of colour 8")
                    colours = [rgb(it) for it in (fg, bg) if it.startswith(("2;", "5;"))]
                    if len(colours) == 2 and None not in colours and character.isalnum():
                        found = contrast(*colours)
                        check(found >= LEAST_CONTRAST, f"{background} {depth}: {character} at {x}, {y} has {found:.2f}")
                grounds = [bg for _, _, _, _, bg in terminal.cells()]
                ground = max(set(grounds), key=grounds.count)
                if depth != "16":
                    is_light = contrast(rgb(ground), (0, 0, 0)) > 10
                    check(is_light == (background in ("white", "solarized-light")), background, depth, ground)
                terminal.keys("q")


def without_utf8_all_is_ascii():
    with Terminal(PICTURES, (120, 30), None, {"LC_ALL": "C", "LANG": ""}) as terminal:
        explore(terminal, "nbody.lane")
        terminal.shows("lines: prologue")
        terminal.picture("looks-ascii")
        check(terminal.text().isascii(), terminal.text())
        terminal.keys("?")
        terminal.shows("Esc closes this")
        check(terminal.text().isascii(), terminal.text())


def signals_give_the_terminal_back():
    for name in ("QUIT", "ABRT", "TERM", "HUP", "INT"):
        with Terminal(PICTURES, (100, 30)) as terminal:
            explore(terminal, "nbody.lane")
            check(terminal.variable("alternate_on") == "1")
            shell = terminal.variable("pane_pid")
            explorer = subprocess.run(["pgrep", "-P", shell], capture_output=True, text=True).stdout.split()[0]
            os.kill(int(explorer), getattr(signal, f"SIG{name}"))
            terminal.until("the shell's screen", lambda: terminal.variable("alternate_on") == "0")
            check(terminal.variable("cursor_flag") == "1", f"SIG{name}: the cursor is seen")
            check(terminal.variable("mouse_any_flag") == "0", f"SIG{name}: the mouse is the terminal's")
            terminal.run("clear; stty -a | tr ' ;' '\\n\\n' | grep -x -e icanon -e echo | tr '\\n' '+'")
            terminal.until("keys that are echoed", lambda: sorted(re.findall(r"icanon\+|echo\+", terminal.text()))[-2:] == ["echo+", "icanon+"])


def panes_are_resized_by_key():
    with Terminal(PICTURES) as terminal:
        explore(terminal, "nbody.lane")
        terminal.shows("lines: prologue")
        edge = terminal.text().splitlines()[1].index("│")
        terminal.keys(">", ">")
        terminal.until("a wider pane", lambda: terminal.text().splitlines()[1].index("│") > edge)
        terminal.picture("looks-resized")
        terminal.keys("2", "=")
        terminal.until("all of the stage", lambda: "with ax_1 = splat(0.0)" in terminal.text() or "az_1 = splat" in terminal.text())


def help_fits_40_columns():
    with Terminal(PICTURES, (40, 12)) as terminal:
        explore(terminal, "nbody.lane")
        terminal.keys("?")
        terminal.shows("Esc closes this")
        terminal.picture("looks-help-40")
        for _ in range(30):
            lines = terminal.text().splitlines()
            check(not any("…" in line for line in lines if line.startswith("│")), *lines)
            terminal.keys("NPage")


def matrices_are_matrices_and_esc_goes_back():
    with Terminal(PICTURES) as terminal:
        program = os.path.join(terminal.folder.name, "table.lane")
        with open(program, "w", encoding="utf-8") as file:
            file.write("kernel first(a: i32[n], n: i32):\n    a[0] = n\n\n")
            file.write("kernel table(m: i32[3, 4]):\n    for i in range(3):\n        for j in range(4):\n            m[i, j] = i * 40 + j\n")
        terminal.run(f"{shlex.quote(COMMAND)} {shlex.quote(program)}")
        terminal.shows("? help")
        for name in ("first", "table"):
            terminal.keys("o")
            terminal.type(name)
            terminal.keys("Enter")
        terminal.keys("r", "r")
        terminal.shows("m = 3 by 4", " 0  1  2  3", "40 41 42 43", "80 81 82 83")
        terminal.picture("looks-matrix")
        # Each time one step further back: to the source, and to where the cursor was before another kernel was picked.
        terminal.keys("Escape", "Escape")
        terminal.until("where it was before", lambda: re.search(r"\b1:\d+", terminal.text().splitlines()[-2]))


def keys_that_do_nothing_say_why():
    with Terminal(PICTURES) as terminal:
        explore(terminal, "nbody.lane")
        for keys, words in (
            ("a", "there is nothing to fix"),
            ("]", "there is no problem to go to"),
            ("5", "there is no pane 5 until something to see beside is picked"),
        ):
            terminal.keys(keys)
            terminal.shows(words)
            terminal.keys("Escape")
        terminal.keys("/")
        terminal.type("pull")
        terminal.keys("Enter")
        terminal.shows("`pull`: 1 of ")
        terminal.keys("n")
        terminal.shows("`pull`: 2 of ")
        terminal.keys(":")
        terminal.type("xyzzy")
        terminal.shows("nothing has these letters")
        terminal.picture("silence-palette")
        terminal.keys("Escape", "X", "C-u")
        terminal.type("~nobody/x.s")
        terminal.keys("Enter")
        terminal.shows("`~nobody/x.s` was not written")


STORIES = [
    stages_are_compared,
    targets_are_compared_by_loop,
    assembly_opens_on_its_hot_loop,
    colours_can_be_read,
    without_utf8_all_is_ascii,
    signals_give_the_terminal_back,
    panes_are_resized_by_key,
    help_fits_40_columns,
    matrices_are_matrices_and_esc_goes_back,
    keys_that_do_nothing_say_why,
]


def main():
    wanted = sys.argv[4:]
    failed = []
    for story in STORIES:
        name = story.__name__.replace("_", " ")
        if wanted and not any(word in name for word in wanted):
            continue
        try:
            story()
            print(f"ok: {name}", flush=True)
        except (AssertionError, StopIteration, ValueError, IndexError) as error:
            failed.append(name)
            print(f"not so: {name}\n{error!r}".replace("\\n", "\n"), flush=True)
            tmux("kill-server")
    sys.exit(1 if failed else 0)


main()
