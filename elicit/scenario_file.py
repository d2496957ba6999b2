"""Scenario file: it says what is measured, who judges, how it is elicited, and how often.

    [oracle]      kind = "table" | "wrapper" | "filter" | "synthetic", and what that kind needs
    [operator]    a simulated operator; [[operator]] several times for several of them, each with a `name`
    [elicit]      settings, keep, drop, max_size; [[elicit]] with a `name` runs choices side by side
    [experiment]  seeds (a number of them, or a list), and what `elicit compare` compares: methods, and their goal

Everything is checked before anything is run: an unknown key is an error that names the nearest known one.
"""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from elicit.asks import Oracle
from elicit.data import Data, refuse_gaps, refuse_part, without
from elicit.decide.elicitation import Elicitation
from elicit.decide.settings import Settings, settings_from
from elicit.effects.pairs import interaction_prior
from elicit.errors import InputError, nearest, system_reason
from elicit.methods import Goal, Space, TradeOff, goal_from, named
from elicit.methods.registry import ALONE, classical
from elicit.operators import Lexicographic
from elicit.oracles import SyntheticOracle, TableOracle, WrapperOracle
from elicit.oracles.columns import columns_of
from elicit.printable import many
from elicit.scenario import OURS, ElicitSpec, OperatorSpec, Scenario, seeds_of
from elicit.scores.registry import taking_gaps
from elicit.sources import sections
from elicit.sources.material import DataMaterial
from elicit.sources.oracle import KEYS, SyntheticSpec, data_of, material_of, measured_data, oracle_from
from elicit.sources.prior import prior_named
from elicit.sources.sections import Section
from elicit.subsets import Attributes, Family, Mask

#: The keys of each section; of [oracle] those of every kind.
_KEYS = {
    "oracle": KEYS,
    "operator": ("name", "kind", "utility", "order", "steps", "hidden", "noise", "hesitation"),
    "elicit": ("name", "keep", "drop", "max_size", "prior", "preset", *(f.name for f in dataclasses.fields(Settings))),
    "experiment": ("seeds", "methods", "trace_every", "goal"),
}


def read_scenario(path: str | Path, choices: Sequence[Section] = ()) -> Scenario:
    """The scenario in a file; whatever is wrong is one line that names the file and the place.

    choices: sections of [elicit] that are played side by side, each in place of what the scenario's own has, and
    nothing else.
    """
    path = Path(path)
    plain = _toml(path)
    place = f"{path} with the choices given" if choices else str(path)  # its own text may hold no such section
    return sections.with_place(place, lambda: scenario_from(_with_choices(plain, choices), path.parent), ": ")


def read_choices(path: str | Path) -> list[Section]:
    """The [[elicit]] sections of a file: of a scenario, or of a file that holds them alone, for any scenario."""
    path = Path(path)
    plain = _toml(path)
    if plain.keys() == {"elicit"}:
        sections.with_place(str(path), lambda: sections.named_specs("elicit", plain["elicit"], _choice_alone), ": ")
    else:
        sections.with_place(str(path), lambda: scenario_from(plain, path.parent), ": ")
    found = plain.get("elicit")
    if not isinstance(found, list) or len(found) < 2:
        raise InputError(f"{path}: has no choices; give a file with [[elicit]] several times")
    return found


def _toml(path: Path) -> Section:
    """The content of a TOML file; whatever keeps it from being read is one line."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))  # editors on Windows mark a file as UTF-8
    except FileNotFoundError:
        raise InputError(f"{path}: no such file; check the path") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({system_reason(error)}); check the file") from error
    except UnicodeDecodeError:
        raise InputError(f"{path}: is not text in UTF-8; a scenario is a TOML file") from None
    except (ValueError, RecursionError) as error:  # besides its own error: numbers too long, tables too deep
        raise InputError(f"{path}: is not TOML: {error}; correct it there") from None


def _with_choices(plain: Section, choices: Sequence[Section]) -> Section:
    """The same scenario, with these choices in place of its own [elicit], and no other method."""
    if not choices:
        return plain
    own = plain.get("elicit", {})
    if isinstance(own, list):
        raise InputError("[elicit] has choices of its own already; play them with `elicit run`")
    experiment = {**sections.table(plain.get("experiment", {})), "methods": [OURS]}
    return {**plain, "elicit": [{**sections.table(own), **choice} for choice in choices], "experiment": experiment}


def scenario_from(plain: Section, folder: Path) -> Scenario:
    """The scenario in plain data; paths in it are relative to `folder`."""
    sections.only_known(plain, tuple(_KEYS))
    _refuse_misplaced(plain)
    for name in ("oracle", "operator"):
        if name not in plain:
            raise InputError(f"[{name}] is missing; add it")
    oracle = sections.with_place("[oracle]", lambda: oracle_from(sections.table(plain["oracle"]), folder))
    drawn = oracle.drawn(0) if isinstance(oracle, SyntheticSpec) else oracle
    hidden = isinstance(drawn, SyntheticOracle)
    operators = sections.named_specs("operator", plain["operator"], lambda section: _operator(section, drawn, hidden))
    elicits = sections.named_specs(
        "elicit", plain.get("elicit", {}), lambda section: _elicit(section, drawn, plain["oracle"], folder)
    )
    sections.with_place("[oracle]", lambda: _check_dropped(plain["oracle"], drawn.attributes, elicits))
    family = elicits[0].family  # that of the classical methods
    dropped = drawn.attributes.subset(family.drop) if family.drop else ()
    material = sections.with_place("[oracle]", lambda: material_of(plain["oracle"], folder, drawn.attributes, dropped))
    experiment = sections.with_place(
        "[experiment]", lambda: _experiment(sections.table(plain.get("experiment", {})), material, family)
    )
    return Scenario(oracle=oracle, operators=operators, elicits=elicits, plain=plain, material=material, **experiment)


def _refuse_misplaced(plain: Section) -> None:
    """Refuse a key that stands in the wrong section, and say in which it belongs."""
    for name, given in plain.items():
        for section in given if isinstance(given, list) else [given]:
            for key in section if isinstance(section, dict) else ():
                homes = [f"[{home}]" for home, keys in _KEYS.items() if key in keys]
                if homes and f"[{name}]" not in homes:
                    raise InputError(
                        f"[{name}] has the key {key!r}, which belongs in {' or '.join(homes)}; move it there"
                    )


def _operator(section: Section, oracle: Oracle, hidden: bool) -> OperatorSpec:
    sections.only_known(section, _KEYS["operator"])
    kind = section.get("kind", "simulated")
    if kind != "simulated":
        raise InputError(f"`kind` is 'simulated', found {kind!r}")
    given = [name for name in ("utility", "order", "hidden") if name in section]
    if len(given) != 1:
        raise InputError(f"needs exactly one of `utility`, `order` and `hidden`, found {', '.join(given) or 'none'}")
    if "steps" in section and "order" not in section:
        raise InputError("`steps` belong to an `order`; add it, or leave them out")
    utility, name = _utility(section, given[0], hidden)
    name = sections.text(section, "name") if "name" in section else name
    noise = sections.number(section, "noise", 0.0, least=0.0, most=1.0)
    spec = OperatorSpec(name, utility, noise, sections.number(section, "hesitation", 0.0, least=0.0))
    spec.simulated(oracle, 0)  # checks the names of the criteria
    return spec


def _utility(section: Section, given: str, hidden: bool) -> tuple[str | Lexicographic | None, str]:
    """The utility, and a name for it."""
    if given == "utility":
        text = sections.text(section, "utility")
        return text, text
    if given == "order":
        order = sections.texts(section, "order")
        steps = sections.table(section.get("steps", {}), "steps")
        order_by = Lexicographic(
            order, {name: sections.finite(f"steps.{name}", value) for name, value in steps.items()}
        )
        return order_by, " > ".join(order)
    if not sections.boolean(section, "hidden", False):
        raise InputError("`hidden` is true or absent, found false; give a `utility` or an `order`")
    if not hidden:
        raise InputError("a `hidden` utility goes with an oracle of kind 'synthetic' alone; give a `utility`")
    return None, "hidden"


def _elicit(section: Section, oracle: Oracle, measured: Section, folder: Path) -> ElicitSpec:
    choices = _setting_keys(section)
    drop = sections.texts(section, "drop")
    if "pairs" in section:
        choices["pairs"] = _expected_pairs(section["pairs"], oracle, measured, folder, drop)
    if len(oracle.attributes) == 1:
        choices.setdefault("degree", 1)  # there is no pair
    settings = settings_from(choices)
    _require_folds(settings, oracle, measured)
    family = _family(section, oracle.attributes, measured)
    prior = _prior(section, oracle, measured, folder, drop)
    Elicitation(oracle.attributes, oracle.criteria, settings, family=family)  # checks what only it can check
    return ElicitSpec(_own_name(section), settings, family, prior)


def _choice_alone(section: Section) -> SimpleNamespace:
    """What can be checked of a choice before there is an oracle: its keys, its settings and its name."""
    settings_from({key: value for key, value in _setting_keys(section).items() if key != "pairs"})
    return SimpleNamespace(name=_own_name(section))


def _setting_keys(section: Section) -> dict[str, Any]:
    """What a section of [elicit] says of the settings."""
    sections.only_known(section, _KEYS["elicit"])
    return {key: value for key, value in section.items() if key not in ("name", "keep", "drop", "max_size", "prior")}


def _own_name(section: Section) -> str:
    """What the runs of a section of [elicit] are called."""
    name = sections.text(section, "name") if "name" in section else OURS
    if classical(name):
        raise InputError(f"`name` = {name!r} is that of a classical method; choose another")
    return name


def _require_folds(settings: Settings, oracle: Oracle, measured: Section) -> None:
    """Refuse a setting that goes by the scores of folds where the oracle has none."""
    by_folds = next((name for name in ("noise_level", "margins") if getattr(settings, name)), None)
    if by_folds is None or isinstance(oracle, WrapperOracle):
        return
    remedy = "leave it out"
    if isinstance(oracle, TableOracle):
        if oracle.folds() is not None:
            return
        remedy = "write the table with `elicit table --keep-folds`, or leave this out"
    kind = str(measured.get("kind"))
    raise InputError(f"`{by_folds}` needs fold scores, and this oracle of kind {kind!r} has none; {remedy}")


def _family(section: Section, attributes: Attributes, measured: Section) -> Family:
    """The subsets that may be chosen."""

    def named_in(key: str) -> Mask:
        names = sections.texts(section, key)
        for name in names:
            if name not in attributes.names:
                refuse_part(name, sections.table(measured.get("groups", {}), "groups"), f"`{key}`")
        return attributes.mask(names, f"`{key}`")

    largest = sections.integer(section, "max_size", None, least=1) if "max_size" in section else None
    return Family(len(attributes), named_in("keep"), named_in("drop"), largest)


def _prior(
    section: Section, oracle: Oracle, measured: Section, folder: Path, dropped: Sequence[str]
) -> tuple[float, ...] | None:
    """One number an attribute, or those of the score that is named."""
    if isinstance(section.get("prior"), str):
        return _scored(section["prior"], oracle, measured, folder, dropped)
    if "prior" not in section:
        return None
    prior = sections.numbers(section, "prior")
    if len(prior) != len(oracle.attributes):
        given, wanted = many(len(prior), "number"), many(len(oracle.attributes), "attribute")
        raise InputError(f"`prior` has {given} for {wanted}; give one each")
    return prior


def _scored(name: str, oracle: Oracle, measured: Section, folder: Path, dropped: Sequence[str]) -> tuple[float, ...]:
    """An attribute score of the oracle's data as a power index."""
    key, otherwise = f"`prior` = {name!r}", "list one number an attribute"
    data = _data_of(key, "one number an attribute", oracle, measured, folder)
    return tuple(prior_named(name, data, dropped=dropped, key=key, otherwise=otherwise).tolist())


def _expected_pairs(
    given: Any, oracle: Oracle, measured: Section, folder: Path, dropped: Sequence[str]
) -> tuple[tuple[int, int], ...]:
    """Pairs by name; or "h", those that a forest fitted to the oracle's data lets interact, but for what is dropped."""
    if given == "h":
        data = without(_data_of("`pairs` = 'h'", "pairs of names", oracle, measured, folder), dropped)
        refuse_gaps("`pairs` = 'h'", data.gap, "list pairs of names")
        columns = columns_of(data.X, data.columns, data.groups)
        found = interaction_prior(data.X, data.y, groups=columns.positions, classes=data.classes)
        place = [oracle.attributes.position(name) for name in columns.attributes.names]
        return tuple((place[i], place[j]) for i, j in found)
    if not isinstance(given, list) or not all(
        isinstance(pair, list) and len(pair) == 2 and all(isinstance(name, str) for name in pair) for pair in given
    ):
        raise InputError(f'`pairs` is "h" or a list of pairs of names, found {given!r}')
    places = [[oracle.attributes.position(name, "`pairs`") for name in pair] for pair in given]
    return tuple((i, j) for i, j in places)


def _data_of(key: str, otherwise: str, oracle: Oracle, measured: Section, folder: Path) -> Data:
    """The data that the oracle measures."""
    if "data" not in measured:
        raise InputError(f"{key} looks at `data`, and this oracle has none; list {otherwise}")
    whole = data_of(measured, folder)
    data: Data = sections.with_place(key, lambda: measured_data(oracle.attributes, whole, f"list {otherwise}"), ": ")
    return data


def _check_dropped(measured: Section, attributes: Attributes, elicits: Sequence[ElicitSpec]) -> None:
    """Refuse a `dropped` column that can be read, and so would be measured: the key is only for columns that cannot."""
    for name in sections.texts(measured, "dropped"):
        if name in attributes.names and not all(choice.family.drop & attributes.mask([name]) for choice in elicits):
            raise InputError(
                f"`dropped` names {name!r}, which can be read and is measured all the same; "
                f"write drop = [{name!r}] in [elicit]"
            )


def _experiment(section: Section, material: DataMaterial | None, family: Family) -> dict[str, Any]:
    """What [experiment] says, by the fields of a `Scenario`."""
    sections.only_known(section, _KEYS["experiment"])
    methods = sections.texts(section, "methods") if "methods" in section else None
    for method in methods or ():
        if method != OURS:
            _check_method(method, material)
    if methods is not None and len(set(methods)) < max(1, len(methods)):
        raise InputError("`methods` lists at least one method, and none twice")
    every = sections.integer(section, "trace_every", 1, least=1)
    seeds, goal = seeds_of(section.get("seeds", 1)), _goal(section, methods or (), family)
    return {"seeds": seeds, "methods": methods, "trace_every": every, "goal": goal}


def _goal(section: Section, methods: Sequence[str], family: Family) -> Goal:
    """What the methods are after; a size that no subset of the family has is refused."""
    if "goal" not in section:
        return TradeOff()
    wanted = sections.text(section, "goal")
    try:
        goal = goal_from(wanted)
        Space(family, goal)
    except InputError as error:
        raise InputError(f"`goal`: {error}") from None
    if OURS in methods and goal != TradeOff():
        raise InputError(
            f"`goal` = {str(goal)!r} is for classical methods, {OURS!r} elicits the trade-off; leave it out"
        )
    return goal


def _check_method(method: str, material: DataMaterial | None) -> None:
    """Refuse a method that is unknown, or that needs what the oracle does not have."""
    if nearest(method, (OURS,)) and not classical(method):
        raise InputError(f"`methods`: unknown method {method!r}; did you mean {OURS!r}?")
    chosen = named(method)
    needs = chosen.needs
    if needs and (material is None or (needs == "model" and not material.fits)):
        raise InputError(f"`methods`: {method!r} needs `{needs}` in [oracle] besides what is measured; add it")
    if material is None:
        return
    if not chosen.serves(material.classes):
        kind = "numbers" if material.classes else "classes"
        raise InputError(f"`methods`: {method!r} needs a target of {kind}, which this is not; leave it out")
    if not chosen.gaps:
        others = [f"ranking:{by}" for by in (*taking_gaps(material.classes), ALONE)]
        remedy = f"use {' or '.join(others)}" if chosen.entry.name == "ranking" else "leave it out"
        refuse_gaps(f"`methods`: {method!r}", material.gap, remedy)
