"""Code: the parts of a function or class on which its results depend, for fingerprints.

The rule: code of an installed library is identified by its name. Of the user's own code everything counts that a body
reads: constants, defaults, variables of enclosing functions, globals, and of a class its methods and constants. What
code itself binds anew, such as a counter, may change, and does not count.
"""

from __future__ import annotations

import dis
import functools
import importlib
import importlib.util
import sys
import sysconfig
from collections.abc import Mapping
from pathlib import Path
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any

#: Functions that Python 3.14 makes from the annotations of a class: they hold line numbers, and are no methods.
_ANNOTATIONS = {"__annotate__", "__annotate_func__"}

#: Where installed packages lie.
_INSTALLED = {"site-packages", "dist-packages"}


def is_installed(thing: Any) -> bool:
    """Whether a function or class belongs to an installed library, so that its name identifies it.

    What a script or notebook defines is sent to workers by value: where it says `__main__`, it does not mean the module
    that a worker calls so, which is joblib's.
    """
    module = getattr(thing, "__module__", None)
    return isinstance(module, str) and module != "__main__" and _installed(module)


@functools.cache
def _installed(module: str) -> bool:
    if module.partition(".")[0] == "elicit" or module in sys.builtin_module_names:
        return True
    file = getattr(sys.modules.get(module), "__file__", None)
    if file is None:  # typed in, or made while running
        return False
    return _lies_there(file)


def _lies_there(file: str) -> bool:
    """Whether a file lies where libraries are installed."""
    return not _INSTALLED.isdisjoint(Path(file).parts) or Path(file).is_relative_to(sysconfig.get_path("stdlib"))


def function_parts(function: FunctionType) -> dict[str, Any]:
    """A function's body, defaults, closure and the globals it reads.

    What the body itself binds anew outside of it may change.
    """
    code = function.__code__
    changed = _bound_outside(code)
    cells = zip(code.co_freevars, function.__closure__ or (), strict=True)
    imported = _imported(code, function.__globals__)
    return {
        "code": code,
        "defaults": function.__defaults__,
        "keywords": function.__kwdefaults__,
        "closure": [_cell_contents(cell) for name, cell in cells if name not in changed],
        "globals": _resolved(function.__globals__, _names_read(code) - changed, _all_names(code) - changed),
        **({"imports": _resolved(imported, set(imported), {*imported, *_all_names(code)})} if imported else {}),
    }


def _imported(code: CodeType, space: Mapping[str, Any]) -> dict[str, ModuleType]:
    """The modules of the user's own that a body and the bodies in it import, by name."""
    found: dict[str, ModuleType] = {}
    steps = list(dis.get_instructions(code))
    for k, step in enumerate(steps):
        if step.opname == "IMPORT_NAME":
            level = steps[k - 2].argval  # how far up the packages: what is loaded before the list of names
            relative = "." * level + str(step.argval)
            try:
                name = importlib.util.resolve_name(relative, space.get("__package__") or None)
                if not _lies_with_libraries(name):
                    found[name] = importlib.import_module(name)
            except Exception:  # a module may raise anything while it is loaded; the body itself will meet it
                continue
    for inner in (c for c in code.co_consts if isinstance(c, CodeType)):
        found |= _imported(inner, space)
    return found


def _lies_with_libraries(module: str) -> bool:
    """Whether a module, which need not be loaded yet, belongs to an installed library."""
    top = module.partition(".")[0]
    if top in sys.stdlib_module_names:
        return True
    if getattr(sys.modules.get(module), "__file__", None) is not None:
        return _installed(module)
    if top in sys.modules and sys.modules[top].__spec__ is None:  # made while running
        return False
    found = importlib.util.find_spec(top)
    if found is None:
        return True
    return all(map(_lies_there, [found.origin] if found.origin else found.submodule_search_locations or ()))


def _resolved(
    space: Mapping[str, Any], names: set[str], inside: set[str], above: tuple[ModuleType, ...] = ()
) -> dict[str, Any]:
    """The values of these names among globals; for a module of the user's own, those of the names inside it."""
    found: dict[str, Any] = {}
    for name in sorted(names & space.keys()):
        value = space[name]
        if isinstance(value, ModuleType) and value not in above and not _installed(value.__name__):
            found[name] = _resolved(vars(value), inside, inside, (*above, value))
        else:
            found[name] = value
    return found


def class_parts(kind: type) -> dict[str, Any]:
    """The methods and constants of a class that do not come from a library.

    A constant is what no method of the class assigns; what methods assign, such as a counter, may change. A container
    that is filled in place counts with its present contents, for it may as well be a table of constants.
    """
    own: dict[str, Any] = {}
    for base in (base for base in kind.__mro__ if not is_installed(base)):
        parts = {name: _unwrapped(part) for name, part in sorted(vars(base).items()) if name not in _ANNOTATIONS}
        methods = {name: part for name, part in parts.items() if isinstance(part, FunctionType)}
        changed = set().union(*(_assigned_attributes(method.__code__) for method in methods.values()))
        constants = {n: part for n, part in parts.items() if not n.startswith("__") and n not in changed}
        own |= {f"{base.__qualname__}.{name}": part for name, part in (constants | methods).items()}
    return own


def _unwrapped(part: Any) -> Any:
    """The function inside a class method, static method, property or cached property; anything else as it is."""
    if isinstance(part, functools.cached_property):
        return part.func
    return getattr(part, "__func__", getattr(part, "fget", part))


def _assigned_attributes(code: CodeType) -> set[str]:
    """The attributes that a body and the bodies in it assign."""
    own = {str(step.argval) for step in dis.get_instructions(code) if step.opname == "STORE_ATTR"}
    return own.union(*(_assigned_attributes(c) for c in code.co_consts if isinstance(c, CodeType)))


def _bound_outside(code: CodeType) -> set[str]:
    """The globals, and the variables of enclosing functions, that a body and the bodies in it bind."""
    own = {
        str(step.argval)
        for step in dis.get_instructions(code)
        if step.opname == "STORE_GLOBAL" or (step.opname == "STORE_DEREF" and step.argval in code.co_freevars)
    }
    return own.union(*(_bound_outside(c) for c in code.co_consts if isinstance(c, CodeType)))


def _cell_contents(cell: CellType) -> Any:
    """What a variable of an enclosing function holds; None when it holds nothing yet."""
    try:
        return cell.cell_contents
    except ValueError:
        return None


def _names_read(code: CodeType) -> set[str]:
    """The names that a body and the bodies in it look up by themselves.

    Of `model.score` that is `model`: a variable called `score`, as notebooks have, is none of its business.
    """
    steps = (step for step in dis.get_instructions(code) if step.opcode in dis.hasname)
    own = {str(step.argval) for step in steps if not step.opname.endswith(("_ATTR", "_METHOD"))}
    return own.union(*(_names_read(c) for c in code.co_consts if isinstance(c, CodeType)))


def _all_names(code: CodeType) -> set[str]:
    """Every name that a body and the bodies in it look up, attributes included."""
    inner = (_all_names(c) for c in code.co_consts if isinstance(c, CodeType))
    return set(code.co_names).union(*inner)
