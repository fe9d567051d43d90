"""A terminal with the explorer in it: tmux, with keys in and screens out."""

import os
import re
import subprocess
import tempfile
import time

PATIENCE = 60
SOCKET = f"lanescope-{os.getpid()}"
#: One piece of a captured screen: a sequence that sets the style, or a character.
PIECE = re.compile(r"\x1b\[([0-9;]*)m|\x1b\([B0]|\x0e|\x0f|(.)", re.S)


def tmux(*words):
    done = subprocess.run(["tmux", "-u", "-L", SOCKET, "-f", "/dev/null", *words], capture_output=True, text=True)
    return done.stdout


class Terminal:
    """A terminal of a size, with a background of its own or tmux's."""

    def __init__(self, pictures, size=(120, 40), background=None, variables=()):
        self.pictures = pictures
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        home = self.folder.name
        kept = {"LANESCOPE_STATE": f"{home}/state.json", "LANESCOPE_CONFIG": f"{home}/config.toml", "COLORTERM": ""}
        variables = {"PATH": os.environ["PATH"], "HOME": home, "PS1": "$ ", "TERM": "xterm-256color", "LANG": "C.UTF-8", **kept, **dict(variables)}
        shell = ["env", "-i", *(f"{name}={value}" for name, value in variables.items()), "sh"]
        start = ["new-session", "-d", "-x", str(size[0]), "-y", str(size[1]), *shell]
        options = ["set-option", "-g", "status", "off", ";", "set-option", "-g", "escape-time", "0"]
        if background is not None:
            options += [";", "set-option", "-g", "window-style", f"bg={background}"]
        tmux("start-server", ";", *options, ";", *start)
        self.until("its shell", lambda: self.text().startswith("$"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        tmux("kill-server")
        self.folder.cleanup()

    def text(self):
        return tmux("capture-pane", "-p")

    def variable(self, name):
        return tmux("display-message", "-p", f"#{{{name}}}").strip()

    def until(self, what, is_so):
        end = time.monotonic() + PATIENCE
        while not is_so():
            if time.monotonic() > end:
                raise AssertionError(f"not seen: {what}\n{self.text()}")
            time.sleep(0.05)

    def shows(self, *texts):
        for text in texts:
            self.until(text, lambda: text in self.text())

    def hides(self, text):
        self.until(f"no {text}", lambda: text not in self.text())

    def type(self, text):
        tmux("send-keys", "-l", text)

    def keys(self, *names):
        """Presses keys by their names in tmux, with time between them for what a person would see."""
        for name in names:
            tmux("send-keys", name)
            time.sleep(0.2)

    def run(self, command):
        self.type(command)
        self.keys("Enter")

    def cells(self):
        """The characters of the screen that are no blanks, with the numbers that set their foreground and background."""
        lines = tmux("capture-pane", "-p", "-e").splitlines()
        fg, bg = "", ""
        for y, line in enumerate(lines):
            x = 0
            for style, character in PIECE.findall(line):
                if character:
                    if not character.isspace():
                        yield x, y, character, fg, bg
                    x += 1
                elif style or not character:
                    fg, bg = styled(style, fg, bg)

    def picture(self, name):
        for ending, words in (("txt", ()), ("ansi", ("-e",))):
            with open(os.path.join(self.pictures, f"{name}.{ending}"), "w", encoding="utf-8") as file:
                file.write(tmux("capture-pane", "-p", *words))


def styled(style, fg, bg):
    """The foreground and background behind a sequence that sets styles."""
    numbers = style.split(";") if style else ["0"]
    while numbers:
        first = numbers.pop(0)
        if first in ("38", "48"):
            length = 2 if numbers[:1] == ["5"] else 4
            colour = ";".join(numbers[:length])
            del numbers[:length]
            fg, bg = (colour, bg) if first == "38" else (fg, colour)
        elif first in ("0", ""):
            fg, bg = "", ""
        elif first == "39" or re.fullmatch("3[0-7]|9[0-7]", first):
            fg = "" if first == "39" else first
        elif first == "49" or re.fullmatch("4[0-7]|10[0-7]", first):
            bg = "" if first == "49" else first
    return fg, bg


def rgb(colour):
    """Red, green and blue of a colour of 256 or of all; `None` for one of the terminal's own sixteen."""
    parts = [int(part) for part in colour.split(";")]
    if parts[0] == 2 and len(parts) == 4:
        return tuple(parts[1:])
    if parts[0] != 5 or parts[1] < 16:
        return None
    number = parts[1]
    if number >= 232:
        return (8 + 10 * (number - 232),) * 3
    steps = (0, 95, 135, 175, 215, 255)
    number -= 16
    return steps[number // 36], steps[number // 6 % 6], steps[number % 6]


def contrast(one, other):
    """The contrast of two colours, by the formula of WCAG."""

    def luminance(colour):
        parts = [part / 255 for part in colour]
        parts = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)
