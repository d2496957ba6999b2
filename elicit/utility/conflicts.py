"""When no utility satisfies all statements: which ones cannot hold together, and what to give up.

Conflicts and repairs are dual. A repair must hit every conflict, and a conflict must hit every
repair; so a smallest one of either kind is a smallest hitting set of the others found so far, and
the search ends when that hitting set is itself one.

Dominance is taken with all that follows from it by transitivity, so that a chain of it counts as one
statement. A part is consistent when its largest margin exceeds `SMALLEST_MARGIN`. Below that, floats cannot
tell a thin margin from none: `contradiction_in` says what is in conflict only where fractions show it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from elicit.knowledge.statements import Relation, Source, Statement, reachable
from elicit.subsets import Mask
from elicit.utility import tolerances
from elicit.utility.monomials import Matrix, Monomials, Vector
from elicit.utility.rationals import rational_combination
from elicit.utility.sets import equalities, required_margins, statement_rows
from elicit.utility.solver import INFINITY, Program, Status, cheapest_hitting_set

#: Hitting sets tried, and programs solved, before the best conflict found so far is returned as not proven smallest.
MOST_ROUNDS, MOST_PROGRAMS = 200, 2000

#: No smaller conflict is looked for beside one of more statements than this: there are too many hitting sets to try,
#: and nobody reads as many.
LONGEST_SHORTENED = 24


@dataclass(frozen=True)
class Conflict:
    """Statements that cannot hold together; `smallest` when no fewer do so."""

    statements: tuple[Statement, ...]
    smallest: bool


@dataclass(frozen=True)
class Repair:
    """Statements whose retraction makes the rest consistent, of least total weight when `cheapest`."""

    statements: tuple[Statement, ...]
    cheapest: bool


def margin_program(d: Matrix, statements: Sequence[Statement], row_lower: Vector, row_upper: Vector) -> Program:
    """max t subject to d_r·θ ≥ t (strict), the bounds of the other rows, and |θ| ≤ 1; columns θ and t."""
    p, strict = d.shape[1], -required_margins(statements).reshape(len(d), 1)
    return Program(
        np.hstack([d, strict]),
        cost=np.append(np.zeros(p), -1.0),
        lower=np.append(-np.ones(p), -float(p)),
        upper=np.append(np.ones(p), float(p)),
        row_lower=row_lower,
        row_upper=row_upper,
    )


class Consistency:
    """The largest margin of any part of a list of statements; rows are switched on and off."""

    def __init__(self, monomials: Monomials, statements: Sequence[Statement]) -> None:
        self.statements = tuple(statements)
        self._d = statement_rows(monomials, statements)
        off = np.full(len(self.statements), INFINITY)
        self._program = margin_program(self._d, self.statements, -off, off)
        self._on: set[int] = set()

    def margin(self, chosen: set[int]) -> tuple[float, Vector, Vector]:
        """The largest margin of the chosen statements, the θ that has it, and their multipliers."""
        for r in self._on ^ chosen:
            equal = self.statements[r].relation is Relation.EQUAL
            on = r in chosen
            self._program.change_row(r, 0.0 if on else -INFINITY, 0.0 if on and equal else INFINITY)
        self._on = set(chosen)
        solution = self._program.optimum()
        return float(solution.values[-1]), solution.values[:-1], solution.duals

    def consistent(self, chosen: set[int]) -> bool:
        """Whether some θ gives every chosen strict statement a margin."""
        return (
            not any(self.statements[r].strict for r in chosen) or self.margin(chosen)[0] >= tolerances.SMALLEST_MARGIN
        )

    @property
    def solved(self) -> int:
        """How many programs were solved."""
        return self._program.solved

    def opposite(self) -> set[int] | None:
        """Two statements of which one says the opposite of the other; no program is needed to see that.

        One with an answer in it comes first: it is what can be taken back.
        """
        first_row: dict[bytes, int] = {}
        for r in sorted(range(len(self.statements)), key=lambda r: self.statements[r].source is not Source.OPERATOR):
            s, d = self.statements[r], self._d[r]
            for way in (d, -d) if s.relation is Relation.EQUAL else (d,):
                same, opposite = (way + 0.0).tobytes(), (0.0 - way).tobytes()  # there is one 0
                other = first_row.get(opposite)
                if other is not None and (s.strict or self.statements[other].strict):
                    return {r, other}
                if same not in first_row or (s.strict and not self.statements[first_row[same]].strict):
                    first_row[same] = r
        return None

    def minimal_conflict(self, chosen: set[int]) -> set[int]:
        """A part of an inconsistent choice that is inconsistent, and no longer so with any one left out."""
        duals = self.margin(chosen)[2]
        part = {r for r in chosen if abs(duals[r]) > tolerances.MULTIPLIER}
        if self.consistent(part):  # the multipliers were too coarse to name a conflict
            part = set(chosen)
        elif self._one_way_to_cancel(part):
            return part
        for r in sorted(part, key=lambda r: (self.statements[r].source is Source.OPERATOR, r)):
            if not self.consistent(part - {r}):
                part -= {r}
        return part

    def _one_way_to_cancel(self, part: set[int]) -> bool:
        """Whether the rows of an inconsistent choice cancel in one way alone, in which each of them has a part."""
        rows = self._d[sorted(part)]
        _, sizes, ways = np.linalg.svd(rows.T)
        within = int((sizes > tolerances.MULTIPLIER).sum())
        return within == len(rows) - 1 and bool((np.abs(ways[-1]) > tolerances.MULTIPLIER).all())

    def maximal_consistent(self, chosen: set[int]) -> set[int]:
        """A consistent choice grown until nothing more fits."""
        grown = self._grown(set(), chosen) or set(chosen)
        for r in range(len(self.statements)):
            if r not in grown:
                grown = self._grown(grown, {r}) or grown
        return grown

    def _grown(self, chosen: set[int], more: set[int]) -> set[int] | None:
        """Both, and all that a θ of theirs satisfies; None where they are inconsistent."""
        both = chosen | more
        if not any(self.statements[r].strict for r in both):
            return both
        margin, theta, _ = self.margin(both)
        return both | self._satisfied(theta) if margin >= tolerances.SMALLEST_MARGIN else None

    def _satisfied(self, theta: Vector) -> set[int]:
        """The statements that a θ satisfies."""
        held = self._d @ theta
        return {
            r
            for r, s in enumerate(self.statements)
            if (held[r] >= tolerances.SMALLEST_MARGIN if s.strict else held[r] >= 0)
            and (s.relation is not Relation.EQUAL or held[r] <= 0)
        }


def smallest_conflict(monomials: Monomials, statements: Sequence[Statement], rounds: int = MOST_ROUNDS) -> Conflict:
    """The fewest statements that cannot hold together; no statements when all can."""
    statements = with_implied_dominance(statements)
    consistency = Consistency(monomials, statements)
    everything = set(range(len(statements)))
    if consistency.consistent(everything):
        return Conflict((), True)
    pair = consistency.opposite()
    if pair is not None:
        return Conflict(_chosen(statements, pair), True)
    smallest_so_far = consistency.minimal_conflict(everything)
    if len(smallest_so_far) > LONGEST_SHORTENED:
        return Conflict(_chosen(statements, smallest_so_far), False)
    repairs: list[set[int]] = []
    for _ in range(rounds):
        if consistency.solved > MOST_PROGRAMS:
            break
        hitting_set = cheapest_hitting_set(repairs, np.ones(len(statements)))
        if len(hitting_set) >= len(smallest_so_far):
            return Conflict(_chosen(statements, smallest_so_far), True)
        if not consistency.consistent(hitting_set):
            return Conflict(_chosen(statements, hitting_set), True)
        repairs.append(everything - consistency.maximal_consistent(hitting_set))
    return Conflict(_chosen(statements, smallest_so_far), False)


def contradiction_in(monomials: Monomials, statements: Sequence[Statement]) -> tuple[Statement, ...]:
    """A part that cannot hold together, as fractions show; no statements where they show no contradiction.

    It is a smallest such part, unless this one is only thin, is long (`LONGEST_SHORTENED`), or took more than
    `MOST_PROGRAMS` to be shown smallest. Beside a long one, that of a proof which leans little on what was measured may
    be short: where answers contradict each other, they alone are in it.
    """
    proof = farkas_multipliers(monomials, statements)
    if proof is None:
        return ()
    found = smallest_conflict(monomials, statements).statements
    if len(found) > LONGEST_SHORTENED:
        leaning = farkas_multipliers(monomials, statements, little_measured=True)
        if leaning is not None and len(leaning) < len(found):
            return tuple(statements[r] for r, _ in leaning)
    return found if farkas_multipliers(monomials, found) is not None else tuple(statements[r] for r, x in proof if x)


def farkas_multipliers(
    monomials: Monomials, statements: Sequence[Statement], *, little_measured: bool = False
) -> list[tuple[int, Fraction]] | None:
    """Multipliers of which the rows of the statements cancel, those of the strict ones with sum 1: no θ satisfies all.

    A proof by Farkas' lemma, in fractions; None when none are found. Of statements that hold with room to spare the
    solver may come to no end: that is for a margin to show. little_measured: those of dominance have the least sum.
    """
    strict = required_margins(statements)
    if not strict.any():
        return None
    d = statement_rows(monomials, statements)
    equal = equalities(statements)
    program = Program(
        np.vstack([d.T, strict]),
        cost=np.array([float(little_measured and s.source is Source.DOMINANCE) for s in statements]),
        lower=np.where(equal, -INFINITY, 0.0),
        upper=np.full(len(statements), INFINITY),
        row_lower=np.append(np.zeros(len(monomials)), 1.0),
        row_upper=np.append(np.zeros(len(monomials)), 1.0),
    )
    solution = program.solve()
    if solution.status is not Status.OPTIMAL:
        return None
    support = [r for r, x in enumerate(solution.values) if abs(x) > tolerances.MULTIPLIER]
    rows = [[int(x) for x in d[r]] + [int(strict[r])] for r in support]
    exact = rational_combination(rows, [0] * len(monomials) + [1], solution.values[support].tolist())
    if exact is None or any(x < 0 and not equal[r] for r, x in zip(support, exact, strict=True)):
        return None
    return list(zip(support, exact, strict=True))


def with_implied_dominance(statements: Sequence[Statement]) -> tuple[Statement, ...]:
    """The statements, and every dominance that follows from the given ones by transitivity."""
    below: dict[Mask, dict[Mask, Statement]] = {}
    for s in statements:
        if s.source is Source.DOMINANCE:
            below.setdefault(s.better, {})[s.worse] = s
    implied, steps = [], {top: direct.keys() for top, direct in below.items()}
    for top, direct in below.items():
        weight = min(s.weight for s in direct.values())
        implied += [
            Statement(top, worse, Relation.STRICT, Source.DOMINANCE, weight)
            for worse in sorted(reachable(top, steps) - direct.keys() - {top})
        ]
    return (*statements, *implied)


def retractable(statement: Statement) -> bool:
    """What may be taken back: everything but what was measured."""
    return statement.source is not Source.DOMINANCE


def cheapest_retraction(
    monomials: Monomials,
    statements: Sequence[Statement],
    may: Callable[[Statement], bool] = retractable,
    rounds: int = MOST_ROUNDS,
) -> Repair | None:
    """The retraction of least total weight after which the rest is consistent.

    None when even retracting all that `may` be retracted leaves a contradiction.
    """
    statements = with_implied_dominance(statements)
    consistency = Consistency(monomials, statements)
    candidates = {r for r, s in enumerate(statements) if may(s)}
    everything = set(range(len(statements)))
    if not consistency.consistent(everything - candidates):
        return None
    weights = np.array([s.weight for s in statements])
    conflicts: list[set[int]] = []
    for _ in range(rounds):
        hitting_set = cheapest_hitting_set(conflicts, weights)
        if consistency.consistent(everything - hitting_set):
            return Repair(_chosen(statements, hitting_set), True)
        conflicts.append(consistency.minimal_conflict(everything - hitting_set) & candidates)
    while not consistency.consistent(everything - hitting_set):
        hitting_set |= consistency.minimal_conflict(everything - hitting_set) & candidates
    return Repair(_chosen(statements, hitting_set), False)


def _chosen(statements: Sequence[Statement], places: set[int]) -> tuple[Statement, ...]:
    return tuple(statements[r] for r in sorted(places))
