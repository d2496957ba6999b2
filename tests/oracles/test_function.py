"""Any function can be an oracle; what it cannot measure is a failure, a wrong shape is a fault."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

from elicit.asks import Evaluate, Failure, Measured
from elicit.errors import InputError, OracleError
from elicit.events import SCORE_AND_SIZE, Criterion
from elicit.oracles import CallableOracle, FilterOracle, SyntheticOracle, TableOracle, WrapperOracle

THREE = (*SCORE_AND_SIZE, Criterion("cost", maximise=False))


@pytest.mark.parametrize(
    ("fn", "criteria"),
    [
        (lambda _: (0.5, 7), THREE),
        (lambda _: (0.5, 2, 7), THREE),
        (lambda _: [0.5, 7], THREE),
        (lambda _: {"cost": 7, "score": 0.5}, THREE),
        (lambda _: {"cost": 7, "score": 0.5, "size": 2}, THREE),
    ],
)
def test_numbers_come_as_tuple_or_mapping_and_size_is_counted(fn, criteria):
    assert CallableOracle(fn, 3, criteria)(Evaluate(0, 5)) == Measured((0.5, 2.0, 7.0), ((), (), ()), (None,) * 3)


def test_one_number_is_the_score():
    oracle = CallableOracle(lambda names: 0.5 * (names == ("b", "c")), ["a", "b", "c"])
    assert oracle(Evaluate(0, 6)).criteria == (0.5, 2.0)
    assert oracle.criteria == SCORE_AND_SIZE
    alone = CallableOracle(lambda mask: mask / 2, 3, [Criterion("score")], takes="mask")
    assert alone(Evaluate(0, 6)).criteria == (3.0,)


def test_a_size_of_its_own_is_kept():
    oracle = CallableOracle(lambda names: (1.0, 10.0 * len(names)), 3)
    assert oracle(Evaluate(0, 3)).criteria == (1.0, 20.0)


def test_exceptions_and_numbers_that_are_none_are_failures():
    def fn(names):
        return {1: math.nan, 2: math.inf}[len(names)]

    oracle = CallableOracle(fn, 3)
    assert oracle(Evaluate(0, 1)) == Failure("score is nan, expected a finite number")
    assert oracle(Evaluate(0, 3)) == Failure("score is inf, expected a finite number")
    assert oracle(Evaluate(0, 7)) == Failure("KeyError: 3")


@pytest.mark.parametrize("value", [1e250, -1e300])
def test_a_number_too_large_to_be_recorded_is_a_failure_of_the_subset_and_no_end_of_the_run(value):
    oracle = CallableOracle(lambda names: value if "a" not in names else 1e249, ["a", "b"])
    assert oracle(Evaluate(0, 2)) == Failure(f"score is {value}, expected a number below 1e+250")
    assert oracle(Evaluate(0, 3)).criteria == (1e249, 2.0)


class Untellable(Exception):
    def __str__(self):
        raise ZeroDivisionError


def test_an_error_that_cannot_be_told_is_a_failure_by_its_kind():
    def fn(_):
        raise Untellable

    assert CallableOracle(fn, 3)(Evaluate(0, 1)) == Failure("Untellable")


WRONG_REPLIES = {
    "too few": (1.0,),
    "too many": (1.0, 2.0, 3.0, 4.0),
    "a text": "high",
    "nothing": None,
    "a text of digits": "123",
    "bytes": b"123",
    "texts of numbers": ("1", "2", "3"),
    "texts by name": {"score": "1", "cost": "2"},
    "complex numbers": (1.0, np.complex128(2 + 1j)),
    "one of no float": (1.0, 10**400),
    "too few by name": {"score": 1},
    "an unknown name": {"score": 1, "price": 2},
}


@pytest.mark.parametrize("reply", WRONG_REPLIES.values(), ids=WRONG_REPLIES)
def test_a_reply_of_another_shape_is_a_fault_of_the_function(reply):
    with pytest.raises(OracleError, match="the function must give numbers for score, size, cost"):
        CallableOracle(lambda _: reply, 3, THREE)(Evaluate(0, 1))


def test_bad_arguments():
    for make, words in (
        (lambda: CallableOracle(3, 3), "a function of a subset, found 3"),
        (lambda: CallableOracle(len, "abc"), "found the single text 'abc'"),
        (lambda: CallableOracle(len, 3, []), r"each with its own name, is needed; found \[\]"),
        (lambda: CallableOracle(len, 3, [Criterion("a"), Criterion("a")]), r"its own name, .* found \['a', 'a'\]"),
        (lambda: CallableOracle(len, 3, takes="rows"), "'names' or 'mask', found 'rows'"),
        (lambda: CallableOracle(len, 3)(Evaluate(0, 8)), "beyond the 3 there are"),
        (lambda: CallableOracle(len, 3)(Evaluate(0, 0)), "the empty subset"),
    ):
        with pytest.raises(InputError, match=words):
            make()


@pytest.mark.parametrize("criteria", ["score", 5, ["score"]])
def test_criteria_that_are_no_list_of_them_are_told_as_they_were_given(criteria):
    shown = criteria[0] if isinstance(criteria, list) else criteria
    with pytest.raises(InputError, match=f"criteria are a list of Criterion.*found {shown!r}$"):
        CallableOracle(len, 3, criteria)


def test_the_fingerprint_knows_function_names_and_version():
    prints = {
        CallableOracle(len, 3).fingerprint,
        CallableOracle(max, 3).fingerprint,
        CallableOracle(len, 4).fingerprint,
        CallableOracle(len, 3, version="2").fingerprint,
        CallableOracle(len, 3, THREE[:1]).fingerprint,
        CallableOracle(lambda names: len(names), 3).fingerprint,
        CallableOracle(lambda names: len(names) + 1, 3).fingerprint,
    }
    assert len(prints) == 7
    assert CallableOracle(len, 3).fingerprint == CallableOracle(len, 3).fingerprint


@pytest.mark.parametrize("asked", [["a1"], ("a1", "a2"), 3, frozenset(["a1"]), None])
def test_whoever_calls_an_oracle_with_names_or_a_mask_is_told_what_it_takes(asked, tmp_path):
    X, y = np.arange(12.0).reshape(6, 2) % 5, np.array([0, 1] * 3)
    (tmp_path / "t.csv").write_text("a1,a2,score\n0,1,0.5\n1,0,0.6\n1,1,0.7\n")
    for oracle in (
        CallableOracle(len, 2),
        FilterOracle(X, y),
        SyntheticOracle(2, {1: 1.0}),
        TableOracle(tmp_path / "t.csv"),
        WrapperOracle(KNeighborsClassifier(1), X, y, cv=2),
    ):
        with pytest.raises(InputError, match=r"^an oracle is called with an Evaluate, found .*; Evaluate\(0, oracle\."):
            oracle(asked)
        assert isinstance(oracle(Evaluate(0, oracle.attributes.mask(["a1"]))), Measured)
