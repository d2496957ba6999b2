"""Goals, starts and values out of the ordinary: the methods do what their definition says, or refuse in one line."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.neighbors import KNeighborsClassifier

from elicit.asks import Evaluate
from elicit.errors import ElicitError, InputError, JournalError
from elicit.events import Criterion
from elicit.explore import explore
from elicit.methods import (
    Adaptive,
    Elimination,
    Exhaustive,
    Focus,
    Genetic,
    HillClimbing,
    Inconsistency,
    Method,
    PlusMinus,
    Random,
    Ranking,
    Reaching,
    Sequential,
    Sized,
)
from elicit.methods.frame import Ended, Space
from elicit.methods.systematic import discriminating_cut
from elicit.oracles import CallableOracle, FilterOracle, TableOracle, WrapperOracle, measure_many, stability
from elicit.subsets import Family


def oracle(n, worth=len):
    return CallableOracle(lambda names: worth(names) / 99, n)


def measured(outcome):
    return [fact.subset for fact in outcome.facts if hasattr(fact, "criteria")]


@pytest.mark.parametrize("explorer", [Random(), HillClimbing(), Genetic()])
def test_one_size_of_many_attributes_is_searched_to_its_end(explorer):
    outcome = explore(Method("x", explorer, goal=Sized(2), budget=435), oracle(30))
    assert outcome.evaluations == 435
    assert len(set(measured(outcome))) == 435


def test_a_search_of_ones_own_is_a_function_that_yields_subsets(tmp_path):
    def two_pairs(space, rng):  # noqa: ARG001  # the frame of every search
        values = yield [0b011, 0b110]
        return Ended(f"of two pairs the better has {max(values):.3f}")

    outcome = explore(
        Method("two pairs", two_pairs), oracle(3, lambda names: 7 + ("a3" in names)), journal=tmp_path / "j"
    )
    assert measured(outcome) == [0b011, 0b110]
    assert (outcome.subset, outcome.reason) == (0b110, "of two pairs the better has 0.081")


def test_exhaustive_search_of_one_size_goes_through_no_other():
    outcome = explore(Method("x", Exhaustive(), goal=Sized(29)), oracle(30))
    assert outcome.evaluations == 30


@given(st.integers(1, 6), st.integers(0, 63), st.integers(0, 63), st.integers(0, 63), st.integers(1, 6), st.booleans())
def test_exhaustive_search_measures_all_that_the_goal_wants_the_nearest_first(n, keep, drop, start, size, sized):
    everything = (1 << n) - 1
    keep, drop = keep & everything, drop & everything & ~keep
    start = start & everything & ~drop
    if drop == everything or (sized and not max(1, keep.bit_count()) <= size <= n - drop.bit_count()):
        return
    family = Family(n, keep=keep, drop=drop)
    goal = {"goal": Sized(size)} if sized else {}
    found = measured(explore(Method("x", Exhaustive(), start=start, **goal), oracle(n), family=family))
    assert sorted(found) == sorted(m for m in family if not sized or m.bit_count() == size)
    apart = [(m ^ (start | keep)).bit_count() for m in found]
    assert apart == sorted(apart)


@pytest.mark.parametrize(("plus", "minus", "size"), [(3, 0, 4), (5, 2, 4), (2, 1, 3), (0, 3, 4), (2, 5, 6)])
def test_the_last_round_of_plus_and_minus_is_cut_short(plus, minus, size):
    outcome = explore(Method("x", PlusMinus(plus, minus), goal=Sized(size)), oracle(9))
    assert outcome.met
    sizes = [m.bit_count() for m in measured(outcome)]
    if plus > minus:
        assert max(sizes) <= size + minus
    else:
        assert min(sizes) >= size - plus


def test_plus_some_minus_none_is_forward_selection():
    worth = {f"a{k}": k * k % 7 for k in range(1, 11)}
    plus, forward = (
        explore(Method("x", explorer, goal=Sized(4)), oracle(10, lambda names: sum(worth[name] for name in names)))
        for explorer in (PlusMinus(3, 0), Sequential())
    )
    assert measured(plus) == measured(forward)


def test_plus_and_minus_stay_within_the_largest_size():
    outcome = explore(Method("x", PlusMinus(2, 1)), oracle(10), family=Family(10, max_size=2))
    assert max(m.bit_count() for m in measured(outcome)) <= 2


@pytest.mark.parametrize("value", [0.1, 0.3, 0.9, 1 / 3])
def test_a_ranking_of_equals_is_cut_after_the_first(value):
    assert [discriminating_cut([value] * k) for k in range(1, 30)] == [1] * 29


def test_where_nothing_can_be_added_the_rest_is_measured_alone():
    outcome = explore(Method("sac", Adaptive()), oracle(4), family=Family(4, keep=15))
    assert measured(outcome) == [15]
    ranked = explore(Method("x", Ranking()), oracle(5), family=Family(5, keep=3, max_size=2))
    assert measured(ranked) == [3]


def test_a_ranking_is_part_of_a_run_however_it_is_given(tmp_path):
    explore(Method("x", Ranking([4.0, 3, 2, 1]), budget=2), oracle(4), journal=tmp_path / "j")
    explore(Method("x", Ranking(np.array([4.0, 3, 2, 1]))), oracle(4), journal=tmp_path / "j")
    with pytest.raises(JournalError, match="another method"):
        explore(Method("x", Ranking([1.0, 2, 3, 4])), oracle(4), journal=tmp_path / "j")


def test_less_of_the_first_criterion_is_not_taken_for_worse(tmp_path):
    (tmp_path / "t.csv").write_text("a,b,score\n1,0,5\n0,1,1\n1,1,9\n")
    table = TableOracle(tmp_path / "t.csv", minimise=["score"])
    with pytest.raises(InputError, match="less of the first criterion, score, is better"):
        explore(Method("x", Exhaustive()), table)
    assert explore(Method("x", Exhaustive(), value=lambda _, criteria: -criteria[0]), table).names == ("b",)


@pytest.mark.parametrize(
    ("explorer", "start", "goal"),
    [
        (Sequential(forward=False), 1, Sized(3)),
        (Sequential(), 15, Sized(2)),
        (Ranking((1.0, 2, 3, 4, 5)), 15, Sized(2)),
        (Elimination(lambda mask: [1.0] * mask.bit_count()), 0, Sized(2)),
    ],
)
def test_a_start_from_which_the_goal_cannot_be_walked_to_is_refused(explorer, start, goal):
    with pytest.raises(InputError, match="the start has"):
        explore(Method("x", explorer, start=start, goal=goal), oracle(5))


@pytest.mark.parametrize("target", [["a", None, "b", "a"], ["a", float("nan"), "b", "a"], [1.0, np.nan, 2.0, 1.0]])
def test_a_target_with_a_gap_is_refused(target):
    X = np.arange(8.0).reshape(4, 2)
    values = np.array(target, dtype=object if isinstance(target[0], str) else float)
    for make in (
        lambda: WrapperOracle(KNeighborsClassifier(1), X, values, cv=2),
        lambda: FilterOracle(X, values, "cfs"),
    ):
        with pytest.raises(InputError, match="missing in row 1"):
            make()


@pytest.mark.parametrize("change", [lambda x: x * 1e-200, lambda x: x * 1e-4 + 1e9, lambda x: x * 1e140])
def test_a_merit_by_correlation_minds_no_unit(change):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = X[:, 0] + rng.normal(size=60)
    plain, moved = (FilterOracle(data, y, "cfs") for data in (X, change(X)))
    for mask in range(1, 8):
        wanted = plain(Evaluate(0, mask)).criteria[0]
        assert moved(Evaluate(0, mask)).criteria[0] == pytest.approx(wanted, rel=1e-3)


def test_scores_with_labels_go_by_them():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(np.arange(12.0).reshape(4, 3), columns=list("abc"))
    merit = FilterOracle(frame, [0, 1, 0, 1], "sum", scores=pandas.Series({"c": 3.0, "b": 2.0, "a": 1.0}))
    assert merit(Evaluate(0, 1)).criteria[0] == 1.0


@pytest.mark.parametrize("criteria", [(Criterion("score"), Criterion("score")), (), None, ["score"]])
def test_criteria_that_cannot_be_told_apart_are_refused_before_there_is_a_journal(tmp_path, criteria):
    measuring = oracle(3)
    measuring.criteria = criteria  # an oracle of one's own checks nothing
    with pytest.raises(InputError, match=r"each with its own name|criteria are a list of Criterion"):
        explore(Method("x", Random()), measuring, journal=tmp_path / "j")
    assert not (tmp_path / "j").exists()


def test_no_attribute_lies_above_a_threshold_beyond_every_float():
    found = explore(Method("x", Ranking([1, 2], threshold=10**400)), oracle(2))
    assert found.reason.startswith("0 attributes lie above")


@pytest.mark.parametrize(
    "call",
    [
        lambda: Method("x", Random(), budget=2.5),
        lambda: Method("x", Random(), budget="5"),
        lambda: Method("x", Random(), start=[1]),
        lambda: Method("x", "sfs"),
        lambda: Method("x", Random(), goal="size:2"),
        lambda: Method("x", Random(), value="score"),
        lambda: Ranking(["a", "b"]),
        lambda: Ranking(5),
        lambda: Ranking(np.array(5.0)),
        lambda: Ranking([1, 10**400]),
        lambda: Ranking([1, 2], threshold="high"),
        lambda: Ranking([1, 2], threshold=float("nan")),
        lambda: Elimination(len, step="two"),
        lambda: Elimination(len, step=float("inf")),
        lambda: Genetic(mutations="many"),
        lambda: Focus(Inconsistency([[0], [1]], [0, 1]), most="few"),
        lambda: Focus(Inconsistency([[0], [1]], [0, 1]), most=float("nan")),
        lambda: Inconsistency([[0], [1]], [0, 1], tolerance="some"),
        lambda: Sized(2.5),
        lambda: Reaching("much"),
        lambda: explore(Method("x", Sequential(), value=lambda *_: float("nan")), oracle(3)),
        lambda: explore(Method("x", Sequential(), value=lambda *_: 1e300), oracle(3)),
        lambda: explore(Method("x", Sequential()), oracle(3), seed=-1),
        lambda: explore(Method("x", Sequential()), oracle(3), n_jobs=0),
        lambda: explore(Method("x", Sequential()), oracle(3), n_jobs="two"),
        lambda: measure_many(oracle(3), [1, 2], n_jobs=0),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(call):
    with pytest.raises(ElicitError) as told:
        call()
    assert "\n" not in str(told.value)


def test_numbers_of_numpy_are_numbers():
    assert Sized(np.int64(3)) == Sized(3)
    assert Reaching(np.float64(0.5)) == Reaching(0.5)
    assert Space(Family(4), Sized(np.int64(2)), start=1).count() == 6


def test_one_further_criterion_needs_no_list():
    X = np.arange(40.0).reshape(20, 2)
    alone = WrapperOracle(KNeighborsClassifier(1), X, np.arange(20) % 2, cv=2, criteria=stability())
    assert [criterion.name for criterion in alone.criteria] == ["score", "size", "stability"]
