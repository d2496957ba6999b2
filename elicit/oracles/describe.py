"""What an oracle is made of, told the same way by every process: the text behind a fingerprint.

A fingerprint is the SHA-256 of such descriptions. Arrays are told by their bytes, estimators by their
class and parameters (where code of one's own holds them also by what they learned), functions of the libraries
by their names and others by all that they compute with, objects of the libraries by what another process would
build them from; a memory address is never part of it.
"""

from __future__ import annotations

import copyreg
import dis
import functools
import hashlib
import re
import sys
import threading
from collections import defaultdict
from collections.abc import Iterator, Mapping
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from elicit.errors import InputError
from elicit.oracles.code import of_class, of_function, of_library

#: What a class defines that says what its objects are built from.
_BUILT_BY = ("__reduce_ex__", "__reduce__", "__getstate__")

#: What a fitted estimator keeps besides what it has learned: seconds that it took, a tree that counts its visits.
_MEASURED = {"cv_results_", "refit_time_", "_tree"}

#: The inside of a thing is told by its digest when it is longer: a picture holds a world.
_LONGEST_INSIDE = 1000

#: What is told by what it is rather than by its attributes.
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
    if isinstance(value, _PLAIN) and not of_library(type(value)):  # a class of one's own made of a plain one
        return f"{describe(type(value))}({_plain(value)}, {_once(value, _attributes(value) or {})})"
    if isinstance(value, defaultdict):
        return f"defaultdict({describe(value.default_factory)}, {_plain(value)})"
    return _plain(value)


def _plain(value: object) -> str:
    """One text for a value, whatever its own class adds to what it is."""
    if value is None or isinstance(value, bool | int | float | complex | str | bytes | range | slice):
        return repr(value)
    if isinstance(value, np.generic):
        return f"{value!r} {value.dtype.str}" if value.dtype.kind in "mM" else repr(value.item())
    if isinstance(value, np.ma.MaskedArray):
        return f"masked({_array(np.asarray(value.data))}, {_array(np.ma.getmaskarray(value))})"
    if isinstance(value, np.ndarray):
        return _array(value)
    if isinstance(value, bytearray | memoryview):
        return f"{type(value).__name__}({bytes(value)!r})"
    if isinstance(value, list | tuple):
        return f"{type(value).__name__}({', '.join(describe(v) for v in value)})"
    if isinstance(value, set | frozenset):
        return f"set({', '.join(sorted(map(_apart, value)))})"
    if isinstance(value, Mapping):
        return f"mapping({', '.join(f'{describe(k)}: {describe(v)}' for k, v in value.items())})"
    return _thing(value)


def _apart(value: object) -> str:
    """What is told of a value whatever was told just before: a set has no order."""
    inside = _telling.inside
    _telling.inside = dict(inside)
    try:
        return describe(value)
    finally:
        _telling.inside = inside


def _thing(value: Any) -> str:
    """Anything with a richer inside: sparse matrices, frames, estimators, functions, other objects."""
    if hasattr(value, "tocsr"):
        rows = value.tocsr(copy=True)
        rows.sum_duplicates()
        return f"sparse({rows.shape}, {_array(rows.data)}, {_array(rows.indices)}, {_array(rows.indptr)})"
    if hasattr(value, "columns") and hasattr(value, "shape"):
        columns = ", ".join(f"{str(name)!r}: {_column(value[name])}" for name in value.columns)
        return f"frame({columns}{_labels(value)})"
    if hasattr(value, "to_numpy") and hasattr(value, "dtype"):
        return f"{_named(type(value))}({_column(value)}{_labels(value)})"
    if hasattr(value, "get_params") and not isinstance(value, type):
        return _estimator(value)
    if isinstance(value, functools.partial):
        return f"partial({describe(value.func)}, {describe(value.args)}, {describe(value.keywords)})"
    if isinstance(value, np.random.RandomState):
        shared = value is np.random.mtrand._rand  # numpy keeps it for everybody, and every process begins it anew
        return "numpy's own RandomState" if shared else f"RandomState({describe(value.get_state())})"
    if isinstance(value, np.random.Generator):
        return f"Generator({describe(value.bit_generator.state)})"
    if isinstance(value, MethodType):
        return f"method({describe(value.__func__)}, {_owner(value.__self__)})"
    if isinstance(value, FunctionType):
        return _function(value)
    if isinstance(value, CodeType):
        return _code(value)
    if isinstance(value, ModuleType):
        return f"module {value.__name__}"
    if isinstance(value, type):
        return _class(value)
    return _object(value)


def _object(value: Any) -> str:
    """A thing of no kind that is known here."""
    if _is_called_by_own_code(type(value)):  # it may go by the name of a function that it is around
        return f"{describe(type(value))}({_once(value, _attributes(value))})"
    if hasattr(value, "__wrapped__"):  # a cache around a function
        return f"{_named(type(value))}({describe(value.__wrapped__)})"
    if hasattr(value, "__qualname__"):  # compiled: a function, or the method of one object, as in `table.get`
        owner = getattr(value, "__self__", None)
        apart = owner is None or isinstance(owner, ModuleType | type)
        return _named(value) if apart else f"method({_named(value)}, {_owner(owner)})"
    if of_library(type(value)):
        return _of_a_library(value)
    attributes = _attributes(value)
    if attributes is None:
        return f"{_named(type(value))} {_ADDRESS.sub('', repr(value))}"
    return f"{describe(type(value))}({_once(value, attributes)})"


def _is_called_by_own_code(kind: type) -> bool:
    calls = (vars(base).get("__call__") for base in kind.__mro__ if not of_library(base))
    return any(isinstance(call, FunctionType) for call in calls)


def _owner(value: Any) -> str:
    """Whose method it is; an object that its library keeps for everybody (a random generator) by its class alone."""
    kept = vars(sys.modules.get(type(value).__module__, ModuleType("none"))).values()
    shared = of_library(type(value)) and any(value is known for known in kept)
    return _named(type(value)) if shared else describe(value)


def _estimator(value: Any) -> str:
    """An estimator, as the copy that is fitted: its class and parameters.

    One that code holds, or that is copied with what it has learned (a frozen one), is told with that.
    """
    inside = dict(sorted(value.get_params(deep=False).items()))
    copied = getattr(type(value), "__sklearn_clone__", None)  # scikit-learn's own copies the parameters alone
    frozen = copied is not None and not (of_library(copied) and copied.__qualname__.startswith("BaseEstimator."))
    if _telling.above or frozen:
        attributes = {name: part for name, part in (_attributes(value) or {}).items() if name not in _MEASURED}
        return f"{describe(type(value))}({_once(value, attributes | inside)})"
    return f"{describe(type(value))}({describe(inside)})"


class _Telling(threading.local):
    """What is being told, by thread: what refers back to itself is not told twice."""

    def __init__(self) -> None:
        #: What is told now is a part of these; and whether the innermost is an object of a library.
        self.above: list[Any] = []
        self.in_library = False
        #: The insides of what was told already, by identity: what many refer to is told once.
        self.inside: dict[int, tuple[Any, str]] = {}


_telling = _Telling()


class _BoundToItsProcess(Exception):
    """An object of a library that no other process can be given: a lock, an open connection."""


def _once(value: Any, inside: object, in_library: bool = False) -> str:
    """The inside of a thing; a scorer, for one, refers to itself by way of its metadata request."""
    if any(value is known for known in _telling.above):
        return "itself"
    if id(value) in _telling.inside:
        return _telling.inside[id(value)][1]
    before, _telling.in_library = _telling.in_library, in_library
    _telling.above.append(value)
    try:
        text = describe(inside)
        if len(text) > _LONGEST_INSIDE:
            text = hashlib.sha256(text.encode()).hexdigest()
        _telling.inside[id(value)] = value, text
        return text
    finally:
        _telling.above.pop()
        _telling.in_library = before
        if not _telling.above:
            _telling.inside.clear()


def _of_a_library(value: Any) -> str:
    """An object of a library: what it would be built from elsewhere.

    One that is bound to its process, or is built from such (a logger's stream, a pool of connections), is
    told by its class alone: what it keeps changes while it is used.
    """
    try:
        return f"{_named(type(value))}({_once(value, _parts(value), in_library=True)})"
    except _BoundToItsProcess:
        if _telling.in_library:
            raise
        return _named(type(value))


def _parts(value: Any) -> object:
    """Its attributes where these are all there is to it, else what its class says that it is built from."""
    kind = type(value)
    reduce = copyreg.dispatch_table.get(kind)
    says = reduce or any(getattr(kind, name) is not getattr(object, name) for name in _BUILT_BY)
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
    """The attributes of an object, also those in slots; None when it has no place for any."""
    slots = [
        f"_{kind.__name__.lstrip('_')}{name}" if name.startswith("__") and not name.endswith("__") else name
        for kind in type(value).__mro__
        for name in _listed(kind.__dict__.get("__slots__", ()))
    ]
    if not slots and not hasattr(value, "__dict__"):
        return None
    inside = {name: getattr(value, name) for name in slots if hasattr(value, name)}
    return dict(sorted((inside | getattr(value, "__dict__", {})).items()))


def _listed(slots: Any) -> tuple[str, ...]:
    return (slots,) if isinstance(slots, str) else tuple(slots)


def _named(value: Any) -> str:
    return f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', type(value).__qualname__)}"


def _function(function: FunctionType) -> str:
    """A function: its name, and unless a library has it all that it computes with."""
    return _named(function) if of_library(function) else f"{_named(function)}({_once(function, of_function(function))})"


def _class(kind: type) -> str:
    """A class: its name, and what of it is no library's."""
    own = of_class(kind)
    return f"{_named(kind)}{_once(kind, own) if own else ''}"


def _code(code: CodeType) -> str:
    """A compiled body, without where it stands."""
    if "__firstlineno__" in code.co_names:  # the body of a class from Python 3.13 on: it stores its line, too
        steps = [(step.opname, step.argval) for step in dis.get_instructions(code)]
        del steps[steps.index(("STORE_NAME", "__firstlineno__")) - 1]
        return f"code({describe(steps)})"
    return f"code({hashlib.sha256(code.co_code).hexdigest()}, {code.co_names!r}, {describe(code.co_consts)})"


def _column(column: Any) -> str:
    """A column of a frame: its type and contents; two of equal contents may be handled in different ways."""
    kind = getattr(column, "dtype", None)
    return f"{kind!r} {_array(np.asarray(column))}"


def _labels(rows: Any) -> str:
    """The index of a frame or series, unless it counts from 0: code may read the labels of its rows."""
    index = getattr(rows, "index", None)
    if not hasattr(index, "to_numpy"):
        return ""
    labels = np.asarray(index)
    counted = labels.dtype.kind in "iu" and np.array_equal(labels, np.arange(len(labels)))
    return "" if counted else f", {_array(labels)}"


def _array(array: np.ndarray[Any, Any]) -> str:
    """Shape, type and a digest of the contents."""
    if array.dtype.hasobject:
        contents = "\n".join(describe(v) for v in array.ravel().tolist()).encode()
    else:
        contents = np.ascontiguousarray(array).tobytes()
    return f"array({array.shape}, {array.dtype.str}, {hashlib.sha256(contents).hexdigest()})"
