"""Sequential selection does what a few lines of brute force do, and ends where its goal says."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from played import drawn_value, play

from elicit.errors import InputError
from elicit.methods import Floating, PlusMinus, Reaching, Sequential, Sized
from elicit.subsets import Family, mask_of

WALKS = [Sequential(), Sequential(False), Floating(), Floating(False), PlusMinus(), PlusMinus(1, 2)]
CASES = st.tuples(st.integers(2, 6), st.integers(0, 10_000), st.sampled_from([None, 1]))


def greedy(n, value, sizes, forward):
    """The subsets that plain greedy selection comes to, one a size, and all that it evaluates on the way."""
    current = 0 if forward else (1 << n) - 1
    path, evaluated = ([] if forward else [current]), (set() if forward else {current})
    while current.bit_count() != sizes:
        steps = [current ^ (1 << i) for i in range(n) if (current >> i & 1) != forward]
        steps = [step for step in steps if step]
        evaluated |= set(steps)
        current = max(steps, key=lambda mask: (round(value(mask), 9), -mask))
        path.append(current)
    return path, evaluated


@given(CASES, st.booleans())
def test_one_at_a_time_is_plain_greedy_selection(case, forward):
    n, seed, digits = case
    value = drawn_value(n, seed, digits)
    path, evaluated = greedy(n, value, n if forward else 1, forward)
    whole = play(Sequential(forward), n, value)
    assert set(whole.values) == evaluated
    assert whole.ended.why == "the walk is complete"
    for size in range(1, n + 1):
        sized = play(Sequential(forward), n, value, goal=Sized(size))
        assert sized.best == path[size - 1 if forward else n - size]


def test_the_whole_path_costs_n_times_n_plus_1_over_2():
    for forward in (True, False):
        assert len(play(Sequential(forward), 13, drawn_value(13, 0)).values) == 91


@given(CASES, st.booleans(), st.integers(1, 4))
def test_groups_are_taken_whole_and_the_last_one_is_cut_to_the_goal(case, forward, group):
    n, seed, digits = case
    for size in range(1, n + 1):
        found = play(Sequential(forward, group), n, drawn_value(n, seed, digits), goal=Sized(size))
        assert found.best.bit_count() == size
        off = {abs(mask.bit_count() - (0 if forward else n)) for mask in found.values}
        last = size if forward else n - size
        assert off - {0} <= {min(k * group, last) for k in range(1, n + 1)}


def test_a_group_finds_what_single_steps_miss():
    def value(mask):  # two attributes that are worth something together only
        return 1.0 if mask & 0b011 == 0b011 else 0.5 * (mask == 0b100) + 0.1 * (mask >> 2)

    assert play(Sequential(), 3, value, goal=Sized(2)).best == 0b101
    assert play(Sequential(group=2), 3, value, goal=Sized(2)).best == 0b011


@given(CASES)
def test_a_start_is_where_the_walk_begins(case):
    n, seed, digits = case
    value = drawn_value(n, seed, digits)
    start = seed % (1 << n)
    up, down = play(Sequential(), n, value, start=start), play(Sequential(False), n, value, start=start or 1)
    assert all(mask & start == start for mask in up.values)
    assert all(mask & ~(start or 1) == 0 for mask in down.values)
    assert next(iter(down.values)) == (start or 1)
    if start:
        assert next(iter(up.values)) == start


@given(CASES, st.sampled_from(WALKS))
def test_the_family_holds_for_what_is_recommended(case, explorer):
    n, seed, digits = case
    keep = 1 << seed % n
    family = Family(n, keep, (1 << (seed + 1) % n) if n > 2 else 0, max_size=max(1, n - 2))
    found = play(explorer, n, drawn_value(n, seed, digits), family=family)
    assert found.best in family


@given(CASES)
def test_to_reach_a_value_a_growing_walk_stops_at_the_first_step_that_does(case):
    n, seed, digits = case
    value = drawn_value(n, seed, digits)
    path, _ = greedy(n, value, n, forward=True)
    found = play(Sequential(), n, value, goal=Reaching(0.9))
    reaching = [mask for mask in path if value(mask) >= 0.9]
    if reaching:
        assert found.ended.why == "the value was reached"
        assert found.best.bit_count() == reaching[0].bit_count()
    else:
        assert len(found.values) == n * (n + 1) // 2


def test_steps_that_cannot_be_measured_are_passed_over_and_end_a_walk_when_there_are_no_others():
    unmeasured = float("-inf")
    found = play(Sequential(), 3, lambda mask: unmeasured if mask & 1 else mask.bit_count())
    assert found.best == 0b110
    assert found.ended.why == "the next subset could not be measured"


# plus l, take away r


@example((3, 0, None), 1, 3, 1)  # of three attributes only two are taken away, which leaves one
@given(CASES, st.integers(0, 4), st.integers(0, 4), st.integers(1, 6))
def test_plus_and_minus_end_at_the_goal_whatever_the_steps(case, plus, minus, size):
    n, seed, digits = case
    if plus == minus:
        return
    size = min(size, n)
    found = play(PlusMinus(plus, minus), n, drawn_value(n, seed, digits), goal=Sized(size))
    assert found.best.bit_count() == size
    assert found.ended.why == "the walk is complete"


def test_plus_2_minus_1_by_hand():
    worth = {0b001: 5, 0b010: 4, 0b100: 3, 0b011: 6, 0b101: 7, 0b110: 9, 0b111: 8}
    found = play(PlusMinus(2, 1), 3, lambda mask: float(worth[mask]))
    # + a, + c; c goes; + c, + b; a goes, which leaves b, c; the last round only adds
    assert list(found.values) == [0b001, 0b010, 0b100, 0b011, 0b101, 0b111, 0b110]
    found = play(PlusMinus(3, 1), 3, lambda mask: float(worth[mask]), goal=Sized(2))
    assert found.best == 0b110  # all three, then the best two of them: what going forward alone misses
    assert play(Sequential(), 3, lambda mask: float(worth[mask]), goal=Sized(2)).best == 0b101


def test_a_round_of_plus_and_minus_is_left_as_soon_as_the_value_is_reached():
    found = play(PlusMinus(3, 1), 4, lambda mask: float(mask == 0b0101), goal=Reaching(1.0))
    assert found.ended.why == "the value was reached"
    assert max(mask.bit_count() for mask in found.values) == 2


def test_plus_1_minus_0_is_forward_and_plus_0_minus_1_backward():
    value = drawn_value(6, 3)
    assert list(play(PlusMinus(1, 0), 6, value).values) == list(play(Sequential(), 6, value).values)
    assert list(play(PlusMinus(0, 1), 6, value).values) == list(play(Sequential(False), 6, value).values)


# floating


def test_floating_forward_gives_up_what_was_good_early():
    a, b, c, d = (1 << i for i in range(4))
    worth = {a: 5, a | b: 6, a | b | c: 7, b | c: 8, b | c | d: 9}
    found = play(Floating(), 4, lambda mask: float(worth.get(mask, mask.bit_count() * 0.1)))
    assert b | c | d in found.values
    assert found.best == b | c | d
    assert b | c | d not in play(Sequential(), 4, lambda mask: float(worth.get(mask, 0))).values


def test_the_authors_rule_goes_back_where_mlxtend_s_does_not():
    a, b, c, d = (1 << i for i in range(4))
    worth = {a: 5, a | b: 6, a | b | c: 8, b | c: 7, b | c | d: 9}

    def value(mask):
        return float(worth.get(mask, mask.bit_count() * 0.1))

    goal = Sized(3)
    assert play(Floating(demanding=True), 4, value, goal=goal).best == a | b | c  # 7 beats the pair, not the triple
    assert play(Floating(demanding=False), 4, value, goal=goal).best == b | c | d


def floated(n, value, start, forward, demanding):
    """All that floating search evaluates, by its rule alone."""
    current, evaluated, best = start, set(), {}

    def step(back, taken=0):
        steps = [current ^ 1 << i for i in range(n) if (current >> i & 1 == forward) == back and not taken >> i & 1]
        steps = [mask for mask in steps if mask]
        evaluated.update(steps)
        return max(steps, key=lambda mask: (value(mask), -mask))

    if current:
        evaluated.add(current)
        best[current.bit_count()] = [value(current)]
    while current.bit_count() != (n if forward else 1):
        ahead = step(back=False)
        taken, current = current ^ ahead, ahead
        best.setdefault(current.bit_count(), []).append(value(current))
        while abs(current.bit_count() - (0 if forward else n)) > 2:
            behind = step(back=True, taken=taken)
            # the authors compare with what is stored of that size, which a step forth replaces though it be worse
            seen = best[behind.bit_count()]
            than = [*seen, value(current)] if demanding else seen[-1:]
            if value(behind) <= max(than):
                break
            current = behind
            best[current.bit_count()].append(value(current))
            taken = taken if demanding else 0  # the authors keep it in their second step, not in their third
    return evaluated


def test_from_a_start_floating_goes_back_to_sizes_it_has_not_seen():
    worth = {0b00111: 0.1, 0b01111: 0.5, 0b01110: 0.6, 0b01100: 0.7}
    found = list(play(Floating(), 5, lambda mask: worth.get(mask, 0.0), start=0b00111).values)
    assert found.index(0b11100) < found.index(0b11110)  # the next step forth leaves from the pair


@pytest.mark.parametrize("demanding", [True, False])
@pytest.mark.parametrize("forward", [True, False])
def test_floating_goes_back_as_far_as_its_rule_says_and_no_further(forward, demanding):
    for seed in range(30):
        n = 6 + seed % 3
        value, one = drawn_value(n, seed), 1 << seed % n
        for start in (0, one) if forward else ((1 << n) - 1, (1 << n) - 1 - one):
            found = play(Floating(forward, demanding), n, value, start=start)
            assert set(found.values) == floated(n, value, start, forward, demanding)


@given(CASES, st.booleans(), st.booleans())
def test_floating_ends_at_every_size_and_never_evaluates_less_than_plain(case, forward, demanding):
    n, seed, digits = case
    value = drawn_value(n, seed, digits)
    found = play(Floating(forward, demanding), n, value)
    assert found.ended.why == "the walk is complete"
    assert {mask.bit_count() for mask in found.values} == set(range(1, n + 1))
    for size in range(1, n + 1):
        assert play(Floating(forward, demanding), n, value, goal=Sized(size)).best.bit_count() == size


@pytest.mark.parametrize("explorer", WALKS)
def test_ties_go_to_fewer_attributes_then_to_mask_order(explorer):
    assert play(explorer, 5, lambda _: 1.0).best == 1
    assert play(explorer, 5, lambda _: 1.0, goal=Sized(4)).best == mask_of(range(4))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Sequential(group=0), "group must be a whole number of at least 1, found 0"),
        (lambda: PlusMinus(2, 2), "plus 2 and minus 2 never come to an end"),
        (lambda: PlusMinus(-1, 2), "plus must be a whole number of at least 0"),
    ],
)
def test_what_cannot_be_is_refused(make, message):
    with pytest.raises(InputError, match=message):
        make()
