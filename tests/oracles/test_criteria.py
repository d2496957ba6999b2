"""Extra criteria read one trial and are checked once against the attributes."""

from __future__ import annotations

import math
import pickle
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from elicit.asks import Failure, Measured
from elicit.errors import InputError
from elicit.events import EXTRAS, Criterion
from elicit.oracles.criteria import (
    Reading,
    Trial,
    checked_extras,
    cost,
    fit_time,
    from_callable,
    gathered,
    over_folds,
    scored,
    stability,
)
from elicit.oracles.describe import describe
from elicit.oracles.naming import MADE, extras_of
from elicit.subsets import Attributes

ABC = Attributes(("a", "b", "c"))
TRIAL = Trial(ABC, 0b101, scores=(0.5, 0.7, 0.9), seconds=(1.0, 2.0, 3.0))


def test_costs_are_summed_by_name_and_by_position():
    assert cost({"c": 4.0, "a": 1.5, "b": 100.0})(TRIAL) == Reading(5.5)
    assert cost([1.5, 100.0, 4.0])(TRIAL) == Reading(5.5)
    assert cost(np.array([0.1, 0.2, 0.3]), name="pain", unit="EUR").criterion.name == "pain"
    assert not cost([1]).criterion.maximise


@pytest.mark.parametrize(
    ("extra", "name"),
    [(cost([1.0]), "_Cost"), (stability(), "_Stability"), (fit_time(), "_FitTime"), (scored("recall"), "Scored")],
)
def test_a_criterion_is_told_as_journals_hold_it(extra, name):
    """Another class, place or field of a criterion is another fingerprint: its journals would be refused."""
    fields = {"by_name", "by_position"} if name == "_Cost" else {"scoring"} if name == "Scored" else set()
    told = describe(extra)
    assert told.startswith(f"elicit.oracles.criteria.{name}(mapping(")
    assert set(re.findall(r"'(\w+)': ", told)) == fields | {
        *("criterion", "timed"),
        *("maximise", "name", "unit"),
    }


def test_every_criterion_that_is_made_of_its_name_may_be_named_on_the_command_line():
    assert ("cost", *MADE) == EXTRAS


def test_a_criterion_that_is_named_twice_is_one_and_keeps_its_place_among_the_others():
    own = stability()
    assert [extra.criterion.name for extra in extras_of(["fit_time", own, "fit_time", "size"], None)] == [
        "fit_time",
        "stability",
    ]


def test_a_sum_of_costs_is_correctly_rounded_so_that_their_order_does_not_matter():
    everything = Trial(ABC, 0b111)
    assert cost([0.1, 0.2, 0.3])(everything) == cost([0.3, 0.2, 0.1])(everything) == Reading(0.6)


def test_times_have_folds_and_spread_and_less_is_better():
    assert fit_time()(TRIAL) == Reading(2.0, (1.0, 2.0, 3.0), 1.0)
    assert not fit_time().criterion.maximise
    assert fit_time().timed


def test_stability_is_minus_the_spread_of_the_score():
    assert stability()(TRIAL).value == pytest.approx(-0.2)
    assert stability()(TRIAL).value == -over_folds(TRIAL.scores).spread
    far = replace(TRIAL, scores=(1e200, 2e200, 3e200))
    assert stability()(far).value == -over_folds(far.scores).spread == pytest.approx(-1e200)
    assert stability().criterion.maximise


def test_one_fold_has_no_spread():
    assert over_folds([0.5]) == Reading(0.5, (0.5,), None)
    assert over_folds([0.25, 0.75]).spread == pytest.approx(math.sqrt(0.125))


def test_numbers_whose_squares_are_too_large_have_a_spread():
    assert over_folds([1e200, 3e200]).spread == pytest.approx(math.sqrt(2) * 1e200)
    assert gathered(over_folds([1e260, 1e260]), (), TRIAL) == Failure("score is 1e+260, expected a number below 1e+250")


@pytest.mark.parametrize("value", ["5", b"5", 1 + 2j, np.complex64(1)])
def test_a_text_or_a_complex_number_is_no_criterion(value):
    with pytest.raises(TypeError, match="expected a number"):
        from_callable("price", lambda _: value, maximise=False)(TRIAL)


def test_any_function_of_the_names():
    extra = from_callable("letters", lambda names: len("".join(names)), maximise=False)
    assert extra(TRIAL) == Reading(2.0)


@pytest.mark.parametrize(
    ("name", "maximise", "unit", "told"),
    [
        ("price", "no", "", "maximise is true where more of price is better, else false; found 'no'"),
        ("price", None, "", "else false; found None"),
        (3, False, "", "the name of a criterion is a text, found 3"),
        ("price", False, 3, "the unit of a criterion is a text, found 3"),
    ],
)
def test_a_criterion_is_a_name_a_direction_and_a_unit(name, maximise, unit, told):
    with pytest.raises(InputError, match=told):
        from_callable(name, len, maximise, unit)


def test_a_direction_is_a_truth_value_of_numpy_too():
    assert Criterion("price", np.False_).maximise is False


def test_gathered_puts_score_and_size_first():
    reply = gathered(over_folds(TRIAL.scores), (cost([1, 1, 1]),), TRIAL)
    assert reply == Measured((pytest.approx(0.7), 2.0, 2.0), (TRIAL.scores, (), ()), (pytest.approx(0.2), None, None))
    assert gathered(Reading(math.nan), (), TRIAL) == Failure("score is nan, expected a finite number")
    assert "in fold 2" in gathered(over_folds([1.0, math.inf]), (), TRIAL).reason


class Mine:
    """A criterion of one's own, which gives what it is told."""

    criterion, timed = Criterion("mine"), False

    def __init__(self, gives):
        self.gives = gives

    def check(self, *_):
        pass

    def __call__(self, _):
        return self.gives


@pytest.mark.parametrize(
    ("extra", "why"),
    [
        (from_callable("price", lambda _: 1 / 0, maximise=False), "price cannot be worked out (ZeroDivisionError: "),
        (from_callable("price", lambda _: None, maximise=False), "price cannot be worked out (TypeError: "),
        (from_callable("price", lambda: 1.0, maximise=False), "price cannot be worked out (TypeError: "),
        (Mine(None), "mine is None, expected a Reading"),
        (Mine(0.5), "mine is 0.5, expected a Reading"),
        (Mine(Reading("x")), "mine cannot be worked out (TypeError: "),
        (Mine(Reading(0.5, None)), "mine cannot be worked out (TypeError: "),
        (Mine(Reading(math.nan)), "mine is nan, expected a finite number"),
    ],
)
def test_a_criterion_that_fails_is_named(extra, why):
    assert gathered(over_folds(TRIAL.scores), (extra,), TRIAL).reason.startswith(why)


@pytest.mark.parametrize(
    ("extras", "folds", "says"),
    [
        ([cost({"a": 1, "b": 2})], 3, "no cost is given for 'c'"),
        ([cost({"a": 1, "b": 2, "c": 3, "d": 4})], 3, "unknown attribute 'd'"),
        ([cost([1, 2])], 3, "2 costs given for 3 attributes"),
        ([cost([1, 2, math.nan])], 3, "the cost of 'c' must be a finite number"),
        ([cost([1, 2, "3"])], 3, "must be a finite number"),
        ([cost({"a": 1, "b": None, "c": 2})], 3, "the cost of 'b' must be a finite number, found None"),
        ([cost([1, 2, 3]), cost([1, 2, 3])], 3, "two criteria are called 'cost'"),
        ([cost([1, 2, 3], name="size")], 3, "two criteria are called 'size'"),
        ([stability()], 1, "at least two folds"),
        ([fit_time()], 0, "use WrapperOracle"),
        ([from_callable("f", 3, True)], 3, "needs a function"),
        ([cost], 3, "expected criteria"),
        ([type("Own", (Mine,), {"criterion": "own"})(0.5)], 3, "is a Criterion, found 'own'"),
    ],
)
def test_what_cannot_work_is_said_at_the_start(extras, folds, says):
    with pytest.raises(InputError, match=says):
        checked_extras(extras, ABC, folds)


@pytest.mark.parametrize("index", [["a", "b", "c"], [0, 1, 2]])
def test_costs_in_a_table_are_refused_with_what_to_give_instead(index):
    with pytest.raises(InputError, match=r"one number an attribute, .* found a DataFrame; give one column of it"):
        cost(pd.DataFrame({"price": [1, 2, 3], "pain": [1, 2, 3]}, index=index))


def test_criteria_can_be_pickled():
    extras = checked_extras([cost([1, 2, 3]), fit_time(), stability(), from_callable("n", len, True)], ABC, 2)
    assert pickle.loads(pickle.dumps(extras)) == extras
