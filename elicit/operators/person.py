"""A person: an operator that lives at one terminal, of which there is only one.

The rule: it can be neither copied nor pickled. A copy of an object that holds it, such as scikit-learn's `clone` of a
selector, holds the same one; sending it to a worker process is an error, before anything is asked.
"""

from __future__ import annotations

from typing import Any, NoReturn, Self

from elicit.errors import InputError

#: What to do instead of asking a person in a worker.
REMEDY = "fit with n_jobs=None around it, or give the journal of a session as operator, so that its answers are reused"


class Person:
    """Talks to a person at the terminal, or the streams, of this process."""

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> NoReturn:
        raise refusal(self)


def refusal(operator: Person) -> InputError:
    """The error when it is to be sent to a worker process."""
    return InputError(f"{type(operator).__name__} talks to a person and cannot run in a worker; {REMEDY}")
