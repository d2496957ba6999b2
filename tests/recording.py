"""The recording of a true session that the README shows: played in a pseudo-terminal, and written down.

    python tests/recording.py > tests/golden/session.txt

The person in it prefers a subset when its score less 0.005 an attribute is higher. Times differ from one
machine to the next, so they are written as they are spelt (m:ss, s); everything else must come out the same.
"""

import re
import sys
import tempfile

from screens import Terminal

#: Questions of which the screen is shown; the others are answered unseen.
SHOWN = 2


def verdict(screen):
    """The key that this person presses at a question."""
    score = re.search(r"score.* ([AB]) leads by ([\d.e-]+)", screen)
    size = re.search(r"size.* ([AB]) leads by (\d+)", screen)
    gain = (1 if score[1] == "A" else -1) * float(score[2]) if score else 0.0
    gain += (1 if size[1] == "A" else -1) * 0.005 * float(size[2]) if size else 0.0
    return "a" if gain > 0 else "b" if gain < 0 else "e"


def timeless(text):
    """The text without what a clock said, and without what was measured in the meantime."""
    text = re.sub(r"\b\d+:\d\d(:\d\d)?\b", "m:ss", text)
    text = re.sub(r"(beyond the budget: )(\d+ measured ahead of need, )?", r"\1", text)
    return re.sub(r"\(\S+ s for one(\s+)evaluation\)", r"(… s for one\1evaluation)", text)


def recorded(folder):
    """The session in plain text: the opening, the first questions with the key that answered each, the end."""
    parts = ["$ elicit"]
    with Terminal(cwd=folder) as terminal:
        parts.append(terminal.until("[Enter] begin"))
        number = terminal.begin()
        while number != "end":
            key = "k" if number == "repair" else verdict(terminal.text)
            if isinstance(number, int) and number <= SHOWN:
                parts += [terminal.text, f"(key: {key.upper()})"]
            terminal.answer(key)
            number = terminal.asked(number if isinstance(number, int) else 0)
        status, told = terminal.end()
    assert status == 0, told
    asked = re.search(r"(\d+) questions,", told)[1]
    parts.append(f"… {asked} questions in all, then:")
    blocks = [re.sub(r"\n{3,}", "\n\n", timeless(part).strip("\n")) for part in (*parts, told)]
    return "\n\n".join("\n".join(line.rstrip() for line in block.splitlines()) for block in blocks) + "\n"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        sys.stdout.write(recorded(folder))
