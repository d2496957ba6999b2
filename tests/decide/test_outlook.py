"""Where a prior says to look, and that it says nothing where a way down is affordable."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elicit.asks import Done, Evaluate, Failure, Measured
from elicit.decide.elicitation import Elicitation
from elicit.decide.outlook import WIDER, Outlook
from elicit.decide.settings import Settings
from elicit.errors import InputError
from elicit.events import Answer
from elicit.subsets import Attributes, Family, mask_of


def first_looks(budget, n=12, **named):
    elicitation = Elicitation(
        Attributes.numbered(n), settings=Settings(budget=budget), prior=np.arange(n, 0, -1.0), **named
    )
    found = []
    while not isinstance(request := elicitation.ask(), Done):
        if isinstance(request, Evaluate):
            found.append(request.subset)
            size = request.subset.bit_count()
            elicitation.tell(request.id, Measured((1 - abs(size - 3) / n, float(size))))
        else:
            elicitation.tell(request.id, Answer.FIRST)
    return found


def test_where_a_way_down_is_affordable_the_ladder_is_not_climbed():
    assert first_looks(40)[0] == (1 << 12) - 1
    assert first_looks(20)[:5] == [mask_of(range(k)) for k in (1, 2, 4, 8, 12)]
    assert first_looks(20, rows=40)[:4] == [mask_of(range(k)) for k in (1, 2, 4, 12)]


def test_a_failure_on_the_ladder_leads_to_its_next_step():
    elicitation = Elicitation(Attributes.numbered(12), settings=Settings(budget=20), prior=np.arange(12, 0, -1.0))
    asked = []
    for _ in range(5):
        request = elicitation.ask()
        asked.append(request.subset)
        elicitation.tell(request.id, Failure("no"))
    assert asked == [mask_of(range(k)) for k in (1, 2, 4, 8, 12)]


@given(st.data())
def test_every_draw_is_in_the_family_and_not_much_larger_than_what_it_is_drawn_around(data):
    n = data.draw(st.integers(1, 12))
    keep = data.draw(st.integers(0, (1 << n) - 2))
    most = data.draw(st.integers(max(1, keep.bit_count()), n))
    family = Family(n, keep, max_size=most)
    prior = np.array(data.draw(st.lists(st.floats(-5, 5), min_size=n, max_size=n)))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    outlook = Outlook(3, data.draw(st.sampled_from([None, prior])), data.draw(st.sampled_from([None, 1, 35, 1000])))
    assert all(mask in family for mask in outlook.ladder(family))
    around = [outlook.drawn(family, rng) for _ in range(3)]
    assert all(mask in family for mask in around)
    if outlook.prior is not None:
        widest = max((mask & ~keep).bit_count() for mask in around)
        drawn = outlook.drawn(family, rng, around)
        assert drawn in family
        assert (drawn & ~keep).bit_count() <= max(1, WIDER * widest, n if not widest else 0)


@pytest.mark.parametrize("rows", [0, -3, 2.5, True, "many"])
def test_rows_are_a_number_of_rows(rows):
    with pytest.raises(InputError, match="rows must be a whole number of at least 1"):
        Elicitation(Attributes.numbered(3), rows=rows)
