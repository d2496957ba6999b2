"""What an oracle is made of, told the same way by every process: the text behind a fingerprint.

A fingerprint is the SHA-256 of such descriptions. Arrays are told by their bytes, estimators by their
class and parameters, functions of the libraries by their names and others by all that they compute with;
a memory address is never part of it.
"""

from __future__ import annotations

import dis
import functools
import hashlib
import re
import sys
import sysconfig
import threading
from collections.abc import Mapping
from pathlib import Path
from types import CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

#: Where installed packages lie.
_INSTALLED = {"site-packages", "dist-packages"}

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
        return f"frame({', '.join(f'{str(name)!r}: {_column(value[name])}' for name in value.columns)})"
    if hasattr(value, "get_params") and not isinstance(value, type):
        return f"{describe(type(value))}({describe(dict(sorted(value.get_params(deep=False).items())))})"
    if isinstance(value, functools.partial):
        return f"partial({describe(value.func)}, {describe(value.args)}, {describe(value.keywords)})"
    if isinstance(value, np.random.RandomState):
        return f"RandomState({describe(value.get_state())})"
    if isinstance(value, np.random.Generator):
        return f"Generator({describe(value.bit_generator.state)})"
    if isinstance(value, MethodType):
        return f"method({describe(value.__func__)}, {describe(value.__self__)})"
    if isinstance(value, FunctionType):
        return _function(value)
    if isinstance(value, CodeType):
        return _code(value)
    if isinstance(value, ModuleType):
        return f"module {value.__name__}"
    if isinstance(value, type):
        return _class(value)
    if hasattr(value, "__qualname__"):
        return _named(value)
    attributes = _attributes(value)
    if hasattr(value, "__self__") or attributes is None:
        return f"{_named(type(value))} {_ADDRESS.sub('', repr(value))}"
    return f"{describe(type(value))}({_once(value, attributes)})"


#: What is being told, by thread: what refers back to itself is not told twice.
_telling = threading.local()


def _once(value: Any, inside: Mapping[str, Any]) -> str:
    """The inside of a thing; a scorer, for one, refers to itself by way of its metadata request."""
    above: list[Any] = _telling.__dict__.setdefault("above", [])
    if any(value is known for known in above):
        return "itself"
    above.append(value)
    try:
        return describe(inside)
    finally:
        above.pop()


def _attributes(value: Any) -> dict[str, Any] | None:
    """The attributes of an object, also those in slots; None when it has no place for any."""
    slots = [name for kind in type(value).__mro__ for name in _listed(kind.__dict__.get("__slots__", ()))]
    if not slots and not hasattr(value, "__dict__"):
        return None
    inside = {name: getattr(value, name) for name in slots if hasattr(value, name)}
    return dict(sorted((inside | getattr(value, "__dict__", {})).items()))


def _listed(slots: Any) -> tuple[str, ...]:
    return (slots,) if isinstance(slots, str) else tuple(slots)


def _named(value: Any) -> str:
    return f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', type(value).__qualname__)}"


def _function(function: FunctionType) -> str:
    """A function: its name, and unless a library has it also its body, defaults, closure and the globals it reads."""
    if _of_library(function):
        return _named(function)
    inside = {
        "code": function.__code__,
        "defaults": function.__defaults__,
        "keywords": function.__kwdefaults__,
        "closure": [_held(cell) for cell in function.__closure__ or ()],
        "globals": _looked_up(function.__globals__, _names(function.__code__)),
    }
    return f"{_named(function)}({_once(function, inside)})"


def _looked_up(space: Mapping[str, Any], names: set[str], above: tuple[ModuleType, ...] = ()) -> dict[str, Any]:
    """What these names mean among globals; of a module that is no library's, what they mean in it."""
    found: dict[str, Any] = {}
    for name in sorted(names & space.keys()):
        value = space[name]
        if isinstance(value, ModuleType) and value not in above and not _installed(value.__name__):
            found[name] = _looked_up(vars(value), names, (*above, value))
        else:
            found[name] = _as_read(value)
    return found


def _class(kind: type) -> str:
    """A class: its name, and the methods and constants that it does not have from a library.

    A constant is plain and no method of the class assigns it: what a class counts or keeps may change.
    """
    own: dict[str, Any] = {}
    for base in (base for base in kind.__mro__ if not _of_library(base)):
        parts = {name: getattr(p, "__func__", getattr(p, "fget", p)) for name, p in sorted(vars(base).items())}
        methods = {name: part for name, part in parts.items() if isinstance(part, FunctionType)}
        changed = set().union(*(_assigned(method.__code__) for method in methods.values()))
        constants = {
            name: part
            for name, part in parts.items()
            if not name.startswith("__") and name not in changed and _constant(part)
        }
        own |= {f"{base.__qualname__}.{name}": part for name, part in (constants | methods).items()}
    return f"{_named(kind)}{_once(kind, own) if own else ''}"


def _constant(value: Any) -> bool:
    if isinstance(value, tuple | frozenset):
        return all(map(_constant, value))
    return value is None or isinstance(value, bool | int | float | complex | str | bytes)


def _assigned(code: CodeType) -> set[str]:
    """The attributes that a body and the bodies in it assign."""
    own = {str(step.argval) for step in dis.get_instructions(code) if step.opname == "STORE_ATTR"}
    return own.union(*(_assigned(c) for c in code.co_consts if isinstance(c, CodeType)))


def _of_library(thing: Any) -> bool:
    """Whether a function or class belongs to what is installed: then it is what its name says."""
    module = getattr(thing, "__module__", None)
    return isinstance(module, str) and _installed(module)


@functools.cache
def _installed(module: str) -> bool:
    if module.partition(".")[0] == "elicit" or module in sys.builtin_module_names:
        return True
    file = getattr(sys.modules.get(module), "__file__", None)
    if file is None:  # typed in, or made while running
        return False
    return not _INSTALLED.isdisjoint(Path(file).parts) or Path(file).is_relative_to(sysconfig.get_path("stdlib"))


def _as_read(value: Any) -> Any:
    """What a function reads of a global: an object of a library (a logger, a lock) is only told by its class."""
    told = hasattr(value, "__qualname__") or any(hasattr(value, name) for name in ("get_params", "tocsr", "columns"))
    data = isinstance(value, ModuleType | Mapping | np.ndarray | np.generic | functools.partial)
    plain = type(value).__module__ == "builtins"
    return value if told or data or plain or not _of_library(type(value)) else type(value)


def _held(cell: CellType) -> Any:
    """What a variable of an enclosing function holds; None when it holds nothing yet."""
    try:
        return cell.cell_contents
    except ValueError:
        return None


def _names(code: CodeType) -> set[str]:
    """Every name that a body and the bodies in it look up."""
    inner = (_names(c) for c in code.co_consts if isinstance(c, CodeType))
    return set(code.co_names).union(*inner)


def _code(code: CodeType) -> str:
    """A compiled body, without where it stands."""
    return f"code({hashlib.sha256(code.co_code).hexdigest()}, {code.co_names!r}, {describe(code.co_consts)})"


def _column(column: Any) -> str:
    """A column of a frame: its type and contents; two of equal contents may be handled in different ways."""
    kind = getattr(column, "dtype", None)
    return f"{kind!r} {_array(np.asarray(column))}"


def _array(array: np.ndarray[Any, Any]) -> str:
    """Shape, type and a digest of the contents."""
    if array.dtype.hasobject:
        contents = "\n".join(describe(v) for v in array.ravel().tolist()).encode()
    else:
        contents = np.ascontiguousarray(array).tobytes()
    return f"array({array.shape}, {array.dtype.str}, {hashlib.sha256(contents).hexdigest()})"
