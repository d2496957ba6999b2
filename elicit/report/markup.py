"""Markup as values: an element is built of a name, attributes and children, and whatever is a plain text is escaped.

The rule: only this file makes `Html` out of strings; the rest of the report cannot forget to escape.
"""

from __future__ import annotations

import html
import json
from collections.abc import Iterable
from typing import Any

from elicit.printable import printable

#: The elements of a page that have no children and no end.
_VOID = {"meta", "line", "circle", "rect", "polyline"}


class Html(str):
    """Text that is markup already."""

    __slots__ = ()


Child = str | int | None | Iterable["Child"]


def element(name: str, /, *children: Child, **attributes: str | float | bool | None) -> Html:
    """<name attributes>children</name>; `class_` is class, an underscore inside a name is a hyphen."""
    told = "".join(_attribute(key, value) for key, value in attributes.items())
    if name in _VOID:
        return Html(f"<{name}{told}/>")
    return Html(f"<{name}{told}>{joined(children)}</{name}>")


def joined(children: Child) -> Html:
    """Children one after the other; texts are escaped, what is missing is left out."""
    match children:
        case None:
            return Html("")
        case Html():
            return children
        case str():
            return Html(escaped(children))
        case int():
            return Html(str(children))
        case _:
            return Html("".join(joined(child) for child in children))


def escaped(text: str) -> str:
    """A text as it may stand anywhere in a page: no markup, no control character, no change of direction."""
    return html.escape(printable(text), quote=True)


def _attribute(key: str, value: str | float | bool | None) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    name = {"viewbox": "viewBox"}.get(name, name)
    if value is True:
        return f' {name}=""'
    text = escaped(value) if isinstance(value, str) else f"{value:.6g}"
    return f' {name}="{text}"'


def raw(text: str) -> Html:
    """Text of the program's own, such as a style sheet; it must not be able to end its element."""
    if "</" in text:
        raise ValueError("a text that holds an end tag cannot stand in an element as it is")
    return Html(text)


def data(value: Any) -> Html:
    """A value as JSON inside a page: no character of it can begin markup."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False)
    return Html(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))
