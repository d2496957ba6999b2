"""Descriptions of what an oracle is made of, the same in every process: the text behind a fingerprint.

A fingerprint is the SHA-256 of such descriptions. Arrays are described by their bytes, estimators by their class and
parameters (and what they learned, where the user's own code holds them), functions of libraries by their names and
others by all that they compute with, objects of libraries by what pickle would build them from. A memory address is
never part of a description.
"""

from __future__ import annotations

import copyreg
import dis
import functools
import hashlib
import inspect
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from elicit.errors import InputError
from elicit.oracles.code import class_parts, function_parts, is_installed

#: The methods by which a class says how pickle builds its objects.
_PICKLE_HOOKS = ("__reduce_ex__", "__reduce__", "__getstate__")

#: Attributes of a fitted estimator that vary from fit to fit: times, and a tree that counts its visits.
_FIT_STATISTICS = {"cv_results_", "refit_time_", "_tree"}

#: The longest description of what an object holds; a longer one is replaced by its digest.
_LONGEST_INSIDE = 1000

#: Types that are described by their contents rather than by attributes.
_PLAIN = (str, bytes, int, float, list, tuple, set, frozenset, Mapping, np.ndarray)

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


def fingerprint(*parts: object) -> str:
    """SHA-256 in hexadecimal over the descriptions of the parts, in order."""
    digest = hashlib.sha256()
    for part in parts:
        try:
            text = describe(part).encode()
        except RecursionError:
            raise InputError(
                f"what a {type(part).__name__} holds is nested too deeply, or in itself, and cannot be told apart from "
                "that of other runs; simplify it"
            ) from None
        digest.update(len(text).to_bytes(8, "little"))  # so that ("ab", "c") and ("a", "bc") differ
        digest.update(text)
    return digest.hexdigest()


def describe(value: object) -> str:
    """One text for a value, the same in every process."""
    return _Description().of(value)


class _BoundToItsProcess(Exception):
    """An object of a library that cannot be sent to another process: a lock, an open connection."""


class _Description:
    """One description under way; it knows what it is in, so that an object that refers to itself is described once."""

    def __init__(self) -> None:
        #: The objects around the one that is described now, and whether the innermost belongs to a library.
        self._above: list[Any] = []
        self._in_library = False
        #: The descriptions of what objects hold, by identity: what several refer to is described once.
        self._inside: dict[int, tuple[Any, str]] = {}

    def of(self, value: object) -> str:
        """One text for a value, the same in every process."""
        if isinstance(value, _PLAIN) and not is_installed(type(value)):  # a class of one's own made of a plain one
            return f"{self.of(type(value))}({self._plain(value)}, {self._inside_once(value, _attributes(value) or {})})"
        if isinstance(value, defaultdict):
            return f"defaultdict({self.of(value.default_factory)}, {self._plain(value)})"
        return self._plain(value)

    def _plain(self, value: object) -> str:
        """The description of a value, without what a subclass adds to it."""
        if value is None or isinstance(value, bool | int | float | complex | str | bytes | range | slice):
            return repr(value)
        if isinstance(value, np.generic):
            return f"{value!r} {value.dtype.str}" if value.dtype.kind in "mM" else repr(value.item())
        if isinstance(value, np.ma.MaskedArray):
            return f"masked({self._array(np.asarray(value.data))}, {self._array(np.ma.getmaskarray(value))})"
        if isinstance(value, np.ndarray):
            return self._array(value)
        if isinstance(value, bytearray | memoryview):
            return f"{type(value).__name__}({bytes(value)!r})"
        if isinstance(value, list | tuple):
            return f"{type(value).__name__}({', '.join(self.of(v) for v in value)})"
        if isinstance(value, set | frozenset):
            return f"set({', '.join(sorted(map(self._alone, value)))})"
        if isinstance(value, Mapping):
            return f"mapping({', '.join(f'{self.of(k)}: {self.of(v)}' for k, v in value.items())})"
        return self._other(value)

    def _alone(self, value: object) -> str:
        """The description of an element of a set, which must not depend on what was described before it."""
        inside = self._inside
        self._inside = dict(inside)
        try:
            return self.of(value)
        finally:
            self._inside = inside

    def _other(self, value: Any) -> str:
        """The description of anything else: sparse matrices, frames, estimators, functions, other objects."""
        if hasattr(value, "tocsr"):
            rows = value.tocsr(copy=True)
            rows.sum_duplicates()
            parts = ", ".join(map(self._array, (rows.data, rows.indices, rows.indptr)))
            return f"sparse({rows.shape}, {parts})"
        if hasattr(value, "columns") and hasattr(value, "shape"):
            columns = ", ".join(f"{str(name)!r}: {self._column(value[name])}" for name in value.columns)
            return f"frame({columns}{self._labels(value)})"
        if hasattr(value, "to_numpy") and hasattr(value, "dtype"):
            return f"{_qualified_name(type(value))}({self._column(value)}{self._labels(value)})"
        if hasattr(value, "get_params") and not isinstance(value, type):
            return self._estimator(value)
        if isinstance(value, functools.partial):
            return f"partial({self.of(value.func)}, {self.of(value.args)}, {self.of(value.keywords)})"
        if isinstance(value, np.random.RandomState):
            shared = value is np.random.mtrand._rand  # numpy keeps it for everybody, and every process begins it anew
            return "numpy's own RandomState" if shared else f"RandomState({self.of(value.get_state())})"
        if isinstance(value, np.random.Generator):
            return f"Generator({self.of(value.bit_generator.state)})"
        if isinstance(value, MethodType):
            return f"method({self.of(value.__func__)}, {self._owner(value.__self__)})"
        if isinstance(value, FunctionType):
            return self._function(value)
        if isinstance(value, CodeType):
            return self._code(value)
        if isinstance(value, ModuleType):
            return f"module {value.__name__}"
        if isinstance(value, type):
            return self._class(value)
        return self._object(value)

    def _object(self, value: Any) -> str:
        """The description of an object of no type that is known here."""
        if _has_own_call(type(value)):  # it may go by the name of a function that it is around
            return f"{self.of(type(value))}({self._inside_once(value, _attributes(value))})"
        if hasattr(value, "__wrapped__"):  # a cache around a function
            return f"{_qualified_name(type(value))}({self.of(value.__wrapped__)})"
        if hasattr(value, "__qualname__"):  # compiled: a function, or the method of one object, as in `table.get`
            owner = getattr(value, "__self__", None)
            apart = owner is None or isinstance(owner, ModuleType | type)
            return _qualified_name(value) if apart else f"method({_qualified_name(value)}, {self._owner(owner)})"
        if is_installed(type(value)):
            return self._library_object(value)
        attributes = _attributes(value)
        if attributes is None:
            return f"{_qualified_name(type(value))} {_ADDRESS.sub('', repr(value))}"
        return f"{self.of(type(value))}({self._inside_once(value, attributes)})"

    def _owner(self, value: Any) -> str:
        """The object of a bound method; a global of its library, such as a random generator, by its class alone."""
        kept = vars(sys.modules.get(type(value).__module__, ModuleType("none"))).values()
        shared = is_installed(type(value)) and any(value is known for known in kept)
        return _qualified_name(type(value)) if shared else self.of(value)

    def _estimator(self, value: Any) -> str:
        """An estimator: its class and parameters, and what else `clone` copies of it.

        What it has learned is added where another object holds it, or where `clone` copies that as well (a frozen one).
        """
        inside = dict(sorted(value.get_params(deep=False).items())) | _copied_besides(value)
        copied = getattr(type(value), "__sklearn_clone__", None)  # scikit-learn's own copies the parameters alone
        frozen = copied is not None and not (is_installed(copied) and copied.__qualname__.startswith("BaseEstimator."))
        if self._above or frozen:
            held = {name: part for name, part in (_attributes(value) or {}).items() if name not in _FIT_STATISTICS}
            return f"{self.of(type(value))}({self._inside_once(value, held | inside)})"
        return f"{self.of(type(value))}({self.of(inside)})"

    def _inside_once(self, value: Any, inside: object, in_library: bool = False) -> str:
        """The description of what an object holds; it may hold itself, as a scorer does by its metadata request."""
        if any(value is known for known in self._above):
            return "itself"
        if id(value) in self._inside:
            return self._inside[id(value)][1]
        before, self._in_library = self._in_library, in_library
        self._above.append(value)
        try:
            text = self.of(inside)
            if len(text) > _LONGEST_INSIDE:
                text = hashlib.sha256(text.encode()).hexdigest()
            self._inside[id(value)] = value, text
            return text
        finally:
            self._above.pop()
            self._in_library = before
            if not self._above:
                self._inside.clear()

    def _library_object(self, value: Any) -> str:
        """An object of a library: its class, and what pickle would build it from.

        One that is bound to its process, or built from such an object (a logger's stream, a pool of connections), is
        described by its class alone: what it holds changes while it is used.
        """
        try:
            return f"{_qualified_name(type(value))}({self._inside_once(value, _parts(value), in_library=True)})"
        except _BoundToItsProcess:
            if self._in_library:
                raise
            return _qualified_name(type(value))

    def _function(self, function: FunctionType) -> str:
        """A function: its name, and, unless it is a library's, all that it computes with."""
        if is_installed(function):
            return _qualified_name(function)
        return f"{_qualified_name(function)}({self._inside_once(function, function_parts(function))})"

    def _class(self, kind: type) -> str:
        """A class: its name, and the parts that are not a library's."""
        own = class_parts(kind)
        return f"{_qualified_name(kind)}{self._inside_once(kind, own) if own else ''}"

    def _code(self, code: CodeType) -> str:
        """A compiled body with its parameters, without where it stands."""
        if "__firstlineno__" in code.co_names:  # the body of a class from Python 3.13 on: it stores its line, too
            steps = [(step.opname, step.argval) for step in dis.get_instructions(code)]
            del steps[steps.index(("STORE_NAME", "__firstlineno__")) - 1]
            return f"code({self.of(steps)})"
        body = hashlib.sha256(code.co_code + code.co_exceptiontable).hexdigest()
        return f"code({body}, {_parameters(code)!r}, {code.co_names!r}, {self.of(code.co_consts)})"

    def _column(self, column: Any) -> str:
        """A column of a frame: its type and contents; two of equal contents may be handled in different ways."""
        kind = getattr(column, "dtype", None)
        told = f"{kind!r}"
        categories = getattr(kind, "categories", None)
        if "..." in told and categories is not None:  # of very many, only some are shown
            told += f" {self._array(np.asarray(categories))}"
        return f"{told} {self._array(np.asarray(column))}"

    def _labels(self, rows: Any) -> str:
        """The index of a frame or series, unless it counts from 0: code may read the labels of its rows."""
        index = getattr(rows, "index", None)
        if not hasattr(index, "to_numpy"):
            return ""
        labels = np.asarray(index)
        counted = labels.dtype.kind in "iu" and np.array_equal(labels, np.arange(len(labels)))
        return "" if counted else f", {self._array(labels)}"

    def _array(self, array: np.ndarray[Any, Any]) -> str:
        """Shape, type and a digest of the contents."""
        if array.dtype.hasobject:
            contents = "\n".join(self.of(v) for v in array.ravel().tolist()).encode()
        else:
            contents = np.ascontiguousarray(array).tobytes()
        return f"array({array.shape}, {array.dtype.str}, {hashlib.sha256(contents).hexdigest()})"


def _parameters(code: CodeType) -> tuple[object, ...]:
    """How a body is called: how many parameters there are of each kind, and their names."""
    several = bool(code.co_flags & inspect.CO_VARARGS), bool(code.co_flags & inspect.CO_VARKEYWORDS)
    named = code.co_argcount + code.co_kwonlyargcount
    counts = code.co_posonlyargcount, code.co_argcount, code.co_kwonlyargcount, *several
    return *counts, *code.co_varnames[: named + sum(several)]


def _has_own_call(kind: type) -> bool:
    calls = (vars(base).get("__call__") for base in kind.__mro__ if not is_installed(base))
    return any(isinstance(call, FunctionType) for call in calls)


def _parts(value: Any) -> object:
    """What an object is built from: what its class tells pickle, or else its attributes."""
    kind = type(value)
    reduce = copyreg.dispatch_table.get(kind)
    says = reduce or any(getattr(kind, name) is not getattr(object, name) for name in _PICKLE_HOOKS)
    attributes = None if says else _attributes(value)
    if attributes is not None:
        return attributes
    try:
        parts = reduce(value) if reduce else value.__reduce_ex__(4)
    except Exception as error:  # any class may refuse in its own way
        raise _BoundToItsProcess from error
    if isinstance(parts, str):
        return parts
    return [list(part) if isinstance(part, Iterator) else part for part in parts]


def _attributes(value: Any) -> dict[str, Any] | None:
    """The attributes of an object, those in slots included; None if it can have none."""
    slots = [
        f"_{kind.__name__.lstrip('_')}{name}" if name.startswith("__") and not name.endswith("__") else name
        for kind in type(value).__mro__
        for name in _slot_names(kind.__dict__.get("__slots__", ()))
    ]
    if not slots and not hasattr(value, "__dict__"):
        return None
    inside = {name: getattr(value, name) for name in slots if hasattr(value, name)}
    return dict(sorted((inside | getattr(value, "__dict__", {})).items()))


def _slot_names(slots: Any) -> tuple[str, ...]:
    return (slots,) if isinstance(slots, str) else tuple(slots)


def _qualified_name(value: Any) -> str:
    return f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', type(value).__qualname__)}"


def _copied_besides(estimator: Any) -> dict[str, object]:
    """What `clone` copies besides the parameters, where it was set: which metadata is asked for, what is put out."""
    found, held = dict[str, object](), getattr(estimator, "__dict__", {})
    if (requests := held.get("_metadata_request")) is not None:
        asked = requests._serialize()
        found["its metadata requests"] = {method: dict(sorted(asked[method].items())) for method in sorted(asked)}
    if output := held.get("_sklearn_output_config"):
        found["its output"] = dict(sorted(output.items()))
    return found
