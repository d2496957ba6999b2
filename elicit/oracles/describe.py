"""What an oracle is made of, told the same way by every process: the text behind a fingerprint.

A fingerprint is the SHA-256 of such descriptions. Arrays are told by their bytes, estimators by their
class and parameters, functions by their names; a memory address is never part of it.
"""

from __future__ import annotations

import functools
import hashlib
import re
import threading
from collections.abc import Mapping
from typing import Any

import numpy as np

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


def fingerprint(*parts: object) -> str:
    """SHA-256 in hexadecimal over the descriptions of the parts, in order."""
    digest = hashlib.sha256()
    for part in parts:
        text = describe(part).encode()
        digest.update(len(text).to_bytes(8, "little"))  # so that ("ab", "c") and ("a", "bc") differ
        digest.update(text)
    return digest.hexdigest()


def describe(value: object) -> str:
    """One text for a value, the same in every process."""
    if value is None or isinstance(value, bool | int | float | complex | str | bytes | range | slice):
        return repr(value)
    if isinstance(value, np.generic):
        return repr(value.item())
    if isinstance(value, np.ndarray):
        return _array(value)
    if isinstance(value, list | tuple):
        return f"{type(value).__name__}({', '.join(describe(v) for v in value)})"
    if isinstance(value, set | frozenset):
        return f"set({', '.join(sorted(describe(v) for v in value))})"
    if isinstance(value, Mapping):
        return f"mapping({', '.join(f'{describe(k)}: {describe(v)}' for k, v in value.items())})"
    return _thing(value)


def _thing(value: Any) -> str:
    """Anything with a richer inside: sparse matrices, frames, estimators, functions, other objects."""
    if hasattr(value, "tocsr"):
        rows = value.tocsr(copy=True)
        rows.sum_duplicates()
        return f"sparse({rows.shape}, {_array(rows.data)}, {_array(rows.indices)}, {_array(rows.indptr)})"
    if hasattr(value, "columns") and hasattr(value, "shape"):
        columns = ((str(name), np.asarray(value[name])) for name in value.columns)
        return f"frame({', '.join(f'{name!r}: {_array(column)}' for name, column in columns)})"
    if hasattr(value, "get_params") and not isinstance(value, type):
        return f"{_named(type(value))}({describe(dict(sorted(value.get_params(deep=False).items())))})"
    if isinstance(value, functools.partial):
        return f"partial({describe(value.func)}, {describe(value.args)}, {describe(value.keywords)})"
    if isinstance(value, np.random.RandomState):
        return f"RandomState({describe(value.get_state())})"
    if isinstance(value, np.random.Generator):
        return f"Generator({describe(value.bit_generator.state)})"
    if hasattr(value, "__qualname__"):
        return _named(value) + _body(value)
    if hasattr(value, "__self__") or not hasattr(value, "__dict__"):
        return f"{_named(type(value))} {_ADDRESS.sub('', repr(value))}"
    return f"{_named(type(value))}({_inside(value)})"


#: Objects whose inside is being told, by thread: one that refers back to itself is not told twice.
_telling = threading.local()


def _inside(value: Any) -> str:
    """The attributes of an object; a scorer, for one, refers to itself by way of its metadata request."""
    above: list[Any] = _telling.__dict__.setdefault("above", [])
    if any(value is known for known in above):
        return "itself"
    above.append(value)
    try:
        return describe(dict(sorted(vars(value).items())))
    finally:
        above.pop()


def _named(value: Any) -> str:
    return f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', type(value).__qualname__)}"


def _body(function: Any) -> str:
    """Lambdas share one name, so their compiled body tells them apart."""
    code = getattr(function, "__code__", None)
    if code is None or code.co_name != "<lambda>":
        return ""
    constants = [c for c in code.co_consts if isinstance(c, int | float | str | bytes | None)]
    return f" {hashlib.sha256(code.co_code).hexdigest()} {code.co_names!r} {constants!r}"


def _array(array: np.ndarray[Any, Any]) -> str:
    """Shape, type and a digest of the contents."""
    if array.dtype.hasobject:
        contents = "\n".join(describe(v) for v in array.ravel().tolist()).encode()
    else:
        contents = np.ascontiguousarray(array).tobytes()
    return f"array({array.shape}, {array.dtype.str}, {hashlib.sha256(contents).hexdigest()})"
