"""A simulated operator knows its utility, and may hesitate over a close pair or answer wrongly.

It is shown what a person is shown, the two subsets with their criteria, and decides in this order:

- utilities within 1e-9 of each other: equal;
- utilities within `hesitation` of each other: cannot compare;
- otherwise the subset of greater utility.

With probability `noise` the answer is then wrong: first and second change places, an equal pair gets a
strict answer by a fair coin, and "cannot compare" stays. Whether a question is answered wrongly
depends on the seed and the question's id alone, so it does not matter in which order questions come.
A contradiction is settled by keeping every answer, to be weighed: what an unattended run does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from elicit.asks import Compare, Reconcile, Settlement
from elicit.errors import InputError, nearest
from elicit.events import SCORE_AND_SIZE, Answer, Criterion, Evaluated, checked_criteria
from elicit.numeric import GRID, LARGEST_MEASURED, given_number, is_finite, is_whole, step_of
from elicit.operators.expression import Column, Expression, parse
from elicit.subsets import Mask, indicator, members

#: The number of attributes: every operator may use it, whether or not the oracle reports it.
SIZE = Criterion("size", maximise=False)

#: The default step of a criterion in an order; that of the size is one attribute.
DEFAULT_STEP = 1e-6

#: The least weight of the last criterion of an order, in units of the first: utilities differ from 1e-9 on, and later
#: criteria only move them within one step.
LEAST_WEIGHT = 1e-6

#: Up to so many attributes sizes are told apart below a criterion in default steps.
MOST_SIZES = 900

#: The share of a step that is kept for large numbers, and how far (in powers of e) the first half of it reaches.
FAR, REACH = 0.03, 3.0

#: Sets the errors of a noisy operator apart from what a run of the same seed draws by the numbers of its requests.
_APART = 1


@dataclass(frozen=True)
class Lexicographic:
    """The first criterion in `order` decides, then the second among its equals, and so on.

    A criterion counts in whole steps: with steps {"score": 0.01}, 0.893 and 0.899 are equal in score and
    0.901 is better. Without a step, the size counts in attributes and others in millionths. Steps, unlike a
    threshold on the difference, leave a transitive order, so that there is a best subset and truthful answers
    never conflict with each other. With what was measured they may, where dominance tells equals apart: by less
    than a step, or by a criterion that is not in the order.
    """

    order: tuple[str, ...]
    steps: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        order: object = self.order
        if isinstance(order, str) or not self.order:
            raise InputError(f"expected a list of criteria, most important first, found {order!r}")
        object.__setattr__(self, "order", tuple(self.order))
        object.__setattr__(self, "steps", dict(self.steps))
        if len(set(self.order)) < len(self.order):
            raise InputError(f"a criterion occurs twice in the order {list(self.order)}; remove one")
        for name, step in self.steps.items():
            if name not in self.order:
                raise InputError(f"there is a step for {name!r}, which is not in the order; add or remove it")
            _require_number(f"the step of {name!r}", step, least=GRID)
        told = float(np.prod([self._step(name) for name in self.order[:-1]]))
        if told < LEAST_WEIGHT:
            raise InputError(
                f"in the order {list(self.order)} the last criterion would weigh {told:g} of the first, too little to "
                "be told from rounding; give larger `steps` to those before it"
            )

    def levels(self, columns: Mapping[str, Column], maximise: Mapping[str, bool]) -> list[Column]:
        """One column (m,) of whole numbers a criterion, in order, the greater the better."""
        found = []
        for name in self.order:
            if not np.isfinite(columns[name]).all():
                raise InputError(f"criterion {name!r} must be finite for every subset; found {columns[name]}")
            better = columns[name] if maximise[name] else -columns[name]
            if name in self.steps:
                # the tolerance keeps 0.9 / 0.01 = 89.999… on the step that it stands on
                found.append(np.floor((better + GRID) / self.steps[name]))
            else:
                found.append(np.rint(better / self._step(name)))
        return found

    def over(self, columns: Mapping[str, Column], maximise: Mapping[str, bool]) -> Column:
        """A utility (m,) with this order, in the units of the first criterion.

        u_k = step_k (level_k + s(u_k+1)), where s is increasing and stays within (0, 1): whatever the
        later criteria say, they never make up for one step of an earlier one.
        """
        levels = self.levels(columns, maximise)
        *earlier, (last, level) = zip(self.order, levels, strict=True)
        value = self._step(last) * level
        for name, level in reversed(earlier):
            value, last = self._step(name) * (level + _within_a_step(last, value)), name
        self._require_apart(levels, value, columns)
        return value

    def _require_apart(self, levels: Sequence[Column], utility: Column, columns: Mapping[str, Column]) -> None:
        """Refuse rows of which one is better, but by less than utilities are told apart."""
        inner = np.lexsort(levels[::-1])
        apart = np.array([np.diff(level[inner]) != 0 for level in levels])
        lost = np.flatnonzero(apart.any(axis=0) & ~(np.diff(utility[inner]) > GRID))
        if lost.size:
            name = self.order[int(apart[:, lost[0]].argmax())]
            worse, better = (columns[name][inner[lost[0] + k]] for k in (0, 1))
            raise InputError(
                f"in the order {list(self.order)} {name} {better:.12g} is better than {worse:.12g} by too little to be "
                "told from rounding; give larger `steps`"
            )

    def _step(self, name: str) -> float:
        return self.steps.get(name, 1.0 if name == SIZE.name else DEFAULT_STEP)


def _within_a_step(name: str, value: Column) -> Column:
    """A number between 0 and 1 that grows with what a criterion, and all after it, is worth."""
    if name == SIZE.name:  # evenly, for each attribute is told from one more
        return np.asarray(np.clip(value / MOST_SIZES, -1.0, 1.0) + (value < 0))
    # hardly less than the arc alone tells scores apart; the logarithm tells costs of millions apart, too
    far = np.log1p(np.abs(value))
    return np.asarray(0.5 + (1 - FAR) * np.arctan(value) / np.pi + FAR * np.sign(value) * 0.5 * far / (far + REACH))


@dataclass(frozen=True)
class HiddenTheta:
    """f(v) = Σ θ_S over the singletons and pairs S ⊆ v: a utility of the subset, not of its criteria.

    It may contradict dominance unless the oracle's score is this same function.
    """

    theta: Mapping[Mask, float]

    def __post_init__(self) -> None:
        for mask, value in self.theta.items():
            if isinstance(mask, bool) or not isinstance(mask, int) or mask <= 0 or mask.bit_count() > 2:
                raise InputError(f"θ belongs to singletons and pairs, found one for mask {mask!r}")
            _require_number(f"θ of mask {mask}", value)
        object.__setattr__(self, "theta", MappingProxyType(dict(self.theta)))

    def __reduce__(self) -> tuple[type[HiddenTheta], tuple[dict[Mask, float]]]:
        return HiddenTheta, (dict(self.theta),)  # a read-only view does not pickle by itself

    def over(self, subsets: Sequence[Mask]) -> Column:
        """The utilities (m,) of m subsets."""
        n = max((mask.bit_length() for mask in (*self.theta, *subsets)), default=1)
        inside = indicator(subsets, n)
        total = np.zeros(len(subsets))
        for mask, value in self.theta.items():
            total += value * inside[:, members(mask)].all(axis=1)
        return total


Utility = str | Expression | Lexicographic | HiddenTheta | Callable[[Mapping[str, float]], float]


class SimulatedOperator:
    """Answers by a utility: an expression over criteria, an order of criteria, a hidden θ or a callable.

    `criteria` are the oracle's, in its order. `utility` and `utilities` tell a simulation the truth.
    """

    def __init__(
        self,
        utility: Utility,
        criteria: Sequence[Criterion] = SCORE_AND_SIZE,
        *,
        noise: float = 0.0,
        hesitation: float = 0.0,
        seed: int = 0,
    ) -> None:
        _require_number("noise, a probability,", noise, least=0.0, most=1.0)
        _require_number("hesitation", hesitation, least=0.0)
        if not is_whole(seed) or seed < 0:
            raise InputError(f"a seed is a whole number from 0, found {seed!r}")
        self.criteria = checked_criteria(criteria)
        self.noise, self.hesitation, self.seed = float(noise), float(hesitation), int(seed)
        self._names = tuple(criterion.name for criterion in self.criteria)
        known = (*self.criteria, SIZE) if SIZE.name not in self._names else self.criteria
        self._maximise = {criterion.name: criterion.maximise for criterion in known}
        self._truth = parse(utility, self._maximise) if isinstance(utility, str) else utility
        if isinstance(self._truth, Lexicographic | Expression):
            used = self._truth.order if isinstance(self._truth, Lexicographic) else self._truth.names
            for name in used:
                if name not in self._maximise:
                    hint = nearest(name, self._maximise, f"the criteria are {', '.join(self._maximise)}")
                    raise InputError(f"unknown criterion {name!r}{hint}")
        elif not isinstance(self._truth, HiddenTheta) and not callable(self._truth):
            raise InputError(f"expected a utility as an expression or a callable, found {utility!r}")

    def __repr__(self) -> str:
        told = self._truth.text if isinstance(self._truth, Expression) else self._truth
        apart = [f", {name}={value:g}" for name in ("noise", "hesitation") if (value := getattr(self, name))]
        return f"{type(self).__name__}({told!r:.80}{''.join(apart)})"

    def __call__(self, request: Compare | Reconcile) -> Answer | Settlement:
        if isinstance(request, Reconcile):
            return Settlement(None)
        return self._with_noise(self.truth(request.first, request.second), request.id)

    def truth(self, first: Evaluated, second: Evaluated) -> Answer:
        """The answer without noise."""
        pair = (first, second)
        subsets = [fact.subset for fact in pair]
        rows = [self._named(fact) for fact in pair]
        columns = {name: np.array([row[name] for row in rows]) for name in rows[0]}
        worth = self.utilities(columns, subsets)
        gap, told_apart = float(worth[0] - worth[1]), step_of(np.abs(worth).max())
        if isinstance(self._truth, Lexicographic):
            # the levels decide: in the utility, what later criteria say may vanish in rounding
            levels = self._truth.levels(columns, self._maximise)
            order = next((level[0] - level[1] for level in levels if level[0] != level[1]), 0.0)
        else:
            order = gap if abs(gap) > told_apart else 0.0
        if order == 0:
            return Answer.EQUAL
        if self.hesitation > 0 and abs(gap) <= self.hesitation + told_apart:  # 0.91 - 0.9 is 0.01
            return Answer.INCOMPARABLE
        return Answer.FIRST if order > 0 else Answer.SECOND

    def utility(self, criteria: Mapping[str, float], subset: Mask | None = None) -> float:
        """The true utility of one subset; a hidden θ needs the subset, the others its criteria."""
        columns = {name: np.array([float(value)]) for name, value in criteria.items()}
        return float(self.utilities(columns, None if subset is None else [subset])[0])

    def utilities(self, columns: Mapping[str, Column], subsets: Sequence[Mask] | None = None) -> Column:
        """The true utilities (m,) of m subsets, given one column (m,) a criterion, and the subsets.

        `size` is counted from the subsets when there is no such column.
        """
        if subsets is not None and SIZE.name not in columns:
            columns = {**columns, SIZE.name: np.array([float(mask.bit_count()) for mask in subsets])}
        found = self._told(columns, subsets)
        beyond = np.flatnonzero(~(np.abs(found) < LARGEST_MEASURED))
        if beyond.size:
            row = int(beyond[0])
            criteria = {name: float(column[row]) for name, column in columns.items()}
            raise InputError(
                f"the operator's utility is {found[row]:g} for the subset with {criteria}, but utilities must be "
                f"below {LARGEST_MEASURED:g}; rescale it"
            )
        return found

    def _told(self, columns: Mapping[str, Column], subsets: Sequence[Mask] | None) -> Column:
        """The utilities (m,), however large."""
        truth = self._truth
        if isinstance(truth, HiddenTheta):
            if subsets is None:
                raise InputError("a hidden θ is a utility of subsets, but only criteria were given; pass both")
            return truth.over(subsets)
        if isinstance(truth, Expression):
            return truth.over(columns)
        if isinstance(truth, Lexicographic):
            missing = [name for name in truth.order if name not in columns]
            if missing:
                raise InputError(f"the order needs criterion {missing[0]!r}, which was not given")
            return truth.over(columns, self._maximise)
        return _row_by_row(truth, columns)

    def _named(self, fact: Evaluated) -> dict[str, float]:
        """The criteria of a fact by name, and the size of its subset."""
        if len(fact.criteria) != len(self._names):
            raise InputError(
                f"the operator knows {len(self._names)} criteria ({', '.join(self._names)}), "
                f"the question has {len(fact.criteria)}; give the operator the oracle's criteria"
            )
        counted = {SIZE.name: float(fact.subset.bit_count())}
        return counted | dict(zip(self._names, map(float, fact.criteria), strict=True))

    def _with_noise(self, answer: Answer, question: int) -> Answer:
        random = np.random.default_rng([self.seed, question, _APART])
        if random.random() >= self.noise or answer is Answer.INCOMPARABLE:
            return answer
        if answer is Answer.EQUAL:
            return Answer.FIRST if random.random() < 0.5 else Answer.SECOND
        return Answer.SECOND if answer is Answer.FIRST else Answer.FIRST


def _row_by_row(function: Callable[[Mapping[str, float]], float], columns: Mapping[str, Column]) -> Column:
    """The values (m,) of a function of the criteria, one subset at a time."""
    names = list(columns)
    found = []
    for row in zip(*columns.values(), strict=True):
        criteria = dict(zip(names, map(float, row), strict=True))
        try:
            value = given_number(function(criteria))
        except Exception as error:
            raise InputError(
                f"the operator's utility failed with {type(error).__name__}: {error}; "
                f"it is given one mapping, from {', '.join(sorted(names))} to their values, and returns a number; "
                "what is to be asked instead is an object with a __call__"
            ) from error
        if not np.isfinite(value):
            raise InputError(f"the operator's utility is {value} for the subset with {criteria}; make it finite")
        found.append(value)
    return np.array(found)


def _require_number(what: str, value: float, *, least: float = -np.inf, most: float = np.inf) -> None:
    if not is_finite(value) or not least <= value <= most:
        bounds = [f"at least {least:g}"] * (least > -np.inf) + [f"at most {most:g}"] * (most < np.inf)
        raise InputError(f"{what} must be a finite number {' and '.join(bounds)}".rstrip() + f", found {value!r:.40}")
