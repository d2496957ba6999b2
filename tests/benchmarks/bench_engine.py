"""How fast decisions are against the same decisions taken the plain way: every bar, in one run.

Run it as `python tests/benchmarks/bench_engine.py [--quick] [--only WORD …]`. Each line says what is
compared, n attributes, m statements, medians in milliseconds, their ratio and the bar; whether the bar
binds the slice of the exact set or Θ_τ; and ok or MISSED. A line whose set is in brackets is shown for
comparison and binds nothing. Peers are written out here, built afresh for every decision, and must give
the same value. The exit status is 1 when a bar is missed.

Take figures on a machine that is idle but for this: linprog has threads that wait for a core, so that beside other work
it takes twice as long or more, and a price seems to gain as much. The load is printed first.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median
from unittest.mock import patch

import numpy as np
import pulp
from scipy.optimize import linprog
from threadpoolctl import threadpool_limits

from elicit.decide.elicitation import Elicitation
from elicit.decide.settings import Settings
from elicit.drive import drive
from elicit.events import Evaluated
from elicit.knowledge.history import History
from elicit.knowledge.statements import WEIGHTS, Relation, Source, Statement
from elicit.scenario_file import read_scenario
from elicit.subsets import Attributes, Family, Mask, masks_from, simplest
from elicit.utility.any_set import AnySet
from elicit.utility.certificates import (
    certify_best_among,
    certify_optimal,
    certify_possible,
    certify_rejection,
)
from elicit.utility.exact import ExactSet
from elicit.utility.family import family_regret, programmed_regret
from elicit.utility.kernel import least_norm
from elicit.utility.monomials import Monomials, Utility
from elicit.utility.parsimony import ParsimoniousSet
from elicit.utility.regret import Regrets
from elicit.utility.sampling import logistic
from elicit.utility.sets import Verdict, difference
from elicit.utility.solver import Program
from elicit.utility.verify import verify

SLICE, TAU = "slice", "Θ_τ"
SUITE = Path(__file__).parents[2] / "scenarios" / "suite"


# -- printing -----------------------------------------------------------------------------------


class Report:
    """Prints lines, and counts the bars that are missed."""

    def __init__(self) -> None:
        self.missed: list[str] = []

    def title(self, text: str) -> None:
        print(f"\n{text}", flush=True)

    def line(
        self, what: str, n: int, m: int | str, found: str, bar: str = "", holds: bool | None = None, binds: str = ""
    ) -> None:
        """One line; `holds` None shows a figure without a bar."""
        verdict = "" if holds is None else "ok" if holds else "MISSED"
        print(f"  {what:<50} n={n:<5} m={m!s:<5} {found:<64} {bar:<34} {binds:<8} {verdict}", flush=True)
        if holds is False:
            self.missed.append(f"{what}, n={n}, m={m}: {found} (bar {bar})")

    def ratio(
        self,
        what: str,
        n: int,
        m: int | str,
        fast: Sequence[float],
        slow: Sequence[float],
        *,
        peer: str,
        bar: float | None,
        binds: str,
        at_least: bool = False,
    ) -> None:
        """Two medians of seconds, and their ratio; `at_least` when the peer was stopped by its time limit."""
        ours, theirs = median(fast), median(slow)
        times = theirs / ours
        found = f"{ours * 1e3:9.2f} ms, {peer} {theirs * 1e3:10.1f} ms: {'≥' if at_least else ''}{times:8.1f}×"
        holds = None if bar is None else times >= bar
        self.line(what, n, m, found, "" if bar is None else f"≥ {bar:g}×", holds, binds)


def seconds(work: Callable[[], object]) -> tuple[float, object]:
    """How long one call takes, and what it gives."""
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


class Solved:
    """How many programs were solved so far, whoever asked for them."""

    programs = 0
    plain = Program.solve

    def counted(self, *arguments: object) -> object:
        """Takes the place of `Program.solve`."""
        Solved.programs += 1
        return Solved.plain(self, *arguments)


def side_by_side(
    ours: Sequence[Callable[[], float]], theirs: Sequence[Callable[[], float]], what: str, tolerance: float = 1e-5
) -> tuple[list[float], list[float], bool]:
    """Seconds of both, taken in turns so that a busy machine slows both alike; theirs are the first of ours.

    Several of ours follow each of theirs, as they do in a run: the first finds what another process left in the
    caches. Also whether some peer was stopped by its time limit (its value is then not a number).
    """
    mine, others, stopped = [], [], False
    share = -(-len(ours) // len(theirs))
    for k, peer in enumerate(theirs):
        values = [seconds(work) for work in ours[k * share : (k + 1) * share]]
        mine += [spent for spent, _ in values]
        spent, value = seconds(peer)
        others.append(spent)
        if np.isnan(value):
            stopped = True
        else:
            agree(seconds(ours[k])[1], value, what, tolerance)
    return mine, others, stopped


def agree(ours: float, theirs: float, what: str, tolerance: float = 1e-5) -> None:
    """The peer must find the same value."""
    if abs(ours - theirs) > tolerance * max(1.0, abs(theirs)):
        raise AssertionError(f"{what}: {ours!r} here, {theirs!r} by the peer")


# -- random instances ---------------------------------------------------------------------------


def random_masks(rng: np.random.Generator, n: int, count: int) -> list[Mask]:
    """Different non-empty subsets."""
    found: dict[Mask, None] = {}
    while len(found) < count:
        found.update(dict.fromkeys(mask for mask in masks_from(rng.random((count, n)) < 0.5) if mask))
    return list(found)[:count]


def random_pairs(rng: np.random.Generator, masks: Sequence[Mask], count: int) -> list[tuple[Mask, Mask]]:
    """Pairs of different subsets."""
    picks = (rng.choice(len(masks), 2, replace=False).tolist() for _ in range(count))
    return [(masks[i], masks[j]) for i, j in picks]


def hidden_utility(rng: np.random.Generator, n: int) -> Utility:
    """A 2-additive θ: single attributes, and pairs half as strong."""
    monomials = Monomials.full(n, 2)
    return Utility.of(monomials, rng.normal(size=len(monomials)) / monomials.degrees)


def by_hidden(rng: np.random.Generator, theta: Utility, masks: Sequence[Mask], m: int) -> list[Statement]:
    """m strict statements between random evaluated subsets, all true of θ, so the exact set is not empty."""
    values = dict(zip(masks, theta.values(masks).tolist(), strict=True))
    found: dict[tuple[Mask, Mask], None] = {}
    while len(found) < m:
        a, b = (masks[int(k)] for k in rng.choice(len(masks), 2, replace=False))
        found[(a, b) if values[a] > values[b] else (b, a)] = None
    return [Statement(a, b) for a, b in found]


def exact_instance(seed: int, n: int, evaluated: int, m: int) -> tuple[ExactSet, Utility, np.random.Generator]:
    """A slice of a consistent exact set, the θ behind it, and the generator to go on with."""
    rng = np.random.default_rng(seed)
    theta, masks = hidden_utility(rng, n), random_masks(rng, n, evaluated)
    return ExactSet(n, masks, by_hidden(rng, theta, masks, m)), theta, rng


def dominance_instance(seed: int, n: int, evaluated: int) -> tuple[list[Mask], list[Statement], dict[Mask, float]]:
    """Evaluated subsets, dominance of (noisy score, size) among them reduced, and the scores."""
    rng = np.random.default_rng(seed)
    masks = random_masks(rng, n, evaluated)
    singles = rng.exponential(size=n) * (rng.random(n) < 0.4)
    inside = np.array([[m >> i & 1 for i in range(n)] for m in masks], dtype=float)
    score = 1 - np.exp(-3 * inside @ singles / max(singles.sum(), 1e-9)) + rng.normal(scale=0.03, size=evaluated)
    history = History(
        Attributes.numbered(n),
        facts=[
            Evaluated(r, m, (float(s), float(m.bit_count()))) for r, (m, s) in enumerate(zip(masks, score, strict=True))
        ],
    )
    return masks, list(history.dominance), dict(zip(masks, score.tolist(), strict=True))


# -- the plain way: PuLP and CBC, linprog --------------------------------------------------------


@contextlib.contextmanager
def quiet_pulp() -> Iterator[None]:
    """PuLP 3.3 warns of names that 4 removes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        yield


def value_of(theta: Sequence[pulp.LpVariable], terms: Sequence[Mask], mask: Mask) -> pulp.LpAffineExpression:
    """f(mask) as PuLP writes it."""
    return pulp.lpSum(t for t, term in zip(theta, terms, strict=True) if term & mask == term)


def add_statements(
    problem: pulp.LpProblem, theta: Sequence[pulp.LpVariable], utilities: ExactSet, margin: float | pulp.LpVariable
) -> None:
    """f(better) − f(worse) ≥ margin."""
    terms = utilities.monomials.terms
    for s in utilities.statements:
        problem += value_of(theta, terms, s.better) - value_of(theta, terms, s.worse) >= margin


def plain_maximum(utilities: ExactSet, a: Mask, b: Mask, limit: float | None = None) -> float:
    """max f(a) − f(b) over the slice."""
    with quiet_pulp():
        problem = pulp.LpProblem("maximum", pulp.LpMaximize)
        terms = utilities.monomials.terms
        theta = [pulp.LpVariable(f"t{k}", -1, 1) for k in range(len(terms))]
        problem += value_of(theta, terms, a) - value_of(theta, terms, b)
        add_statements(problem, theta, utilities, utilities.delta)
        problem.solve(pulp.PULP_CBC_CMD(msg=False, timeLimit=limit))
    return float(pulp.value(problem.objective)) if problem.status == pulp.LpStatusOptimal else float("nan")


def plain_margin(utilities: ExactSet) -> float:
    """The largest margin that all strict statements can have."""
    with quiet_pulp():
        problem = pulp.LpProblem("margin", pulp.LpMaximize)
        theta = [pulp.LpVariable(f"t{k}", -1, 1) for k in range(len(utilities.monomials))]
        margin = pulp.LpVariable("margin")
        problem += margin
        add_statements(problem, theta, utilities, margin)
        problem.solve(pulp.PULP_CBC_CMD(msg=False))
    return float(pulp.value(problem.objective))


def plain_family_regret(utilities: ExactSet, x: Mask, limit: float) -> tuple[float, bool]:
    """max f(y) − f(x) over θ in the slice and every non-empty y, by CBC; and whether it finished in time."""
    with quiet_pulp():
        problem, terms = pulp.LpProblem("rival", pulp.LpMaximize), utilities.monomials.terms
        theta = [pulp.LpVariable(f"t{k}", -1, 1) for k in range(len(terms))]
        u = [pulp.LpVariable(f"u{k}", -1, 1) for k in range(len(terms))]
        y = [pulp.LpVariable(f"y{i}", cat=pulp.LpBinary) for i in range(utilities.n)]
        problem += pulp.lpSum(u) - value_of(theta, terms, x)
        for t, v, term in zip(theta, u, terms, strict=True):
            held = [y[i] for i in range(utilities.n) if term >> i & 1]
            for one in held:
                problem += v <= one
                problem += v >= -one
            problem += v <= t + 2 * pulp.lpSum(1 - one for one in held)
            problem += v >= t - 2 * pulp.lpSum(1 - one for one in held)
        add_statements(problem, theta, utilities, utilities.delta)
        problem += pulp.lpSum(y) >= 1
        problem.solve(pulp.PULP_CBC_CMD(msg=False, timeLimit=limit, gapRel=0.0, gapAbs=1e-7))
    finished = problem.sol_status == pulp.LpSolutionOptimal
    return float(pulp.value(problem.objective)), finished


def plain_price(utilities: ParsimoniousSet, subset: Mask) -> float:
    """(J_v − J*) / N with every monomial in two programs built afresh; J* and N are taken as known."""
    return max(0.0, plain_cost(utilities, subset, "highs") - utilities.least_cost) / utilities.unit


def plain_cost(utilities: ParsimoniousSet, subset: Mask | None, method: str) -> float:
    """J_v, or J* without a subset, with every monomial in one program built afresh."""
    settings, monomials = utilities.settings, Monomials.full(utilities.n, utilities.settings.degree)
    w = np.array([settings.weights[k - 1] for k in monomials.degrees])
    named = list({*utilities.evaluated, *(m for s in utilities.statements for m in (s.better, s.worse))})
    phi = dict(zip(named, monomials.rows(named), strict=True))
    d = np.array([phi[s.better] - phi[s.worse] for s in utilities.statements])
    rivals = [] if subset is None else [x for x in utilities.evaluated if x != subset]
    best = np.array([monomials.row(subset) - phi[x] for x in rivals]).reshape(len(rivals), len(monomials))
    m = len(d)
    rows = np.vstack([np.hstack([-d, d, -np.eye(m)]), np.hstack([-best, best, np.zeros((len(best), m))])])
    limits = np.concatenate([[-1.0 if s.strict else 0.0 for s in utilities.statements], np.zeros(len(best))])
    if any(s.relation is Relation.EQUAL for s in utilities.statements):
        raise ValueError("equalities are not written out here")
    costs = np.concatenate([w, w, [settings.slack * s.weight for s in utilities.statements]])
    return float(linprog(costs, A_ub=rows, b_ub=limits, method=method).fun)


# -- the bars -----------------------------------------------------------------------------------


def one_program(report: Report, quick: bool) -> None:
    """The more subsets the statements are about, the fewer follow from others, and the more rows are left.

    From one instance to the next the ratio changes by a third, so that each line is of several.
    """
    report.title("One program: max f(x) − f(v), against PuLP + CBC built afresh")
    cases = [(n, m, count, 20.0, 7) for n in (20, 30) for m, count in ((20, 60), (50, 60), (100, 30), (100, 60))]
    cases += [(30, 300, 100, 8.0, 3)]
    for n, m, count, bar, instances in cases:
        compare_programs(report, n, m, count, bar, range(instances), peers=3)
    if not quick:
        compare_programs(report, 100, 1000, 333, 4.0, range(1), peers=1)


def compare_programs(
    report: Report, n: int, m: int, count: int, bar: float, instances: Sequence[int], *, peers: int
) -> None:
    """One line: the programs of all instances, `peers` of each by CBC."""
    fast, slow, rows, stopped = [], [], [], False
    for k in instances:
        utilities, _, rng = exact_instance(n + m + 1000 * k, n, count, m)
        rows.append(len(utilities.rows))
        pairs = random_pairs(rng, utilities.evaluated, 7 * peers if n < 100 else 5)
        utilities.maximum(difference(*pairs[-1]))
        ours = [lambda p=p, u=utilities: u.maximum(difference(*p)).value for p in pairs]
        theirs = [lambda p=p, u=utilities: plain_maximum(u, *p, 300.0) for p in pairs[:peers]]
        mine, others, late = side_by_side(ours, theirs, "one program")
        fast, slow, stopped = fast + mine, slow + others, stopped or late
    what = f"program, {count} evaluated, {round(median(rows))} rows left, instances: {len(rows)}"
    report.ratio(what, n, m, fast, slow, peer="CBC", bar=bar, binds=SLICE, at_least=stopped)


def next_question(report: Report, quick: bool) -> None:
    report.title(
        "An answer to the next question (incumbent against challenger), against all pairs on CBC, extrapolated"
    )
    for n, count, m, most in [(30, 100, 100, 5), (64, 200, 200, 20)]:
        answers = 25 if quick else 60
        utilities, theta, rng = exact_instance(7 * n, n, count, m)
        peers = 3 if n == 64 else 7
        some = random_pairs(rng, utilities.evaluated, peers)
        cbc = median(seconds(lambda p=p, u=utilities: plain_maximum(u, *p))[0] for p in some)
        all_pairs = cbc * count * (count - 1)
        first, times, programs = slice_answers(utilities, theta, answers)
        show_answers(
            report, f"answer → question, {count} evaluated", n, m, first, times, programs, all_pairs, most, SLICE
        )
        masks, statements, score = dominance_instance(7 * n, n, count)
        first, times, programs = parsimonious_answers(n, masks, statements, score, answers)
        show_answers(
            report,
            f"answer → question, {count} evaluated",
            n,
            len(statements),
            first,
            times,
            programs,
            all_pairs,
            most,
            f"({TAU})",
        )


def slice_answers(utilities: ExactSet, theta: Utility, answers: int) -> tuple[float, list[float], list[int]]:
    """Seconds to the first question; then seconds and programs from each answer to the next question."""
    first, regrets = seconds(lambda: Regrets(utilities))
    took, regret = seconds(regrets.least)
    times, programs = [], []
    for _ in range(answers):
        if regret.rival is None:
            break
        a, b = sorted((regret.subset, regret.rival), key=theta, reverse=True)
        before = Solved.programs

        def answer(a: Mask = a, b: Mask = b, previous: Regrets = regrets) -> tuple[Regrets, object]:
            utilities.state(Statement(a, b))
            now = Regrets(utilities, previous)
            return now, now.least()

        spent, (regrets, regret) = seconds(answer)
        times.append(spent)
        programs.append(Solved.programs - before)
    return first + took, times, programs


def parsimonious_answers(
    n: int, masks: Sequence[Mask], statements: list[Statement], score: dict[Mask, float], answers: int
) -> tuple[float, list[float], list[int]]:
    """The same in Θ_τ, where a set is made anew from the one before; the operator pays 0.01 an attribute."""
    said = list(statements)

    def decide(before: ParsimoniousSet | None, earlier: Regrets | None) -> tuple[ParsimoniousSet, Regrets, object]:
        utilities = ParsimoniousSet(n, masks, said, previous=before)
        regrets = Regrets(utilities, earlier)
        return utilities, regrets, regrets.least()

    first, (utilities, regrets, regret) = seconds(lambda: decide(None, None))
    times, programs, asked = [], [], set()
    for request in range(answers):
        if regret.rival is None or frozenset((regret.subset, regret.rival)) in asked:
            break
        asked.add(frozenset((regret.subset, regret.rival)))
        pair = (regret.subset, regret.rival)
        a, b = sorted(pair, key=lambda x: score[x] - 0.01 * x.bit_count(), reverse=True)
        said.append(Statement(a, b, Relation.STRICT, Source.OPERATOR, WEIGHTS[Source.OPERATOR], request))
        before = Solved.programs
        spent, (utilities, regrets, regret) = seconds(lambda u=utilities, r=regrets: decide(u, r))
        times.append(spent)
        programs.append(Solved.programs - before)
    return first, times, programs


def show_answers(
    report: Report,
    what: str,
    n: int,
    m: int,
    first: float,
    times: list[float],
    programs: list[int],
    all_pairs: float,
    most: int,
    binds: str,
) -> None:
    if not times:
        report.line(what, n, m, "no question was left to ask", "", None, binds)
        return
    bound = not binds.startswith("(")
    report.line(f"{what}: the first question", n, m, f"{first * 1e3:9.1f} ms", binds=binds)
    times_faster = all_pairs / median(times)
    found = f"{median(times) * 1e3:9.2f} ms ({len(times)} answers), CBC {all_pairs:8.0f} s: {times_faster:10.0f}×"
    enforced = bound and n <= 30
    report.line(what, n, m, found, "≥ 10000× (100 evaluated)", times_faster >= 10_000 if enforced else None, binds)
    p50, p90 = median(programs), float(np.quantile(programs, 0.9))
    report.line(f"{what}: programs, median", n, m, f"{p50:g}", f"≤ {most}", p50 <= most if bound else None, binds)
    report.line(f"{what}: programs, p90", n, m, f"{p90:g}", "≤ 3 × median", p90 <= 3 * p50 if bound else None, binds)
    report.line(f"{what}: p90", n, m, f"{float(np.quantile(times, 0.9)) * 1e3:9.2f} ms", binds=binds)


def potentially_optimal(report: Report, quick: bool) -> None:
    report.title("The set of potentially optimal subsets while φ has full rank")
    for n, count, m in [(13, 60, 40), (20, 100, 100)] + ([] if quick else [(30, 200, 200)]):
        utilities, _, _ = exact_instance(n, n, count, m)
        phi = np.hstack([np.ones((count, 1)), utilities.monomials.rows(utilities.evaluated)])
        full_rank = np.linalg.matrix_rank(phi) == count
        before = Solved.programs
        undominated = utilities.candidates(utilities.evaluated)
        spent, verdicts = seconds(lambda u=utilities, c=undominated: [u.verdict(v).possible for v in c])
        used = Solved.programs - before
        if not (full_rank and all(verdicts)):
            raise AssertionError("with full rank every undominated subset is potentially optimal")
        found = f"{used} programs for {len(undominated)} undominated of {count}, {spent * 1e3:.1f} ms"
        report.line("potentially optimal, full rank", n, m, found, "0 programs", used == 0, SLICE)


def row_added(report: Report, _quick: bool) -> None:
    report.title("A row added, max-margin again, against PuLP + CBC built afresh")
    for n, m in [(20, 100), (30, 100), (30, 300)]:
        utilities, theta, rng = exact_instance(3 * n + m, n, max(60, m // 3), m)
        rows = by_hidden(rng, theta, utilities.evaluated, 25)
        ours, theirs, solved = [], [], []
        for k, row in enumerate(rows):
            before = Solved.programs
            spent, margin = seconds(lambda row=row, u=utilities: (u.state(row), u.margin)[1])
            ours.append(spent)
            solved += [spent] if Solved.programs > before else []
            if k % (5 if m < 300 else 12) == 0:
                spent, other = seconds(lambda u=utilities: plain_margin(u))
                theirs.append(spent)
                agree(margin, other, "largest margin")
        report.ratio("row added, max-margin again", n, m, ours, theirs, peer="CBC", bar=50.0, binds=SLICE)
        what = f"those {len(solved)} of {len(rows)} that want a program"
        report.ratio(what, n, m, solved, theirs, peer="CBC", bar=None, binds=f"({SLICE})")


def necessary_optimality(report: Report, quick: bool) -> None:
    report.title("Necessary optimality over all 2^n subsets, against the mixed-integer program")
    limit = 60.0 if quick else 150.0
    for n in [8, 10, 12] if quick else [8, 10, 12, 15]:
        utilities, theta, _ = exact_instance(n, n, min(60, 2**n - 1), 100)
        family = Family(n)
        x = min(family, key=lambda v, theta=theta: (-theta(v), simplest(v)))
        times = [seconds(lambda u=utilities, x=x, f=family: family_regret(u, x, f)) for _ in range(3)]
        spent, found = median(t for t, _ in times), times[0][1]
        gap = f", gap {found.upper - found.lower:.1e}"
        took, milp = seconds(lambda u=utilities, x=x, f=family: programmed_regret(u, x, f, time_limit=limit))
        closed = milp.upper - milp.lower < 1e-5
        if closed and found.upper - found.lower < 1e-5:
            agree(found.lower, milp.lower, "regret over the family")
        cubes = len(found.proof.pieces) if found.proof else 0
        report.line(f"regret {found.lower:.3f}, {cubes} subcubes{gap}", n, 100, f"{spent * 1e3:9.1f} ms")
        report.ratio(
            "necessary optimality", n, 100, [spent], [took], peer="HiGHS", bar=5.0, binds=SLICE, at_least=not closed
        )
        took, (value, finished) = seconds(lambda u=utilities, x=x: plain_family_regret(u, x, limit))
        if finished:
            agree(found.lower, value, "regret over the family, CBC", 1e-4)
        report.ratio(
            "necessary optimality", n, 100, [spent], [took], peer="CBC", bar=14.0, binds=SLICE, at_least=not finished
        )
    say_yes(report)
    say_no(report, quick)


def say_yes(report: Report) -> None:
    """A subset that is necessarily optimal: pairs of neighbours on a line alone may matter, and the operator said
    of every attribute, for each state of its neighbours, that it belongs in (the first half) or not."""
    for n in [8, 10, 12, 15, 30]:
        x = (1 << n // 2) - 1
        statements = []
        for i in range(n):
            near = [j for j in (i - 1, i + 1) if 0 <= j < n]
            far = 1 << next(j for j in range(n) if j != i and j not in near)
            for chosen in range(1 << len(near)):
                without = far | sum(1 << j for k, j in enumerate(near) if chosen >> k & 1)
                pair = (without | 1 << i, without)
                statements.append(Statement(*(pair if x >> i & 1 else pair[::-1])))
        masks = sorted({m for s in statements for m in (s.better, s.worse)})
        utilities = ExactSet(n, masks, statements, support=[3 << i for i in range(n - 1)])
        times = [
            seconds(lambda u=utilities, x=x, n=n: family_regret(u, x, Family(n), decide_only=True, most_cubes=10_000))
            for _ in range(3)
        ]
        spent, found = median(t for t, _ in times), times[0][1]
        took, milp = seconds(lambda u=utilities, x=x, n=n: programmed_regret(u, x, Family(n), time_limit=60.0))
        if found.optimal is False or not milp.optimal:
            raise AssertionError("the subset is necessarily optimal by construction")
        cubes = len(found.proof.pieces) if found.proof else 0
        what = f'"yes", {cubes} subcubes' if found.optimal else f"no answer after {cubes} subcubes"
        m = len(statements)
        report.ratio(what, n, m, [spent], [took], peer="HiGHS", bar=5.0, binds=SLICE)
        if found.optimal is None:
            report.line('"yes" is proven', n, m, f"{cubes} subcubes, bound {found.upper:.2f}", "proven", False, SLICE)
        if n <= 15:
            took, (_, finished) = seconds(lambda u=utilities, x=x: plain_family_regret(u, x, 60.0))
            report.ratio(what, n, m, [spent], [took], peer="CBC", bar=14.0, binds=SLICE, at_least=not finished)
        took, certificate = seconds(lambda u=utilities, x=x, n=n: certify_optimal(u, x, Family(n)))
        if certificate is None:
            raise AssertionError("what was decided is certified")
        report.line('"yes", with a certificate that is checked', n, m, f"{took * 1e3:9.1f} ms", binds=f"({SLICE})")


def say_no(report: Report, quick: bool) -> None:
    """Whether the incumbent is optimal, in random instances where it is not."""
    for n in [10, 15, 20]:
        times = []
        for seed in range(5 if quick else 11):
            utilities, _, _ = exact_instance(1000 * n + seed, n, 60, 100)
            x = Regrets(utilities).least().subset
            spent, found = seconds(lambda u=utilities, x=x, n=n: family_regret(u, x, Family(n), decide_only=True))
            if found.optimal is False:
                times.append(spent)
        shown = f"{median(times) * 1e3:9.1f} ms median, {max(times) * 1e3:.1f} ms worst of {len(times)}"
        report.line('"no", of the incumbent', n, 100, shown, "≤ 300 ms", median(times) <= 0.3, SLICE)


def prices(report: Report, quick: bool) -> None:
    """The bar is on candidates: what runs ask about before they measure it, on two tables of 13 attributes.

    Of most subsets no run would ask, for they are far from the best. Prices of subsets at random, by statements of
    random scores, are higher and take about twice as long; they are shown for comparison.
    """
    report.title("The price of a candidate, against linprog built afresh (J* known to both)")
    for table in ("wine", "breast_knn"):
        asked = candidates_of_runs(table)
        for utilities, _ in asked:
            _ = utilities.unit  # J* and N
        ours = [lambda u=u, v=v: u.price(v) for u, v in asked]
        theirs = [lambda u=u, v=v: plain_price(u, v) for u, v in asked]
        fast, slow, _ = side_by_side(ours, theirs, "price", 1e-6)
        m, what = round(median(len(u.statements) for u, _ in asked)), f"price, {len(asked)} candidates on {table}"
        report.ratio(what, 13, m, fast, slow, peer="linprog", bar=10.0, binds=TAU)
        show_price(report, 13, m, [u.price(v) for u, v in asked])
    for n, count, instances in [(13, 60, 7)] + ([] if quick else [(20, 100, 1), (30, 100, 1)]):
        random_prices(report, n, count, instances)


def show_price(report: Report, n: int, m: int, found: Sequence[float]) -> None:
    report.line("their price, median", n, m, f"{median(found):9.3f}", binds=f"({TAU})")


def candidates_of_runs(scenario: str) -> list[tuple[ParsimoniousSet, Mask]]:
    """What runs on a table of 13 attributes ask the price of, from 55 to 65 evaluated on; each set has solved nothing.

    Every operator of the scenario plays once.
    """
    asked: list[tuple[ParsimoniousSet, Mask]] = []
    plain = ParsimoniousSet.excluded

    def excluded(utilities: ParsimoniousSet, subset: Mask) -> Verdict | None:
        if 55 <= len(utilities.evaluated) <= 65:
            alike = ParsimoniousSet(utilities.n, utilities.evaluated, utilities.statements, utilities.settings)
            asked.append((alike, subset))
        return plain(utilities, subset)

    played = read_scenario(SUITE / f"{scenario}.toml")
    oracle = played.oracle_of(0)
    with patch.object(ParsimoniousSet, "excluded", excluded):
        for operator in played.operators:
            run = Elicitation(oracle.attributes, oracle.criteria, Settings(budget=91))
            drive(run, oracle, operator.simulated(oracle, 0), claim=False, strained=False)
    return asked


def random_prices(report: Report, n: int, count: int, instances: int) -> None:
    """Prices of subsets at random, where statements are the dominance of noisy scores."""
    start, fast, slow, m = [], [], [], []
    for k in range(instances):
        masks, statements, _ = dominance_instance(n + 1000 * k, n, count)
        m.append(len(statements))
        utilities = ParsimoniousSet(n, masks, statements)
        rng = np.random.default_rng(1)
        peers = 5
        fresh = [v for v in random_masks(rng, n, count + 8 * peers) if v not in set(masks)][: 7 * peers]
        start.append(seconds(lambda u=utilities: (u.least_cost, u.unit))[0])
        ours = [lambda v=v, u=utilities: u.price(v) for v in fresh]
        theirs = [lambda v=v, u=utilities: plain_price(u, v) for v in fresh[:peers]]
        mine, others, _ = side_by_side(ours, theirs, "price", 1e-6)
        fast, slow = fast + mine, slow + others
    statements_each = round(median(m))
    report.line("J* and N, once", n, statements_each, f"{median(start) * 1e3:9.2f} ms", binds=f"({TAU})")
    what = f"subsets at random, {count} evaluated, instances: {instances}"
    report.ratio(what, n, statements_each, fast, slow, peer="linprog", bar=None, binds=f"({TAU})")
    show_price(report, n, statements_each, [work() for work in ours])


def exact_check(report: Report, _quick: bool) -> None:
    report.title("The exact check of a certificate, no solver")
    n = 10
    utilities, _, _ = exact_instance(5, n, 40, 60)
    masks, statements, _ = dominance_instance(5, n, 40)
    parsimonious = ParsimoniousSet(n, masks, statements)
    for binds, held in [(SLICE, utilities), (TAU, parsimonious)]:
        issued = certificates(held, n)
        for claim, certificate in issued.items():
            if certificate is None:
                report.line(f"check: {claim}", n, len(held.statements), "no certificate was issued", binds=f"({binds})")
                continue
            verify(certificate)
            spent = median(seconds(lambda c=certificate: verify(c))[0] for _ in range(5))
            proof = certificate["proof"]
            size = f"{len(proof['pieces'])} pieces, {len(proof['cuts'])} cuts" if "pieces" in proof else ""
            found = f"{spent * 1e3:9.2f} ms {size}"
            report.line(f"check: {claim}", n, len(held.statements), found, "≤ 50 ms", spent <= 0.05, binds)


def certificates(utilities: AnySet, n: int) -> dict[str, dict | None]:
    """One certificate of every kind that this instance has."""
    incumbent = Regrets(utilities).least().subset
    regret = family_regret(utilities, incumbent, Family(n))
    rng = np.random.default_rng(0)
    others = [*utilities.evaluated, *random_masks(rng, n, 300)]
    beaten = {y: -utilities.maximum(difference(y, incumbent)).value for y in utilities.evaluated if y != incumbent}
    rejected = (certify_rejection(utilities, v) for v in others)
    return {
        "potentially optimal": certify_possible(utilities, incumbent),
        "rejected": next((c for c in rejected if c is not None), None),
        "preferred": certify_best_among(utilities, incumbent, [max(beaten, key=beaten.__getitem__)]),
        f"regret over all 2^n at most {regret.upper:.2f}": certify_optimal(
            utilities, incumbent, Family(n), regret.upper + 1e-3
        ),
    }


def kernel_at_scale(report: Report, _quick: bool) -> None:
    report.title("A thousand attributes, 200 evaluated: power index and a draw by the kernel, one core")
    environment = os.environ | dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    run = subprocess.run(
        [sys.executable, __file__, "--kernel-alone"], env=environment, capture_output=True, text=True, check=True
    )
    found = json.loads(run.stdout)
    report.line(
        "least-norm θ, power index, draw",
        1000,
        found["m"],
        f"{found['seconds']:.3f} s",
        "< 3 s",
        found["seconds"] < 3,
        "kernel",
    )
    report.line("peak memory", 1000, found["m"], f"{found['mib']:.0f} MiB", "< 1024 MiB", found["mib"] < 1024, "kernel")


def kernel_alone() -> None:
    """What `kernel_at_scale` measures."""
    _, statements, _ = dominance_instance(1, 1000, 200)

    def work() -> Mask:
        index = least_norm(1000, statements).power()
        return logistic(index, Family(1000), np.random.default_rng(0))

    spent, _ = seconds(work)
    print(json.dumps({"seconds": spent, "mib": peak_mib(), "m": len(statements)}))


def peak_mib() -> float:
    """Peak memory of this process; getrusage also counts what the process that started it held, so it comes second."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    peaks = [int(line.split()[1]) for line in lines if line.startswith("VmHWM")]
    return (peaks[0] if peaks else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) / 1024


def column_generation(report: Report, quick: bool) -> None:
    report.title("One price by column generation, 200 evaluated")
    for n, bar in [(40, None), (100, 1.0), (1000, 10.0)]:
        masks, statements, _ = dominance_instance(2, n, 200)
        utilities = ParsimoniousSet(n, masks, statements)
        candidates = random_masks(np.random.default_rng(3), n, 6)
        first, price = seconds(lambda u=utilities, v=candidates[0]: u.price(v))
        more = [seconds(lambda u=utilities, v=v: u.price(v))[0] for v in candidates[1:]]
        m = len(statements)
        holds = None if bar is None else first < bar
        report.line(
            "first price, J* included",
            n,
            m,
            f"{first:9.3f} s",
            "" if bar is None else f"< {bar:g} s",
            holds,
            TAU if bar else f"({TAU})",
        )
        holds = None if bar is None else median(more) < bar
        report.line(
            "one more price",
            n,
            m,
            f"{median(more):9.3f} s",
            "" if bar is None else f"< {bar:g} s",
            holds,
            TAU if bar else f"({TAU})",
        )
        if n <= (40 if quick else 100):
            spent, other = seconds(lambda u=utilities, v=candidates[0]: plain_price(u, v))
            agree(price, other, "price by column generation", 1e-6)
            report.line("the full program by linprog: the same price", n, m, f"{spent:9.3f} s, price {price:.6f}")


def long_record(report: Report, quick: bool) -> None:
    report.title("J* of a long record, which starts from an interior point of ours, against other ways to begin")
    n, count = 30, 600 if quick else 1000
    masks, statements, _ = dominance_instance(n, n, count)

    def ours() -> float:
        return ParsimoniousSet(n, masks, statements).least_cost

    def from_nothing() -> float:
        with patch("elicit.utility.prices.STATEMENTS_AT_LENGTH", len(statements)):
            return ours()

    def interior() -> float:
        return plain_cost(ParsimoniousSet(n, masks, statements), None, "highs-ipm")

    for peer, theirs in [("simplex", from_nothing), ("HiGHS's interior point", interior)]:
        fast, slow, _ = side_by_side([ours] * 3, [theirs], "J* of a long record", 1e-6)
        what = f"J*, {count} evaluated"
        report.ratio(what, n, len(statements), fast, slow, peer=peer, bar=None, binds=f"({TAU})")


def growth(report: Report, quick: bool) -> None:
    report.title("Growth (milliseconds; exponents are least squares on the logarithms)")
    for what, cases in [
        ("with n", [(n, 100) for n in ([10, 15, 20, 30] if quick else [10, 15, 20, 30, 50, 80])]),
        ("with m", [(30, m) for m in ([50, 100, 200] if quick else [50, 100, 200, 300, 500])]),
    ]:
        programs = [program_ms(n, m) for n, m in cases]
        grown(f"one program, {what}", cases, programs, SLICE)
        priced = [price_ms(n, m) for n, m in cases]  # m evaluated give about as many rows
        grown(f"one price, {what}", cases, priced, TAU)


def program_ms(n: int, m: int) -> float:
    utilities, _, rng = exact_instance(n * m, n, max(60, m // 3), m)
    pairs = random_pairs(rng, utilities.evaluated, 12)
    utilities.maximum(difference(*pairs[0]))
    return 1e3 * median(seconds(lambda a=a, b=b: utilities.maximum(difference(a, b)))[0] for a, b in pairs)


def price_ms(n: int, evaluated: int) -> float:
    masks, statements, _ = dominance_instance(n, n, evaluated)
    utilities = ParsimoniousSet(n, masks, statements)
    candidates = random_masks(np.random.default_rng(4), n, 12)
    utilities.price(candidates[0])
    return 1e3 * median(seconds(lambda v=v: utilities.price(v))[0] for v in candidates)


def grown(what: str, cases: Sequence[tuple[int, int]], ms: Sequence[float], binds: str) -> None:
    varied = [n for n, _ in cases] if what.endswith("n") else [m for _, m in cases]
    exponent = float(np.polyfit(np.log(varied), np.log(ms), 1)[0])
    table = ", ".join(f"{v}: {t:.2f}" for v, t in zip(varied, ms, strict=True))
    print(f"  {what:<28} ({binds})  {table}   exponent {exponent:.2f}", flush=True)


SECTIONS: dict[str, Callable[[Report, bool], None]] = {
    "program": one_program,
    "question": next_question,
    "potential": potentially_optimal,
    "margin": row_added,
    "necessary": necessary_optimality,
    "price": prices,
    "check": exact_check,
    "kernel": kernel_at_scale,
    "columns": column_generation,
    "long": long_record,
    "growth": growth,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="leave out what takes minutes")
    parser.add_argument("--only", nargs="+", choices=list(SECTIONS), help="these sections alone")
    parser.add_argument("--kernel-alone", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.kernel_alone:
        kernel_alone()
        return 0
    report = Report()
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    # threads of a matrix product that wait for a busy core would be all that is measured
    with threadpool_limits(1), patch.object(Program, "solve", Solved.counted):
        for name, section in SECTIONS.items():
            if not arguments.only or name in arguments.only:
                section(report, arguments.quick)
    report.title(f"{len(report.missed)} bars missed" + "".join(f"\n  {line}" for line in report.missed))
    return 1 if report.missed else 0


if __name__ == "__main__":
    sys.exit(main())
