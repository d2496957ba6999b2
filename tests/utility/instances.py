"""The judge's instances as the package's own objects, and what the judge says of them, worked out once.

The rule: expected values come from `judge` alone. Instances come in batches of twenty: the first three batches are
in the ordinary run, the others (500 instances in all) are slow.
"""

import itertools
from dataclasses import dataclass
from functools import cache, cached_property

import judge
import numpy as np
import pytest

from elicit.knowledge.statements import Relation, Source, Statement
from elicit.utility.exact import ExactSet
from elicit.utility.parsimony import ParsimoniousSet, Parsimony

SEED = 4711
BATCH = 20
BATCHES = [pytest.param(k, marks=[pytest.mark.slow] if k >= 3 else []) for k in range(25)]
NEAR = 1e-6  # two values that must agree
BAND = 1e-5  # round a threshold, where a decision may go either way


def stated(better, worse, relation="strict", weight=1.0, source=None):
    """A statement; the judge's weight of 1 is dominance, the operator's words weigh more."""
    if source is None:
        source = Source.DOMINANCE if weight == 1.0 and relation == "strict" else Source.OPERATOR
    return Statement(better, worse, Relation(relation), source, weight)


def plainly(statements):
    """Statements as the judge writes them."""
    return [(s.better, s.worse, s.relation.value, s.weight) for s in statements]


@dataclass(frozen=True)
class Case:
    """One instance in both languages; C is raised above w_1 where the judge drew a smaller one."""

    told: judge.Instance

    @classmethod
    def of(cls, told):
        return cls(told._replace(C=max(told.C, 1.25 * told.w[0])))

    @cached_property
    def statements(self):
        return tuple(stated(*s) for s in self.told.statements)

    @cached_property
    def everything(self):
        return list(range(1, 1 << self.told.n))

    @property
    def informative(self):
        return judge.has_strict(self.told.statements)

    def settings(self, **changes):
        told = self.told
        return Parsimony(**{"tau": told.tau, "slack": told.C, "weights": told.w, "degree": told.degree, **changes})

    def parsimonious(self, statements=None, previous=None, evaluated=None, **changes):
        return ParsimoniousSet(
            self.told.n,
            self.told.evaluated if evaluated is None else evaluated,
            self.statements if statements is None else statements,
            self.settings(**changes),
            previous=previous,
        )

    def exact(self, statements=None, evaluated=None):
        return ExactSet(
            self.told.n,
            self.told.evaluated if evaluated is None else evaluated,
            self.statements if statements is None else statements,
            degree=self.told.degree,
            delta=self.told.delta,
        )

    def rng(self):
        return np.random.default_rng(len(self.told.statements) + 100 * self.told.n)

    @cached_property
    def _told_before(self):
        return {}

    def once(self, question, answer):
        """What the judge answers, asked the first time alone: several tests want to know the same of a case."""
        if question not in self._told_before:
            self._told_before[question] = answer()
        return self._told_before[question]

    # -- the judge's figures of the parsimonious set

    @cached_property
    def soft(self):
        """The arguments that the judge's functions on costs end with."""
        return self.told.statements, self.told.monos, self.told.C, self.told.w

    @cached_property
    def least_cost(self):
        return judge.j_star(*self.soft)

    @cached_property
    def least_slack(self):
        return judge.s_star(self.told.statements, self.told.monos)

    @cached_property
    def unit(self):
        return max(self.told.w[0], self.least_cost - self.told.C * self.least_slack)

    @cached_property
    def budget(self):
        return self.least_cost + self.told.tau * self.unit

    def price(self, v):
        least = self.once(("price", v), lambda: judge.j_of(v, self.told.evaluated, *self.soft))
        return (least - self.least_cost) / self.unit

    def most_in_budget(self, form):
        """The judge's maximum of a form over the parsimonious set."""
        limit = self.budget + 1e-9 * max(1.0, self.budget)
        opposite = {x: -c for x, c in form.items()}
        question = ("budget", frozenset(form.items()))
        return self.once(question, lambda: -judge.set_extreme(opposite, *self.soft, limit)[0])

    # -- the judge's figures of the exact set

    @cached_property
    def margin(self):
        return judge.slice_margin(self.told.statements, self.told.monos)

    @property
    def consistent(self):
        return self.margin >= NEAR

    def most_in_slice(self, form, delta):
        question = ("slice", delta, frozenset(form.items()))
        return self.once(question, lambda: judge.slice_max(form, self.told.statements, self.told.monos, delta))

    def lead_in_slice(self, v, delta):
        """The most by which some θ of the slice puts v above the best other evaluated subset, at most 1."""
        told = self.told
        p = len(told.monos)
        upper, limits, equal, values = judge._hard_rows(told.statements, told.monos, delta)
        upper = [np.append(row, 0.0) for row in upper]
        equal = [np.append(row, 0.0) for row in equal]
        for x in told.evaluated:
            if x != v:
                upper.append(np.append(judge.phi([x], told.monos)[0] - judge.phi([v], told.monos)[0], 1.0))
                limits.append(0.0)
        costs = np.append(np.zeros(p), -1.0)
        value, _ = judge.solve(costs, upper, limits, equal, values, [(-1, 1)] * p + [(None, 1)])
        return -value


@cache
def batch(k):
    """The k-th twenty of the 500 instances."""
    drawn = judge.instances(np.random.default_rng([SEED, k]))
    return tuple(Case.of(told) for told in itertools.islice(drawn, BATCH))


def forms(case, rng, count):
    """Differences of two subsets, single subsets, and a mixture."""
    chosen = []
    for _ in range(count):
        a, b, c = (int(x) for x in rng.integers(1, 1 << case.told.n, size=3))
        chosen += [judge.difference(a, b), {a: -1.0}]
        if len({a, b, c}) == 3:
            chosen.append({a: 2.0, b: -1.0, c: 0.5})
    return chosen


def random_case(rng, n, evaluated, answers, degree=2, tau=0.1, C=10.0):
    """A case beyond five attributes: distinct random subsets, a random score, and some answers."""
    masks = []
    while len(masks) < evaluated:
        mask = int(rng.integers(1, 1 << n))
        if mask not in masks:
            masks.append(mask)
    criteria = {m: (round(float(rng.random()), 2), float(m.bit_count())) for m in masks}
    statements = judge.dominance_statements(criteria, (1, -1))
    for _ in range(answers):
        a, b = (masks[k] for k in rng.choice(evaluated, size=2, replace=False))
        statements.append((a, b, judge.RELATIONS[int(rng.integers(0, 3))], 3.0))
    return Case(judge.Instance(n, degree, criteria, (1, -1), statements, tau, C, (1.0, 2.0, 4.0), 1e-3))


def grown(case, rng):
    """The statements in a random order, as if they had been said one by one."""
    order = rng.permutation(len(case.statements))
    return [case.statements[k] for k in order]


def dense(utility, monos):
    """θ aligned with the judge's monomials."""
    return np.array([utility.theta.get(s, 0.0) for s in monos])
