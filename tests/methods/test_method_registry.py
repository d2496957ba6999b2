"""A method is named by a text, with one parameter after a colon."""

import pytest

from elicit.errors import InputError
from elicit.methods import (
    METHODS,
    Adaptive,
    Elimination,
    Exhaustive,
    Floating,
    Focus,
    Genetic,
    HillClimbing,
    PlusMinus,
    Random,
    Ranking,
    Sequential,
    named,
)


class Stub:
    """Material that says what it was asked for."""

    def scores(self, by):
        return [float(len(by)), 1.0]

    def inconsistency(self, tolerance):
        return lambda mask: tolerance * mask

    def importance(self, subset):
        return [float(subset)]


@pytest.mark.parametrize(
    ("text", "explorer"),
    [
        ("sfs", Sequential()),
        ("sbs", Sequential(forward=False)),
        ("gsfs", Sequential(group=2)),
        ("gsfs:1", Sequential()),
        ("gsfs:3", Sequential(group=3)),
        ("gsbs:4", Sequential(forward=False, group=4)),
        ("sffs", Floating()),
        ("sfbs", Floating(forward=False)),
        ("sffs:mlxtend", Floating(demanding=True)),
        ("sffs:pudil", Floating(demanding=False)),
        ("sfbs:pudil", Floating(forward=False, demanding=False)),
        ("sffs (unlimited)", Floating()),
        ("gsfs:3 (unlimited)", Sequential(group=3)),
        ("plus-l-minus-r", PlusMinus(2, 1)),
        ("plus-l-minus-r:1,3", PlusMinus(1, 3)),
        ("ranking:alone", Ranking()),
        ("ranking:fisher", Ranking((6.0, 1.0))),
        ("exhaustive", Exhaustive()),
        ("sac", Adaptive()),
        ("random", Random()),
        ("hill-climb", HillClimbing()),
        ("genetic", Genetic(10)),
        ("genetic:30", Genetic(30)),
    ],
)
def test_a_text_names_a_method(text, explorer):
    assert named(text).explorer(Stub()) == explorer


def test_methods_that_read_the_data_get_them_from_the_material():
    focus, rfe = (named(text).explorer(Stub()) for text in ("focus:0.25", "rfe:2"))
    assert isinstance(focus, Focus)
    assert focus.inconsistency(2) == 0.5
    assert isinstance(rfe, Elimination)
    assert (rfe.importance(5), rfe.step) == ([5.0], 2)


@pytest.mark.parametrize("text", ["focus", "rfe", "ranking"])
def test_without_material_they_say_what_they_need(text):
    with pytest.raises(InputError, match=f"the method '{text}' needs (data|model) besides the oracle"):
        named(text).explorer()
    assert named("ranking:alone").needs == ""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sfss", r"unknown method 'sfss'; did you mean 'sf"),
        ("xyz", r"unknown method 'xyz'; the methods are sfs, sbs"),
        ("sfs:2", r"the method 'sfs' takes no parameter, found 'sfs:2'"),
        ("gsfs:0", r"in the method 'gsfs:0', the group's size: expected a whole number of at least 1, found '0'"),
        ("gsfs:", r"expected a whole number of at least 1, found ''"),
        ("plus-l-minus-r:2,2", r"expected two different whole numbers, such as 3,1; found '2,2'"),
        ("plus-l-minus-r:x,1", r"expected two different whole numbers"),
        ("plus-l-minus-r:2", r"expected two different whole numbers"),
        ("sffs:pudel", r"in the method 'sffs:pudel', .*expected 'mlxtend' or 'pudil', found 'pudel'"),
        ("focus:-1", r"expected a number of at least 0, found '-1'"),
        ("focus:x", r"expected a number of at least 0, found 'x'"),
        ("ranking:fischer", r"in the method 'ranking:fischer', .*did you mean 'fisher'"),
    ],
)
def test_a_text_that_names_none_is_refused(text, message):
    with pytest.raises(InputError, match=message):
        named(text)


def test_each_method_says_what_it_is():
    for name, entry in METHODS.items():
        assert entry.name == name
        assert len(entry.meaning) > 10
        assert (entry.parameter == "") == (entry.default is None)
