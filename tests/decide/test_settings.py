"""Settings: what each may be, up to its limits and no further, and what is said of what it may not be."""

import dataclasses
import re

import numpy as np
import pytest
from journals import played

from elicit.decide.settings import FEWEST_FIRST, PRESETS, Settings, settings_from, unproven_choice
from elicit.errors import InputError
from elicit.journal import read
from elicit.subsets import Family


@pytest.mark.parametrize("name", ["budget", "patience", "rejections", "batch", "effort", "degree"])
def test_what_nothing_can_be_done_without_is_at_least_1(name):
    assert getattr(Settings(**{name: 1}), name) == 1
    with pytest.raises(InputError, match=f"{name} must be a whole number .*1.*, found 0"):
        Settings(**{name: 0})


@pytest.mark.parametrize("name", ["questions", "start", "ask_every", "last_questions", "confirm", "check_every"])
def test_what_may_be_left_out_is_at_least_0(name):
    assert getattr(Settings(**{name: 0}), name) == 0
    with pytest.raises(InputError, match=f"{name} must be a whole number of at least 0, found -1"):
        Settings(**{name: -1})


@pytest.mark.parametrize(
    ("name", "least", "most"), [("draws", 1, 100_000), ("index_samples", 1, 100_000), ("degree", 1, 3)]
)
def test_what_is_worked_on_in_every_round_has_a_limit(name, least, most):
    assert getattr(Settings(**{name: most}), name) == most
    for beyond in (least - 1, most + 1):
        with pytest.raises(InputError, match=f"{name} must be a whole number from {least} to {most}, found {beyond}"):
            Settings(**{name: beyond})


@pytest.mark.parametrize("name", ["budget", "start", "ask_every", "questions", "draws"])
def test_only_what_has_a_usual_value_of_its_own_may_be_none(name):
    if name in ("budget", "start", "ask_every"):
        assert getattr(Settings(**{name: None}), name) is None
    else:
        with pytest.raises(InputError, match=f"{name} must be a whole number"):
            Settings(**{name: None})


@pytest.mark.parametrize("name", ["epsilon", "neighbours", "noise_level", "noise_ratio", "worth", "margins", "caution"])
def test_shares_and_levels_may_be_0_and_no_less(name):
    assert getattr(Settings(**{name: 0}), name) == 0.0
    assert isinstance(getattr(Settings(**{name: 0}), name), float), "a journal holds one kind of number"
    for wrong in (-0.1, float("nan"), float("inf"), True, "0.1"):
        with pytest.raises(InputError, match=f"{name} must be a number of at least 0, found {wrong!r}"):
            Settings(**{name: wrong})


@pytest.mark.parametrize(
    ("last", "beyond", "words"),
    [
        ({"effort": 10_000}, {"effort": 10_001}, "effort is at most 10000, .*; found 10001"),
        ({"temperature": 1e-9}, {"temperature": 0}, "temperature must be above 0"),
        ({"cooling": 1e-9}, {"cooling": 0}, "cooling must be above 0"),
        ({"cooling": 1e-200}, {"cooling": 1e-200, "temperature": 1e-200}, "cooling must be above 0"),
        ({"margins": 100}, {"margins": 100.5}, "margins is at most 100, .*; found 100.5"),
        ({"margins": 1}, {"margins": 1, "theta": "L1"}, "margins widen those of the utility theta = 'L2'"),
        ({"caution": 1}, {"caution": 1, "parsimony": "exact"}, "the exact set has none"),
        ({"doubt": 1}, {"doubt": 1.01}, "doubt is a probability above 0 .*, found 1.01"),
        ({"doubt": 1e-9}, {"doubt": 0}, "doubt is a probability above 0 .*, found 0.0"),
        ({"neighbours": 1}, {"neighbours": 1.01}, "neighbours is a share between 0 and 1, found 1.01"),
        ({"agreement": 1}, {"agreement": 0.99}, "agreement must be at least 1, .*; found 0.99"),
        ({"agreement": None}, {"agreement": "2"}, "agreement must be a number of at least 0, found '2'"),
        ({"noise_level": 0.49}, {"noise_level": 0.5}, "noise_level must lie below 0.5, found 0.5"),
        ({"parsimony": 0}, {"parsimony": -0.1}, "parsimony τ must lie between 0 and"),
        ({"parsimony": "exact"}, {"parsimony": "exakt"}, "is a finite number .* or \"exact\", found 'exakt'"),
        ({"slack": 1.5}, {"slack": 1}, "the slack weight C must exceed w_1 = 1.0"),
        ({"pairs": [(0, 1)]}, {"pairs": [(0, 1)], "theta": "L1"}, "pairs guide the utility theta = 'L2'"),
        ({"pairs": [(0, 1)], "degree": 2}, {"pairs": [(0, 1)], "degree": 1}, "of degree 2 or 3"),
        ({"pairs": [(0, 1)]}, {"pairs": [(-1, 0)]}, r"positions of two attributes, found \(-1, 0\)"),
        ({"pairs": [(0, 1)]}, {"pairs": [(0, 1, 2)]}, r"positions of two attributes, found \(0, 1, 2\)"),
        ({"pairs": [(0, 1)]}, {"pairs": [(1, 1)]}, r"two different attributes, found \(1, 1\)"),
        ({"pairs": ()}, {"pairs": "ab"}, "pairs is a list, found 'ab'"),
        ({"stop": "questions"}, {"stop": "questions", "questions": 0}, "ends before anything is measured"),
        ({"questions": 0}, {"stop": ["optimum"]}, "stop is one of .*; found 'optimum'; did you mean 'optimal'"),
        ({"scope": "size:2"}, {"scope": "size:0"}, "scope is one of family, size:K.*; found 'size:0'"),
        ({"preset": "source"}, {"preset": "sauce"}, "preset is one of default, source; found 'sauce'"),
        ({"preset": "default"}, {"preset": None}, "preset is one of default, source; found None"),
    ],
)
def test_the_last_that_is_taken_and_the_first_that_is_refused(last, beyond, words):
    settings_from(last)
    with pytest.raises(InputError, match=words) as told:
        settings_from(beyond)
    assert "\n" not in str(told.value)


def test_every_word_that_a_setting_may_be_is_explained():
    words = [(f, word) for f in dataclasses.fields(Settings) for word in _words(f.metadata["check"])]
    assert {"policy", "theta", "law"} <= {f.name for f, _ in words}
    for f, word in words:
        assert re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", f.metadata["meaning"]), f"{f.name} = {word}"


@pytest.mark.parametrize(
    ("choice", "acts", "idle", "told", "said"),
    [
        ({"slack": 60}, {}, {"parsimony": "exact"}, "slack", "the exact set sets none aside"),
        ({"weights": (1, 1, 1)}, {}, {"parsimony": "exact"}, "weights", "the exact set has no prices"),
        ({"patience": 1}, {"stop": ()}, {"stop": "rejections"}, "patience", "unless the rule `rejections` may end"),
        ({"first": "all"}, {"explore": "gain"}, {"explore": "model"}, "first", "unless explore is gain, path is all"),
        ({"law": "sized"}, {"explore": "law"}, {"explore": "sequential"}, "explore", "not by index and law"),
        ({"index": "gap"}, {"explore": "law"}, {"explore": "sequential-source"}, "explore", "not by index and law"),
    ],
)
def test_a_setting_that_does_nothing_beside_another_is_said_to(tmp_path, choice, acts, idle, told, said):
    def facts(name, **settings):
        played(tmp_path / name, 5, **{"budget": 20, "start": 2, "explore": "law", **settings})
        return read(tmp_path / name).facts

    assert facts("1", **acts) != facts("2", **acts, **choice)
    assert facts("3", **idle) == facts("4", **idle, **choice)
    assert said in {f.name: f.metadata["meaning"] for f in dataclasses.fields(Settings)}[told]


@pytest.mark.parametrize("explore", ["sequential", "sequential-source"])
def test_the_law_draws_in_place_of_chances_where_the_set_of_utilities_cannot_be_asked(tmp_path, explore):
    def drawn(law):
        path = tmp_path / law
        played(path, 5, 1, law=law, explore=explore, budget=4, start=2, questions=0, stop=())
        return read(path).facts

    assert drawn("sized") != drawn("logistic")
    said = {f.name: f.metadata["meaning"] for f in dataclasses.fields(Settings)}["explore"]
    assert "the law draws while no subset is known to be better than another, and where the exact set is empty" in said


def _words(check):
    return getattr(check, "keywords", {}).get("words", ())


@pytest.mark.parametrize("name", ["theta", "law", "policy", "explore", "first", "assume", "recommend", "parsimony"])
def test_an_array_is_no_word(name):
    for wrong in (np.array(["exact", "L2"]), np.array([getattr(Settings(), name)])):
        with pytest.raises(InputError, match=f"{name} is .*found array"):
            Settings(**{name: wrong})


def test_lists_are_kept_alike_however_they_were_given():
    given = Settings(stop="regret", weights=[1, 2, 4], pairs=[[2, 0], (0, 2)], parsimony=1, slack=9)
    assert given.stop == ("regret",)
    assert given.pairs == ((0, 2),)
    assert all(type(number) is float for number in (*given.weights, given.parsimony, given.slack))
    assert settings_from(given.plain()) == given


def test_a_preset_gives_way_to_what_is_chosen_besides():
    assert settings_from({"preset": "source"}) == Settings(**PRESETS["source"])
    assert (PRESETS["source"]["start"], PRESETS["source"]["recommend"]) == (0, "regret")
    chosen = settings_from({"preset": "source", "law": "sized"})
    assert (chosen.law, chosen.explore) == ("sized", "law")


def test_a_budget_is_as_given_or_the_usual_one_and_never_more_than_there_are_subsets():
    assert [Settings().calls(Family(n)) for n in (2, 8, 50)] == [20, 36, 500]
    assert Settings().calls(Family(50, keep=1, drop=(1 << 50) - (1 << 8))) == 36  # of 8 that may be chosen
    assert Settings(budget=3).calls(Family(8)) == 3
    assert Settings(budget=99).evaluations(Family(4)) == 15
    assert Settings(budget=9).evaluations(Family(4)) == 9


def test_a_start_of_0_is_none_and_not_the_usual_one():
    assert Settings(start=0).begun_with == 0
    assert Settings().begun_with == FEWEST_FIRST


@pytest.mark.parametrize(
    ("choices", "stated", "words"),
    [
        ({"questions": 0}, False, "the subset with the best score"),
        ({"questions": 0}, True, "worth most to plausible operators"),
        ({"questions": 1}, False, "worth most to plausible operators"),
        ({"recommend": "regret"}, False, "theta_k likes best"),
    ],
)
def test_what_is_recommended_without_a_proof_is_said_as_it_is_chosen(choices, stated, words):
    assert words in unproven_choice(Settings(**choices), stated)
