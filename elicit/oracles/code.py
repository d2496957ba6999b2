"""Code: what a function or class computes with, as parts that can be told.

The rule: what belongs to an installed library is what its name says; of one's own everything counts that a body
reads: constants, defaults, variables of enclosing functions, globals, and of a class its methods and constants.
"""

from __future__ import annotations

import dis
import functools
import sys
import sysconfig
from collections.abc import Mapping
from pathlib import Path
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any

#: What Python 3.14 makes of the annotations of a class: functions that hold the lines of a file, and are no methods.
_ANNOTATIONS = {"__annotate__", "__annotate_func__"}

#: Where installed packages lie.
_INSTALLED = {"site-packages", "dist-packages"}


def of_library(thing: Any) -> bool:
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


def of_function(function: FunctionType) -> dict[str, Any]:
    """A function's body, defaults, closure and the globals it reads."""
    return {
        "code": function.__code__,
        "defaults": function.__defaults__,
        "keywords": function.__kwdefaults__,
        "closure": [_held(cell) for cell in function.__closure__ or ()],
        "globals": _looked_up(function.__globals__, _names(function.__code__)),
    }


def _looked_up(space: Mapping[str, Any], names: set[str], above: tuple[ModuleType, ...] = ()) -> dict[str, Any]:
    """What these names mean among globals; of a module that is no library's, what they mean in it."""
    found: dict[str, Any] = {}
    for name in sorted(names & space.keys()):
        value = space[name]
        if isinstance(value, ModuleType) and value not in above and not _installed(value.__name__):
            found[name] = _looked_up(vars(value), names, (*above, value))
        else:
            found[name] = value
    return found


def of_class(kind: type) -> dict[str, Any]:
    """The methods and constants that a class does not have from a library.

    A constant is what no method of the class assigns: what a class counts may change. What is filled in place (a table
    of what was seen) counts as it stands: as well it may be one of what is wanted.
    """
    own: dict[str, Any] = {}
    for base in (base for base in kind.__mro__ if not of_library(base)):
        parts = {name: _bare(part) for name, part in sorted(vars(base).items()) if name not in _ANNOTATIONS}
        methods = {name: part for name, part in parts.items() if isinstance(part, FunctionType)}
        changed = set().union(*(_assigned(method.__code__) for method in methods.values()))
        constants = {n: part for n, part in parts.items() if not n.startswith("__") and n not in changed}
        own |= {f"{base.__qualname__}.{name}": part for name, part in (constants | methods).items()}
    return own


def _bare(part: Any) -> Any:
    """A part of a class, without what makes a method of one class, a property or a kept value of a function."""
    if isinstance(part, functools.cached_property):
        return part.func
    return getattr(part, "__func__", getattr(part, "fget", part))


def _assigned(code: CodeType) -> set[str]:
    """The attributes that a body and the bodies in it assign."""
    own = {str(step.argval) for step in dis.get_instructions(code) if step.opname == "STORE_ATTR"}
    return own.union(*(_assigned(c) for c in code.co_consts if isinstance(c, CodeType)))


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
