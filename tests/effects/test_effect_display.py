"""Displays: what is drawn is the result, on the axis that was given, with names as plain text."""

import sys
from itertools import pairwise

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from elicit.effects import (
    Ale,
    AleDisplay,
    HStatisticDisplay,
    PartialDependence,
    PartialDependenceDisplay,
    ale,
    h_statistic,
    individual_expectations,
    partial_dependence,
)
from elicit.effects.drawing import map_size
from elicit.errors import InputError

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402  # the backend is chosen before

X = np.random.default_rng(0).normal(size=(30, 3))


def model(X):
    return X[:, 0] * X[:, 1] + X[:, 2]


@pytest.fixture(autouse=True)
def _closed():
    yield
    pyplot.close("all")


def test_a_curve_and_its_rows():
    found = individual_expectations(model, X, 0, points=10)
    drawn = found.plot()
    assert len(drawn.ax_.lines) == 31
    assert drawn.ax_.lines[-1].get_ydata() == pytest.approx(found.average)
    assert drawn.ax_.get_xlabel() == "x0"
    assert drawn.figure_ is drawn.ax_.figure


def test_a_curve_of_one_point_is_seen():
    assert partial_dependence(model, X, 0, grids=[[0.5]]).plot().ax_.lines[-1].get_marker() == "o"
    assert partial_dependence(model, X, 0, grids=[[0.5, 1.0]]).plot().ax_.lines[-1].get_marker() == ""


def test_a_given_axis_is_used():
    _, axes = pyplot.subplots(1, 3)
    assert PartialDependenceDisplay.from_estimator(model, X, [0, 1], points=5, ax=axes[0]).ax_ is axes[0]
    assert AleDisplay.from_estimator(model, X, 0, ax=axes[1]).ax_ is axes[1]
    assert HStatisticDisplay.from_estimator(model, X, ax=axes[2]).ax_ is axes[2]


def test_a_map_has_one_colour_a_category_and_nothing_in_between():
    codes = np.array([0.0, 1.0, 2.0])
    grids, categorical = (codes, np.linspace(0, 1, 100)), (True, False)
    drawn = PartialDependence(("kind", "x"), grids, categorical, np.outer(codes, np.ones(100)))
    drawn = drawn.plot(pyplot.figure(figsize=(4, 3)).subplots())
    drawn.figure_.canvas.draw()
    picture = np.asarray(drawn.figure_.canvas.buffer_rgba())[::-1]
    left, bottom, right, top = map(round, drawn.ax_.bbox.extents)
    row = picture[(bottom + top) // 2, left + 3 : right - 3]
    assert len(np.unique(row, axis=0)) == 3


def test_an_effect_and_a_map_of_interactions():
    effect = ale(model, X, 2)
    curve = effect.plot().ax_
    assert curve.lines[-1].get_ydata() == pytest.approx(effect.effect)
    assert curve.get_xlabel() == "x2"
    found = h_statistic(model, X)
    shown = np.asarray(found.plot().ax_.images[0].get_array())
    assert shown[0, 1] == pytest.approx(found.matrix[0, 1])
    assert np.diag(shown) == pytest.approx(found.overall)
    assert h_statistic(model, X, overall=False).plot().ax_.images


def test_the_class_that_is_meant_stands_beside_what_is_drawn():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 3, 60).astype(float)
    naive, margin = GaussianNB().fit(X, y), LinearSVC().fit(X, np.where(y > 0, "$y", "n"))
    several = LinearRegression().fit(X, X[:, :2])
    for model, target, told in (
        (naive, 1.0, "chance of class 1"),
        (margin, "$y", r"decision for class \$y"),
        (several, 1, "output 1"),
    ):
        curve = partial_dependence(model, X, 0, points=5, target=target)
        assert curve.plot().ax_.get_ylabel() == curve.centred().plot().ax_.get_ylabel() == f"mean answer ({told})"
        assert ale(model, X, 0, target=target).plot().ax_.get_ylabel() == f"accumulated effect ({told})"
        both = partial_dependence(model, X, [0, 1], points=5, target=target).plot()
        assert both.ax_.images[0].colorbar.ax.get_ylabel() == f"mean answer ({told})"
        pairs = h_statistic(model, X, target=target, overall=False).plot()
        label = pairs.ax_.images[0].colorbar.ax.get_ylabel()
        assert label.replace("\n", " ") == f"H (diagonal: against all others) ({told})"
        pyplot.close("all")
    assert ale(several.fit(X, y), X, 0).plot().ax_.get_ylabel() == "accumulated effect"


def test_a_class_of_many_letters_is_not_cut_off_beside_what_is_drawn():
    y = np.where(X[:, 0] > 0, "a class whose name is long as well", "no")
    naive = GaussianNB().fit(X, y)
    for label in (
        partial_dependence(naive, X, 0, points=5, target=y[X[:, 0] > 0][0]).plot().ax_.yaxis.label,
        h_statistic(naive, X, target=y[X[:, 0] > 0][0]).plot().ax_.images[0].colorbar.ax.yaxis.label,
    ):
        label.figure.canvas.draw()
        box = label.get_window_extent()
        assert 0 <= box.y0 < box.y1 <= label.figure.bbox.height


def test_every_category_of_a_map_is_named():
    levels = np.array([f"level {k}" for k in range(10)])
    both = PartialDependence(("kind", "x"), (levels, np.linspace(0, 1, 50)), (True, False), np.zeros((10, 50)))
    drawn = both.plot()
    assert [label.get_text() for label in drawn.ax_.get_xticklabels()] == levels.tolist()
    assert len(drawn.ax_.get_yticklabels()) == 6


@pytest.mark.parametrize("count", [5, 40, 80, 300])
def test_labels_below_bars_do_not_overlap(count):
    levels = np.array([f"level {k}" for k in range(count)])
    rows = np.arange(count)
    bars = PartialDependence(("kind",), (levels,), (True,), rows.astype(float)).plot()
    effect = AleDisplay(Ale("kind", levels, rows.astype(float), rows, True)).plot()
    assert [bar.get_height() for bar in effect.ax_.patches] == rows.tolist()
    for drawn in (bars, effect):
        drawn.figure_.canvas.draw()
        labels = drawn.ax_.get_xticklabels()
        named = {round(place): label.get_text() for place, label in zip(drawn.ax_.get_xticks(), labels, strict=True)}
        assert named == {place: levels[place] for place in named}
        assert {0, count - 1} <= set(named)
        assert len(named) == min(count, 100)
        boxes = [label.get_window_extent() for label in labels]
        assert all(left.x1 <= right.x0 for left, right in pairwise(boxes))


def test_hostile_names_are_drawn_as_they_are_written():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"$\\frac{x$": ["a$b$", "c\x1b[31m", "a$b$"], "x": [1.0, 2.0, 3.0]})
    drawn = partial_dependence(lambda rows: rows["x"].to_numpy(), frame, 0).plot()
    drawn.figure_.canvas.draw()
    assert [label.get_text() for label in drawn.ax_.get_xticklabels()] == [r"a\$b\$", r"c\x1b[31m"]
    drawn = ale(lambda rows: rows["x"].to_numpy(), frame, 0, categorical=True).plot()
    drawn.figure_.canvas.draw()


def test_a_map_has_room_for_names_of_wide_characters():
    assert map_size(["\u6e29\u5ea6" * 5]) == map_size(["x" * 20])


def test_without_matplotlib_the_remedy_is_named(monkeypatch):
    found = ale(model, X, 0)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(InputError, match="install it with: pip install matplotlib"):
        found.plot()


def test_codes_of_many_digits_are_told_apart():
    codes = np.array([10115.0, 10117.0, 10119.0, 80331.0])
    told = ["10115", "10117", "10119", "80331"]
    bars = PartialDependence(("code",), (codes,), (True,), np.arange(4.0)).plot()
    assert [label.get_text() for label in bars.ax_.get_xticklabels()] == told
    both = PartialDependence(("code", "x"), (codes, codes), (True, False), np.zeros((4, 4))).plot()
    assert [label.get_text() for label in both.ax_.get_yticklabels()] == told


def test_days_are_named_without_an_hour():
    days = np.array(["2020-01-31", "2020-02-29"], dtype="datetime64[us]")
    bars = PartialDependence(("day",), (days,), (True,), np.arange(2.0)).plot()
    assert [label.get_text() for label in bars.ax_.get_xticklabels()] == ["2020-01-31", "2020-02-29"]
    days[1] += np.timedelta64(90, "m")
    both = PartialDependence(("day", "x"), (days, np.arange(2.0)), (True, False), np.zeros((2, 2))).plot()
    assert [label.get_text() for label in both.ax_.get_xticklabels()] == ["2020-01-31", "2020-02-29T01:30"]


def test_between_years_no_half_is_named():
    years = np.arange(2000.0, 2004.0)
    for drawn in (
        PartialDependence(("year",), (years,), (False,), np.arange(4.0)).plot(),
        PartialDependence(("year",), (np.zeros(1),), (False,), np.zeros(1)).plot(),
        AleDisplay(Ale("year", years, np.arange(4.0), np.ones(3, dtype=int), False)).plot(),
    ):
        drawn.figure_.canvas.draw()
        assert all(float(place).is_integer() for place in drawn.ax_.get_xticks())


def test_how_answers_differ_between_categories_is_seen_far_from_zero():
    levels, answers = np.array(["a", "b", "c"]), np.array([200.9, 201.0, 201.1])
    drawn = PartialDependence(("kind",), (levels,), (True,), answers).plot()
    low, high = drawn.ax_.get_ylim()
    assert 200 < low < 200.9 < 201.1 < high < 202
    left, right = drawn.ax_.get_xlim()
    assert left < 0 < 2 < right
