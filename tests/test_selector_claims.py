"""The journals of a selector say what was found, and `elicit verify` re-checks it."""

import journals
import pytest
from sklearn.datasets import load_wine
from sklearn.neighbors import KNeighborsClassifier

from elicit import ElicitSelector
from elicit.cli import main
from elicit.errors import CertificateError, InputError
from elicit.journal import read
from elicit.proof.record_check import check_record
from elicit.utility.solver import Program
from elicit.utility.verify import verify

X, y = load_wine(return_X_y=True, as_frame=True)


def fitted(folder, **options):
    """A selector that was fitted to wine, and its journal."""
    selector = ElicitSelector(KNeighborsClassifier(3), cv=3, budget=12, journal=folder, **options).fit(X, y)
    (path,) = folder.glob("*.jsonl")
    return selector, path


@pytest.fixture(scope="module")
def declared(tmp_path_factory):
    return fitted(tmp_path_factory.mktemp("declared"))


def test_a_run_without_an_operator_claims_the_best_by_score(declared, capsys):
    selector, path = declared
    assert main(["verify", str(path)]) == 0
    told = capsys.readouterr().out
    assert "{" + ", ".join(selector.feature_names_) + "} is the best of 12 measured subsets by score" in told
    assert "nothing is claimed of those that were not measured" in told


def test_without_an_operator_the_certificate_is_the_claim_of_the_journal_and_no_program_is_solved(
    declared, monkeypatch
):
    monkeypatch.setattr(Program, "solve", None)
    selector, path = declared
    assert selector.certificate_ == read(path).claims[-1].content
    assert selector.certificate_["by"] == "score"
    assert selector.certificate_["subset"] == list(selector.feature_names_)
    with pytest.raises(CertificateError, match="no claim with a proof to re-check; the best by score is read off"):
        verify(selector.certificate_)


def test_where_nothing_is_proven_there_is_no_certificate_to_check():
    with pytest.raises(CertificateError, match="there is no certificate: where nothing is proven, a selector has None"):
        verify(None)


def test_with_a_tolerance_the_certificate_names_the_best_that_the_choice_is_compared_with(tmp_path):
    selector, _ = fitted(tmp_path, tolerance=0.2)
    assert selector.certificate_["criteria"][0] == max(selector.cv_results_["mean_test_score"]) > selector.best_score_


@pytest.mark.parametrize("change", ["another", "worse value", "by", "unmeasured", "none", "proofs"])
def test_another_claim_than_the_best_is_caught(declared, tmp_path, change):
    _, path = declared
    lines = journals.lines_of(path)
    (claim,) = (line["claim"] for line in lines if "claim" in line)
    measured = [line for line in lines if line.get("fact") == "evaluated"]
    if change == "another":
        other = next(line for line in measured if line["subset"] != claim["subset"])
        claim |= {"subset": other["subset"], "criteria": other["criteria"]}
    elif change == "unmeasured":
        claim["subset"] = next([name] for name in X.columns if [name] not in [line["subset"] for line in measured])
    else:
        changes = {"worse value": {"criteria": [0.5, 1.0]}, "by": {"by": "size"}, "none": {"subset": None}}
        claim |= (changes | {"proofs": {"proofs": []}})[change]  # a choice by score rests on none
    journals.write(tmp_path / "j", lines)
    with pytest.raises(CertificateError, match=r"^line "):
        list(check_record(read(tmp_path / "j")))


def test_the_journal_of_a_fit_that_could_measure_nothing_says_that_nothing_is_recommended(tmp_path, capsys):
    more_neighbours_than_rows = KNeighborsClassifier(len(X))
    with pytest.raises(InputError, match="no subset could be measured"):
        ElicitSelector(more_neighbours_than_rows, cv=3, budget=4, journal=tmp_path).fit(X, y)
    (path,) = tmp_path.glob("*.jsonl")
    assert main(["verify", str(path)]) == 0
    assert "nothing that may be chosen was measured, so nothing is recommended" in capsys.readouterr().out


def test_a_run_with_an_operator_claims_what_was_found_and_the_statements_behind_it(tmp_path, capsys):
    selector, path = fitted(tmp_path, operator="score - 0.01 * size", questions=4)
    assert main(["verify", str(path)]) == 0
    told = capsys.readouterr().out
    assert "{" + ", ".join(selector.feature_names_) + "} is recommended" in told
    assert "follow from the facts" in told
    assert read(path).last_claim.content["proofs"] == [], "they may take minutes: certificate_ makes them on demand"


def test_where_an_expression_chooses_another_subset_the_journal_speaks_of_what_the_answers_recommend(tmp_path, capsys):
    selector, path = fitted(tmp_path, operator="score - 0.1 * size", questions=0)
    recommended = X.columns[[k for k in range(X.shape[1]) if selector.session_.incumbent >> k & 1]]
    assert set(selector.feature_names_) != set(recommended)
    assert main(["verify", str(path)]) == 0
    assert "{" + ", ".join(recommended) + "} is recommended" in capsys.readouterr().out
    assert "A journal speaks of what the answers alone\n" in ElicitSelector.__doc__


def test_a_second_fit_claims_nothing_twice(tmp_path):
    for _ in range(2):
        _, path = fitted(tmp_path)
    assert len(read(path).claims) == 1
