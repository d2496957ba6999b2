"""Arithmetic on criteria by name: parsed by hand into a small tree, never executed as code.

The grammar, from loosest to tightest:

    a < b   a <= b   a > b   a >= b   a == b     1.0 where it holds, else 0.0; at 1e-9; never chained
    a + b   a - b
    a * b   a / b
    -a   +a
    a ** b                                       from the right: -a ** b is -(a ** b)
    number   name   `any name`   (a)
    abs(a)   sqrt(a)   log(a)   exp(a)   min(a, b, …)   max(a, b, …)   where(condition, a, b)

A criterion whose name is not a single word is written in backticks, a backtick inside it twice:
`fit time`. "And" is a product of comparisons. `where` works out a branch only for the subsets that
take it, so it can guard a division. Every other part must be finite for every subset: a division by
zero, an overflow or the logarithm of nothing is an error that names the part and the subset's criteria.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from elicit.errors import InputError, nearest
from elicit.numeric import GRID
from elicit.printable import many

Column = NDArray[np.float64]
T = TypeVar("T")

#: The most characters, and the deepest nesting. No real utility comes near either; they keep parsing and evaluating
#: within Python's own limits. Brackets and the right side of a power nest; a long sum does not.
LONGEST = 4000
DEEPEST = 100

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<number> (?: [0-9]+ \.? [0-9]* | \. [0-9]+ ) (?: [eE] [+-]? [0-9]+ )? )
      | (?P<word> [^\W\d] \w* )
      | (?P<quoted> ` (?: [^`] | `` )+ ` )
      | (?P<sign> \*\* | <= | >= | == | [-+*/<>(),] )
      | (?P<end> \Z )
    )""",
    re.VERBOSE,
)

#: The precedence of each binary operator; a sign has _SIGN_PRECEDENCE.
_PRECEDENCE = {"<": 1, "<=": 1, ">": 1, ">=": 1, "==": 1, "+": 2, "-": 2, "*": 3, "/": 3, "**": 5}
_COMPARISON_PRECEDENCE, _SIGN_PRECEDENCE, _POWER_PRECEDENCE = 1, 4, 5

#: Functions by name, with the least and the greatest number of arguments.
_ARITY: dict[str, tuple[int, int]] = {
    "abs": (1, 1),
    "sqrt": (1, 1),
    "log": (1, 1),
    "exp": (1, 1),
    "min": (2, LONGEST),
    "max": (2, LONGEST),
    "where": (3, 3),
}


#: What each operator and function computes; `where` is not here because it chooses what to compute.
_COMPUTE: dict[str, Callable[..., Column]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "**": np.power,
    "negative": np.negative,
    "<": lambda a, b: 1.0 * (a < b - GRID),
    "<=": lambda a, b: 1.0 * (a <= b + GRID),
    ">": lambda a, b: 1.0 * (a > b + GRID),
    ">=": lambda a, b: 1.0 * (a >= b - GRID),
    "==": lambda a, b: 1.0 * (np.abs(a - b) <= GRID),
    "abs": np.abs,
    "sqrt": np.sqrt,
    "log": np.log,
    "exp": np.exp,
    "min": lambda *values: np.minimum.reduce(values),
    "max": lambda *values: np.maximum.reduce(values),
}


@dataclass(frozen=True)
class _Number:
    value: float
    depth: int = 1


@dataclass(frozen=True)
class _Name:
    name: str
    depth: int = 1


@dataclass(frozen=True)
class _Chain:
    """Parts joined from the left by operators that bind alike, such as a - b + c: however many, they are one deep.

    Each of the `rest` is an operator, its right part, and where all up to there is written, for errors.
    """

    first: _Node
    rest: tuple[tuple[str, _Node, _Place], ...]
    depth: int


@dataclass(frozen=True)
class _Apply:
    """A sign or function on its parts, and where it is written, for errors."""

    function: str
    parts: tuple[_Node, ...]
    place: _Place
    depth: int


#: From which character of the text up to which.
_Place = tuple[int, int]

_Node = _Number | _Name | _Chain | _Apply


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    start: int
    end: int


@dataclass(frozen=True)
class Expression:
    """A parsed expression: the text, and the criteria that it uses, in the order of their first use."""

    text: str
    names: tuple[str, ...]
    _root: _Node

    def __call__(self, criteria: Mapping[str, float]) -> float:
        """The value for one subset, given its criteria by name."""
        columns = {name: np.array([float(self._of(criteria, name))]) for name in self.names}
        return float(self._evaluate(columns, rows=1)[0])

    def over(self, columns: Mapping[str, Column]) -> Column:
        """The values (m,) for m subsets, given one column (m,) a criterion."""
        used = {name: np.ascontiguousarray(self._of(columns, name), np.float64) for name in self.names}
        shapes = {np.shape(column) for column in columns.values()}
        if len(shapes) != 1 or len(next(iter(shapes))) != 1:
            raise InputError(f"expected columns of one length, found shapes {sorted(shapes)}")
        return self._evaluate(used, rows=next(iter(shapes))[0])

    def _of(self, criteria: Mapping[str, T], name: str) -> T:
        if name not in criteria:
            raise InputError(f"{self.text!r} needs criterion {name!r}, which was not given")
        return criteria[name]

    def _evaluate(self, columns: Mapping[str, Column], rows: int) -> Column:
        for name, column in columns.items():
            wrong = np.flatnonzero(~np.isfinite(column))
            if wrong.size:
                raise InputError(f"{self.text!r} needs a finite {name!r}, found {column[wrong[0]]}")
        return self._value(self._root, columns, rows)

    def _value(self, node: _Node, columns: Mapping[str, Column], rows: int) -> Column:
        """The value of a node for every row; every row is finite, or it is an error."""
        match node:
            case _Number(value):
                return np.full(rows, value)
            case _Name(name):
                return columns[name].copy()
            case _Apply("where", (condition, then, otherwise)):
                holds = self._value(condition, columns, rows) != 0
                chosen = np.empty(rows)
                for branch, taken in ((then, holds), (otherwise, ~holds)):
                    # a branch that no row takes is not worked out at all
                    if count := int(taken.sum()):
                        narrowed = {name: column[taken] for name, column in columns.items()}
                        chosen[taken] = self._value(branch, narrowed, count)
                return chosen
            case _Chain(first, rest):
                so_far = self._value(first, columns, rows)
                for operator, part, place in rest:
                    so_far = self._computed(operator, [so_far, self._value(part, columns, rows)], columns, place)
                return so_far
            case _Apply(function, parts, place):
                return self._computed(function, [self._value(part, columns, rows) for part in parts], columns, place)

    def _computed(self, function: str, values: list[Column], columns: Mapping[str, Column], place: _Place) -> Column:
        with np.errstate(all="ignore"):
            result = _COMPUTE[function](*values)
        wrong = np.flatnonzero(~np.isfinite(result))
        if wrong.size:
            row = int(wrong[0])
            what = "is undefined" if np.isnan(result[row]) else "is infinite"
            if function == "/" and values[1][row] == 0:
                what = "divides by zero"
            raise self._failure(self.text[slice(*place)], what, columns, row)
        return result

    def _failure(self, written: str, what: str, columns: Mapping[str, Column], row: int) -> InputError:
        where = ", ".join(f"{_escaped(name)} = {float(column[row])!r}" for name, column in columns.items())
        subset = f"the subset with {where}" if where else "any subset"
        part = "it" if written == self.text.strip() else repr(written)
        return InputError(
            f"expression {self.text!r} has no value for {subset}: {part} {what}; guard it with where(condition, a, b)"
        )


def parse(text: str, known: Collection[str]) -> Expression:
    """The expression in `text`, whose names must all be among the `known` criteria."""
    if not isinstance(text, str):
        raise InputError(f"expected an expression as text, found {text!r}")
    if len(text) > LONGEST:
        raise InputError(f"the expression has {len(text)} characters, the limit is {LONGEST}; shorten it")
    parser = _Parser(text, known)
    root = parser.whole()
    return Expression(text, tuple(parser.names), root)


def spelling(name: str) -> str:
    """The name of a criterion as an expression spells it: in backticks unless it is a single word."""
    return name if re.fullmatch(r"[^\W\d]\w*", name) else "`" + name.replace("`", "``") + "`"


def _escaped_spelling(name: str) -> str:
    """The spelling of a criterion, escaped so that it stays on one line."""
    return _escaped(spelling(name))


def _escaped(name: str) -> str:
    """A name as an error message shows it: control characters are escaped, so that it stays on one line."""
    return repr(name)[1:-1]


class _Parser:
    """Precedence climbing over the tokens of one text."""

    def __init__(self, text: str, known: Collection[str]) -> None:
        self.text = text
        self.known = known
        self.names: dict[str, None] = {}  # insertion order is order of first use
        self.open = 0
        self.before = 0  # where the token before `token` ended
        self.token = self._read(0)

    def whole(self) -> _Node:
        if self.token.kind == "end":
            raise InputError("expected an expression over criteria, found an empty text")
        root = self._expression(0)
        if self.token.kind != "end":
            raise self._unexpected("an operator or the end")
        return root

    def _expression(self, least: int) -> _Node:
        """The expression from here on, as far as its operators have at least this precedence."""
        self.open += 1
        if self.open > DEEPEST:
            raise self._too_deep()
        start = self.token.start
        left = self._prefixed()
        before = -1  # the precedence of the last operator
        while self.token.kind == "sign" and _PRECEDENCE.get(self.token.text, -1) >= least:
            operator = self._take().text
            precedence = _PRECEDENCE[operator]
            if before == _COMPARISON_PRECEDENCE:  # only a comparison leaves another comparison to be read here
                raise self._error("comparisons cannot be chained; write (a < b) * (b < c)")
            right = self._expression(precedence if precedence == _POWER_PRECEDENCE else precedence + 1)
            step = (operator, right, (start, self.before))
            if isinstance(left, _Chain) and precedence == before:
                left = _Chain(left.first, (*left.rest, step), self._depth(left.depth - 1, right.depth))
            else:
                left = _Chain(left, (step,), self._depth(left.depth, right.depth))
            before = precedence
        self.open -= 1
        return left

    def _prefixed(self) -> _Node:
        start = self.token.start
        if self._accept("-"):
            return self._apply("negative", (self._expression(_SIGN_PRECEDENCE),), start)
        if self._accept("+"):
            return self._expression(_SIGN_PRECEDENCE)
        return self._atom()

    def _atom(self) -> _Node:
        token = self.token
        if self._accept("("):
            inner = self._expression(0)
            self._expect(")")
            return inner
        if token.kind == "number":
            self._take()
            value = float(token.text)
            if not np.isfinite(value):
                raise self._error(f"the number {token.text} is too large")
            return _Number(value)
        if token.kind == "quoted":
            self._take()
            return self._name(token.text[1:-1].replace("``", "`"))
        if token.kind == "word":
            self._take()
            if self._accept("("):
                return self._call(token)
            return self._name(token.text)
        raise self._unexpected("a number, a criterion, a function or '('")

    def _name(self, name: str) -> _Node:
        if name not in self.known:
            names = ", ".join(_escaped_spelling(known) for known in self.known)
            hint = nearest(name, self.known, f"the criteria are: {names}", _escaped_spelling)
            raise self._error(f"unknown criterion {name!r}{hint}")
        self.names[name] = None
        return _Name(name)

    def _call(self, function: _Token) -> _Node:
        if function.text not in _ARITY:
            hint = nearest(function.text, _ARITY, f"the functions are {', '.join(_ARITY)}")
            raise self._error(f"unknown function {function.text!r}{hint}")
        parts = [self._expression(0)]
        while self._accept(","):
            parts.append(self._expression(0))
        self._expect(")")
        least, most = _ARITY[function.text]
        if not least <= len(parts) <= most:
            wanted = many(least, "argument") if least == most else f"at least {many(least, 'argument')}"
            raise self._error(f"{function.text} takes {wanted}, found {len(parts)}")
        return self._apply(function.text, tuple(parts), function.start)

    def _apply(self, function: str, parts: tuple[_Node, ...], start: int) -> _Node:
        return _Apply(function, parts, (start, self.before), self._depth(*(part.depth for part in parts)))

    def _depth(self, *parts: int) -> int:
        """The depth of a node with parts of these depths."""
        depth = 1 + max(parts)
        if depth > DEEPEST:
            raise self._too_deep()
        return depth

    def _read(self, position: int) -> _Token:
        found = _TOKEN.match(self.text, position)
        if found is None:
            rest = self.text[position:].lstrip()
            what = "an unclosed or empty pair of backticks" if rest[0] == "`" else repr(rest[0])
            at = len(self.text) - len(rest) + 1
            raise self._error(f"found {what} at character {at}, which has no meaning here")
        kind = str(found.lastgroup)
        return _Token(kind, found[kind], found.start(kind), found.end(kind))

    def _take(self) -> _Token:
        taken = self.token
        self.before = taken.end
        self.token = self._read(taken.end)
        return taken

    def _accept(self, sign: str) -> bool:
        if self.token.kind != "sign" or self.token.text != sign:
            return False
        self._take()
        return True

    def _expect(self, sign: str) -> None:
        if not self._accept(sign):
            raise self._unexpected(f"an operator or {sign!r}")

    def _unexpected(self, expected: str) -> InputError:
        token = self.token
        found = "the end" if token.kind == "end" else repr(token.text)
        text = f"expected {expected}, found {found} at character {token.start + 1}"
        if token.kind == "word":
            text += "; a name that is not a single word goes in backticks"
        return self._error(text)

    def _too_deep(self) -> InputError:
        return InputError(f"an expression has more than {DEEPEST} parts within parts; simplify it")

    def _error(self, text: str) -> InputError:
        shown = self.text if len(self.text) <= 200 else self.text[:200] + "…"
        return InputError(f"in expression {shown!r}: {text}")
