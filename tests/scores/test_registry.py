"""The registry: every score under one name, on every kind of data it says that it serves."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_wine

import elicit.scores
from elicit.errors import InputError
from elicit.scores import MEASURES, Measure, registered, score_named

WINE, DIABETES = load_wine(return_X_y=True), load_diabetes(return_X_y=True)
TWO = (WINE[0][:130], WINE[1][:130])
QUICK = [m for m in MEASURES if m.name in {
    "variance", "correlation", "fisher", "f", "chi2", "mutual-information", "information-gain", "relief", "relieff",
    "rrelieff", "permutation", "coefficients", "trees",
}]  # fmt: skip


def data_of(measure):
    return TWO if measure.name == "relief" else WINE if measure.serves(True) else DIABETES


def options_of(measure):
    if "trees" in measure.options:
        return {"trees": 10}
    return {"repeats": 1, "folds": 2} if "folds" in measure.options else {}


def test_names_are_told_once_and_every_score_says_what_it_means():
    assert len(set(registered())) == len(registered()) >= 13
    assert all(measure.meaning and measure.name == measure.name.lower() for measure in MEASURES)
    assert {"fisher", "mutual_information", "relieff"} <= set(dir(elicit.scores))


@pytest.mark.parametrize("measure", QUICK, ids=lambda m: m.name)
def test_a_score_gives_one_finite_number_a_column_and_one_a_group(measure):
    X, y = data_of(measure)
    options = options_of(measure)
    alone = measure.scores(X, y, **options)
    assert alone.shape == (X.shape[1],)
    assert np.isfinite(alone).all()
    n = X.shape[1]
    assert measure.scores(X, y, [[i] for i in range(n)], **options) == pytest.approx(alone, rel=1e-6, abs=1e-9)
    grouped = measure.scores(X, y, [[0, 3, 4], *([i] for i in range(n) if i not in (0, 3, 4))], **options)
    assert grouped.shape == (n - 2,)
    if measure.groups == "largest":
        assert grouped[0] == alone[[0, 3, 4]].max()
    elif measure.groups == "sum":
        assert grouped[0] == pytest.approx(alone[[0, 3, 4]].sum())


@pytest.mark.parametrize("measure", QUICK, ids=lambda m: m.name)
def test_a_score_refuses_a_target_that_it_does_not_serve(measure):
    if measure.targets == "both":
        assert measure.serves(True)
        assert measure.serves(False)
        return
    X, y = DIABETES if measure.targets == "classes" else (WINE[0], np.array(["r", "w", "o"])[WINE[1]])
    with pytest.raises(InputError, match=measure.name):
        measure.scores(X, y)


def test_less_is_better_takes_the_least_of_a_group():
    measure = Measure("p", lambda X, _: np.asarray(X)[0], "first row", higher_is_better=False)
    assert measure.scores(np.array([[3.0, 1.0, 2.0]]), [0], [[0, 1], [2]]).tolist() == [1, 2]


def test_options_are_the_keyword_arguments_of_the_function():
    assert score_named("relieff").options["neighbours"] == 10
    assert "groups" not in score_named("relieff").options
    X, y = WINE
    found = score_named("relieff").scores(X, y, neighbours=3)
    assert found == pytest.approx(elicit.scores.relieff(X, y, neighbours=3))


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: score_named("fischer"), "unknown score 'fischer'; did you mean 'fisher'"),
        (lambda: score_named("zzz"), "the scores are variance, correlation"),
        (lambda: score_named("relieff").scores(*WINE, neighbors=3), "no option 'neighbors'; did you mean 'neighbours'"),
        (lambda: score_named("fisher").scores(*WINE, k=3), "no option 'k'; its options are: none"),
    ],
)
def test_unknown_names_are_told_with_the_nearest_known(make, says):
    with pytest.raises(InputError, match=says):
        make()


def test_underscores_stand_for_hyphens():
    assert score_named("mutual_information") is score_named("mutual-information")
