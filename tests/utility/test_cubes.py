"""What cubes cover, what φ may be on one, and where a step leads: judged by listing their members."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_subsets import families

from elicit.errors import CertificateError
from elicit.subsets import Family, members
from elicit.utility.cubes import MOST_CUBES, Cover, gains_on, subset_of
from elicit.utility.monomials import Monomials
from elicit.utility.numbers import Steps


@st.composite
def coverings(draw):
    """Cubes over n attributes, some of them contradictory, the cube asked about, and a largest size."""
    n = draw(st.integers(1, 5))
    any_mask = st.integers(0, (1 << n) - 1)
    narrow = st.tuples(any_mask, any_mask)
    wide = narrow.map(lambda cube: (cube[0] & -cube[0], cube[1] & -cube[1] & ~cube[0]))
    cubes = draw(st.lists(narrow | wide, max_size=8))
    return n, cubes, draw(wide), draw(st.integers(1, n))


def split_up(draw, cube, n, most):
    """A cube over n attributes, split up to so many times."""
    cubes = [cube]
    for _ in range(draw(st.integers(0, most))):
        inside, outside = cubes.pop(draw(st.integers(0, len(cubes) - 1)))
        free = members((1 << n) - 1 & ~(inside | outside))
        split = 1 << draw(st.sampled_from(free)) if free else 0
        cubes += [(inside | split, outside), (inside, outside | split)]
    return cubes


@st.composite
def partitions(draw):
    """Pieces that share nothing, by splitting a cube: perhaps one missing, perhaps one a part of another."""
    n, _, asked, size = draw(coverings())
    cubes = split_up(draw, asked, n, 8)
    if draw(st.booleans()):
        cubes.pop(draw(st.integers(0, len(cubes) - 1)))
    if cubes and draw(st.booleans()):
        inside, outside = draw(st.sampled_from(cubes))
        cubes.insert(0, (inside | (1 << n) - 1 & ~outside, outside))
    return n, cubes, asked, size


# Positions


def test_a_subset_is_the_mask_of_its_positions():
    assert [subset_of(4, positions, 1) for positions in ([0], [3], [3, 0, 2])] == [0b0001, 0b1000, 0b1101]
    assert subset_of(4, [], 0) == 0


@pytest.mark.parametrize("positions", [[4], [-1], [0, 4], [1, 1], [2, True], [1.0], ["1"], "1", []], ids=str)
def test_positions_that_are_no_attributes_or_named_twice_are_no_subset(positions):
    with pytest.raises(CertificateError, match="is no subset"):
        subset_of(4, positions, 1)


# Coverings


def in_cube(v, cube):
    return v & cube[0] == cube[0] and not v & cube[1]


def covered(n, cubes, asked, size):
    wanted = [v for v in range(1, 1 << n) if in_cube(v, asked) and v.bit_count() <= size]
    return bool(wanted) and all(any(in_cube(v, cube) for cube in cubes) for v in wanted)


@given(coverings())
def test_cubes_are_never_said_to_cover_what_they_leave_open(case):
    n, cubes, asked, size = case
    if Cover(cubes, n, size).holds(*asked):
        assert covered(n, cubes, asked, size)


@given(partitions())
def test_pieces_of_a_cube_cover_it_when_every_subset_of_the_size_is_in_one_of_them(case):
    n, cubes, asked, size = case
    assert Cover(cubes, n, size).holds(*asked) is covered(n, cubes, asked, size)


def test_a_covering_of_very_many_cubes_takes_no_exponential_time():
    n = 200
    everything = (1 << n) - 1
    chain = [(1 << k, (1 << k) - 1) for k in range(n)]  # those whose first attribute is k: all but the empty one
    assert Cover(chain, n, n).holds(0, 0)
    assert not Cover(chain[:-1], n, n).holds(0, 0)
    assert not Cover([(1 << i | 1 << j, 0) for i in range(60) for j in range(i)], n, n).holds(0, 0)
    pairs = [(1 << i | 1 << j, everything & ~(1 << i | 1 << j)) for i in range(n) for j in range(i)]
    with pytest.raises(CertificateError, match=f"more than {MOST_CUBES} pieces"):
        Cover(pairs, n, n).holds(0, 0)


@pytest.mark.parametrize("size", [-1000, -1, 0, 1, 3])
def test_cubes_whose_subsets_are_all_too_large_give_no_steps_back(size):
    steps, n = Steps(10_000), 60
    before = [steps.left]
    for k in range(4, 40):
        Cover([((1 << k) - 1, 0)], n, size, steps).holds(0, 0)
        before.append(steps.left)
    assert before == sorted(set(before), reverse=True)


def test_thousands_of_subsets_that_are_pieces_themselves_are_looked_up(monkeypatch):
    n, looked = 14, []
    everything, count = (1 << n) - 1, Cover._count
    single = [(v, everything & ~v) for v in range(1, 5000)]
    cover = Cover(single, n, 12)
    monkeypatch.setattr(Cover, "_count", lambda self, cube: looked.append(cube) or count(self, cube))
    small = [cube for cube in single if cube[0].bit_count() <= 12]
    assert all(cover.holds(*cube) for cube in small)
    assert looked == small  # one look each, not one for each pair
    assert not cover.holds(everything, 0)


def test_what_is_covered_twice_does_not_make_up_for_what_is_left_open():
    apart = [(0b001, 0), (0b010, 0)]  # of at most two: {1}, {1, 2}, {1, 3} and {2}, {1, 2}, {2, 3}, six in all
    assert not Cover(apart, 3, 2).holds(0, 0)  # there are six, but {3} is one of them
    assert not Cover(apart, 2, 2).holds(0, 0)
    assert Cover(apart, 2, 1).holds(0, 0)  # what both would hold is too large to count


def test_cubes_that_share_nothing_but_the_empty_subset_do_not_overlap():
    first, second = (0, 0b10), (0, 0b01)  # {1} and {2}, and in both there is the empty subset
    assert Cover([first, second], 2, 1).holds(0, 0)
    assert not Cover([first, second], 2, 2).holds(0, 0)


def test_as_many_pieces_as_a_proof_may_have_are_looked_at_beside_its_subset_and_one_more_is_refused():
    n = 14
    everything = (1 << n) - 1
    all_of_it, single = (0, 0), [(v, everything & ~v) for v in range(1, MOST_CUBES + 2)]
    assert Cover([all_of_it, *single[:-1]], n, n).holds(0, 0)
    with pytest.raises(CertificateError, match=f"more than {MOST_CUBES} pieces"):
        Cover([all_of_it, *single], n, n).holds(0, 0)


@given(families(most=5))
def test_the_members_one_by_one_cover_their_family_and_one_less_does_not(case):
    n, keep, drop, max_size = case
    everything, size = (1 << n) - 1, n if max_size is None else max_size
    cubes = [(v, everything & ~v) for v in Family(*case)]
    assert Cover(cubes, n, size).holds(keep, drop)
    assert not Cover(cubes[1:], n, size).holds(keep, drop)


# What φ may be


@given(coverings(), st.data())
def test_the_entries_on_a_cube_hold_those_of_every_member_and_each_is_taken_by_one(case, data):
    n, _, cube, _ = case
    subset = data.draw(st.integers(1, (1 << n) - 1))
    decided = members(cube[0] | cube[1])
    step = 1 << data.draw(st.sampled_from(decided)) if decided and data.draw(st.booleans()) else 0
    monomials = Monomials.full(n, min(3, n))
    inside = [y for y in range(1 << n) if in_cube(y, cube)]
    others = [y ^ step if step else subset for y in inside]
    taken = (monomials.rows(inside) - monomials.rows(others)).astype(int).T
    allowed = gains_on(cube, monomials.terms, subset, step)
    for entries, found in zip(taken.tolist(), allowed, strict=True):
        assert set(entries) == set(found)


# Steps


@st.composite
def steps(draw):
    """A family, a subset (not always one of it), a proof's cubes, one of these, and an attribute to flip in it."""
    n, keep, drop, max_size = draw(families(most=5))
    family = Family(n, keep, drop, max_size)
    subset = draw(st.integers(1, (1 << n) - 1))
    cubes = split_up(draw, (keep, drop), n, 5)
    return family, subset, cubes, draw(st.sampled_from(cubes)), 1 << draw(st.integers(0, n - 1))


@given(steps())
def test_a_step_that_stays_leads_every_member_of_a_cube_nearer_to_where_another_piece_holds(case):
    family, subset, cubes, cube, step = case
    size = family.n if family.max_size is None else family.max_size
    cover = Cover(cubes, family.n, size)
    moved = [(y, y ^ step) for y in range(1 << family.n) if in_cube(y, cube) and y in family]
    nearer = [(z ^ subset).bit_count() < (y ^ subset).bit_count() for y, z in moved]
    reached = [z in family or (z == 0 and any(in_cube(0, c) for c in cubes)) for _, z in moved]
    if cover.stays(cube, step, subset, (family.keep, family.drop)):
        assert all(nearer)
        assert all(reached)


def test_a_step_to_nothing_wants_a_piece_that_holds_the_empty_subset():
    cube, rest = (0b01, 0), (0, 0b01)
    assert Cover([cube, rest], 2, 2).stays(cube, 0b01, 0b10, (0, 0))
    assert not Cover([cube], 2, 2).stays(cube, 0b01, 0b10, (0, 0))
    assert Cover([(0b11, 0)], 2, 2).stays((0b11, 0), 0b01, 0b10, (0, 0))


def test_a_step_into_what_is_too_large_leads_out():
    assert Cover([], 3, 2).stays((0b001, 0b110), 0b010, 0b011, (0, 0))
    assert not Cover([], 3, 1).stays((0b001, 0b110), 0b010, 0b011, (0, 0))
    assert not Cover([], 3, 2).stays((0b001, 0b010), 0b010, 0b011, (0, 0))  # {1, 3} would become three
