"""Masks, their names, families and coverings, against enumeration.

The rule: whatever a family or a covering says is compared with a loop over all 2^n subsets.
"""

import re

import judge
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elicit.commands.arguments import listed
from elicit.errors import ElicitError, InputError
from elicit.subsets import (
    MANY_NAMES,
    Attributes,
    Family,
    indicator,
    mask_of,
    masks_from,
    members,
    simplest,
)


@st.composite
def many_masks(draw):
    """A number of attributes, up to a few machine words, and masks of them; the empty one too."""
    n = draw(st.integers(1, 200))
    return n, draw(st.lists(st.integers(0, (1 << n) - 1), max_size=8))


@st.composite
def families(draw, most=6):
    """(n, keep, drop, max size) of a family of up to so many attributes, with at least one member."""
    n = draw(st.integers(1, most))
    roles = [draw(st.sampled_from(["free", "keep", "drop"])) for _ in range(n)]
    if set(roles) == {"drop"}:
        roles[0] = "free"
    keep, drop = (mask_of(i for i, role in enumerate(roles) if role == wanted) for wanted in ("keep", "drop"))
    return n, keep, drop, draw(st.none() | st.integers(max(1, keep.bit_count()), n + 1))


# Masks


@given(many_masks())
def test_a_mask_comes_back_from_its_members_and_from_its_row(case):
    n, masks = case
    assert [mask_of(members(mask)) for mask in masks] == masks
    rows = indicator(masks, n)
    assert rows.shape == (len(masks), n)
    assert masks_from(rows) == masks


@given(many_masks())
def test_the_members_of_a_mask_are_the_bits_set_and_so_are_the_entries_of_its_row(case):
    n, masks = case
    for mask, row in zip(masks, indicator(masks, n), strict=True):
        inside = [i for i in range(n) if mask >> i & 1]
        assert members(mask) == inside
        assert np.flatnonzero(row).tolist() == inside


def test_one_row_is_taken_for_a_table_of_one():
    assert masks_from(np.array([True, False, True])) == [0b101]


def test_simpler_means_fewer_attributes_and_then_mask_order():
    assert sorted([0b111, 0b110, 0b100, 0b011, 0b001], key=simplest) == [0b001, 0b100, 0b011, 0b110, 0b111]


# Attributes


@given(st.lists(st.text(min_size=1, max_size=4), min_size=1, max_size=9, unique=True), st.data())
def test_names_and_masks_translate_into_each_other(names, data):
    attributes = Attributes(tuple(names))
    chosen = data.draw(st.lists(st.sampled_from(names), unique=True, min_size=1))
    mask = attributes.mask(chosen)
    assert attributes.subset(mask) == tuple(name for name in names if name in chosen)
    assert attributes.everything == attributes.mask(names)
    assert len(attributes) == len(names)
    assert [attributes.position(name) for name in names] == list(range(len(names)))


def test_names_given_as_a_list_are_the_same_attributes():
    listed_names = Attributes(["a", "b"])
    assert listed_names == Attributes(("a", "b"))
    assert hash(listed_names) == hash(Attributes(("a", "b")))
    assert listed_names.subset(0b11) == listed_names.names == ("a", "b")


@pytest.mark.parametrize(
    ("names", "complaint"),
    [
        pytest.param([], "at least one attribute", id="none"),
        pytest.param(["a", "b", "a"], "'a' occurs twice", id="twice"),
        pytest.param(["a", ""], "attribute 1 needs a non-empty text as its name, found ''; rename it", id="empty"),
        pytest.param(["a", 3], "attribute 1 needs a non-empty text", id="not a text"),
    ],
)
def test_names_must_be_texts_that_differ(names, complaint):
    with pytest.raises(InputError, match=complaint):
        Attributes(names)


def test_an_unknown_attribute_is_refused_with_the_nearest_name():
    wine = Attributes(("alcohol", "malic_acid", "ash", "hue", "proline", "magnesium", "flavanoids"))
    with pytest.raises(InputError, match="unknown attribute 'alcool'; did you mean 'alcohol'"):
        wine.mask(["ash", "alcool"])
    with pytest.raises(InputError, match=r"unknown attribute 'zzz'; the attributes are 'alcohol', .* and 1 more"):
        wine.position("zzz")
    with pytest.raises(InputError, match="a list of attribute names, found the single text 'ash'"):
        wine.mask("ash")


def test_a_name_that_does_not_print_is_known_as_screens_show_it():
    odd = Attributes(("a\x1b[31m", "two\nlines", "plain", "b\n", "b\\n"))
    assert odd.mask([r"a\x1b[31m", r"two\nlines"]) == odd.mask(["a\x1b[31m", "two\nlines"]) == 0b11
    assert odd.position(r"b\n") == 4, "one is called so"
    with pytest.raises(InputError, match="unknown attribute"):
        Attributes(("b\n", "b\r")).position("b")


def test_a_number_is_no_list_of_names():
    with pytest.raises(InputError, match=r"a list of attribute names, found 4; Attributes.numbered\(n\) makes names"):
        Attributes.of(4)


@pytest.mark.parametrize("wrong", [0, -1, 8, 1 << 80, True, 1.0, "a1", None])
def test_only_a_non_empty_set_of_the_attributes_is_a_subset(wrong):
    three = Attributes.numbered(3)
    with pytest.raises(InputError):
        three.check(wrong)
    with pytest.raises(InputError):
        three.subset(wrong)
    assert three.check(0b101) == 0b101
    assert three.subset(0b101) == ("a1", "a3")


# Families


@given(families())
def test_a_family_lists_counts_and_contains_what_its_definition_says(case):
    n, keep, drop, max_size = case
    family = Family(*case)
    expected = judge.family(n, keep, drop, max_size)
    assert list(family) == sorted(expected, key=simplest)
    assert family.count() == len(family) == len(expected)
    assert [v for v in range(-2, (1 << n) + 3) if v in family] == expected
    assert family.room == max(v.bit_count() for v in expected) - keep.bit_count()


@given(families())
def test_neighbours_are_the_members_one_flip_away_and_swaps_trade_one_for_one(case):
    family = Family(*case)
    everyone = sorted(family)
    for v in range(1 << family.n):
        assert family.neighbours(v) == [w for w in everyone if (v ^ w).bit_count() == 1]
        assert family.swaps(v) == [w for w in everyone if (v ^ w).bit_count() == 2 and w.bit_count() == v.bit_count()]


@given(families(), st.integers(1, 9))
def test_those_alone_are_members_from_the_first_one_on_and_no_more_than_asked_for(case, most):
    family = Family(*case)
    smallest = [v for v in sorted(family) if v.bit_count() == max(family.keep.bit_count(), 1)]
    found = family.alone(most)
    assert found == [v for v in smallest if v in found]
    assert found[0] == smallest[0]
    assert len(found) <= most
    assert len(smallest) > most or found == smallest


@given(families(), st.integers(0, 12), st.integers(0, 99), st.data())
def test_some_swaps_are_all_where_these_are_few_and_else_drawn_from_them(case, most, seed, data):
    family = Family(*case)
    v = data.draw(st.integers(1, (1 << family.n) - 1))
    few = v.bit_count() * (family.n - v.bit_count()) <= most
    found = family.some_swaps(v, most, np.random.default_rng(seed))
    assert found == family.some_swaps(v, most, np.random.default_rng(seed))
    assert found == sorted(set(found))
    assert len(found) <= most
    assert set(found) <= set(family.swaps(v))
    assert not few or found == family.swaps(v)


def test_every_swap_may_be_drawn():
    family = Family(8)
    draws = [family.some_swaps(0b1111, 5, np.random.default_rng(seed)) for seed in range(200)]
    assert {w for drawn in draws for w in drawn} == set(family.swaps(0b1111))
    assert all(len(drawn) > 1 for drawn in draws)


def test_a_family_too_large_to_list_is_still_counted_and_searched():
    family = Family(300, keep=1 << 299)
    assert family.count() == 2**299
    assert 1 << 299 in family
    assert 1 not in family
    assert len(family.neighbours(1 << 299)) == 299
    with pytest.raises(OverflowError, match=r"use count\(\)"):
        len(family)
    assert family, "however large, it holds something"
    with pytest.raises(InputError, match="too many to list"):
        next(iter(family))


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        pytest.param((0,), "at least one attribute", id="no attribute"),
        pytest.param((-1,), "at least one attribute", id="fewer than none"),
        pytest.param((3, 0b1000), "beyond the 3", id="keeps a stranger"),
        pytest.param((3, 0, 0b1000), "beyond the 3", id="drops a stranger"),
        pytest.param((3, -1), "beyond the 3", id="negative"),
        pytest.param((3, 0b001, 0b011), "both kept and dropped", id="keeps and drops"),
        pytest.param((3, 0, 0b111), "every attribute is dropped", id="drops all"),
        pytest.param((3, 0, 0, 0), "leaves no subset", id="nothing fits"),
        pytest.param((3, 0b011, 0, 1), "leaves no subset", id="what is kept does not fit"),
    ],
)
def test_a_family_without_a_member_is_refused(arguments, complaint):
    with pytest.raises(InputError, match=complaint) as caught:
        Family(*arguments)
    assert isinstance(caught.value, ElicitError)


@given(st.lists(st.text('ab," ;=é', min_size=1).filter(lambda s: s.strip() == s), min_size=1, max_size=4, unique=True))
def test_what_is_shown_in_braces_is_read_back_by_the_commands(names):
    attributes = Attributes(tuple(names))
    shown = attributes.braced(attributes.everything)
    assert listed(shown.removeprefix("{").removesuffix("}")) == list(attributes.names)


@given(st.integers(1, (1 << 20) - 1), st.lists(st.integers(0, 19), max_size=6))
def test_a_subset_beside_another_is_told_by_what_sets_them_apart_where_that_is_less(named, flipped):
    attributes = Attributes.numbered(20)
    mask = named
    for i in flipped:
        mask ^= 1 << i
    mask = mask or 1
    told = attributes.beside(mask, named)
    whole = told.startswith("{")
    assert whole == (
        mask == named or mask.bit_count() < MANY_NAMES or 2 * (mask ^ named).bit_count() >= mask.bit_count()
    )
    assert whole or len(told) < len(attributes.braced(mask)) + len("the same with  instead of ")
    found = 0 if whole else named
    for word, braces in re.findall(r"(with |without |instead of )?\{([^}]*)\}", told):
        part = attributes.mask(listed(braces))
        found = found & ~part if word in ("without ", "instead of ") else found | part
    assert found == mask


def test_of_very_many_names_beside_another_subset_the_first_are_told_and_how_many_more():
    attributes = Attributes.numbered(100)
    told = attributes.beside(attributes.everything, 1)
    assert told == "{" + ", ".join(attributes.names[:30]) + ", and 70 more}"
    assert attributes.beside(1, attributes.everything) == "{a1}"
    part = mask_of(range(32))
    assert attributes.beside(attributes.everything, attributes.everything ^ part).startswith("the same with {a1, a2, ")
    assert attributes.beside(attributes.everything ^ part, attributes.everything).endswith("a30, and 2 more}")


@pytest.mark.parametrize(
    ("family", "words"),
    [
        (Family(4), "all 4"),
        (Family(4, keep=0b1, max_size=2), "all 4"),
        (Family(4, drop=0b1), "all 3 that may be chosen"),
        (Family(4, drop=0b1, max_size=2), "all 3 that may be chosen"),
    ],
)
def test_the_largest_subset_is_called_what_it_is(family, words):
    assert family.largest_told() == words
    assert family.largest_told("attributes") == words.replace(words[4], f"{words[4]} attributes", 1)
    assert family.largest.bit_count() == int(words[4])


def test_a_family_that_leaves_no_room_says_how_much_it_needs():
    with pytest.raises(InputError, match="at least 1 attribute must fit"):
        Family(3, max_size=0)
    with pytest.raises(InputError, match="at least 2 attributes must fit"):
        Family(3, keep=0b11, max_size=1)


@pytest.mark.parametrize("n", [64, 65, 200, 20_000])
def test_a_mask_of_many_attributes_is_taken_apart_and_put_together(n):
    positions = list(range(0, n, 3))
    mask = sum(1 << i for i in positions)
    assert members(mask) == positions
    assert mask_of(reversed(positions)) == mask
    assert mask_of([*positions, *positions]) == mask
