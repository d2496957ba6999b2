"""The registry: every score under one name, on every kind of data it says that it serves."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_wine
from sklearn.linear_model import LogisticRegression

import elicit.scores
from elicit.errors import InputError, ModelError
from elicit.scores import MEASURES, Measure, explained, registered, score_named

WINE, DIABETES = load_wine(return_X_y=True), load_diabetes(return_X_y=True)
TWO = (WINE[0][:130], WINE[1][:130])
SLOW = ("lmg", "johnson", "shapley-effects", "johnson-shapley", "shapley", "pimp")  # they have tests of their own
QUICK = [measure for measure in MEASURES if measure.name not in SLOW]


def data_of(measure):
    return TWO if measure.name == "relief" else WINE if measure.serves(True) else DIABETES


def options_of(measure):
    if "trees" in measure.options:
        return {"trees": 10}
    return {"repeats": 1, "folds": 2} if "folds" in measure.options else {}


def test_names_are_told_once_and_every_score_says_what_it_means():
    assert len(set(registered())) == len(registered()) >= 13
    assert all(measure.meaning and measure.name == measure.name.lower() for measure in MEASURES)
    of_arrays = {measure.function.__name__ for measure in MEASURES if measure.function.__module__ != explained.__name__}
    assert of_arrays <= set(elicit.scores.__all__), "export the function from elicit.scores"


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


TOLD = [measure for measure in MEASURES if "classes" in measure.options and measure.name != "pimp"]
FEW = {
    "permutation": {"repeats": 1, "folds": 2},
    "trees": {"trees": 5},
    "johnson-shapley": {"runs": 600},
    "shapley": {"rows": 3, "rounds": 2},
}


@pytest.mark.parametrize("measure", TOLD, ids=lambda m: m.name)
def test_whoever_says_what_a_target_holds_is_believed(measure):
    rng = np.random.default_rng(0)
    grades = np.repeat(np.arange(12), 4)  # few whole numbers, which are taken for classes
    X = rng.normal(size=(48, 3)) + np.column_stack([grades, grades == 3, grades % 2])
    few = FEW.get(measure.name, {})
    as_classes = measure.scores(X, np.array(list("abcdefghijkl"))[grades], **few)
    assert measure.scores(X, grades + 0.25, classes=True, **few) == pytest.approx(as_classes, abs=1e-12)
    as_numbers = measure.scores(X, grades + 0.25, **few)
    assert measure.scores(X, grades, classes=False, **few) == pytest.approx(as_numbers, abs=1e-12)
    assert as_numbers != pytest.approx(as_classes, abs=1e-3)


def test_pimp_fits_its_model_to_what_a_target_is_said_to_hold():
    X, y = TWO
    options = {"model": LogisticRegression(), "draws": 1}
    pimp = score_named("pimp")
    as_classes = pimp.scores(X[:, 6:8], y, **options)
    assert pimp.scores(X[:, 6:8], y + 0.25, classes=True, **options).tolist() == as_classes.tolist()
    with pytest.raises(ModelError, match="LogisticRegression cannot be fitted"):
        pimp.scores(X[:, 6:8], y + 0.25, **options)


RNG = np.random.default_rng(0)
HALVES = np.repeat([0, 1], 10)
DEGENERATE = {
    "two copies of a column": (np.repeat(RNG.random((20, 1)), 2, axis=1), HALVES),
    "constant columns": (np.ones((20, 2)), HALVES),
    "constant columns and numbers": (np.ones((20, 2)), RNG.random(20)),
    "fewer rows than columns": (RNG.random((12, 15)), np.repeat(["a", "b"], 6)),
    "fewer rows than columns and numbers": (RNG.random((12, 15)), RNG.random(12)),
    "tiny numbers": (RNG.random((20, 3)) * 1e-200, RNG.random(20) * 1e-200),
    "truth values": (RNG.random((20, 3)), RNG.random(20) > 0.5),
    "a class with one row": (RNG.random((20, 3)), ["a"] * 19 + ["b"]),
    "two rows": ([[1.0, 2.0], [3.0, 1.0]], ["a", "b"]),
    "two rows and numbers": ([[1.0, 2.0], [3.0, 1.0]], [0.1, 0.2]),
    "one attribute": (RNG.random((20, 1)), HALVES),
    "gaps": (np.where(RNG.random((20, 3)) < 0.2, np.nan, 1.0), HALVES),
}
REFUSED = {
    "one row": ([[1.0, 2.0]], ["a"]),
    "one class": (RNG.random((20, 3)), ["a"] * 20),
    "labels of several kinds": (RNG.random((3, 3)), np.array([None, "a", "b"], dtype=object)),
    "no rows": (np.empty((0, 3)), []),
    "no columns": (np.empty((3, 0)), [0, 1, 0]),
    "texts": (np.array([["a", "b"], ["c", "d"]]), [0, 1]),
    "numbers too large to square": (RNG.random((20, 3)) * 1e200, HALVES),
    "a target that differs in its last digits alone": (RNG.random((20, 3)), np.where(HALVES, 0.3, 0.1 + 0.2)),
}


def tried(measure, X, y):
    """The scores, or the complaint."""
    try:
        return measure.scores(X, y, **options_of(measure)), ""
    except InputError as error:
        return None, str(error)


@pytest.mark.parametrize("measure", QUICK, ids=lambda m: m.name)
@pytest.mark.parametrize("case", DEGENERATE)
def test_degenerate_data_have_scores_or_one_clear_error(case, measure):
    X, y = DEGENERATE[case]
    found, complaint = tried(measure, X, y)
    assert "\n" not in complaint
    if case in ("two copies of a column", "one attribute", "truth values") and measure.serves(True):
        assert not complaint
    if not complaint:
        assert not np.isnan(found).any()
    if not complaint and case.startswith("constant"):
        assert (found == 0).all()
    if not complaint and case == "two copies of a column" and measure.name not in ("permutation", "trees"):
        assert found[0] == pytest.approx(found[1], abs=1e-6)
    if case == "gaps":
        assert ("X is nan in row" in complaint) == (measure.name not in ("relief", "relieff", "rrelieff"))


@pytest.mark.parametrize("measure", QUICK, ids=lambda m: m.name)
@pytest.mark.parametrize("case", REFUSED)
def test_data_without_any_answer_are_refused(case, measure):
    X, y = REFUSED[case]
    if measure.name == "variance" and case not in ("no rows", "no columns", "texts", "numbers too large to square"):
        assert np.isfinite(measure.scores(X, y)).all()  # the target is not looked at
        return
    with pytest.raises(InputError):
        measure.scores(X, y, **options_of(measure))


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
