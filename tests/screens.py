"""A person at a pseudo-terminal: real keystrokes in, the screen as a terminal would show it out."""

import os
import re
import sys
import time

import pexpect
import pyte

#: Seconds before a key: a new question takes none for a moment.
PAUSE = 0.25


class Terminal:
    """The command in a pseudo-terminal. `raw` is every byte that it wrote."""

    def __init__(self, *arguments, cwd, columns=80, rows=24, **environment):
        self.screen = pyte.Screen(columns, rows)
        self.stream = pyte.ByteStream(self.screen)
        self.raw = b""
        variables = {**os.environ, "TERM": "xterm-256color", "PYTHONWARNINGS": "error", **environment}
        command = ["-m", "elicit", *map(str, arguments)]
        self.child = pexpect.spawn(sys.executable, command, cwd=str(cwd), env=variables, dimensions=(rows, columns))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.child.close(force=True)

    @property
    def lines(self):
        return [line.rstrip() for line in self.screen.display]

    @property
    def text(self):
        return "\n".join(self.lines)

    def read(self, seconds=0.05):
        """Whether there was something to read."""
        try:
            data = self.child.read_nonblocking(1 << 16, timeout=seconds)
        except pexpect.TIMEOUT:
            return False
        except pexpect.EOF:
            return False
        self.raw += data
        self.stream.feed(data)
        return True

    def until(self, what, seconds=60):
        """Wait until the screen shows something (a text, or what a function of the text says)."""
        end = time.monotonic() + seconds
        shows = what if callable(what) else lambda text: what in text
        while not shows(self.text):
            if time.monotonic() > end:
                raise AssertionError(f"waited for {what!r}; the screen shows\n{self.text}")
            self.read()
        while self.read(0.02):  # the rest of the picture
            pass
        return self.text

    def press(self, keys):
        time.sleep(PAUSE)
        self.child.send(keys)

    def answer(self, keys):
        """Press the keys of a reply; what comes after it is drawn anew."""
        self.press(keys)
        self.screen.reset()

    def begin(self):
        """Read the opening, and go on to the first question."""
        self.until("[Enter] begin")
        self.answer("\r")
        return self.asked()

    def asked(self, after=0):
        """Wait for a question numbered above `after`, a repair, or the end; its number, "repair" or "end"."""
        found = []
        self.until(lambda _: found.append(self._stage(after)) or found[-1] is not None)
        return found[-1]

    def _stage(self, after):
        if not self.child.isalive() or b"\x1b[?1049l" in self.raw:
            return "end"
        if self.lines[0].startswith(" elicit") and "A contradiction" in self.lines[0]:
            return "repair"
        found = re.search(r"Question (\d+)$", self.lines[0])
        return int(found[1]) if found and int(found[1]) > after and "[A] A is better" in self.text else None

    def leader(self):
        """Which side has the better score."""
        found = re.search(r"score.* ([AB]) leads", self.text)
        return found[1].lower() if found else "e"

    def resize(self, columns, rows):
        self.screen.resize(rows, columns)
        self.child.setwinsize(rows, columns)

    def end(self, seconds=60):
        """Wait for the end: the exit status, and what is said after the screen was given back."""
        end = time.monotonic() + seconds
        while self.child.isalive() and time.monotonic() < end:
            self.read(0.1)
        while self.read(0.1):
            pass
        self.child.close()
        told = self.raw.rpartition(b"\x1b[?1049l")[2].decode("utf-8")
        told = re.sub(r"\r[^\r\n]*\x1b\[K", "", told)  # a bar that was drawn over and taken away
        return self.child.exitstatus, re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", told).replace("\r", "")
