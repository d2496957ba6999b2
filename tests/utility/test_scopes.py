"""Scopes: what a text stands for, runs that end by a proof among fewer subsets, and that the proof is about these."""

from fractions import Fraction

import journals
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elicit.commands.ending_bounds import proven_bounds
from elicit.decide.elicitation import Elicitation
from elicit.decide.settings import Settings
from elicit.errors import CertificateError, InputError
from elicit.journal import Journal, read
from elicit.proof.record_check import check_record
from elicit.sessions import elicitation_of
from elicit.subsets import Attributes, Family, simplest
from elicit.utility.scopes import KINDS, MOST_WITHIN, Scope, within_flips
from elicit.utility.sets import difference

SCOPES = ("family", "size:3", "flips:2", "flips:1", "evaluated")


@given(st.data())
def test_a_scope_holds_what_its_words_say(data):
    n = data.draw(st.integers(1, 6))
    keep = data.draw(st.integers(0, (1 << n) - 1))
    family = Family(n, keep, max_size=data.draw(st.none() | st.integers(max(1, keep.bit_count()), n)))
    members = list(family)
    subset = data.draw(st.sampled_from(members))
    number = data.draw(st.integers(1, n))
    near = {x for x in members if x != subset and (x ^ subset).bit_count() <= number}
    assert set(Scope("flips", number).listed(subset, family, ())) == near
    assert within_flips(subset, number, family) == sorted({subset} | near, key=simplest)
    assert Scope("evaluated").listed(subset, family, members) == [x for x in members if x != subset]
    part = Scope("size", max(number, keep.bit_count(), 1)).part(family)
    assert set(part) == {x for x in members if x.bit_count() <= max(number, keep.bit_count(), 1)}
    assert Scope().part(family) == family
    assert Scope("flips", number).part(family) is Scope("evaluated").part(family) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "all",
        "size",
        "size:0",
        "flips:-1",
        "flips:x",
        "family:2",
        "evaluated:",
        "size:٣",
        "size:03",
        "size:" + "9" * 5000,
        "size:9999999",
        5,
    ],
)
def test_what_is_no_scope_is_refused_with_those_there_are(text):
    with pytest.raises(InputError, match=", ".join(KINDS)):
        Settings(scope=text)


def test_a_scope_that_is_empty_or_too_large_is_refused_at_the_beginning():
    attributes = Attributes.numbered(40)
    with pytest.raises(InputError, match="holds no subset"):
        Elicitation(attributes, settings=Settings(scope="size:1"), family=Family(40, keep=3))
    with pytest.raises(InputError, match="the limit is 5000"):
        Elicitation(attributes, settings=Settings(scope="flips:3"))


@pytest.mark.parametrize("seed", [0, *(pytest.param(k, marks=pytest.mark.slow) for k in (1, 2))])
@pytest.mark.parametrize("parsimony", [0.1, "exact"])
@pytest.mark.parametrize("scope", SCOPES)
def test_a_run_ends_at_its_scope_and_the_proof_holds_there(tmp_path, scope, parsimony, seed):
    path = tmp_path / "j"
    choices = {"questions": 60, "last_questions": 60, "ask_every": 1, "budget": 31, "slack": 100.0}
    result = journals.played(path, n=5, seed=seed, scope=scope, parsimony=parsimony, **choices)
    told = [step.words for step in check_record(read(path))]
    assert result.reason.startswith("optimal"), "else this shows nothing"
    assert Scope.of(scope).words in result.reason
    assert scope == "family" or any("necessarily optimal among" in line for line in told)
    elicitation = elicitation_of(read(path))
    utilities = elicitation.beliefs.fresh_utilities()
    part = Scope.of(scope).part(elicitation.family)
    rivals = part or Scope.of(scope).listed(result.subset, elicitation.family, elicitation.beliefs.evaluated)
    assert all(utilities.maximum(difference(y, result.subset)).value <= 1e-6 for y in rivals if y != result.subset)


@pytest.mark.slow
def test_a_smaller_scope_never_takes_more_evaluations_than_the_family(tmp_path):
    spent = {}
    for scope in ("family", "flips:1"):
        runs = [
            journals.played(tmp_path / f"{scope[:2]}{seed}", n=5, seed=seed, scope=scope, questions=30, budget=31)
            for seed in range(4)
        ]
        spent[scope] = sum(result.evaluations for result in runs)
    assert spent["flips:1"] <= spent["family"]


def test_a_proof_at_another_scope_than_stated_is_refused(tmp_path):
    for seed in range(6):
        path = tmp_path / f"{seed}.jsonl"
        choices = {"questions": 60, "last_questions": 60, "ask_every": 1, "budget": 31, "slack": 100.0}
        result = journals.played(path, n=5, seed=seed, scope="flips:1", **choices)
        if not result.reason.startswith("optimal"):
            continue
        lines = journals.lines_of(path)
        settings = lines[0]["settings"]
        for other in ("flips:2", "size:1", "size:5", "family"):
            header = lines[0] | {"settings": settings | {"elicit": settings["elicit"] | {"scope": other}}}
            told = {"reason": f"optimal: {Scope.of(other).optimal}"}
            ended = [line | told if line.get("fact") == "stopped" else line for line in lines[1:]]
            with pytest.raises(CertificateError, match=r"the proof is about|no proof of that"):
                list(check_record(read(journals.write(tmp_path / "changed", [header, *ended]))))
            with pytest.raises(CertificateError, match="the run ended as"):
                list(check_record(read(journals.write(tmp_path / "reason", [lines[0], *ended]))))
        return
    raise AssertionError("no run ended by a proof")


def test_a_proof_at_a_narrower_scope_is_never_told_as_one_over_the_family(tmp_path):
    narrower = 0
    for seed in range(4):
        path = tmp_path / f"{seed}.jsonl"
        result = journals.played(path, n=4, seed=seed, scope="flips:1", questions=40, budget=15, effort=1)
        record = read(path)
        claims = [proof["claim"] for proof in record.claims[-1].content["proofs"]]
        bounds = {str(c["scope"]): c["bound"] for c in claims if c["kind"] == "regret"}
        with Journal.open(path) as journal:
            told = proven_bounds(journal, elicitation_of(record).family).family
        proven = any("flips" in scope and bound == "0" for scope, bound in bounds.items())
        assert proven == result.reason.startswith("optimal")
        assert told is None or any("max_size" in s and Fraction(b) == told for s, b in bounds.items())
        narrower += proven and (told is None or told > 0)
    assert narrower, "some run is proven near the subset alone"


def test_an_ending_is_told_in_these_words():
    assert Scope.of("family").optimal == "necessarily optimal over the whole family"
    assert Scope.of("size:1").optimal == "necessarily optimal among the subsets of at most 1 attribute"
    assert Scope.of("flips:2").optimal == "necessarily optimal among the subsets at most 2 flips away"
    assert Scope.of("evaluated").optimal == "necessarily optimal among the evaluated subsets"


def test_a_scope_that_holds_one_size_or_just_as_many_as_the_limit_is_allowed():
    Scope.of("size:1").check(Family(4))
    Scope.of("size:2").check(Family(4, keep=3))
    Scope.of("flips:1").check(Family(MOST_WITHIN))
    with pytest.raises(InputError, match=f"holds {MOST_WITHIN + 1} subsets"):
        Scope.of("flips:1").check(Family(MOST_WITHIN + 1))


@pytest.mark.parametrize("text", ["family", "evaluated", "size:40", "size:20", "flips:1"])
def test_only_flips_are_limited_in_number_and_only_sizes_below_what_is_kept_are_empty(text):
    Scope.of(text).check(Family(40, keep=0b111))


@pytest.mark.parametrize("text", ["family", "evaluated", "size:12", "flips:3"])
def test_a_scope_is_written_as_it_is_read(text):
    assert Scope.of(text).text == text
