"""Scenario: a file that says what is measured, who judges, how it is elicited, and how often.

    [oracle]      kind = "table" | "wrapper" | "filter" | "synthetic", and what that kind needs
    [operator]    a simulated operator; [[operator]] several times for several of them, each with a `name`
    [elicit]      settings, keep, drop, max_size; [[elicit]] with a `name` runs choices side by side
    [experiment]  seeds (a number of them, or a list)

Everything is checked before anything is run: an unknown key is an error that names the nearest known
one. A run is one choice of [elicit], one operator and one seed; runs depend on nothing else, so they
may go in parallel and come out the same. What one run measured is remembered for the next.
"""

from __future__ import annotations

import dataclasses
import difflib
import math
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs

from elicit.asks import Evaluate, Oracle
from elicit.data import Data, load, model_of
from elicit.decide.elicitation import Elicitation
from elicit.decide.settings import Settings, settings_from
from elicit.drive import Progress, Result, drive
from elicit.errors import InputError
from elicit.operators import HiddenTheta, Lexicographic, SimulatedOperator
from elicit.operators.lines import printable
from elicit.oracles import (
    Extra,
    FilterOracle,
    Remembering,
    SyntheticOracle,
    TableOracle,
    WrapperOracle,
    cost,
    fit_time,
    stability,
)
from elicit.subsets import Family, Mask
from elicit.utility.monomials import Vector

#: The methods that `methods` of [experiment] may name.
METHODS = ("elicit",)

#: Families up to this size are enumerated where that is cheap, to know the best utility.
ENUMERATED = 1 << 16

#: Two regrets closer than this are equal.
TOLERANCE = 1e-9

Section = Mapping[str, Any]
T = TypeVar("T")


@dataclass(frozen=True)
class OperatorSpec:
    """A simulated operator before it has a seed. `utility` None means the hidden θ of the synthetic oracle."""

    name: str
    utility: str | Lexicographic | None
    noise: float = 0.0
    hesitation: float = 0.0


@dataclass(frozen=True)
class ElicitSpec:
    """One choice of [elicit], by its name."""

    name: str
    settings: Settings
    family: Family
    prior: tuple[float, ...] | None = None


@dataclass(frozen=True)
class SyntheticSpec:
    """A hidden truth that is drawn anew for every seed."""

    n: int
    interaction: float = 1.0
    size: bool = True

    def drawn(self, seed: int) -> SyntheticOracle:
        """The truth of one seed."""
        rng = np.random.default_rng([seed, self.n])
        return SyntheticOracle.drawn(self.n, rng, interaction=self.interaction, size=self.size)


@dataclass(frozen=True)
class Scenario:
    """A checked scenario. `plain` is the file as it was read."""

    oracle: Oracle | SyntheticSpec
    operators: tuple[OperatorSpec, ...]
    elicits: tuple[ElicitSpec, ...]
    seeds: tuple[int, ...]
    plain: Section

    def oracle_of(self, seed: int) -> Oracle:
        """The oracle of one seed."""
        return self.oracle.drawn(seed) if isinstance(self.oracle, SyntheticSpec) else self.oracle

    def reduced(self, budget: int | None = None, seeds: int | None = None) -> Scenario:
        """The same with another budget, and with the first of its seeds only."""
        elicits = self.elicits
        if budget is not None:
            elicits = tuple(
                dataclasses.replace(e, settings=dataclasses.replace(e.settings, budget=budget)) for e in elicits
            )
        kept = self.seeds if seeds is None else _seeds(seeds) if seeds > len(self.seeds) else self.seeds[:seeds]
        return dataclasses.replace(self, elicits=elicits, seeds=kept)


# --- reading -----------------------------------------------------------------------------------------


def read_scenario(path: str | Path) -> Scenario:
    """The scenario in a file; whatever is wrong is one line that names the file and the place."""
    path = Path(path)
    shown = printable(str(path))
    try:
        plain = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"{shown}: no such file; check the path") from None
    except OSError as error:
        raise InputError(f"{shown}: cannot be read ({error.strerror}); check the file") from error
    except UnicodeDecodeError:
        raise InputError(f"{shown}: is not text in UTF-8; a scenario is a TOML file") from None
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{shown}: is not TOML: {printable(str(error))}; correct it there") from None
    return _at(shown, lambda: scenario_from(plain, path.parent), between=": ")


def scenario_from(plain: Section, folder: Path) -> Scenario:
    """The scenario in plain data; paths in it are relative to `folder`."""
    _known(plain, ("oracle", "operator", "elicit", "experiment"))
    for name in ("oracle", "operator"):
        if name not in plain:
            raise InputError(f"[{name}] is missing; add it")
    oracle = _at("[oracle]", lambda: oracle_from(_section(plain["oracle"]), folder))
    drawn = oracle.drawn(0) if isinstance(oracle, SyntheticSpec) else oracle
    hidden = isinstance(drawn, SyntheticOracle)
    operators = _listed("operator", plain["operator"], lambda section: _operator(section, drawn, hidden))
    elicits = _listed("elicit", plain.get("elicit", {}), lambda section: _elicit(section, drawn))
    seeds = _at("[experiment]", lambda: _experiment(_section(plain.get("experiment", {}))))
    return Scenario(oracle, operators, elicits, seeds, plain)


def _at(place: str, read: Callable[[], T], between: str = " ") -> T:
    """What `read` gives; an error in it says the place first."""
    try:
        return read()
    except InputError as error:
        raise InputError(f"{place}{between}{printable(str(error))}") from error


def _listed(kind: str, sections: Any, read: Callable[[Section], Any]) -> tuple[Any, ...]:
    """One section or several; several need names that differ."""
    several = sections if isinstance(sections, list) else [sections]
    if not several:
        raise InputError(f"[[{kind}]] is empty; add one")
    found = []
    for k, section in enumerate(several, start=1):
        place = f"[{kind}]" if len(several) == 1 else f"[[{kind}]] number {k}"
        found.append(_at(place, lambda: read(_section(section))))  # noqa: B023  # called at once
    names = [spec.name for spec in found]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"[[{kind}]]: the name {twice!r} occurs {names.count(twice)} times; give each its own `name`")
    return tuple(found)


def oracle_from(section: Section, folder: Path) -> Oracle | SyntheticSpec:
    """The oracle that a section describes; paths are relative to `folder`."""
    kind = section.get("kind")
    if kind is None:
        raise InputError(f"needs a `kind`: one of {', '.join(map(repr, _ORACLES))}")
    if kind not in _ORACLES:
        raise InputError(f"`kind` is one of {', '.join(map(repr, _ORACLES))}; found {kind!r}{_near(kind, _ORACLES)}")
    make, required, optional = _ORACLES[kind]
    _known(section, ("kind", *required, *optional))
    for name in required:
        if name not in section:
            raise InputError(f"of kind {kind!r} needs `{name}`; add it")
    made: Oracle | SyntheticSpec = make(section, folder)
    return made


def _table(section: Section, folder: Path) -> Oracle:
    return TableOracle(folder / _text(section, "path"), _texts(section, "minimise"))


def _wrapper(section: Section, folder: Path) -> Oracle:
    data = _data(section, folder)
    return WrapperOracle(
        model_of(_text(section, "model"), data.classes),
        data.X,
        data.y,
        attributes=data.columns,
        feature_groups=data.groups,
        cv=_whole(section, "folds", 10, least=2),
        scoring=_text(section, "scoring") if "scoring" in section else None,
        criteria=_extras(section),
        random_state=_whole(section, "random_state", 0, least=0),
    )


def _filter(section: Section, folder: Path) -> Oracle:
    data = _data(section, folder)
    if data.groups:
        raise InputError(f"a filter needs numeric columns, {next(iter(data.groups))!r} holds texts; encode it first")
    return FilterOracle(
        data.X,
        data.y,
        _text(section, "merit"),
        scores=_numbers(section, "scores") if "scores" in section else None,
        attributes=data.columns,
        bins=_whole(section, "bins", 5, least=2),
        criteria=_extras(section),
    )


def _synthetic(section: Section, folder: Path) -> SyntheticSpec:  # noqa: ARG001
    return SyntheticSpec(
        _whole(section, "n", None, least=1),
        _number(section, "interaction", 1.0, least=0.0),
        _truth(section, "size", True),
    )


_EXTRAS = ("costs", "cost_unit", "stability", "fit_time")

#: For each kind: how it is made, the keys that it needs, and those that it may have.
_ORACLES: dict[str, tuple[Callable[[Section, Path], Any], tuple[str, ...], tuple[str, ...]]] = {
    "table": (_table, ("path",), ("minimise",)),
    "wrapper": (_wrapper, ("data", "model"), ("target", "folds", "scoring", "random_state", *_EXTRAS)),
    "filter": (_filter, ("data", "merit"), ("target", "scores", "bins", "costs", "cost_unit")),
    "synthetic": (_synthetic, ("n",), ("interaction", "size")),
}


def _data(section: Section, folder: Path) -> Data:
    target = _text(section, "target") if "target" in section else None
    return load(_text(section, "data"), target, folder)


def _extras(section: Section) -> list[Extra]:
    """Criteria beyond score and size: a cost, how steady the score is, how long a fit takes."""
    found: list[Extra] = []
    if "costs" in section:
        given = section["costs"]
        unit = _text(section, "cost_unit") if "cost_unit" in section else ""
        if isinstance(given, dict):
            found.append(cost({name: _finite(f"costs.{name}", value) for name, value in given.items()}, unit=unit))
        else:
            found.append(cost(_numbers(section, "costs"), unit=unit))
    elif "cost_unit" in section:
        raise InputError("`cost_unit` has no `costs` beside it; add them, or leave it out")
    if _truth(section, "stability", False):
        found.append(stability())
    if _truth(section, "fit_time", False):
        found.append(fit_time())
    return found


def _operator(section: Section, oracle: Oracle, hidden: bool) -> OperatorSpec:
    _known(section, ("name", "kind", "utility", "order", "steps", "hidden", "noise", "hesitation"))
    kind = section.get("kind", "simulated")
    if kind != "simulated":
        raise InputError(f"`kind` is 'simulated', found {kind!r}")
    given = [name for name in ("utility", "order", "hidden") if name in section]
    if len(given) != 1:
        raise InputError(f"needs exactly one of `utility`, `order` and `hidden`, found {', '.join(given) or 'none'}")
    if "steps" in section and "order" not in section:
        raise InputError("`steps` belong to an `order`; add it, or leave them out")
    utility, name = _utility(section, given[0], hidden)
    name = _text(section, "name") if "name" in section else name
    noise = _number(section, "noise", 0.0, least=0.0, most=1.0)
    spec = OperatorSpec(name, utility, noise, _number(section, "hesitation", 0.0, least=0.0))
    _simulated(spec, oracle, 0)  # checks the names of the criteria
    return spec


def _utility(section: Section, given: str, hidden: bool) -> tuple[str | Lexicographic | None, str]:
    """The utility, and a name for it."""
    if given == "utility":
        text = _text(section, "utility")
        return text, text
    if given == "order":
        order = _texts(section, "order")
        steps = _section(section.get("steps", {}))
        order_by = Lexicographic(order, {name: _finite(f"steps.{name}", value) for name, value in steps.items()})
        return order_by, " > ".join(order)
    if not _truth(section, "hidden", False):
        raise InputError("`hidden` is true or absent, found false; give a `utility` or an `order`")
    if not hidden:
        raise InputError("a `hidden` utility goes with an oracle of kind 'synthetic' alone; give a `utility`")
    return None, "hidden"


def _elicit(section: Section, oracle: Oracle) -> ElicitSpec:
    own = ("name", "keep", "drop", "max_size", "prior")
    _known(section, (*own, "preset", *(f.name for f in dataclasses.fields(Settings))))
    settings = _settings({key: value for key, value in section.items() if key not in own})
    attributes = oracle.attributes
    largest = _whole(section, "max_size", None, least=1) if "max_size" in section else None
    family = Family(
        len(attributes),
        attributes.mask(_texts(section, "keep")),
        attributes.mask(_texts(section, "drop")),
        largest,
    )
    prior = _numbers(section, "prior") if "prior" in section else None
    if prior is not None and len(prior) != len(attributes):
        raise InputError(f"`prior` has {len(prior)} numbers for {len(attributes)} attributes; give one each")
    Elicitation(attributes, oracle.criteria, settings, family=family)  # checks what only it can check
    return ElicitSpec(_text(section, "name") if "name" in section else "elicit", settings, family, prior)


def _settings(choices: Section) -> Settings:
    try:
        return settings_from(choices)
    except (TypeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"a setting has the wrong kind of value: {error}") from error


def _experiment(section: Section) -> tuple[int, ...]:
    _known(section, ("seeds", "methods"))
    for method in _texts(section, "methods") if "methods" in section else METHODS:
        if method not in METHODS:
            raise InputError(
                f"`methods` knows {', '.join(map(repr, METHODS))}; found {method!r}{_near(method, METHODS)}"
            )
    return _seeds(section.get("seeds", 1))


def _seeds(given: Any) -> tuple[int, ...]:
    """So many seeds from 0, or the listed ones."""
    listed = given if isinstance(given, list) else None
    if listed is None:
        if isinstance(given, bool) or not isinstance(given, int) or given < 1:
            raise InputError(f"`seeds` is a number of at least 1 or a list of seeds, found {given!r}")
        return tuple(range(given))
    if not listed or any(isinstance(seed, bool) or not isinstance(seed, int) or seed < 0 for seed in listed):
        raise InputError(f"`seeds` lists whole numbers of at least 0, found {given!r}")
    if len(set(listed)) < len(listed):
        raise InputError("`seeds` lists a seed twice; the runs would be the same")
    return tuple(listed)


# --- values of a section -----------------------------------------------------------------------------


def _known(section: Section, keys: Sequence[str]) -> None:
    for key in section:
        if key not in keys:
            raise InputError(f"unknown key {key!r}{_near(key, keys) or '; the keys are ' + ', '.join(keys)}")


def _near(found: Any, known: Any) -> str:
    near = difflib.get_close_matches(str(found), list(known), n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def _section(value: Any) -> Section:
    if not isinstance(value, dict):
        raise InputError(f"expected a table of keys, found {value!r}")
    return value


def _text(section: Section, key: str) -> str:
    value = section[key]
    if not isinstance(value, str) or not value:
        raise InputError(f"`{key}` is a text, found {value!r}")
    return value


def _texts(section: Section, key: str) -> tuple[str, ...]:
    value = section.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise InputError(f"`{key}` is a list of texts, found {value!r}")
    return tuple(value)


def _finite(key: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise InputError(f"`{key}` is a number, found {value!r}")
    return float(value)


def _number(section: Section, key: str, default: float, least: float = -math.inf, most: float = math.inf) -> float:
    value = _finite(key, section.get(key, default))
    if not least <= value <= most:
        upper = "" if most == math.inf else f" and at most {most:g}"
        raise InputError(f"`{key}` is at least {least:g}{upper}, found {value:g}")
    return value


def _numbers(section: Section, key: str) -> tuple[float, ...]:
    value = section[key]
    if not isinstance(value, list):
        raise InputError(f"`{key}` is a list of numbers, found {value!r}")
    return tuple(_finite(key, item) for item in value)


def _whole(section: Section, key: str, default: int | None, least: int) -> int:
    value = section.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise InputError(f"`{key}` is a whole number of at least {least}, found {value!r}")
    return value


def _truth(section: Section, key: str, default: bool) -> bool:
    value = section.get(key, default)
    if not isinstance(value, bool):
        raise InputError(f"`{key}` is true or false, found {value!r}")
    return value


# --- running -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Standing:
    """How far an experiment is: runs finished and to do, and where the run under way stands, if that is known."""

    finished: int
    total: int
    run: Progress | None = None


def run_scenario(
    scenario: Scenario, n_jobs: int | None = None, progress: Callable[[Standing], None] | None = None
) -> list[dict[str, Any]]:
    """One plain result for each choice of [elicit], operator and seed, in this order (see `plain_result`)."""
    tasks = [(e, o, seed) for e in scenario.elicits for o in scenario.operators for seed in scenario.seeds]
    results: list[dict[str, Any]] = []

    def show(run: Progress | None = None) -> None:
        if progress is not None:
            progress(Standing(len(results), len(tasks), run))

    for result in _results(scenario, tasks, n_jobs, show if progress is not None else None):
        results.append(result)
        show()
    return results


def _results(
    scenario: Scenario,
    tasks: Sequence[tuple[ElicitSpec, OperatorSpec, int]],
    n_jobs: int | None,
    show: Callable[[Progress], None] | None,
) -> Iterator[dict[str, Any]]:
    if min(int(effective_n_jobs(n_jobs)), len(tasks)) == 1:
        for task in tasks:
            yield _one_run(scenario, *task, show)
    else:
        yield from Parallel(n_jobs=n_jobs, return_as="generator")(delayed(_one_run)(scenario, *task) for task in tasks)


#: Oracles whose results other runs of this process can use again, by fingerprint.
_memory: dict[str, Remembering] = {}


def _remembered(oracle: Oracle) -> Oracle:
    """The oracle with the memory of earlier runs; a table needs none, and a drawn truth is not met again."""
    if isinstance(oracle, TableOracle | SyntheticOracle):
        return oracle
    return _memory.setdefault(oracle.fingerprint, Remembering(oracle))


def _one_run(
    scenario: Scenario,
    elicit: ElicitSpec,
    operator: OperatorSpec,
    seed: int,
    show: Callable[[Progress], None] | None = None,
) -> dict[str, Any]:
    oracle = _remembered(scenario.oracle_of(seed))
    simulated = _simulated(operator, oracle, seed)
    prior: Vector | None = None if elicit.prior is None else np.array(elicit.prior)
    elicitation = Elicitation(
        oracle.attributes, oracle.criteria, elicit.settings, family=elicit.family, seed=seed, prior=prior
    )
    best = best_utility(oracle, simulated, elicit.family)
    trace = _Trace(simulated, best)

    def watch(standing: Progress) -> None:
        trace.add(standing)
        if show is not None:
            show(standing)

    wanted = best is not None or show is not None
    result = drive(elicitation, oracle, simulated, progress=watch if wanted else None)
    return plain_result(elicit.name, operator.name, seed, result, simulated, best, trace.regrets)


def _simulated(spec: OperatorSpec, oracle: Oracle, seed: int) -> SimulatedOperator:
    utility: str | Lexicographic | HiddenTheta
    if spec.utility is None:
        assert isinstance(oracle, SyntheticOracle)
        utility = HiddenTheta(oracle.theta)
    else:
        utility = spec.utility
    return SimulatedOperator(utility, oracle.criteria, noise=spec.noise, hesitation=spec.hesitation, seed=seed)


def best_utility(oracle: Oracle, operator: SimulatedOperator, family: Family) -> float | None:
    """The best utility in the family where it can be known: in a table, and for a small drawn truth."""
    if isinstance(oracle, TableOracle):
        rows = [(mask, row) for mask, row in zip(oracle.masks(), oracle.values(), strict=True) if mask in family]
        masks, values = [mask for mask, _ in rows], np.array([row for _, row in rows])
    elif isinstance(oracle, SyntheticOracle) and family.count() <= ENUMERATED:
        masks = list(family)
        values = np.array([oracle(Evaluate(0, mask)).criteria for mask in masks])
    else:
        return None
    if not masks:
        return None
    columns = {criterion.name: values[:, c] for c, criterion in enumerate(oracle.criteria)}
    return float(operator.utilities(columns, masks).max())


class _Trace:
    """The utility regret of what would be recommended after each evaluation.

    An entry speaks of all that is known until the next evaluation, answers included.
    """

    def __init__(self, operator: SimulatedOperator, best: float | None) -> None:
        self._operator, self._best = operator, best
        self._last: float | None = None
        self._found: list[float | None] = []

    @property
    def regrets(self) -> list[float | None] | None:
        """One entry an evaluation; None where the best is not known."""
        return None if self._best is None else self._found

    def add(self, standing: Progress) -> None:
        if self._best is None:
            return
        behind = standing.evaluations - len(self._found)
        self._found.extend([self._last] * behind)  # a round folds as a whole: meanwhile nothing changes
        self._last = regret_of(standing.subset, standing.criteria, self._operator, self._best)
        if self._found:
            self._found[-1] = self._last


def regret_of(
    subset: Mask | None, criteria: Mapping[str, float], operator: SimulatedOperator, best: float | None
) -> float | None:
    """Best utility minus the subset's; None where either is not known."""
    if subset is None or best is None:
        return None
    lost = best - operator.utility(criteria, subset)
    return 0.0 if abs(lost) <= TOLERANCE else lost


def plain_result(
    method: str,
    operator: str,
    seed: int,
    result: Result,
    simulated: SimulatedOperator,
    best: float | None,
    trace: list[float | None] | None,
) -> dict[str, Any]:
    """A result as JSON holds it; `regret` and `trace` are null where the best utility is not known."""
    return {
        "method": method,
        "operator": operator,
        "seed": seed,
        "subset": list(result.names),
        "criteria": dict(result.criteria),
        "utility": None if result.subset is None else simulated.utility(result.criteria, result.subset),
        "regret": regret_of(result.subset, result.criteria, simulated, best),
        "evaluations": result.evaluations,
        "questions": result.questions,
        "seconds": round(result.seconds, 3),
        "stopped": result.reason,
        "scope": result.scope,
        "failures": dict(result.failures),
        "set_aside": len(result.set_aside),
        "trace": trace,
    }


# --- summary -----------------------------------------------------------------------------------------


def summary(results: Sequence[Mapping[str, Any]]) -> list[str]:
    """The results as lines of text: one row a method and operator, means over the seeds.

    `regret@k` is the mean utility regret after k evaluations; a run that ended before keeps its last.
    Where the best is not known, the mean utility of what was recommended stands in its place.
    """
    rows: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for result in results:
        rows.setdefault((result["method"], result["operator"]), []).append(result)
    points = _points(results)
    header = ["method", "operator", "runs", "utility", *(f"regret@{k}" for k in points)]
    header += ["regret", "best found", "questions", "evaluations", "failed", "seconds"]
    lines = [header]
    for (method, operator), runs in rows.items():
        found = [run["regret"] for run in runs]
        known = all(regret is not None for regret in found)
        lines.append(
            [
                printable(method),
                printable(operator),
                str(len(runs)),
                _mean([run["utility"] for run in runs], ".4f"),
                *(_mean([_at_evaluation(run, k) for run in runs], ".4f") for k in points),
                _mean(found, ".4f"),
                f"{sum(r <= TOLERANCE for r in found) / len(runs):.0%}" if known else "–",
                _mean([run["questions"] for run in runs], ".1f"),
                _mean([run["evaluations"] for run in runs], ".1f"),
                _mean([sum(run["failures"].values()) for run in runs], ".1f"),
                _mean([run["seconds"] for run in runs], ".2f"),
            ]
        )
    widths = [max(len(line[k]) for line in lines) for k in range(len(header))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines]


def _points(results: Sequence[Mapping[str, Any]]) -> list[int]:
    """Evaluations at which the summary shows the regret: those of 10, 20, 40, 60, 91, 200 that runs reached."""
    if any(result["trace"] is None for result in results):
        return []
    longest = max((result["evaluations"] for result in results), default=0)
    return [k for k in (10, 20, 40, 60, 91, 200, 500) if k <= longest]


def _at_evaluation(run: Mapping[str, Any], k: int) -> float | None:
    trace = run["trace"]
    regret: float | None = trace[min(k, len(trace)) - 1] if trace else None
    return regret


def _mean(values: Sequence[float | None], form: str) -> str:
    """The mean, or a dash when a value is missing."""
    present = [value for value in values if value is not None]
    return format(sum(present) / len(present), form) if present and len(present) == len(values) else "–"
