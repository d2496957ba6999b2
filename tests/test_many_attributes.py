"""More attributes and pairs than a proof can list: runs go on and end, claim no more than they show, and verify."""

import pytest

from elicit.cli import main
from elicit.decide.settings import Settings
from elicit.drive import drive
from elicit.errors import InputError
from elicit.journal import read
from elicit.knowledge.statements import Statement
from elicit.operators import SimulatedOperator
from elicit.oracles import CallableOracle
from elicit.proof.record_check import check_record
from elicit.proof.why import Why
from elicit.sessions import begin
from elicit.subsets import Family
from elicit.utility.certificates import (
    certify_best_among,
    certify_least,
    certify_optimal,
    certify_possible,
    certify_rejection,
)
from elicit.utility.exact import ExactSet
from elicit.utility.issuing import plain_set
from elicit.utility.parsimony import ParsimoniousSet

A, B, C = 1 << 999 | 0b11, 1 << 500, 0b100


@pytest.fixture(scope="module")
def thousand():
    return ParsimoniousSet(1000, [A, B, C], [Statement(A, B), Statement(B, C)])


def test_of_a_thousand_attributes_there_are_prices_and_no_proofs(thousand):
    assert thousand.price(C) > 0.1
    assert certify_rejection(thousand, C) is None
    assert certify_possible(thousand, A) is None
    assert certify_best_among(thousand, A, [B, C]) is None
    assert certify_least(thousand, A, {B: A}, 1.0) is None
    assert certify_optimal(thousand, A, Family(1000)) is None
    assert plain_set(thousand)["degree"] == 2


def test_the_exact_set_lists_its_monomials_and_says_how_many_are_too_many():
    with pytest.raises(InputError, match=r"1000 attributes have too many monomials of degree 2 .* degree 1, .*"):
        ExactSet(1000, [A, B], [Statement(A, B)])


@pytest.fixture
def few_listed(monkeypatch):
    """Eight attributes are too many, as a thousand are."""
    monkeypatch.setattr("elicit.utility.costs.LISTED_AT_ONCE", 0)
    monkeypatch.setattr("elicit.utility.numbers.MOST_MONOMIALS", 20)


@pytest.mark.usefixtures("few_listed")
def test_a_run_ends_without_proofs_and_its_journal_verifies(tmp_path, capsys):
    path = tmp_path / "s.jsonl"
    oracle = CallableOracle(lambda names: 0.5 + 0.1 * ("a1" in names) + 0.2 * ({"a2", "a3"} <= {*names}), 8)
    operator = SimulatedOperator("score - 0.06 * size", oracle.criteria)
    with begin(path, oracle, Settings(budget=20)) as session:
        result = drive(session.elicitation, oracle, operator, session.journal)
    assert result.questions > 1
    record = read(path)
    steps = [step.words for step in check_record(record)]
    assert any("is recommended" in words for words in steps)
    assert not any("at most" in words or "optimal" in words for words in steps)
    assert Why(record).this().needed is None
    assert main(["why", str(path)]) == main(["report", str(path), "-o", str(tmp_path / "r.html")]) == 0
    assert "no utility of the parsimonious set" in capsys.readouterr().out
