"""Lines: header, facts, further results and claims, each as the JSON object that stands on its line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from elicit.asks import Failure, Measured
from elicit.errors import InputError
from elicit.events import (
    Asked,
    Assumed,
    Criterion,
    Evaluated,
    Fact,
    Failed,
    Preferred,
    Resumed,
    Retracted,
    Settled,
    Stopped,
    checked_criteria,
)
from elicit.journal.fields import (
    ANSWER,
    BOOLEAN,
    INTEGER,
    INTEGER_OR_NONE,
    INTEGERS,
    MEASURES,
    PAIR,
    PRICES,
    SUBSET,
    SUBSETS,
    TEXT,
    Codec,
    integer,
    number,
    sequence,
    subset_in,
    subset_out,
    text,
)
from elicit.journal.plain import Json, shown_value
from elicit.journal.record import Header, Shuffled
from elicit.subsets import Attributes, Mask

#: The format that this code writes, and the only one that it reads.
FORMAT = 2

#: Every kind of fact, and of result outside the run, with its fields in the order in which they are written.
FACTS: dict[type[Any], dict[str, Codec]] = {
    Asked: {
        "request": INTEGER,
        "evaluate": SUBSETS,
        "compare": PAIR,
        "check": BOOLEAN,
        "reconcile": INTEGERS,
        "rejected": PRICES,
        "why": TEXT,
    },
    Evaluated: {"request": INTEGER, "subset": SUBSET, **MEASURES},
    Failed: {"request": INTEGER, "subset": SUBSET, "reason": TEXT},
    Preferred: {"request": INTEGER, "first": SUBSET, "second": SUBSET, "answer": ANSWER},
    Assumed: {"request": INTEGER, "better": SUBSET, "worse": SUBSET, "relation": TEXT, "source": TEXT},
    Retracted: {"request": INTEGER, "retracts": INTEGER},
    Settled: {"request": INTEGER, "conflict": INTEGERS},
    Stopped: {"request": INTEGER, "reason": TEXT},
    Resumed: {"request": INTEGER, "budget": INTEGER_OR_NONE},
}
RESULTS: dict[type[Any], dict[str, Codec]] = {Measured: MEASURES, Failure: {"reason": TEXT}}


def _fields_out(value: object, fields: Mapping[str, Codec], header: Header) -> dict[str, Json]:
    found = {}
    for name, codec in fields.items():
        try:
            found[name] = codec.write(getattr(value, name), header)
        except InputError as error:
            raise InputError(f"{type(value).__name__}.{name} cannot be recorded: {error}") from None
    return found


def _fields_in(
    content: dict[str, Json], kind: str, kinds: dict[type[Any], dict[str, Codec]], header: Header
) -> tuple[Any, float | None]:
    """The value of the kind that `content` names, and its time; every entry of `content` must be used."""
    name = content.pop(kind)
    types = {each.__name__.lower(): each for each in kinds}
    if not isinstance(name, str) or name not in types:
        raise InputError(f"unknown {kind} {shown_value(name)}, expected one of {', '.join(types)}")
    fields = kinds[types[name]]
    time = _time_in(content)
    if set(content) != set(fields):
        raise InputError(f"a {name} {kind} has the fields {', '.join(fields)}, found {', '.join(map(repr, content))}")
    values = {}
    for field_name, codec in fields.items():
        try:
            values[field_name] = codec.read(content[field_name], header)
        except InputError as error:
            raise InputError(f"{field_name}: {error}") from None
    return types[name](**values), time


def fact_out(fact: Fact, header: Header) -> dict[str, Json]:
    """A fact as the object of its line."""
    if type(fact) not in FACTS:
        raise InputError(f"expected a fact, found {shown_value(fact)}")
    return {"fact": type(fact).__name__.lower(), **_fields_out(fact, FACTS[type(fact)], header)}


def fact_in(content: dict[str, Json], header: Header) -> tuple[Fact, float | None]:
    """The fact of a line, and its time."""
    return _fields_in(content, "fact", FACTS, header)


def result_out(subset: Mask, result: Measured | Failure, header: Header, seed: int | None = None) -> dict[str, Json]:
    """A result ahead of need as the object of its line; with a seed, one on folds shuffled by it."""
    if type(result) not in RESULTS:
        raise InputError(f"expected a result of an oracle, found {shown_value(result)}")
    kind = type(result).__name__.lower()
    start = {"cache": kind} if seed is None else {"afresh": kind, "seed": integer(seed, header)}
    return start | {"subset": subset_out(subset, header)} | _fields_out(result, RESULTS[type(result)], header)


def cached_in(content: dict[str, Json], header: Header) -> tuple[Mask, Measured | Failure]:
    """The subset and the result of a line."""
    if "cache" not in content or "subset" not in content:
        raise InputError("expected a fact or a cached result (or a claim), found neither")
    subset = subset_in(content.pop("subset"), header)
    return subset, _fields_in(content, "cache", RESULTS, header)[0]


def afresh_in(content: dict[str, Json], header: Header) -> tuple[Shuffled, Measured | Failure]:
    """The seed and the subset of a line, and the result."""
    if "seed" not in content or "subset" not in content:
        raise InputError("a result on fresh folds has a seed and a subset, found one without")
    seed, subset = integer(content.pop("seed"), header), subset_in(content.pop("subset"), header)
    return (seed, subset), _fields_in(content, "afresh", RESULTS, header)[0]


def claim_in(content: dict[str, Json]) -> Mapping[str, Json]:
    """The content of a claim line."""
    found = content.pop("claim")
    _time_in(content)
    if content or not isinstance(found, dict):
        raise InputError("a claim is one object, and nothing else is on its line; found something else")
    return found


def add_time(content: dict[str, Json], at: float | None) -> None:
    """Add the time to the object of a line, if there is one."""
    if at is not None:
        content["time"] = number(at)


def _time_in(content: dict[str, Json]) -> float | None:
    """The time of a line, which is taken out of its object; None where there is none."""
    return number(content.pop("time")) if "time" in content else None


def header_out(header: Header) -> dict[str, Json]:
    """A header as the object of its line."""
    return {
        "journal": FORMAT,
        "seed": integer(header.seed, header),
        "settings": header.settings,
        "fingerprint": text(header.fingerprint, header),
        "attributes": list(header.attributes.names),
        "criteria": [
            {"name": text(c.name, header), "maximise": c.maximise, "unit": text(c.unit, header)}
            for c in header.criteria
        ],
        "versions": header.versions,
    }


def header_in(content: dict[str, Json]) -> Header:
    """The header of a line."""
    _time_in(content)
    expected = ("journal", "seed", "settings", "fingerprint", "attributes", "criteria", "versions")
    if set(content) != set(expected):
        raise InputError(f"a header has the fields {', '.join(expected)}, found {', '.join(map(repr, content))}")
    if integer(content["journal"], None) != FORMAT:
        raise InputError(f"expected format {FORMAT}, found {content['journal']}")
    if not isinstance(content["settings"], dict) or not isinstance(content["versions"], dict):
        raise InputError("settings and versions: expected objects, found others")
    if not all(isinstance(version, str) for version in content["versions"].values()):
        raise InputError("versions: expected texts, found others")
    criteria = []
    for entry in sequence(content["criteria"]):
        if not isinstance(entry, dict) or set(entry) != {"name", "maximise", "unit"}:
            raise InputError("criteria: expected name, maximise and unit of each, found others")
        if not isinstance(entry["maximise"], bool):
            raise InputError(f"criteria: maximise is true or false, found {shown_value(entry['maximise'])}")
        criteria.append(Criterion(**entry))
    header = Header(
        seed=content["seed"],
        fingerprint=content["fingerprint"],
        attributes=Attributes(tuple(sequence(content["attributes"]))),
        criteria=checked_criteria(criteria),
        settings=content["settings"],
        versions=content["versions"],
    )
    header_out(header)  # checks what the fields above take as they come
    return header
