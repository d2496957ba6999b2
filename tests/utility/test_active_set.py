"""The guess of an active set is a basis that the dual simplex may start from, and changes no maximum."""

import itertools

import judge
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from instances import BAND, NEAR, Case, forms, stated

from elicit.knowledge.statements import Source
from elicit.utility.active_set import ActiveSetGuesser, worth_a_guess
from elicit.utility.exact import ExactSet
from elicit.utility.monomials import Monomials
from elicit.utility.sets import difference, statement_rows
from elicit.utility.solver import Program

SEEDS = st.integers(0, 10_000)


def true_of_one_utility(seed, n, count, m):
    """Random subsets, and statements between them that a hidden utility agrees with; some repeat, some are weak."""
    rng = np.random.default_rng(seed)
    monomials = Monomials.full(n, 2)
    masks = sorted({int(mask) for mask in rng.integers(1, 1 << n, size=count)})
    values = monomials.rows(masks) @ rng.normal(size=len(monomials))
    pairs = [rng.choice(len(masks), 2, replace=False) for _ in range(m)]
    ordered = [(a, b) if values[a] > values[b] else (b, a) for a, b in pairs]
    relations = rng.choice(["strict", "weak"], size=m, p=[0.9, 0.1])
    source = Source.OPERATOR
    return masks, [stated(masks[a], masks[b], r, source=source) for (a, b), r in zip(ordered, relations, strict=True)]


def rows_of(utilities):
    """The statements' rows at length 1."""
    rows = statement_rows(utilities.monomials, utilities.rows)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@given(st.data())
@settings(max_examples=60)
def test_a_maximum_that_starts_from_a_guess_is_the_judges(data):
    case = Case.of(data.draw(judge.instance_strategy(max_n=4, max_evaluated=6)))
    utilities = case.exact()
    if not (case.consistent and case.informative) or case.margin < BAND:
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("elicit.utility.exact.worth_a_guess", lambda *_: True)
        for form in forms(case, np.random.default_rng(0), 3):
            expected = judge.slice_max(form, case.told.statements, case.told.monos, utilities.delta)
            assert utilities.maximum(form).value == pytest.approx(expected, abs=NEAR)


@given(SEEDS)
@settings(max_examples=25)
def test_a_guess_is_a_basis_feasible_for_the_dual_simplex(seed):
    masks, statements = true_of_one_utility(seed, n=8, count=25, m=40)
    utilities = ExactSet(8, masks, statements)
    rows = rows_of(utilities)
    guesses = ActiveSetGuesser(rows, utilities.rows)
    found = 0
    for a, b in itertools.pairwise(masks):
        gain = utilities.gain(difference(a, b))
        guess = guesses.of(gain)
        if guess is None:
            continue
        found += 1
        held, among = guess.statements, guess.monomials
        assert len(held) == len(among) == len(set(held.tolist())) == len(set(among.tolist()))
        multipliers = np.linalg.solve(rows[np.ix_(held, among)].T, -gain[among])
        assert multipliers.min() >= -BAND
        np.testing.assert_allclose(guess.residual, gain + multipliers @ rows[held], atol=BAND)
        np.testing.assert_allclose(guess.residual[among], 0.0, atol=BAND)
    assert found > 0.9 * (len(masks) - 1)  # hardly any form is without one


def test_rows_that_go_in_a_circle_or_repeat_each_other_are_left_out_of_the_basis():
    circle = [stated(0b001, 0b010), stated(0b010, 0b100), stated(0b001, 0b100), stated(0b001, 0b010)]
    rows = statement_rows(Monomials.full(3, 2), circle)
    guess = ActiveSetGuesser(rows / np.linalg.norm(rows, axis=1, keepdims=True), circle).of(
        -rows.sum(axis=0)
    )  # against all of them
    assert guess is not None
    assert np.linalg.matrix_rank(rows[guess.statements]) == len(guess.statements) == 2


def test_a_form_that_statements_combine_to_is_held_back_by_them_alone():
    statements = [stated(0b001, 0b010), stated(0b110, 0b100)]
    rows = statement_rows(Monomials.full(3, 2), statements)
    guess = ActiveSetGuesser(rows / np.linalg.norm(rows, axis=1, keepdims=True), statements).of(-2 * rows[0] - rows[1])
    assert guess is not None
    assert guess.statements.tolist() == [0, 1]
    np.testing.assert_allclose(guess.residual, 0.0, atol=NEAR)


def test_a_form_that_nothing_holds_back_has_no_active_set():
    statement = stated(0b01, 0b10)
    rows = statement_rows(Monomials.full(2, 2), [statement])
    assert ActiveSetGuesser(rows, [statement]).of(rows[0]) is None  # it goes where the statement goes


def test_a_statement_that_holds_back_by_squares_alone_makes_no_basis():
    # -10 + 2 + 3 by squares, but five monomials of six lose by absolute values
    statement = stated(0b000111, 0b111000)
    gain = np.array([-10.0, 1.0, 1.0, -1.0, -1.0, -1.0])
    rows = statement_rows(Monomials.full(6, 1), [statement])
    assert ActiveSetGuesser(rows / np.sqrt(6), [statement]).of(gain) is None


def test_rows_that_are_the_same_without_a_circle_make_no_basis():
    statements = [stated(0b011, 0b001), stated(0b110, 0b100)]  # both say that the second attribute is worth something
    rows = statement_rows(Monomials.full(3, 1), statements)
    assert ActiveSetGuesser(rows, statements).of(-rows[0]) is None


def test_more_statements_than_monomials_make_no_basis_and_a_maximum_all_the_same(monkeypatch):
    masks, statements = true_of_one_utility(0, n=5, count=60, m=120)
    utilities = ExactSet(5, masks, statements)
    forms_between = [difference(a, b) for a, b in itertools.pairwise(masks)]
    expected = [utilities.maximum(form).value for form in forms_between]
    guesses = ActiveSetGuesser(rows_of(utilities), utilities.rows)
    guesses_made = [guesses.of(utilities.gain(form)) for form in forms_between]
    assert any(guess is None for guess in guesses_made)
    assert all(len(guess.statements) == len(guess.monomials) for guess in guesses_made if guess is not None)
    monkeypatch.setattr("elicit.utility.exact.worth_a_guess", lambda *_: True)
    utilities = ExactSet(5, masks, statements)
    assert [utilities.maximum(form).value for form in forms_between] == pytest.approx(expected, abs=NEAR)


@pytest.mark.parametrize(
    ("statements", "monomials", "worth"),
    [(69, 300, False), (70, 300, True), (100, 149, False), (100, 150, True), (400, 200, True), (401, 200, False)],
)
def test_a_guess_is_made_of_statements_that_are_neither_few_nor_many_times_the_monomials(statements, monomials, worth):
    assert worth_a_guess(statements, monomials) is worth


@pytest.mark.parametrize("worth", [False, True])
def test_a_maximum_starts_from_a_guess_where_it_is_worth_its_time(monkeypatch, worth):
    made, sizes, plain = [], [], ActiveSetGuesser.of
    monkeypatch.setattr(ActiveSetGuesser, "of", lambda self, gain: made.append(gain) or plain(self, gain))
    monkeypatch.setattr("elicit.utility.exact.worth_a_guess", lambda *size: sizes.append(size) or worth)
    masks, statements = true_of_one_utility(0, n=5, count=60, m=10)
    utilities = ExactSet(5, masks, statements)
    utilities.maximum(difference(masks[0], masks[1]))
    assert sizes == [(len(utilities.rows), len(utilities.monomials))]
    assert len(made) == worth


def test_the_guess_spares_three_fifths_of_the_pivots(monkeypatch):
    solve, pivots = Program.solve, []
    monkeypatch.setattr(Program, "solve", lambda *args: pivots.append(done := solve(*args)) or done)

    def spent(worth):
        """How many pivots the same maxima take."""
        monkeypatch.setattr("elicit.utility.exact.worth_a_guess", lambda *_: worth)
        masks, statements = true_of_one_utility(6, n=20, count=60, m=150)
        utilities = ExactSet(20, masks, statements)
        utilities.maximum(difference(masks[0], masks[1]))  # with it the set's margin
        pivots.clear()
        values = [utilities.maximum(difference(a, b)).value for a, b in zip(masks[:15], masks[15:], strict=False)]
        return sum(solution.pivots for solution in pivots), values

    (guessed, values), (plain, expected) = spent(True), spent(False)
    assert values == pytest.approx(expected, abs=NEAR)
    assert guessed < 0.4 * plain  # every part of the guess is needed for so few


def test_a_guess_is_as_good_when_statements_were_added_since(monkeypatch):
    monkeypatch.setattr("elicit.utility.exact.worth_a_guess", lambda *_: True)
    plain, told = ActiveSetGuesser.__init__, []
    monkeypatch.setattr(
        ActiveSetGuesser, "__init__", lambda self, rows, said: told.append(list(said)) or plain(self, rows, said)
    )
    masks, statements = true_of_one_utility(3, n=20, count=50, m=90)
    utilities = ExactSet(20, masks, statements[:80])
    form = difference(masks[0], masks[-1])
    utilities.maximum(form)
    for statement in statements[80:]:
        utilities.state(statement)
    found = utilities.maximum(form).value
    assert told[-1] == utilities.rows  # of those added, too
    assert found == pytest.approx(ExactSet(20, masks, statements).maximum(form).value, abs=NEAR)
