"""Whose fault an error is.

Every error that Elicit raises on purpose derives from `ElicitError`, and its class says who can
mend it. Its text says what was expected, what was found, and the remedy.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from elicit.printable import printable

#: Characters of a reason: of a longer one the rest is left out.
LONGEST_REASON = 300


class ElicitError(Exception):
    """Base of every error that Elicit raises on purpose; what does not print in its text is escaped."""

    def __str__(self) -> str:
        return printable(super().__str__())


class InputError(ElicitError, ValueError):
    """The caller's data, settings or arguments are wrong; the caller can mend them."""


class CellError(InputError):
    """One number of a matrix is at fault; whoever knows what its columns are called may say so."""

    def __init__(self, text: str, row: int = 0, column: int = 0) -> None:
        super().__init__(text, row, column)
        self.column = column

    def __str__(self) -> str:
        return printable(self.args[0])

    def called(self, name: str) -> InputError:
        """The same error, with the name of the column instead of its place."""
        text, row, column = self.args
        return InputError(text.replace(f"row {row}, column {column}", f"the column {name!r}"))


@contextmanager
def columns_called(names: Sequence[str]) -> Iterator[None]:
    """Errors about one number of a matrix have the name of its column."""
    try:
        yield
    except CellError as error:
        raise error.called(names[error.column]) from error


class ModelError(InputError):
    """A model cannot be fitted on a subset, so that whoever goes by the model cannot go on."""


class WorthError(InputError):
    """What a measured subset is worth cannot be said; whoever gave the utility can mend it, not the oracle."""


class ProtocolError(ElicitError, RuntimeError):
    """A reply does not answer an open request; the driver of the loop can mend it."""


class OracleError(ElicitError, RuntimeError):
    """The oracle cannot work at all (a single failed subset is a recorded fact, not an error)."""


class JournalError(ElicitError, RuntimeError):
    """A journal is damaged, locked or belongs to other data."""


class JournalFormatError(JournalError):
    """A file is no journal, or one of a format that this code does not read; nothing is said of what it holds."""


class JournalInUseError(JournalError):
    """Another process is writing to the journal."""


class SolverError(ElicitError, RuntimeError):
    """A program ended with a status that its kind of program cannot have."""


class CertificateError(ElicitError):
    """A certificate does not prove its claim."""


def nearest(found: object, known: Iterable[str], otherwise: str = "", shown: Callable[[str], str] = repr) -> str:
    """The end of an error about an unknown name: the known one nearest to it in any case, or else what helps."""
    plain = {name.casefold(): name for name in known}
    near = difflib.get_close_matches(str(found).casefold(), plain, n=1)
    remedy = f"did you mean {shown(plain[near[0]])}?" if near else otherwise
    return f"; {remedy}" if remedy else ""


def require_instance(model: object, what: str = "an estimator") -> None:
    """Refuse a class where one of its instances is meant: it has the same methods, and fails far from here."""
    if isinstance(model, type):
        raise InputError(f"expected {what}, found the class {model.__name__}; write {model.__name__}()")


def first_line(error: BaseException) -> str:
    """What a library says, as a part of an error of ours: the first line of it, or else the kind of its error."""
    return _first_line(str(error)) or type(error).__name__


def system_reason(error: Exception) -> str:
    """The system's own words for an error, where it has some."""
    return str(getattr(error, "strerror", None) or error)


def one_line(error: BaseException) -> str:
    """An error as the reason of a failure records it: its kind and the first line of its message, printable."""
    try:
        told = str(error)
    except Exception:  # somebody's error that cannot even be told is told by its kind
        told = ""
    message = _first_line(told)
    # a set is written in another order by every process, and a reason should be the same in all of them
    message = re.sub(r"\{([^{}]*)\}", lambda found: "{" + ", ".join(sorted(found[1].split(", "))) + "}", message)
    text = f"{type(error).__name__}: {message}" if message else type(error).__name__
    return "".join(c if c.isprintable() else "?" for c in text)[:LONGEST_REASON]


def _first_line(text: str) -> str:
    """The first line with something on it."""
    return next((line.strip() for line in text.splitlines() if line.strip()), "")
