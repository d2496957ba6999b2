"""The displays draw what the selector found, on the axes they are given."""

import builtins
import itertools
import sys

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import ShuffleSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from elicit import ElicitSelector, InteractionDisplay, ParetoDisplay, PowerDisplay, RegretDisplay
from elicit.errors import InputError
from elicit.events import Answer
from elicit.printable import LONGEST_LABEL

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")

X, Y = load_wine(return_X_y=True, as_frame=True)
DISPLAYS = (ParetoDisplay, RegretDisplay, InteractionDisplay, PowerDisplay)


@pytest.fixture(scope="module")
def fitted():
    return ElicitSelector(GaussianNB(), cv=5, budget=24).fit(X, Y)


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


@pytest.mark.parametrize("display", DISPLAYS)
def test_every_display_draws_on_the_axes_given_or_on_new_ones(display, fitted):
    _, ax = plt.subplots()
    assert display.from_estimator(fitted, ax=ax).ax_ is ax
    assert display.from_estimator(fitted).plot(ax).ax_ is ax
    drawn = display.from_estimator(fitted)
    assert drawn.ax_ is not ax
    assert drawn.figure_ is drawn.ax_.figure
    drawn.figure_.canvas.draw()
    again = drawn.plot()
    assert again is drawn


@pytest.mark.parametrize("display", DISPLAYS)
def test_an_unfitted_selector_is_refused(display):
    with pytest.raises(NotFittedError):
        display.from_estimator(ElicitSelector(GaussianNB()))


def test_the_front_rises_and_holds_the_choice(fitted):
    display = ParetoDisplay.from_estimator(fitted)
    assert len(display.sizes) == 24
    assert (np.diff(display.front_sizes) > 0).all()
    assert (np.diff(display.front_scores) > 0).all()
    for size, score in zip(display.sizes, display.scores, strict=True):
        reached = display.front_scores[display.front_sizes <= size]
        assert reached.size
        assert reached.max() >= score - 1e-12
    assert display.chosen == (len(fitted.feature_names_), fitted.best_score_)
    shown = set(zip(display.front_sizes, display.front_scores, display.front_spread, strict=True))
    assert shown <= {(m.size, m.score, m.spread) for m in fitted.front_}
    assert {size for size, _, _ in shown} == {m.size for m in fitted.front_}, "of equal ones one is enough"
    legend = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert f"chosen ({len(fitted.feature_names_)} features)" in legend


def test_with_further_criteria_the_legend_says_by_which_two_the_front_is_drawn(fitted):
    costly = ElicitSelector(GaussianNB(), costs=[1.0] * X.shape[1], criteria=["recall_macro"], cv=3, budget=8).fit(X, Y)
    display = ParetoDisplay.from_estimator(costly)
    assert display.further == ("recall_macro", "cost")
    legend = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert "front by score and features alone ± spread of folds" in legend
    plain = ParetoDisplay.from_estimator(fitted)
    assert plain.further == ()
    assert "front ± spread of folds" in [text.get_text() for text in plain.ax_.get_legend().get_texts()]


def test_groups_of_features_are_attributes_and_a_spread_that_nobody_knows_is_not_drawn():
    grouped = ElicitSelector(GaussianNB(), cv=ShuffleSplit(1, random_state=0), feature_groups={"a": [0, 1]}, budget=6)
    display = ParetoDisplay.from_estimator(grouped.fit(X, Y))
    assert display.ax_.get_xlabel() == "attributes"
    assert np.isnan(display.front_spread).all()
    legend = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert "front" in legend
    assert any(text.startswith("chosen (") and "attribute" in text for text in legend)


def test_the_regret_falls_to_zero_in_the_order_of_the_record(fitted):
    display = RegretDisplay.from_estimator(fitted)
    table = fitted.cv_results_
    scores = table["mean_test_score"][table["decision"] == "evaluated"]
    assert display.regret.tolist() == (scores.max() - np.maximum.accumulate(scores)).tolist()
    assert display.regret[-1] == 0
    assert display.unit == "score"


@pytest.mark.parametrize("evaluations", [1, 8])
def test_a_regret_of_nothing_is_a_line_above_the_frame(evaluations):
    drawn = RegretDisplay(np.arange(1.0, evaluations + 1), np.zeros(evaluations), "score").plot()
    drawn.figure_.canvas.draw()
    (line,) = drawn.ax_.lines
    assert drawn.ax_.transAxes.inverted().transform(line.get_window_extent())[0, 1] > 0.01


def test_the_regret_of_an_operator_is_in_the_units_of_its_utility():
    asked = ElicitSelector(GaussianNB(), operator="score - 0.1 * size", cv=5, budget=12, questions=3).fit(X, Y)
    display = RegretDisplay.from_estimator(asked)
    table = asked.cv_results_
    worth = (table["mean_test_score"] - 0.1 * table["size"])[table["decision"] == "evaluated"]
    assert display.regret == pytest.approx(worth.max() - np.maximum.accumulate(worth))

    class Person:
        def __call__(self, _request):
            return Answer.EQUAL

    person = ElicitSelector(GaussianNB(), operator=Person(), cv=5, budget=12, questions=3).fit(X, Y)
    assert RegretDisplay.from_estimator(person).unit == "fitted utility"


def test_interactions_are_symmetric_and_the_powers_follow_from_them(fitted):
    display = InteractionDisplay.from_estimator(fitted)
    u = display.interactions
    assert u == pytest.approx(u.T)
    assert display.names == fitted.attributes_
    shapley = np.diag(u) + 0.5 * (u.sum(axis=1) - np.diag(u))
    assert shapley == pytest.approx(fitted.power_)
    low, high = display.im_.get_clim()
    assert low == -high  # nothing is neither red nor blue


def test_of_many_attributes_the_most_powerful_are_named_and_the_rest_is_told(fitted):
    power = PowerDisplay.from_estimator(fitted, most=5)
    assert power.power.tolist() == sorted(fitted.power_, reverse=True)[:5]
    assert power.left_out == 8
    assert "8 more attributes" in power.ax_.get_title()
    assert set(InteractionDisplay.from_estimator(fitted, most=5).names) == set(power.names)
    assert power.chosen == tuple(name in fitted.feature_names_ for name in power.names)
    with pytest.raises(InputError, match="most must be a whole number of at least 1"):
        PowerDisplay.from_estimator(fitted, most=0)


@pytest.mark.parametrize("display", [InteractionDisplay, PowerDisplay])
def test_the_picture_says_of_which_utility_its_numbers_are(display, fitted):
    assert "by the simplest utility that fits, not by the score" in display.from_estimator(fitted).ax_.get_title()


def test_the_map_of_pairs_fills_its_picture_and_its_bar_says_what_the_diagonal_is(fitted):
    drawn = InteractionDisplay.from_estimator(fitted)
    drawn.figure_.canvas.draw()
    wide, high = drawn.figure_.get_size_inches()
    around = drawn.figure_.get_tightbbox()
    assert around.width > 0.9 * wide
    assert around.height > 0.9 * high
    assert drawn.ax_.get_position().height > 0.5
    assert "diagonal: an attribute by itself" in drawn.im_.colorbar.ax.get_ylabel()


def test_names_from_data_are_drawn_as_they_are_and_never_as_formulas():
    frame = X.iloc[:, :3].set_axis(["$x^2", "a\x1b[31mred", "plain"], axis=1)
    display = PowerDisplay.from_estimator(ElicitSelector(GaussianNB(), cv=5).fit(frame, Y))
    display.ax_.figure.canvas.draw()
    labels = {label.get_text().removeprefix("★ ") for label in display.ax_.get_yticklabels()}
    assert r"\$x^2" in labels
    assert not any("\x1b" in label for label in labels)


def test_names_that_would_look_alike_are_drawn_whole():
    alike = [f"sensor_temperature_zone_{zone}_daily_mean_value" for zone in "AB"]
    frame = X.iloc[:, :3].set_axis([*alike, "a_name_of_more_characters_than_a_picture_has_room_for"], axis=1)
    display = PowerDisplay.from_estimator(ElicitSelector(GaussianNB(), cv=5).fit(frame, Y))
    labels = [label.get_text().removeprefix("★ ") for label in display.ax_.get_yticklabels()]
    assert set(alike) < set(labels)
    (long,) = set(labels) - set(alike)
    assert len(long) <= LONGEST_LABEL
    assert "…" in long


def test_what_was_chosen_bears_a_star_whatever_its_index(fitted):
    display = PowerDisplay.from_estimator(fitted)
    starred = [label.get_text().startswith("★ ") for label in display.ax_.get_yticklabels()]
    assert starred == list(display.chosen)
    assert any(starred)
    assert not all(starred)


def test_without_matplotlib_the_remedy_is_told(fitted, monkeypatch):
    real = builtins.__import__

    def without(name, *rest, **named):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    monkeypatch.delitem(sys.modules, "matplotlib.pyplot")
    with pytest.raises(InputError, match="install it with: pip install matplotlib"):
        ParetoDisplay.from_estimator(fitted)


@pytest.mark.parametrize("display", [InteractionDisplay, PowerDisplay])
def test_names_on_new_axes_lie_inside_the_picture_and_do_not_overlap(display, fitted):
    ax = display.from_estimator(fitted).ax_
    canvas = ax.figure.canvas
    canvas.draw()
    boxes = [label.get_window_extent(canvas.get_renderer()) for label in ax.get_yticklabels()]
    assert min(box.x0 for box in boxes) >= 0
    heights = sorted((box.y0, box.y1) for box in boxes)
    assert all(upper[0] >= lower[1] for lower, upper in itertools.pairwise(heights))


def test_what_is_no_selector_is_named():
    other = GaussianNB().fit([[0.0], [1.0]], [0, 1])
    for display in (ParetoDisplay, RegretDisplay, InteractionDisplay, PowerDisplay):
        with pytest.raises(InputError, match="expected a fitted ElicitSelector, found GaussianNB"):
            display.from_estimator(other)
    with pytest.raises(InputError, match="found Pipeline: give its step, such as pipeline\\[0\\]"):
        ParetoDisplay.from_estimator(make_pipeline(other))


def test_a_display_that_ends_a_cell_prints_one_line(fitted):
    for display in (ParetoDisplay, RegretDisplay, InteractionDisplay, PowerDisplay):
        assert len(repr(display.from_estimator(fitted))) < 120


@pytest.mark.parametrize("display", [ParetoDisplay, RegretDisplay])
@pytest.mark.parametrize("prepared", [lambda ax: ax.set_xscale("log"), lambda ax: ax.set_xticks([5, 10])])
def test_axes_keep_the_scale_and_the_ticks_that_they_were_given(display, prepared, fitted):
    _, ax = plt.subplots()
    prepared(ax)
    scale, locator = ax.get_xscale(), ax.xaxis.get_major_locator()
    display.from_estimator(fitted, ax=ax).figure_.canvas.draw()
    assert ax.get_xscale() == scale
    assert ax.xaxis.get_major_locator() is locator


@pytest.mark.parametrize("display", [InteractionDisplay, PowerDisplay])
def test_the_title_ends_with_the_picture_on_narrow_axes_too(display, fitted):
    figure, axes = plt.subplots(1, 2, figsize=(4, 3))
    display.from_estimator(fitted, ax=axes[1])
    figure.canvas.draw()
    assert axes[1].title.get_window_extent().x1 <= figure.bbox.x1
