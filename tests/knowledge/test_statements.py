"""The logic of statements: what chains of them say, and when they contradict each other.

The rule: what follows from a list is found by walking every chain, and the shortest contradiction by
trying every cycle; no utility is needed for either, and one is asked for only as a second opinion.
"""

from itertools import combinations, pairwise, permutations, product

import judge
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elicit.errors import InputError
from elicit.knowledge.statements import (
    WEIGHTS,
    Relation,
    Source,
    Statement,
    answers_of,
    contradiction,
    standing,
    transitive_reduction,
    uncontradicted,
)

MASKS = [0b001, 0b010, 0b100, 0b011, 0b101, 0b110]
STRICT, WEAK, EQUAL = Relation.STRICT, Relation.WEAK, Relation.EQUAL


def test_the_word_of_an_operator_weighs_more_than_whatever_else_is_stated():
    assert all(WEIGHTS[source] < WEIGHTS[Source.OPERATOR] for source in Source if source is not Source.OPERATOR)


def lists_of_statements(relations=tuple(Relation), most=9):
    pair = st.permutations(MASKS[:5]).map(lambda order: order[:2])
    one = st.builds(lambda p, relation: Statement(*p, relation), pair, st.sampled_from(relations))
    return st.lists(one, max_size=most)


@st.composite
def orders(draw):
    """Strict and weak statements that all go down one ranking, with equalities anywhere."""
    ranking = draw(st.permutations(MASKS))
    places = st.sampled_from(list(combinations(range(len(MASKS)), 2)))
    down = st.builds(
        lambda p, relation: Statement(ranking[p[0]], ranking[p[1]], relation), places, st.sampled_from([STRICT, WEAK])
    )
    both = st.builds(lambda p: Statement(ranking[p[1]], ranking[p[0]], EQUAL), places)
    return draw(st.lists(down | down | both, max_size=14))


def consequences(statements):
    """All (above, below, strictly) that follow by chains: strictly when a link of the chain is."""
    found = {(a, b, s.strict) for s in statements for a, b in s.edges}
    while True:
        more = {(a, d, p or q) for a, b, p in found for c, d, q in found if b == c} - found
        if not more:
            return found | {(a, b, False) for a, b, _ in found}
        found |= more


def ordered(statements):
    return [s for s in statements if s.relation is not EQUAL]


def is_a_cycle(statements):
    """Whether the statements chain, in order, from the first's better back to itself, one being strict."""
    if not statements or not any(s.strict for s in statements):
        return False
    walks = {(statements[0].better, statements[0].better)}
    for s in statements:
        walks = {(start, below) for start, here in walks for above, below in s.edges if here == above}
    return any(start == end for start, end in walks)


def length_of_shortest_contradiction(statements):
    """0 when there is none; every order of every few subsets is tried."""
    edges = {edge for s in statements for edge in s.edges}
    strict = {(s.better, s.worse) for s in statements if s.strict}
    for length in range(2, len(MASKS) + 1):
        for round_trip in permutations(MASKS, length):
            steps = set(pairwise([*round_trip, round_trip[0]]))
            if steps <= edges and steps & strict:
                return length
    return 0


def as_judged(statements):
    return [(s.better, s.worse, s.relation.value, s.weight) for s in statements]


# One statement


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        pytest.param((0, 1), "one of these is empty", id="nothing is better"),
        pytest.param((1, 0), "one of these is empty", id="better than nothing"),
        pytest.param((5, 5), "subset 5 against itself", id="itself"),
        pytest.param(("alcohol", 1), "integer masks, found 'alcohol'; Attributes.mask", id="a name"),
        pytest.param((2, None), "integer masks, found None", id="nothing at all"),
        pytest.param((True, 2), "integer masks, found True", id="a truth value"),
        pytest.param((np.int64(1), 2), "integer masks, found", id="an integer of numpy"),
        pytest.param((1, 2, WEAK, Source.PRIOR, 0.0), "positive and finite, found 0.0", id="no weight"),
        pytest.param((1, 2, WEAK, Source.PRIOR, -1.0), "positive and finite", id="negative weight"),
        pytest.param((1, 2, WEAK, Source.PRIOR, float("inf")), "positive and finite", id="infinite weight"),
        pytest.param((1, 2, WEAK, Source.PRIOR, float("nan")), "positive and finite", id="weight not a number"),
    ],
)
def test_a_statement_compares_two_different_non_empty_subsets_at_a_positive_weight(arguments, complaint):
    with pytest.raises(InputError, match=complaint):
        Statement(*arguments)


def test_an_equality_says_both_directions_and_only_strict_demands_a_margin():
    assert Statement(1, 2, EQUAL).edges == ((1, 2), (2, 1))
    assert Statement(1, 2, WEAK).edges == Statement(1, 2, STRICT).edges == ((1, 2),)
    assert [Statement(1, 2, r).strict for r in (STRICT, WEAK, EQUAL)] == [True, False, False]


def test_an_answer_of_the_operator_outweighs_every_other_source():
    assert set(WEIGHTS) == set(Source)
    assert all(WEIGHTS[Source.OPERATOR] > w for source, w in WEIGHTS.items() if source is not Source.OPERATOR)


# Reduction


@given(lists_of_statements() | orders())
def test_the_reduction_says_all_that_the_list_says_strictness_included(statements):
    kept = transitive_reduction(statements)
    assert set(kept) <= set(statements)
    assert consequences(kept) == consequences(statements)


@given(orders())
def test_in_a_reduced_order_no_statement_follows_from_the_others(statements):
    kept = ordered(transitive_reduction(statements))
    full = consequences(kept)
    for s in kept:
        assert consequences([other for other in kept if other is not s]) != full


def test_whatever_is_said_down_a_ranking_of_four_is_reduced_to_what_nothing_else_says():
    for relations in product((None, WEAK, STRICT), repeat=6):
        places = zip(combinations((1, 2, 4, 8), 2), relations, strict=True)
        said = [Statement(*pair, relation) for pair, relation in places if relation is not None]
        kept = transitive_reduction(said)
        full = consequences(kept)
        assert full == consequences(said)
        assert all(consequences([other for other in kept if other is not s]) != full for s in kept)


@given(lists_of_statements() | orders())
def test_equalities_stay_once_for_each_pair_and_the_order_of_the_list_is_kept(statements):
    kept = transitive_reduction(statements)
    pairs = [frozenset((s.better, s.worse)) for s in kept if s.relation is EQUAL]
    assert len(pairs) == len(set(pairs))
    assert set(pairs) == {frozenset((s.better, s.worse)) for s in statements if s.relation is EQUAL}
    assert transitive_reduction(kept) == kept


def test_a_strict_statement_wins_over_a_weak_one_and_never_over_an_equality():
    weak, strict, equal = (Statement(1, 2, r) for r in (WEAK, STRICT, EQUAL))
    assert transitive_reduction([weak, strict, weak]) == (strict,)
    assert transitive_reduction([equal, strict, Statement(2, 1, EQUAL)]) == (equal, strict)


def test_of_two_who_say_the_same_the_first_is_named():
    measured, answered = Statement(1, 2, source=Source.DOMINANCE), Statement(1, 2, request=7)
    assert transitive_reduction([measured, answered]) == (measured,)
    assert transitive_reduction([answered, measured]) == (answered,)


def test_a_strict_statement_beside_a_weak_chain_is_needed_and_a_weak_one_is_not():
    chain = (Statement(1, 2, WEAK), Statement(2, 4, WEAK))
    assert transitive_reduction([*chain, Statement(1, 4, STRICT)]) == (*chain, Statement(1, 4, STRICT))
    assert transitive_reduction([*chain, Statement(1, 4, WEAK)]) == chain
    half_strict = (Statement(1, 2, WEAK), Statement(2, 4, STRICT))
    assert transitive_reduction([Statement(1, 4, STRICT), *half_strict]) == half_strict


def test_a_list_with_a_cycle_only_loses_its_repeats():
    cycle = [Statement(1, 2, WEAK), Statement(2, 4, WEAK), Statement(4, 1, WEAK), Statement(1, 4, WEAK)]
    assert transitive_reduction([*cycle, *cycle]) == tuple(cycle)


# Contradiction


@given(lists_of_statements())
def test_a_contradiction_is_a_shortest_cycle_through_a_strict_statement(statements):
    found = contradiction(statements)
    assert set(found) <= set(statements)
    assert len(found) == length_of_shortest_contradiction(statements)
    assert found == () or is_a_cycle(found)


@given(lists_of_statements(most=6))
def test_no_utility_satisfies_a_contradiction_and_each_part_of_it_has_one(statements):
    found = contradiction(statements)
    monos = judge.monomials(3, 3)  # enough for any order of the subsets of three attributes
    if found:
        assert not judge.cone_consistent(as_judged(found), monos)
        for s in found:
            assert judge.cone_consistent(as_judged([other for other in found if other is not s]), monos)
    else:
        assert judge.cone_consistent(as_judged(statements), monos)


def test_weak_statements_all_round_are_indifference_and_no_contradiction():
    assert contradiction([Statement(1, 2, WEAK), Statement(2, 1, WEAK), Statement(2, 4, EQUAL)]) == ()
    assert contradiction([]) == ()


def test_a_long_cycle_is_found_and_a_shorter_one_preferred():
    chain = [Statement(k, k + 1) for k in range(1, 500)]
    back = Statement(500, 1)
    assert set(contradiction([*chain, back])) == {*chain, back}
    quarrel = (Statement(7, 9000), Statement(9000, 7, WEAK))
    assert set(contradiction([*chain, back, *quarrel])) == set(quarrel)


def test_a_settled_contradiction_does_not_hide_another_longer_one():
    def answers(circle, first):
        around = zip(circle, (*circle[1:], circle[0]), strict=True)
        return [Statement(a, b, source=Source.OPERATOR, request=first + k) for k, (a, b) in enumerate(around)]

    short, long = answers((1, 2, 3), 10), answers((4, 5, 6, 7), 20)
    assert set(contradiction([*long, *short])) == set(short)
    assert set(contradiction([*long, *short], {(10, 11, 12)})) == set(long)
    assert contradiction([*long, *short], {(10, 11, 12), (20, 21, 22, 23)}) == ()
    closing = Statement(3, 2, source=Source.OPERATOR, request=30)  # one more answer, another circle
    assert answers_of(contradiction([*short, closing], {(10, 11, 12)})) == (11, 30)


def circles(statements):
    """Every circle with a strict statement, each subset in it once, as lists of statements."""
    steps = [(a, b, s) for s in statements for a, b in s.edges]

    def ways(start, here, gone, path):
        for a, b, s in steps:
            if a == here and b == start and any(x.strict for x in (*path, s)):
                yield [*path, s]
            elif a == here and b not in gone and b != start:
                yield from ways(start, b, gone | {b}, [*path, s])

    return [circle for start in {a for a, _, _ in steps} for circle in ways(start, start, frozenset(), [])]


@given(st.data())
@settings(max_examples=300)
def test_contradictions_are_told_one_after_the_other_until_none_is_left_that_was_not_settled(data):
    pairs = st.tuples(st.integers(1, 5), st.integers(1, 5)).filter(lambda pair: pair[0] != pair[1])
    said = data.draw(st.lists(st.tuples(pairs, st.sampled_from(Relation)), min_size=2, max_size=8))
    sources = data.draw(st.lists(st.sampled_from([Source.OPERATOR] * 4 + [Source.PRIOR]), min_size=8, max_size=8))
    statements = [
        Statement(*pair, relation, source, request=k)
        for k, ((pair, relation), source) in enumerate(zip(said, sources, strict=False))
    ]
    everything, settled = circles(statements), set()
    while True:
        left = [c for c in everything if not any(set(known) <= set(answers_of(c)) for known in settled)]
        found = contradiction(statements, settled)
        assert len(found) == min(map(len, left), default=0)
        answers = answers_of(found)
        if not found or not answers:  # what nobody answered cannot be settled
            break
        assert answers not in settled
        settled.add(answers)


def test_an_answer_is_what_the_operator_said_and_nothing_else():
    said = [Statement(1, 2, request=request) for request in (7, 5)]
    others = [Statement(1, 2, source=source, request=6) for source in Source if source is not Source.OPERATOR]
    assert answers_of([*said, *others, Statement(1, 2)]) == (5, 7)


def test_statements_on_a_cycle_are_contradicted_and_the_others_are_not():
    a, b, c, d = 1, 2, 4, 8
    circle = [Statement(a, b), Statement(b, c, Relation.WEAK), Statement(c, a)]
    apart = [Statement(a, d), Statement(d, 16, Relation.EQUAL), Statement(16, 32, Relation.WEAK)]
    assert uncontradicted([*circle, *apart]) == tuple(apart)


def test_a_circle_of_weak_statements_contradicts_nothing():
    circle = [Statement(1, 2, Relation.WEAK), Statement(2, 1, Relation.WEAK), Statement(2, 4, Relation.EQUAL)]
    assert uncontradicted(circle) == tuple(circle)


@given(lists_of_statements(), lists_of_statements([STRICT]))
def test_what_stands_goes_in_no_circle_and_holds_all_dominance_and_all_that_nothing_contradicts(said, measured):
    measured = [Statement(*sorted((s.better, s.worse)), STRICT, Source.DOMINANCE) for s in measured]  # in no circle
    kept = standing([*measured, *said])
    assert contradiction(kept) == ()
    assert {*kept} == {*measured, *uncontradicted([*measured, *said])}


@given(lists_of_statements(), st.sets(st.integers(0, 8), min_size=1, max_size=2))
def test_what_was_looked_at_already_is_in_no_contradiction_that_is_found(statements, known):
    said = [Statement(s.better, s.worse, s.relation, Source.OPERATOR, 3.0, k) for k, s in enumerate(statements)]
    found = contradiction(said, {tuple(sorted(known))})
    assert not known <= {s.request for s in found}
    assert found == () or is_a_cycle(found)


def test_a_way_round_through_more_answers_is_the_same_contradiction():
    said = [Statement(a, b, STRICT, Source.OPERATOR, 3.0, k) for a, b, k in [(1, 2, 5), (3, 4, 6), (2, 5, 7)]]
    measured = [Statement(a, b, STRICT, Source.DOMINANCE) for a, b in [(2, 3), (5, 3), (4, 1)]]
    assert answers_of(contradiction([*measured, *said])) == (5, 6)
    assert contradiction([*measured, *said], {(5, 6)}) == ()
    assert answers_of(contradiction([*measured, *said], {(5, 7)})) == (5, 6)


def test_a_relation_or_source_told_as_a_text_is_the_one_meant():
    said = Statement(1, 2, "strict", "prior")
    assert said.strict
    assert said == Statement(1, 2, STRICT, Source.PRIOR)
    assert hash(said) == hash(Statement(1, 2, STRICT, Source.PRIOR))


@pytest.mark.parametrize("wrong", [{"relation": "better"}, {"source": "me"}, {"relation": None}])
def test_a_relation_or_source_that_there_is_not_is_an_error(wrong):
    with pytest.raises(InputError, match=f"a statement's {next(iter(wrong))} is one of"):
        Statement(1, 2, **wrong)
