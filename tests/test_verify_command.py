"""A journal's claims are re-checked: honest ones hold, and no single change makes a false claim pass.

The rule: what is true after a change is said by the judge (brute force in floats), never by the code under test.
"""

import json
import os
import re
import subprocess
import sys
from fractions import Fraction
from functools import cache
from pathlib import Path

import journals
import judge
import numpy as np
import pytest

from elicit.cli import main
from elicit.decide.elicitation import Elicitation
from elicit.decide.settings import settings_from
from elicit.drive import drive
from elicit.errors import CertificateError, JournalError
from elicit.events import (
    EVALUATED,
    SCORE_AND_SIZE,
    STOPS,
    Answer,
    Asked,
    Assumed,
    Criterion,
    Evaluated,
    Failed,
    Preferred,
    Resumed,
    Retracted,
    Settled,
    Stopped,
    budget_spent,
    ended_by,
    little_regret,
)
from elicit.journal import Header, Journal, read
from elicit.knowledge.statements import Source
from elicit.operators import ScriptedOperator
from elicit.oracles import CallableOracle
from elicit.proof.claims import _abridged, claim_by_score, claim_of, with_sources
from elicit.proof.proof_check import Proofs, _at_least, _at_most
from elicit.proof.record_check import _Claim, check_record
from elicit.proof.record_facts import KnownFacts, dominance
from elicit.sessions import begin, elicitation_of, header_of, resume
from elicit.subsets import Attributes, Family
from elicit.utility.certificates import certify_best_among, certify_optimal
from elicit.utility.scopes import Scope
from elicit.utility.tolerances import MARGIN, SMALLEST_MARGIN

NEAR = 1e-5

EXACT = {"parsimony": "exact", "questions": 12, "ask_every": 1, "budget": 12}
RUNS = {
    "proven": {"n": 4, "seed": 3, "ask_every": 4},
    "short": {"n": 5, "seed": 1, "budget": 12, "ask_every": 2, "start": 4},
    "contradicted": {"n": 4, "seed": 1, "noise": 0.4, "ask_every": 1, "budget": 11},
    "exact": {"n": 4, "seed": 2, **EXACT},
    "rejecting": {"n": 4, "seed": 2, "degree": 1, **EXACT, "stop": ()},
}


@pytest.fixture(scope="module", params=RUNS)
def journal(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("runs") / f"{request.param}.jsonl"
    journals.played(path, **RUNS[request.param])
    return path


def steps(path):
    return [step.words for step in check_record(read(path))]


def verdict(path, capsys):
    """Exit status, standard output and standard error of the command."""
    status = main(["verify", str(path)])
    return status, *capsys.readouterr()


# honest journals


def test_what_a_run_claims_holds_and_says_its_scope(journal, capsys):
    status, out, err = verdict(journal, capsys)
    assert (status, err) == (0, "")
    assert "} is recommended" in out
    assert "of them by" not in out, "nothing was assumed of the operator, so nothing is deduced"
    sets = r"parsimonious set of degree 2 \(tau = 0.1, C = 10\)|exact set's slice of degree [12] with margin"
    assert re.search(sets, out)
    assert all(line.startswith("holds: ") for line in out.splitlines())


def test_a_run_that_ended_by_proof_is_proven_over_the_whole_family(tmp_path):
    result = journals.played(tmp_path / "j", **RUNS["proven"])
    assert result.reason.startswith("optimal")
    words = "\n".join(steps(tmp_path / "j"))
    assert "necessarily optimal among all 15 subsets that may be chosen" in words
    assert "subsets one flip or one swap away from it were measured" in words


@pytest.mark.parametrize(("parsimony", "clear"), [(0.1, 1), ("exact", Fraction(1, 1000))])
@pytest.mark.parametrize(("answers", "told"), [("0.3", "proven"), ("0.300001", "told as it was written")])
def test_little_regret_is_counted_in_margins_of_the_set_it_is_proven_in(parsimony, clear, answers, told):
    facts = [Asked(0, (1, 2, 3, 4)), *(Evaluated(k, x, (x / 10, 1.0)) for k, x in enumerate((1, 2, 3, 4)))]
    claim = claimed(*facts, epsilon=0.3, start=None, parsimony=parsimony)
    claim.content["set"] = {"delta": "0.001"}
    assert claim._check_little_regret(little_regret("0.3", 0.3), clear * Fraction(answers)).endswith(f"is {told}")


@pytest.mark.parametrize("proofs", [True, False])
@pytest.mark.parametrize("parsimony", [0.1, "exact"])
@pytest.mark.parametrize("seed", [0, 2, 4])
def test_a_run_that_ends_by_a_proof_among_the_measured_is_proven_there(tmp_path, capsys, seed, parsimony, proofs):
    among = {"stop": ("evaluated",), "parsimony": parsimony, "start": 3, "ask_every": 1}
    result = journals.played(tmp_path / "j", 4, seed, **among)
    assert result.reason == "evaluated: necessarily optimal among the evaluated subsets"
    lines = journals.lines_of(tmp_path / "j")
    lines[-1]["claim"] = claim_of(elicitation_of(read(tmp_path / "j")), proofs=proofs)
    status, out, _ = verdict(journals.write(tmp_path / "told", lines), capsys)
    assert status == 0
    assert "it is necessarily optimal among the " in out
    lines[-1]["claim"]["proofs"] = []
    for name, left in (("unproven", lines), ("unclaimed", lines[:-1])):
        status, _, err = verdict(journals.write(tmp_path / name, left), capsys)
        assert status == 1
        assert "the run ended as necessarily optimal, and no proof of that is claimed" in err


@pytest.mark.parametrize(("parsimony", "epsilon"), [(0.1, 0.3), ("exact", 3.0)])
def test_an_end_by_little_regret_is_checked_as_far_as_facts_and_proofs_go(tmp_path, capsys, parsimony, epsilon):
    rule = {"stop": ("regret",), "parsimony": parsimony, "epsilon": epsilon, "ask_every": 1}
    result = journals.played(tmp_path / "j", 4, 2, **rule)
    assert result.reason == f"regret: model regret 0 is at most {epsilon:g} among the evaluated"
    lines = journals.lines_of(tmp_path / "j")
    little = f"that it loses at most {epsilon:g} clear answers to any measured subset is"

    def told(change):
        changed = copied(lines)
        change(changed)
        return verdict(journals.write(tmp_path / "told", changed), capsys)

    def end(changed):
        return next(line for line in changed if line.get("fact") == "stopped")

    def settings(changed):
        return changed[0]["settings"]["elicit"]

    status, out, _ = told(lambda _: None)
    assert (status, f"{little} proven" in out) == (0, True)
    assert "subsets one flip or one swap away from it were measured" in out
    status, out, _ = told(lambda of: of[-1]["claim"].update(proofs=[]))
    assert (status, f"{little} told as it was written" in out) == (0, True)
    for change, words in (
        (lambda of: settings(of).update(stop=["optimal"]), "no setting lets a run end by 'regret'"),
        (lambda of: settings(of).update(epsilon=0.1), "which its settings do not say"),
        (lambda of: settings(of).update(start=16), "before its first subsets were measured"),
        (lambda of: end(of).update(reason=result.reason.replace(" 0 ", " 9 ")), "which its settings do not say"),
        (lambda of: end(of).update(reason=result.reason.replace(" 0 ", " -9 ")), "which its settings do not say"),
    ):
        status, _, err = told(change)
        assert status == 1
        assert words in err


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(k, marks=pytest.mark.slow) for k in (2, 3))])
@pytest.mark.parametrize(
    "settings",
    [
        {},
        EXACT,
        {"parsimony": 0.0},
        {"parsimony": 0.5, "degree": 3},
        {"policy": "ranking", "ask_every": 1, "check_every": 3, "budget": 10},
    ],
    ids=lambda settings: ",".join(settings) or "default",
)
def test_every_claim_of_an_honest_run_holds(tmp_path, settings, seed):
    result = journals.played(tmp_path / "j", 4, seed, noise=0.25 * (seed % 2), **settings)
    words = "\n".join(steps(tmp_path / "j"))
    assert f"{{{', '.join(result.names)}}} is recommended" in words
    if result.reason.startswith("optimal"):
        assert "necessarily optimal among all" in words


@pytest.mark.parametrize("noise_level", [0.0, 0.1])
def test_where_nobody_is_asked_what_is_recommended_is_the_best_by_score_that_nothing_dominates(tmp_path, noise_level):
    oracle = journals.InFolds(journals.truth(4, 1))
    played = {"questions": 0, "recommend": "expected", "budget": 9, "noise_level": noise_level}
    journals.played(tmp_path / "j", 4, 1, oracle=oracle, **played)
    assert " is recommended by its score, for nobody is asked" in "\n".join(steps(tmp_path / "j"))
    *facts, last = journals.lines_of(tmp_path / "j")
    measured = [line for line in facts if line.get("fact") == "evaluated"]
    best = max(measured, key=lambda line: line["criteria"][0])
    assert last["claim"]["subset"] == best["subset"], "else this shows nothing"
    refused = []
    for other in (line for line in measured if line is not best):
        claim = last["claim"] | {"subset": other["subset"], "criteria": other["criteria"], "proofs": []}
        with pytest.raises(CertificateError, match=f"line {len(facts) + 1}: ") as told:
            steps(journals.write(tmp_path / "changed", [*facts, {"claim": claim}]))
        refused.append(str(told.value))
    named = ", ".join(best["subset"])
    assert any(f"{{{named}}} is better by score, or as good with less" in words for words in refused)
    assert all("is better by score" in words or "is dominated by" in words for words in refused)


def test_what_dominates_the_recommended_one_within_noise_is_not_denied(tmp_path, capsys):
    oracle = journals.InFolds(journals.truth(4, 2))
    result = journals.played(tmp_path / "j", 4, 2, oracle=oracle, noise_level=0.1, budget=14, unasked=0)
    elicitation = elicitation_of(read(tmp_path / "j"))
    assert result.subset not in elicitation.history.front, "else this shows nothing"
    assert "; no measured subset dominates it beyond noise" in "\n".join(steps(tmp_path / "j"))
    assert main(["why", str(tmp_path / "j")]) == 0
    told = capsys.readouterr().out
    assert "no measured subset dominates it beyond noise; it dominates" in told
    assert "of the 14 measured beyond noise." in told


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(k, marks=pytest.mark.slow) for k in (2, 3))])
def test_dominance_beyond_noise_is_worked_out_anew_with_the_ratio_of_rows_that_the_run_had(tmp_path, seed):
    oracle = journals.InFolds(journals.truth(4, seed))
    journals.played(tmp_path / "j", 4, seed, oracle=oracle, noise_level=0.1, noise_ratio=0.1, budget=14)
    assert "(beyond noise, in floating point)" in "\n".join(steps(tmp_path / "j"))
    lines = journals.lines_of(tmp_path / "j")
    lines[0]["settings"]["elicit"]["noise_ratio"] = 10.0  # now less is beyond noise than the claim rests on
    with pytest.raises(CertificateError, match=r"(rests on|leaves out) a statement that the facts decide otherwise"):
        steps(journals.write(tmp_path / "changed", lines))


def test_what_follows_from_answers_is_the_same_whichever_reply_came_first(tmp_path):
    # who calls {a1} equal to {a2} trades one for one: all but the last are equal, and which pairs say so is a choice
    measured = {0b001: (0.0, 4.0), 0b010: (1.0, 3.0), 0b100: (2.0, 2.0), 0b011: (3.0, 1.0), 0b111: (0.0, 0.0)}
    oracle = CallableOracle(measured.__getitem__, 3, (Criterion("x"), Criterion("y")), takes="mask")
    replies = [Evaluated(k, subset, values) for k, (subset, values) in enumerate(measured.items())]
    facts = [Asked(0, tuple(measured)), *reversed(replies)]
    facts += [Asked(5, compare=(0b001, 0b010)), Preferred(5, 0b001, 0b010, Answer.EQUAL), Stopped(6, budget_spent(5))]
    with begin(tmp_path / "j", oracle, settings_from({"assume": "linear", "budget": 5})) as session:
        session.elicitation.adopt(facts)
        for fact in facts:
            session.journal.append(fact)
        session.journal.claim(claim_of(session.elicitation))
    told = "\n".join(steps(tmp_path / "j"))
    assert re.search(
        r"by dominance, [2-9] by answers and assumptions, [1-8] of them by a linear trade-off of the criteria(\n|$)",
        told,
    )


def test_that_an_exact_run_was_right_to_pass_subsets_over_is_proven(tmp_path):
    journals.played(tmp_path / "j", **RUNS["rejecting"])
    words = steps(tmp_path / "j")
    where = "in the exact set's slice of degree 1 with margin 0.001"
    assert any(step.endswith(f"cannot be best, {where}") for step in words)


def test_a_run_that_could_measure_nothing_recommends_nothing_and_its_journal_says_so(tmp_path):
    path, failing = tmp_path / "j", CallableOracle(lambda _: float("nan"), ("a", "b", "c"))
    with begin(path, failing, settings_from({"budget": 7}), seed=0) as session:
        assert drive(session.elicitation, failing, ScriptedOperator([]), session.journal).subset is None
    assert steps(path)[-1] == "nothing that may be chosen was measured, so nothing is recommended"


def test_answers_that_no_utility_satisfies_are_said_to_prove_nothing(tmp_path):
    def last_words(seed):
        journals.played(tmp_path / f"{seed}", 3, seed, noise=0.5, degree=1, stop=(), **EXACT | {"budget": 7})
        return steps(tmp_path / f"{seed}")[-1]

    assert any("no utility of this degree satisfies every statement" in last_words(seed) for seed in range(12))


def test_an_unfinished_run_claims_nothing_and_its_facts_hold(journal, tmp_path, capsys):
    lines = journals.lines_of(journal)
    stop = next(k for k, line in enumerate(lines) if line.get("fact") == "stopped")
    status, out, _ = verdict(journals.write(tmp_path / "cut", lines[:stop]), capsys)
    assert status == 0
    assert "nothing is claimed yet" in out


def test_an_ended_run_without_its_claim_is_said_to_claim_nothing_unless_it_ended_by_proof(journal, tmp_path, capsys):
    lines = [line for line in journals.lines_of(journal) if "claim" not in line]
    status, out, err = verdict(journals.write(tmp_path / "cut", lines), capsys)
    if next(line["reason"] for line in lines if line.get("fact") == "stopped").startswith("optimal:"):
        assert status == 1
        assert "no proof of that is claimed" in err
    else:
        assert status == 0
        assert "nothing is claimed of its result (elicit resume adds what can be proven)" in out


def test_of_an_ended_run_without_its_claim_it_is_said_what_resuming_does(journal, tmp_path, capsys):
    def wished(lines):
        ended = next(line for line in lines if line.get("fact") == "stopped")
        ended["reason"] = "wish: the operator is content with the best so far"
        return [line for line in lines if "claim" not in line]

    status, out, _ = verdict(journals.write(tmp_path / "cut", wished(journals.lines_of(journal))), capsys)
    assert status == 0
    assert "nothing is claimed of its result (elicit resume goes on with it)" in out


def test_what_was_claimed_of_an_earlier_end_does_not_speak_for_a_later_one(journal, tmp_path, capsys):
    lines = journals.lines_of(journal)
    request = lines[place(lines, "stopped")]["request"]
    lines += [{"fact": "resumed", "request": request + 1, "budget": None}, {"fact": "stopped", "request": request + 2}]
    lines[-1]["reason"] = "wish: the operator is content with the best so far"
    status, out, _ = verdict(journals.write(tmp_path / "j", lines), capsys)
    assert status == 0
    assert "the run has ended, and nothing is claimed of its result" in out
    lines[-1]["reason"] = "optimal: necessarily optimal over the whole family"
    status, _, err = verdict(journals.write(tmp_path / "j", lines), capsys)
    assert status == 1
    named = "optimal" in lines[0]["settings"]["elicit"]["stop"]
    assert ("no proof of that is claimed" if named else "no setting lets a run end by 'optimal'") in err


def test_resuming_an_ended_run_adds_its_claim(journal, tmp_path):
    lines = [line for line in journals.lines_of(journal) if "claim" not in line]
    name, settings = journal.stem, RUNS[journal.stem]
    oracle = journals.truth(settings["n"], settings["seed"])
    with resume(journals.write(tmp_path / name, lines), oracle) as session:
        drive(session.elicitation, oracle, ScriptedOperator([]), session.journal)
    assert steps(tmp_path / name) == steps(journal)


def test_a_run_that_went_further_has_every_claim_checked(tmp_path):
    path, oracle = tmp_path / "j", journals.truth(4)
    journals.played(path, 4, oracle=oracle, budget=8, stop=())
    with resume(path, oracle, budget=11) as session:
        drive(session.elicitation, oracle, ScriptedOperator([], otherwise="later"), session.journal)
    assert len([words for words in steps(path) if "is recommended" in words]) == 2
    assert not any("nothing is claimed" in words for words in steps(path))


# what does not hold


def test_a_missing_journal_is_bad_input_and_a_damaged_one_does_not_hold(journal, tmp_path, capsys):
    assert verdict(tmp_path / "nowhere", capsys)[0] == 2
    damaged = tmp_path / "damaged"
    damaged.write_bytes(journal.read_bytes().replace(b'"evaluated"', b'"Evaluated"', 1))
    status, _, err = verdict(damaged, capsys)
    assert status == 1
    assert "the check does not hold" in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize("content", [b"# A page\n\nWith words.\n", b"", b"a,b\n1,2\n", b'{"journal": 1, "seed": 0}\n'])
def test_what_never_was_a_journal_and_one_of_another_format_are_bad_input(tmp_path, capsys, content):
    (tmp_path / "page.md").write_bytes(content)
    status, out, err = verdict(tmp_path / "page.md", capsys)
    assert (status, out) == (2, "")
    assert ("format 1 was written before" if b"journal" in content else "page.md' is no journal: ") in err
    assert len(err.splitlines()) == 1


def places(value, path=()):
    """Every number, text and list inside plain data, by its path."""
    yield path
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from places(value[key], (*path, key))


def at(value, path):
    for key in path:
        value = value[key]
    return value


def copied(lines):
    """The same plain data once more, to be changed."""
    return json.loads(json.dumps(lines))


def mutations(lines, rng):
    """Single changes without end: (what, the lines with one thing changed)."""
    names = lines[0]["attributes"]
    claim = next(k for k, line in enumerate(lines) if "claim" in line)
    kinds = (
        "score",
        "answer",
        "asked or told subset",
        "multiplier",
        "theta",
        "claimed subset",
        "claimed number",
        "set",
    )
    options = {kind: [path for path in places(lines) if fits(kind, path, lines, claim)] for kind in kinds}
    while True:
        kind = kinds[rng.integers(len(kinds))]
        if not options[kind]:
            continue
        path = options[kind][rng.integers(len(options[kind]))]
        old = at(lines, path)
        new = altered(old, kind, names, rng)
        if new == old:
            continue
        changed = copied(lines)
        at(changed, path[:-1])[path[-1]] = new
        yield f"{kind} {path[-4:]}: {str(old)[:30]} -> {str(new)[:30]}", changed


def fits(kind, path, lines, claim):
    value = at(lines, path)
    keys = [key for key in path if isinstance(key, str)]
    if kind == "score":
        return len(path) == 3 and keys == ["criteria"] and path[0] != 0
    if kind == "answer":
        return keys == ["answer"]
    if kind == "asked or told subset":
        text = isinstance(value, list) and value and all(isinstance(x, str) for x in value)
        return path and path[0] not in (0, claim) and text and "rejected" not in keys
    if not path or path[0] != claim:
        return False
    match kind:
        case "multiplier":
            number = type(value) is int and {"cuts", "multipliers", "strain", "least", "rivals", "unit"} & set(keys)
            return bool(number)
        case "theta":
            return isinstance(value, str) and bool({"simple", "strained", "thetas", "witness"} & set(keys))
        case "claimed subset":
            # positions in the proofs, the statements and the claims, and the names of the recommended subset
            subset = isinstance(value, list) and bool(value) and all(type(x) in (int, str) for x in value)
            where = {"better", "worse", "subset", "in", "out", "candidates", "keep"} & set(keys)
            return subset and bool(where)
        case "claimed number":
            wanted = {"bound", "floor", "price", "weight", "criteria", "request", "relation", "source"}
            return isinstance(value, str | int | float) and bool(wanted & set(keys))
        case "set":
            return isinstance(value, str | int | float) and len(keys) > 1 and keys[1] == "set"
    return False


def altered(old, kind, names, rng):
    """Another value of the same kind."""
    if kind == "answer":
        return ["first", "second", "equal", "incomparable", "later"][rng.integers(5)]
    if isinstance(old, list):
        everything = names if isinstance(old[0], str) else list(range(len(names)))
        flipped = everything[rng.integers(len(names))]
        return [x for x in everything if (x in old) != (x == flipped)]
    if isinstance(old, str):
        if old in ("strict", "weak", "equal"):
            return ["strict", "weak", "equal"][rng.integers(3)]
        if old in ("dominance", "operator"):
            return {"dominance": "operator", "operator": "dominance"}[old]
        try:
            return str(judge.Fraction(old) * [2, judge.Fraction(1, 2), -1, judge.Fraction(9, 10)][rng.integers(4)])
        except ValueError:
            return "parsimonious" if old != "parsimonious" else "slice"
    if type(old) is int:
        return [old + 1, old - 1, 2 * old, -old, 0, old // 2][rng.integers(6)]
    return [old + 0.05, old - 0.05, -old, old * 1.5][rng.integers(4)] if old is not None else 1


# -- the judge of what a changed journal claims: everything from its plain lines


def mask(names, attributes):
    return sum(1 << attributes.index(name) for name in names)


def implied(lines):
    """The statements that the facts of plain lines imply, as the judge writes them, with their sources."""
    attributes = lines[0]["attributes"]
    criteria = {
        mask(line["subset"], attributes): tuple(line["criteria"]) for line in lines if line.get("fact") == "evaluated"
    }
    directions = tuple(1 if c["maximise"] else -1 for c in lines[0]["criteria"])
    found = [(*s, "dominance", None) for s in judge.dominance_statements(criteria, directions)]
    retracted = {line["retracts"] for line in lines if line.get("fact") == "retracted"}
    for line in lines:
        if line.get("fact") == "preferred" and line["request"] not in retracted:
            first, second = mask(line["first"], attributes), mask(line["second"], attributes)
            said = {
                "first": (first, second, "strict"),
                "second": (second, first, "strict"),
                "equal": (first, second, "equal"),
            }.get(line["answer"])
            if said:
                found.append((*said, 3.0, "operator", line["request"]))
    return criteria, found


# many a change leaves the claim as it was, and spoils its proof alone
slice_regret, set_regret = cache(judge.slice_regret), cache(judge.set_regret)


def is_true(lines):
    """Whether everything that is claimed in plain lines is so, by brute force."""
    attributes, settings = lines[0]["attributes"], lines[0]["settings"]["elicit"]
    claim = next(line["claim"] for line in lines if "claim" in line)
    n, monos = len(attributes), tuple(judge.monomials(len(attributes), settings["degree"]))
    criteria, sourced = implied(lines)
    stated = [
        (
            sum(1 << i for i in s["better"]),
            sum(1 << i for i in s["worse"]),
            s["relation"],
            float(s["weight"]),
            s["source"],
            s["request"],
        )
        for s in claim["statements"]
    ]
    if sorted(map(str, stated)) != sorted(map(str, sourced)):
        return False
    best, statements = mask(claim["subset"], attributes), tuple(s[:4] for s in sourced)
    if criteria.get(best) != tuple(claim["criteria"]):
        return False
    if any(worse == best for _, worse, _, _, source, _ in sourced if source == "dominance"):
        return False
    exact = settings["parsimony"] == "exact"
    if exact:
        delta = float(claim["set"]["delta"])
        regret = lambda x, ys: slice_regret(x, tuple(ys), statements, monos, delta)  # noqa: E731
    else:
        tau, C, w = settings["parsimony"], settings["slack"], tuple(settings["weights"])
        wanted = (repr(float(tau)), repr(float(C)), [repr(float(x)) for x in w[: settings["degree"]]])
        if (claim["set"]["tau"], claim["set"]["C"], claim["set"]["w"]) != wanted:
            return False
        regret = lambda x, ys: set_regret(x, tuple(ys), statements, monos, tau, C, w)  # noqa: E731
    for proof in claim["proofs"]:
        said = proof["claim"]
        subset = sum(1 << i for i in said["subset"]) if "subset" in said else None
        match said["kind"]:
            case "regret":
                ys = list(criteria) if "evaluated" in said["scope"] else judge.family(n)
                if subset != best or regret(subset, ys) > float(judge.Fraction(said["bound"])) + NEAR:
                    return False
            case "least":
                floor = float(judge.Fraction(said["floor"])) - NEAR
                for x in said["candidates"]:
                    if regret(sum(1 << i for i in x), list(criteria)) < floor:
                        return False
            case "rejected" if not exact:
                price = judge.price(subset, list(criteria), statements, monos, C, w)
                if price < float(judge.Fraction(said["price"])) - NEAR:
                    return False
            case "rejected":
                if judge.slice_potentially_optimal(subset, list(criteria), statements, monos, delta):
                    return False
    return True


def test_the_judge_finds_honest_journals_true(journal):
    assert is_true(journals.lines_of(journal))


@pytest.mark.parametrize("start", range(5))
def test_no_single_change_makes_a_false_claim_pass(journal, tmp_path, start):
    """250 changes over five journals, their chains of checks made anew: whatever passes is still true."""
    rng = np.random.default_rng([start, *map(ord, journal.stem)])
    caught = 0
    for _, (what, lines) in zip(range(10), mutations(journals.lines_of(journal), rng), strict=False):
        path = journals.write(tmp_path / "changed", lines)
        try:
            steps(path)
        except (CertificateError, JournalError):
            caught += 1
        else:
            assert is_true(lines), what
    assert caught >= 3, "the changes must be such that most of them matter"


def test_without_a_new_chain_every_change_is_caught(journal, tmp_path, capsys):
    rng, sound = np.random.default_rng(7), journals.checks_of(journal)
    for _, (what, lines) in zip(range(50), mutations(journals.lines_of(journal), rng), strict=False):
        status, _, err = verdict(journals.write(tmp_path / "changed", lines, sound), capsys)
        assert (status, len(err.splitlines())) == (1, 1), what
        assert "the check does not hold" in err


@pytest.mark.parametrize(
    "number", ["1e999999999", "1" * 5000, "9" * 3999 + "/7", "1e-999999999", "nan", "inf", "１", ""]
)
def test_hostile_numbers_are_refused_at_once(journal, tmp_path, number):
    lines = journals.lines_of(journal)
    claim = next(k for k, line in enumerate(lines) if "claim" in line)
    texts = [
        path
        for path in places(lines)
        if path
        and path[0] == claim
        and isinstance(at(lines, path), str)
        and path[-1] not in ("kind", "relation", "source")
    ]
    refused = 0
    for path in texts[::13]:
        changed = copied(lines)
        at(changed, path[:-1])[path[-1]] = number
        try:
            steps(journals.write(tmp_path / "changed", changed))
        except CertificateError:
            refused += 1
        else:  # a part of a proof that its kind of claim does not need
            assert is_true(changed), path
    assert refused >= len(texts[::13]) // 2


@pytest.mark.parametrize("junk", [None, [], {}, "x", -1], ids=str)
def test_a_claim_with_junk_in_it_is_refused_with_a_reason(journal, tmp_path, junk):
    lines, rng = journals.lines_of(journal), np.random.default_rng(5)
    claim = next(k for k, line in enumerate(lines) if "claim" in line)
    inside = [path for path in places(lines) if path[:1] == (claim,) and 3 <= len(path) <= 6]
    for path in (inside[k] for k in rng.permutation(len(inside))[:8]):
        changed = copied(lines)
        at(changed, path[:-1])[path[-1]] = junk
        try:
            steps(journals.write(tmp_path / "changed", changed))
        except CertificateError:
            continue
        assert is_true(changed), (path, junk)


# how it checks


def test_checking_a_journal_loads_no_solver():
    code = "import sys, elicit.proof.record_check; print({'pulp', 'highspy'} & set(sys.modules))"
    root = Path(__file__).parents[1]
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=root, env=os.environ)
    assert told.stdout == "set()\n"


@pytest.mark.parametrize("seed", range(20))
def test_dominance_agrees_with_the_judge(seed):
    rng = np.random.default_rng(seed)
    vectors = rng.integers(0, 4, (12, 3)).tolist()
    named = {k + 1: tuple(vector) for k, vector in enumerate(vectors)}
    wanted = {(a - 1, b - 1) for a, b, *_ in judge.dominance_statements(named, (1, 1, 1))}
    assert set(dominance(vectors)) == wanted


@pytest.mark.parametrize("tail", [b"garbage here", b"\0" * 12, b'{"fact": "sto'])
def test_bytes_that_are_no_whole_line_are_told_and_count_for_nothing(journal, tmp_path, capsys, tail):
    path = tmp_path / "j"
    path.write_bytes(journal.read_bytes() + tail)
    status, out, err = verdict(path, capsys)
    assert (status, err) == (0, "")
    assert f"{len(tail)} bytes after the last whole line" in out
    assert steps(journal)[1:] == steps(path)[1:]
    assert "count for nothing" not in steps(journal)[0]


def test_that_nothing_is_recommended_is_no_claim_where_something_was_measured(refused):
    refused(lambda lines: lines[-1]["claim"].update(subset=None), "subsets were measured, none is claimed")


# what no run could have recorded


def retold(journal, tmp_path, change, capsys):
    """The verdict on the journal after a change of its lines."""
    lines = journals.lines_of(journal)
    change(lines)
    return verdict(journals.write(tmp_path / "retold", lines), capsys)


@pytest.fixture
def refused(journal, tmp_path, capsys):
    """That the journal, after a change of its lines, is refused in these words."""

    def check(change, words):
        status, _, err = retold(journal, tmp_path, change, capsys)
        assert status == 1
        assert words in err

    return check


def place(lines, fact):
    return next(k for k, line in enumerate(lines) if line.get("fact") == fact)


def claim_the_best_by_score(lines):
    measured = [line for line in lines if line.get("fact") == "evaluated"]
    best = max(measured, key=lambda line: (line["criteria"][0], -len(line["subset"])))
    kept = {"version": 1, "request": lines[-1]["claim"]["request"], "subset": best["subset"]}
    lines[-1]["claim"] = kept | {"criteria": best["criteria"], "by": "score"}


def test_a_choice_by_score_is_no_way_round_the_proofs(refused):
    refused(claim_the_best_by_score, "a choice by score alone is for a run that asks nothing")


@pytest.mark.parametrize(
    "reason",
    [
        "budget: 500 evaluations",
        "questions: asked 99 questions",
        "exhausted: every subset of the family was evaluated",
        "exhausted: every subset of the family was tried, and 1 could not be measured",
    ],
)
def test_an_end_that_the_facts_do_not_say_is_caught(journal, tmp_path, reason, capsys):
    def change(lines):
        lines[place(lines, "stopped")]["reason"] = reason
        del lines[-1]

    status, _, err = retold(journal, tmp_path, change, capsys)
    assert status == 1
    named = "questions" in journals.lines_of(journal)[0]["settings"]["elicit"]["stop"]
    unnamed = reason.startswith("questions") and not named
    assert ("no setting lets a run end by 'questions'" if unnamed else f"the facts do not say '{reason}'") in err


def test_an_end_that_the_facts_do_not_say_is_caught_where_the_run_went_on_after_it_too(tmp_path, capsys):
    path, oracle = tmp_path / "j", journals.truth(4)
    journals.played(path, 4, oracle=oracle, budget=8, stop=())
    with resume(path, oracle, budget=11) as session:
        drive(session.elicitation, oracle, ScriptedOperator([], otherwise="later"), session.journal)
    told = [words for words in steps(path) if words.startswith("the run ended")]
    said = [f"the run ended as 'budget: {most} evaluations', as its facts say" for most in (8, 11)]
    assert told == [f"{said[0]}, and went on", said[1]]
    lines = journals.lines_of(path)
    for reason in ("budget: 9 evaluations", "exhausted: every subset of the family was evaluated"):
        lines[place(lines, "stopped")]["reason"] = reason
        status, out, err = verdict(journals.write(tmp_path / "false", lines), capsys)
        assert status == 1
        assert f"line {place(lines, 'stopped') + 1}: the facts do not say '{reason}'" in err
        assert "is recommended" not in out, "an end is checked before what is claimed of it"


def test_that_a_run_ended_by_a_proof_is_said_to_be_unproven_where_it_went_on_without_one(tmp_path):
    journals.played(tmp_path / "j", **RUNS["proven"])
    lines = journals.lines_of(tmp_path / "j")
    stopped = lines[place(lines, "stopped")]
    assert stopped["reason"] == "optimal: necessarily optimal over the whole family"
    on = [{"fact": "resumed", "request": stopped["request"] + 1, "budget": None}]
    unproven = f"the run ended as {stopped['reason']!r}, and went on; no proof of that is claimed"
    assert unproven in steps(journals.write(tmp_path / "interrupted", [*lines[:-1], *on]))
    assert unproven not in steps(journals.write(tmp_path / "claimed", [*lines, *on]))


def test_a_budget_that_was_not_set_is_the_usual_one(tmp_path, capsys):
    journals.played(tmp_path / "j", 5, 0, stop=())
    lines = journals.lines_of(tmp_path / "j")
    assert lines[0]["settings"]["elicit"]["budget"] is None
    assert "'budget: 20 evaluations', as its facts say" in verdict(tmp_path / "j", capsys)[1]
    third = [k for k, line in enumerate(lines) if line.get("fact") == "evaluated"][2]
    request = 1 + max(line["request"] for line in lines[1 : third + 1])
    stopped = {"fact": "stopped", "request": request, "reason": "budget: 3 evaluations"}
    status, _, err = verdict(journals.write(tmp_path / "cut", [*lines[: third + 1], stopped]), capsys)
    assert status == 1
    assert "the facts do not say 'budget: 3 evaluations'" in err


def test_what_may_not_be_chosen_does_not_count_for_all_that_may(tmp_path, capsys):
    journals.played(tmp_path / "j", 3, 0, budget=7, stop=(), questions=0)
    lines = [line for line in journals.lines_of(tmp_path / "j") if "claim" not in line]
    single = next(k for k, line in enumerate(lines) if line.get("fact") == "evaluated" and len(line["subset"]) == 1)
    request = lines.pop(single)["request"]
    lines = [line for line in lines if line.get("fact") != "asked" or line["request"] != request]
    lines[0]["settings"]["family"]["max_size"] = 1  # three may be chosen, and one of them was not measured
    status, _, err = verdict(journals.write(tmp_path / "narrow", lines), capsys)
    assert status == 1
    assert "the facts do not say 'exhausted: every subset of the family was evaluated'" in err


def test_an_end_for_lack_of_anything_to_measure_is_what_the_facts_say(tmp_path, capsys):
    journals.played(tmp_path / "all", 3, 0, budget=7, stop=())
    status, out, _ = verdict(tmp_path / "all", capsys)
    assert status == 0
    assert "'exhausted: every subset of the family was evaluated', as its facts say" in out


def test_an_end_that_only_the_run_could_know_is_told_as_it_was_written(journal, tmp_path, capsys):
    def change(lines):
        lines[place(lines, "stopped")]["reason"] = "wish: the operator has had enough"
        del lines[-1]

    status, out, _ = retold(journal, tmp_path, change, capsys)
    assert status == 0
    assert "the run ended as 'wish: the operator has had enough', which is told as it was written" in out


def test_a_run_does_not_go_on_after_its_end(refused):
    def change(lines):
        k = place(lines, "stopped")
        last = max(j for j in range(k) if lines[j].get("fact") in ("evaluated", "preferred"))
        lines[last], lines[k] = lines[k], lines[last]

    refused(change, "the run goes on after its end")


def test_no_request_is_made_twice_and_no_round_before_the_last_was_answered(refused):
    for words, last in (("a round begins before", False), ("was made before", True)):

        def change(lines, last=last):
            k = max(k for k, line in enumerate(lines) if line.get("fact") == "asked") if last else 1
            assert lines[k]["fact"] == "asked"
            again = dict(lines[k], evaluate=[], compare=None, rejected=[], reconcile=[])
            lines.insert(place(lines, "stopped") if last else 2, again)

        refused(change, words)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda lines, k: lines.insert(k, lines[k]), "is answered twice"),
        (lambda lines, k: lines[k].update(request=0), "request 0 is answered, and asked for no comparison"),
        (lambda lines, k: lines[k].update(first=lines[k]["second"], second=lines[k]["first"]), "with other subsets"),
        (
            lambda lines, k: lines.insert(k, {"fact": "settled", "request": 99, "conflict": [98]}),
            "did not ask about them",
        ),
        (lambda lines, k: lines.insert(k, {"fact": "retracted", "request": 99, "retracts": 98}), "98 holds no answer"),
    ],
)
def test_an_answer_is_to_what_was_asked_and_given_once(refused, change, words):
    refused(lambda lines: change(lines, place(lines, "preferred")), words)


def test_a_measurement_is_of_what_was_asked_and_made_once(refused):
    def swap(lines):
        first, second = [k for k, line in enumerate(lines) if line.get("fact") == "evaluated"][:2]
        lines[first]["subset"], lines[second]["subset"] = lines[second]["subset"], lines[first]["subset"]

    def double(lines):
        k = place(lines, "evaluated")
        lines.insert(k, lines[k])

    for change, words in ((swap, "did not ask to measure this subset"), (double, "was measured before")):
        refused(change, words)


def known(*facts, **settings):
    """What facts say of a session on three attributes that any rule may end, each line checked against those before."""
    settings = {"stop": list(STOPS), **settings}
    family = {"keep": [], "drop": [], "max_size": None}
    found = KnownFacts(Header(0, "-", Attributes.numbered(3), SCORE_AND_SIZE, {"elicit": settings, "family": family}))
    for line, fact in enumerate(facts, start=2):
        found.fold(fact, line)
    return found


def measured(request, subset, score=0.5):
    return Evaluated(request, subset, (score, float(subset.bit_count())))


#: Two were measured and compared, and compared the other way round: 4 and 5 contradict each other.
ASKED = (
    Asked(0, (1, 3, 2)),
    measured(1, 3, 0.9),
    measured(0, 1, 0.2),
    Failed(2, 2, "singular"),
    Asked(3, compare=(1, 3)),
    Preferred(3, 1, 3, Answer.FIRST),
    Asked(4, compare=(3, 1)),
    Preferred(4, 3, 1, Answer.FIRST),
)

#: The rest of the family, after these.
EVERYTHING = (Asked(5, (4, 5, 6, 7)), *(measured(k + 1, k) for k in (4, 5, 6, 7)))


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ((Asked(5, (4,)), Failed(5, 5, "singular")), "request 5 did not ask to measure this subset"),
        ((Asked(5, (4,)), measured(6, 4)), "request 6 did not ask to measure this subset"),
        ((Asked(5, (4, 5)), measured(5, 4), Asked(7)), "a round begins before the one before it was answered"),
        ((Asked(5, (4, 5)), measured(6, 5), measured(5, 4), Asked(6)), "request 6 was made before"),
        ((Asked(5), Asked(5)), "request 5 was made before"),
        ((Asked(5, (4, 5)), Stopped(5, "wish: enough"), Resumed(5), Asked(6)), "request 6 was made before"),
        ((Asked(5, (4,), compare=(1, 3)), measured(5, 4), Asked(7)), "a round begins before"),
        ((Asked(5, (4,), compare=(1, 3)), measured(5, 4), Preferred(5, 1, 3, Answer.FIRST)), "no comparison"),
        ((Asked(5, reconcile=(3, 4)), Asked(6)), "a round begins before"),
        (
            (Asked(5, reconcile=(3, 4)), Settled(5, (3, 9))),
            "kept by request 5, which did not ask about them",
        ),
        ((Asked(5, reconcile=(3, 9)),), "a contradiction names answers that nobody gave"),
        ((Asked(5, reconcile=(3, 4)), Settled(5, (3, 4)), Settled(5, (3, 4))), "which did not ask about them"),
        ((Asked(5, reconcile=(3, 4)), Retracted(6, 4), Settled(5, (3, 4))), "which did not ask about them"),
        ((Stopped(5, "wish: enough"), Resumed(6, 2)), "a budget of 2 is less than the 3 spent before"),
        ((Assumed(5, 4, 1, "weak", "prior"), Assumed(5, 4, 3, "weak", "prior")), "request 5 holds another preference"),
        ((Assumed(4, 4, 1, "weak", "prior"),), "request 4 holds another preference"),
        (
            (Asked(5, (4,), compare=(1, 3)), Assumed(6, 4, 1, "weak", "prior"), Preferred(6, 1, 3, Answer.FIRST)),
            "request 6 holds an assumption",
        ),
        ((Assumed(5, 4, 1, "strict", "prior"), Asked(6, reconcile=(3,)), Retracted(7, 5), Asked(8)), "a round begins"),
        ((Stopped(5, "wish: enough"), Asked(6)), "the run goes on after its end"),
        ((Stopped(5, "wish: enough"), Stopped(6, "wish: enough")), "the run goes on after its end"),
        ((Stopped(5, "wish: enough"), Retracted(6, 4), Asked(7)), "the run goes on after its end"),
        ((Asked(5, (4,)), Stopped(6, "wish: enough"), measured(5, 4)), "the run goes on after its end"),
    ],
)
def test_a_fact_that_cannot_follow_those_before_it_is_refused_by_its_line(facts, words):
    assert known(*ASKED, *facts[:-1]).line == 8 + len(facts)
    with pytest.raises(CertificateError, match=f"^line {9 + len(facts)}: .*{words}"):
        known(*ASKED, *facts)


@pytest.mark.parametrize(
    "facts",
    [
        (Asked(5, (4, 5)), measured(6, 5), measured(5, 4), Asked(7)),
        (Asked(5, (4,), compare=(1, 3)), Preferred(6, 1, 3, Answer.LATER), Failed(5, 4, "singular"), Asked(7)),
        (Asked(5, reconcile=(3, 4)), Settled(5, (3, 4)), Asked(6)),
        (Asked(5, reconcile=(3, 4)), Retracted(6, 4), Asked(7)),  # nothing is left to choose between
        (Assumed(5, 4, 1, "strict", "prior"), Asked(6, reconcile=(3,)), Settled(6, (3,))),
        (Asked(5, (4, 5)), Stopped(7, "wish: enough"), Resumed(8), Asked(9), measured(5, 4)),
        (Stopped(5, "wish: enough"), Retracted(6, 4), Assumed(7, 4, 1, "weak", "prior"), Resumed(8)),
    ],
)
def test_facts_that_a_run_may_have_recorded_are_taken(facts):
    found = known(*ASKED, *facts)
    assert tuple(found.history.facts) == (*ASKED, *facts)
    assert found.summary().startswith(f"{len(found.history.evaluated)} subsets measured, ")


#: Rounds that reject three subsets in a row, and then two after another was measured.
REJECTED = (Asked(5, rejected=((6, 0.2), (4, 0.2))), Asked(6, rejected=((5, 0.2),)))
BETWEEN = (Asked(5, rejected=((4, 0.2),)), Asked(6, (6,)), measured(6, 6), Asked(7, rejected=((5, 0.2), (7, 0.2))))
IN_A_ROW = "rejections: {} rejections in a row: the rest is for the operator to weigh"


@pytest.mark.parametrize(
    ("reason", "settings", "more", "holds"),
    [
        (IN_A_ROW.format(3), {"rejections": 3}, REJECTED, True),
        (IN_A_ROW.format(3), {"rejections": 2}, REJECTED, True),
        (IN_A_ROW.format(3), {"rejections": 4}, REJECTED, False),
        (IN_A_ROW.format(4), {"rejections": 3}, REJECTED, False),
        (IN_A_ROW.format(2), {"rejections": 2}, BETWEEN, True),
        (IN_A_ROW.format(3), {"rejections": 2}, BETWEEN, False),
        ("budget: 3 evaluations", {"budget": 3}, (), True),
        ("budget: 3 evaluations", {"budget": 4}, (), False),
        ("budget: 4 evaluations", {"budget": 4}, (), False),
        ("budget: 2 evaluations", {"budget": 2}, (), True),  # one more was measured
        ("budget: 7 evaluations", {"budget": 9}, EVERYTHING, True),  # there are no more
        ("budget: 9 evaluations", {"budget": 9}, EVERYTHING, False),
        ("budget: 3 evaluations", {"budget": 9}, (Stopped(5, "wish: enough"), Resumed(6, 3)), True),
        ("budget: 3 evaluations", {"budget": 3}, (Stopped(5, "wish: enough"), Resumed(6)), True),
        ("budget: 3 evaluations", {"budget": 3}, (Stopped(5, "wish: enough"), Resumed(6, 9)), False),
        ("questions: asked 2 questions", {"questions": 2}, (), True),
        ("questions: asked 2 questions", {"questions": 1}, (), True),
        ("questions: asked 2 questions", {"questions": 3}, (), False),
        ("questions: asked 3 questions", {"questions": 2}, (), False),
        ("questions: asked 2 questions", {"questions": 2, "spare": 6, "policy": "value", "doubt": 0.5}, (), True),
        ("questions: asked 2 questions", {"questions": 15, "spare": 6, "policy": "value", "doubt": 0.5}, (), False),
        ("questions: asked 2 questions", {"questions": 2}, (Retracted(5, 4),), False),  # which makes room for one more
        ("questions: asked 2 questions", {"questions": 1}, (Retracted(5, 4),), True),
        ("exhausted: every subset of the family was tried, and 1 could not be measured", {"budget": 9}, (), False),
        (
            "exhausted: every subset of the family was tried, and 1 could not be measured",
            {"budget": 9},
            EVERYTHING,
            True,
        ),
        (
            "exhausted: every subset of the family was evaluated",
            {"budget": 9},
            EVERYTHING,
            False,
        ),
    ],
)
def test_an_end_is_as_the_facts_say_or_refused(reason, settings, more, holds):
    found = known(*ASKED, *more, Stopped(99, reason), **settings)
    if holds:
        assert found.ended() == f"the run ended as {reason!r}, as its facts say"
        return
    with pytest.raises(CertificateError, match=f"the facts do not say '{reason}'"):
        found.ended()


@pytest.mark.parametrize(
    "reason",
    [
        "questions: asked 2 questions",
        IN_A_ROW.format(3),
        "rejections: nothing is left in the family that was not rejected",
        "optimal: necessarily optimal over the whole family",
        "evaluated: necessarily optimal among the evaluated",
        "regret: model regret 0 is at most 0.01 among the evaluated",
    ],
)
def test_an_end_by_a_rule_that_the_settings_do_not_name_is_refused(reason):
    rule, every = reason.partition(":")[0], {"questions": 2, "rejections": 3, "stop": list(STOPS)}
    facts = (*ASKED, *REJECTED, Stopped(99, reason))
    known(*facts, **every).ended()
    others = [other for other in STOPS if other != rule]
    with pytest.raises(CertificateError, match=f"no setting lets a run end by '{rule}'"):
        known(*facts, **{**every, "stop": others}).ended()


def test_what_is_outside_the_part_that_the_settings_name_is_not_best_in_it(tmp_path, capsys):
    """It may be better than each member, as here, and is none of them; no run claims that."""
    path, names = tmp_path / "j.jsonl", Attributes.numbered(3)
    chosen = settings_from({"parsimony": "exact", "scope": "size:1", "stop": ["optimal"], "recommend": "regret"})
    facts = [Asked(0, (1, 2, 4, 3)), *(measured(k, x, s) for k, (x, s) in enumerate({1: 5, 2: 4, 4: 3, 3: 9}.items()))]
    for k, single in enumerate((1, 2, 4), start=4):
        facts += [Asked(k, compare=(3, single)), Preferred(k, 3, single, Answer.FIRST)]
    facts.append(Stopped(7, "wish: enough"))
    run = Elicitation(names, SCORE_AND_SIZE, chosen, seed=1, facts=facts)
    assert (run.incumbent, run.beliefs.scope_regret) == (3, None)
    content = claim_of(run, proofs=False)
    proof = certify_best_among(run.beliefs.fresh_utilities(), 3, [1, 2, 4])
    claim = {**proof["claim"], "scope": {"keep": [], "drop": [], "max_size": 1}}
    content["proofs"] = [{"set": proof["set"]["kind"], "claim": claim, "proof": proof["proof"]}]
    with Journal.create(path, header_of(run, "-"), at=0.0) as journal:
        for fact in facts:
            journal.append(fact, at=0.0)
        journal.claim(content, at=0.0)
    status, _, err = verdict(path, capsys)
    assert status == 1
    assert "the subset claimed as best is not in the part that the settings name" in err


def test_a_run_ends_once_all_questions_are_asked_but_those_kept_for_doubts_and_its_end_holds(tmp_path, capsys):
    path = tmp_path / "j.jsonl"
    found = journals.played(path, 6, 1, ask_every=1, last_questions=0, worth=0.0, budget=40, stop=("questions",))
    assert (found.reason, found.questions) == ("questions: asked 9 questions", 9)
    assert main(["verify", str(path)]) == 0
    assert "the run ended as 'questions: asked 9 questions', as its facts say" in capsys.readouterr().out


def test_the_end_of_a_classical_run_is_told_as_it_was_written():
    found = KnownFacts(Header(0, "-", Attributes.numbered(3), SCORE_AND_SIZE, {"method": "sffs"}))
    found.fold(Stopped(0, "budget: 3 evaluations"), 2)
    assert found.ended() == "the run ended as 'budget: 3 evaluations', which is told as it was written"


def test_facts_are_told_with_what_failed_and_what_was_taken_back():
    told = "2 subsets measured, 1 could not be measured, 2 questions answered{}: each as it was asked, "
    assert known(*ASKED).summary().startswith(told.format(""))
    assert known(*ASKED[:3]).summary().startswith("2 subsets measured, 0 questions answered: each as it was asked, ")
    assert known(*ASKED, Retracted(5, 4)).summary().startswith(told.format(" (1 taken back)"))
    assumed = Assumed(20, 0b01, 0b10, "strict", "prior")  # which is no answer
    assert known(*ASKED, assumed, Retracted(21, 20)).summary().startswith(told.format(""))


def test_facts_imply_what_was_measured_and_said_in_the_set_that_the_settings_name():
    plain = {"noise_level": 0.0, "degree": 2, "slack": 6, "weights": [1, 1.5, 2], "parsimony": 0.1}
    found = known(*ASKED, Asked(5, (4,)), measured(5, 4, 0.95), Retracted(6, 3), **plain)
    assert [(s.better, s.worse, s.source, s.request) for s in found.statements()] == [
        (4, 1, Source.DOMINANCE, None),  # in the order in which they were asked for
        (4, 3, Source.DOMINANCE, None),
        (3, 1, Source.OPERATOR, 4),
    ]
    assert found.space == {"kind": "parsimonious", "tau": "0.1", "C": "6.0", "w": ["1.0", "1.5"], "degree": 2}
    assert known(**(plain | {"parsimony": "exact"})).space == {"kind": "slice", "degree": 2}


def test_of_a_run_that_goes_on_or_ended_by_a_proof_the_facts_alone_say_no_end():
    assert known(*ASKED).ended() is None
    assert known(*ASKED, Stopped(5, "optimal: necessarily optimal over the whole family")).ended() is None
    assert known(*ASKED, Stopped(5, "evaluated: necessarily optimal among the evaluated subsets")).ended() is None
    for reason in (
        "regret: model regret 0.2 is at most 0.25 among the evaluated",
        "rejections: nothing is left in the family that was not rejected",
    ):
        told = known(*ASKED, Stopped(5, reason)).ended()
        assert told == f"the run ended as {reason!r}, which is told as it was written"


#: Three of which none dominates another.
THREE = (Asked(0, (1, 3, 7)), measured(0, 1, 0.5), measured(1, 3, 0.7), measured(2, 7, 0.9))


def claimed(*facts, drop=(), **settings):
    """A claim of what these facts imply, whose statements were checked."""
    found = known(*facts, **{"noise_level": 0.0, "parsimony": 0.1} | settings)
    found.header.settings["family"]["drop"] = list(drop)
    claim = _Claim(found, {"statements": with_sources(found.statements()), "proofs": []})
    claim._check_statements()
    return claim


@pytest.mark.parametrize(
    ("facts", "beaten"),
    [
        (THREE, set()),
        ((*THREE, Asked(3, compare=(1, 3)), Preferred(3, 1, 3, Answer.FIRST)), {3}),
        ((*THREE, Asked(3, compare=(1, 3)), Preferred(3, 1, 3, Answer.EQUAL)), set()),
        ((*THREE, Assumed(3, 4, 1, "strict", "prior")), set()),  # by what was not measured
        ((*THREE, Assumed(3, 3, 1, "weak", "prior")), set()),
        ((Asked(0, (1, 2)), measured(0, 1, 0.9), measured(1, 2, 0.5)), {2}),
        (  # answers that lead from what is dominated up to what dominates it say nothing, and dominance stays
            (
                *(Asked(0, (1, 2, 3)), measured(0, 1, 0.9), measured(1, 2, 0.5), measured(2, 3, 0.95)),
                *(Asked(3, compare=(2, 3)), Preferred(3, 2, 3, Answer.FIRST)),
                *(Asked(4, compare=(3, 1)), Preferred(4, 3, 1, Answer.FIRST)),
            ),
            {2},
        ),
    ],
)
def test_who_need_not_be_compared_is_what_something_measured_stands_above_for_certain(facts, beaten):
    assert claimed(*facts).beaten == beaten


#: 7 is better than 3, and 3 than 1, by answers.
DOWNWARDS = (
    *(*THREE, Asked(3, compare=(7, 3)), Preferred(3, 7, 3, Answer.FIRST)),
    *(Asked(4, compare=(1, 3)), Preferred(4, 1, 3, Answer.SECOND)),
)

#: Then 1 is called better than 7.
ROUND = (*DOWNWARDS, Asked(5, compare=(1, 7)), Preferred(5, 1, 7, Answer.FIRST))

#: 7 is called better than 3, and that as good as 1: then 7 is above 1, too.
EQUALS = (
    *THREE,
    *(Asked(3, compare=(7, 3)), Preferred(3, 7, 3, Answer.FIRST)),
    *(Asked(4, compare=(1, 3)), Preferred(4, 1, 3, Answer.EQUAL)),
)
CHAINED, LEAST_LOSS = {3: "{a1, a2, a3}", 1: "{a1, a2, a3}"}, {"parsimony": "exact", "recommend": "regret"}


@pytest.mark.parametrize(
    ("facts", "settings", "below"),
    [
        (THREE, {}, {}),
        (DOWNWARDS, {}, {3: "{a1, a2, a3}", 1: "{a1, a2}"}),
        (DOWNWARDS, {"parsimony": "exact"}, {3: "{a1, a2, a3}", 1: "{a1, a2}"}),
        (DOWNWARDS, {"drop": ["a3"]}, {1: "{a1, a2}"}),  # what may not be chosen keeps nothing from being recommended
        (EQUALS, {"recommend": "expected"}, CHAINED),
        (EQUALS, LEAST_LOSS, {3: "{a1, a2, a3}"}),
        (ROUND, {}, {}),
        (ROUND, {"parsimony": "exact"}, {}),  # answers that go in a circle cancel out
        ((*ROUND[:-2], *(Asked(5, compare=(3, 7)), Preferred(5, 3, 7, Answer.FIRST))), {}, {1: "{a1, a2}"}),
        (
            (*ROUND[:-2], *(Asked(5, compare=(3, 7)), Preferred(5, 3, 7, Answer.FIRST))),
            {"parsimony": "exact", "recommend": "expected"},
            {1: "{a1, a2}"},
        ),
    ],
)
def test_what_may_be_recommended_stands_below_nothing_that_may_be_chosen(facts, settings, below):
    claim = claimed(*facts, **settings)
    for subset in (1, 3, 7):
        claim.subset = subset
        if subset not in below:
            claim._check_answers([])
            continue
        with pytest.raises(CertificateError, match=f"puts the subset claimed as best below {below[subset]}$"):
            claim._check_answers([])


def test_where_no_utility_fits_answers_still_bind_who_goes_by_worth_and_not_by_regret():
    for recommend, bound in (("expected", True), ("regret", False)):
        claim = claimed(*DOWNWARDS, parsimony="exact", recommend=recommend)
        claim.subset, claim.content["proofs"] = 3, [{"claim": {"kind": "inconsistent"}}]
        if bound:
            with pytest.raises(CertificateError, match="puts the subset claimed as best below"):
                claim._check_answers([])
        else:
            claim._check_answers([])


@pytest.mark.parametrize(
    ("settings", "nobody", "nothing"),
    [
        ({"questions": 0, "stop": []}, True, False),  # but somebody was asked
        ({"questions": 0, "stop": ["optimal"]}, True, False),
        ({"questions": 1, "stop": []}, False, False),
        ({}, False, False),
    ],
)
def test_whether_anybody_is_asked_is_read_off_the_settings_and_the_answers(settings, nobody, nothing):
    found = known(*ASKED, **settings)
    assert (found.asks_nobody, found.asks_nothing) == (nobody, nothing)
    before = known(*ASKED[:4], **settings)
    assert before.asks_nothing == (nobody and settings["stop"] == [])


def test_what_cannot_be_measured_is_caught(refused):
    def change(lines):
        lines[place(lines, "evaluated")]["spread"] = [-99.0, None]

    refused(change, "spread of")


def test_malformed_settings_are_one_line(refused):
    for wrong in ("x", {"questions": "many"}, None):

        def change(lines, wrong=wrong):
            lines[0]["settings"]["elicit"] = wrong
            lines[place(lines, "stopped")]["reason"] = "questions: asked 3 questions"
            del lines[-1]

        refused(change, "line 1")


@pytest.mark.parametrize("times", [0, 2])
def test_a_journal_without_criteria_or_with_one_twice_is_refused_by_its_first_line(journal, tmp_path, times, capsys):
    lines = journals.lines_of(journal)
    lines[0]["criteria"] = lines[0]["criteria"][:1] * times
    status, out, err = verdict(journals.write(tmp_path / "j", lines), capsys)
    assert (status, out, len(err.splitlines())) == (1, "", 1)
    assert "line 1: at least one criterion, each with its own name, is needed; found [" in err


@pytest.mark.parametrize("version", [0, 2, True, 1.0, "1"])
def test_a_claim_of_a_version_that_is_not_known_is_refused(refused, version):
    refused(lambda lines: lines[-1]["claim"].update(version=version), f"a claim of version {version!r} is unknown here")


@pytest.mark.parametrize("renamed", [lambda names: [*names, names[0]], lambda names: names[::-1] + names])
def test_a_claim_names_each_attribute_of_its_subset_once(refused, renamed):
    def change(lines):
        lines[-1]["claim"]["subset"] = renamed(lines[-1]["claim"]["subset"])

    refused(change, "expected attributes once each")


@pytest.mark.parametrize("degree", [0, 4, True, 2.0, "2"])
def test_a_degree_that_no_utility_has_is_refused(refused, degree):
    refused(lambda lines: lines[-1]["claim"]["set"].update(degree=degree), "the degree is 1, 2 or 3")


def test_a_choice_by_score_does_not_prove_a_run_optimal(tmp_path, capsys):
    journals.played(tmp_path / "j", 4, 0, questions=0, stop=[], budget=3)
    lines = journals.lines_of(tmp_path / "j")
    stopped = lines[place(lines, "stopped")]
    claim_the_best_by_score(lines)
    assert verdict(journals.write(tmp_path / "honest", lines), capsys)[0] == 0
    stopped["reason"] = "optimal: necessarily optimal over the whole family"
    request = stopped["request"]
    lines += [{"fact": "resumed", "request": request + 1, "budget": None}, {"fact": "stopped", "request": request + 2}]
    lines[-1]["reason"] = "wish: enough"
    for name, some in (("forged", lines[:-2]), ("resumed", lines)):
        status, out, err = verdict(journals.write(tmp_path / name, some), capsys)
        assert status == 1
        assert "no setting lets a run end by 'optimal'" in err
        assert "is the best of" not in out


def recorded(path, criteria, values, claim, **settings):
    """The journal of a run that measured just this, asked nothing and claims so much."""
    oracle = CallableOracle(values.__getitem__, 2, criteria, takes="mask")
    facts = [Asked(0, tuple(values)), *(Evaluated(k, x, each) for k, (x, each) in enumerate(values.items()))]
    facts.append(Stopped(len(values), budget_spent(len(values))))
    with begin(path, oracle, settings_from({"questions": 0, "budget": len(values), **settings})) as session:
        session.elicitation.adopt(facts)
        for fact in facts:
            session.journal.append(fact)
        session.journal.claim(claim(session.elicitation))
    return path


@pytest.mark.parametrize(("more", "better"), [(4e-10, False), (6e-10, True)])
@pytest.mark.parametrize(("claim", "settings"), [(claim_by_score, {"stop": []}), (claim_of, {"recommend": "expected"})])
def test_scores_that_are_equal_within_the_grid_leave_the_choice_to_the_number_of_attributes(
    tmp_path, claim, settings, more, better
):
    values = {0b11: (0.5 + more, 2.0), 0b01: (0.5, 1.0), 0b10: (0.4, 1.0)}
    path = recorded(tmp_path / "j", SCORE_AND_SIZE, values, claim, **settings)
    assert any(words.startswith("{a1, a2} is " if better else "{a1} is ") for words in steps(path))
    *facts, last = journals.lines_of(path)
    other = {"subset": ["a1"], "criteria": [0.5, 1.0]} if better else {"subset": ["a1", "a2"], "criteria": values[3]}
    other |= {"proofs": []} if "proofs" in last["claim"] else {}
    with pytest.raises(CertificateError, match=r"is better by score, or as good with less|is dominated by \{a1\}"):
        steps(journals.write(tmp_path / "other", [*facts, {"claim": last["claim"] | other}]))


def test_where_nobody_is_asked_the_best_by_score_is_sought_among_what_nothing_dominates(tmp_path):
    cheaper = {0b01: (0.5, 2.0), 0b10: (0.5, 1.0), 0b11: (0.1, 3.0)}  # by fewer attributes {a1} would come first
    criteria = (Criterion("score"), Criterion("cost", maximise=False))
    path = recorded(tmp_path / "j", criteria, cheaper, claim_of, recommend="expected")
    assert any(words.startswith("{a2} is recommended by its score, for nobody is asked") for words in steps(path))


#: Subsets of two attributes with their scores and sizes; what claims the best by score, and what this is said to be.
SCORED = {0b01: (0.5, 1.0), 0b10: (0.4, 1.0), 0b11: (0.6, 2.0)}
SMALLER = {"subset": ["a1"], "criteria": [0.5, 1.0]}
NOTHING = {"subset": None, "criteria": None}
BEST = "is the best of {} by score ({}), ties to fewer attributes; nothing is claimed of those that were not measured"


def by_score(path, forge=lambda _: None, drop=(), measure=SCORED, ended=True):
    """What is found of a run that asked nothing and claims the best by score, after its lines were changed.

    What is dropped leaves less to measure than the end says, so that there is none, either.
    """
    recorded(path, SCORE_AND_SIZE, measure, claim_by_score, stop=[])
    lines = journals.lines_of(path)
    lines[0]["settings"]["family"]["drop"] = list(drop)
    if drop or not ended:
        lines = [line for line in lines if line.get("fact") != "stopped"]
        lines[-1]["claim"]["request"] = None
    forge(lines)
    return steps(journals.write(path, lines))[-1]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"by": "size"}, "a choice by 'size' is unknown here"),
        ({"proofs": []}, "a choice by score alone rests on no proof"),
        (NOTHING, "subsets were measured, none is claimed"),
        ({"subset": ["a1"]}, "the subset was not measured as claimed"),
        ({"criteria": [0.7, 2.0]}, "the subset was not measured as claimed"),
        (SMALLER, "{a1, a2} is better by score, or as good with less"),
    ],
)
def test_a_false_word_about_the_best_by_score_is_refused_for_that(tmp_path, change, words):
    assert by_score(tmp_path / "honest") == f"{{a1, a2}} {BEST.format('3 measured subsets', 0.6)}"
    with pytest.raises(CertificateError, match=rf"^line 7: {re.escape(words)}$"):
        by_score(tmp_path / "forged", lambda lines: lines[-1]["claim"].update(change))


def test_the_best_by_score_is_that_of_what_was_measured_and_may_be_chosen_whether_or_not_the_run_ended(tmp_path):
    def smaller(lines):
        lines[-1]["claim"].update(SMALLER)

    def nothing(lines):
        lines[-1]["claim"].update(NOTHING)

    assert by_score(tmp_path / "j", ended=False) == f"{{a1, a2}} {BEST.format('3 measured subsets', 0.6)}"
    (tmp_path / "j").unlink()
    assert by_score(tmp_path / "j", smaller, drop=["a2"]) == f"{{a1}} {BEST.format('1 measured subset', 0.5)}"
    for path, drop, measure in (("a", ["a2"], SCORED), ("b", [], {0b01: (0.5, 1.0)})):
        with pytest.raises(CertificateError, match="the subset claimed as best was not measured, or may not be chosen"):
            by_score(tmp_path / path, lambda lines: lines[-1]["claim"].update(subset=["a1", "a2"]), drop, measure)
    told = by_score(tmp_path / "c", nothing, ["a2"], {0b10: (0.4, 1.0), 0b11: (0.6, 2.0)})
    assert told == "nothing that may be chosen was measured, so nothing is recommended"


@pytest.mark.parametrize(
    ("questions", "by"), [(0, " by its score, for nobody is asked: "), (5, " (that it is worth most ")]
)
def test_who_may_be_asked_and_has_said_nothing_is_recommended_what_is_worth_most_and_not_by_score(
    tmp_path, questions, by
):
    path = recorded(tmp_path / "j", SCORE_AND_SIZE, SCORED, claim_of, recommend="expected", questions=questions)
    assert any(f"}} is recommended{by}" in words for words in steps(path))


def test_the_best_by_a_criterion_of_which_less_is_better_is_the_least(tmp_path):
    criteria, losses = (Criterion("loss", maximise=False),), {0b01: (0.5,), 0b10: (0.4,), 0b11: (0.6,)}
    told = steps(recorded(tmp_path / "j", criteria, losses, claim_by_score, stop=[]))[-1]
    assert told.startswith("{a2} is the best of 3 measured subsets by loss (0.4)")


@pytest.mark.parametrize("change", [{"questions": 1}, {"stop": ["optimal"]}])
def test_the_best_by_score_is_no_claim_of_a_run_that_might_ask_or_end_otherwise(tmp_path, change):
    with pytest.raises(CertificateError, match="for a run that asks nothing and that no rule but its budget ends"):
        by_score(tmp_path / "j", lambda lines: lines[0]["settings"]["elicit"].update(change))


# each step stands against a forgery by hand


@pytest.fixture(scope="module")
def proven(tmp_path_factory):
    path = tmp_path_factory.mktemp("proven") / "j"
    journals.played(path, **RUNS["proven"])
    return path


class Forged:
    """The lines of a journal that ends in a claim, and the parts of them that can be forged."""

    def __init__(self, lines):
        self.lines = lines
        self.claim, self.stopped = lines[-1]["claim"], lines[place(lines, "stopped")]
        self.family = lines[0]["settings"]["family"]
        told = [line for line in lines if line.get("fact") == "evaluated"]
        self.measured = {tuple(x["subset"]): {key: x[key] for key in ("subset", "criteria")} for x in told}

    def proof(self, kind, where=None):
        """What the first proof of a kind claims (and of a scope that has this)."""
        claims = [proof["claim"] for proof in self.claim["proofs"] if proof["claim"]["kind"] == kind]
        return next(claim for claim in claims if where is None or where in claim["scope"])


WHOLE = "optimal: necessarily optimal over the whole family"


@pytest.mark.parametrize(
    ("forge", "words"),
    [
        (lambda of: of.claim.update(request=of.claim["request"] + 1), "the claim is of another end"),
        (lambda of: of.claim["set"].update(tau="0.2"), "about another set of utilities than the settings name"),
        (lambda of: of.claim["set"].update(w=["1.0", "1.0"]), "about another set of utilities than the settings name"),
        (lambda of: of.claim["statements"].pop(0), "the claim leaves out a statement that the facts decide"),
        (lambda of: of.claim["statements"][0].update(weight="2"), "the claim rests on a statement that the facts"),
        (lambda of: of.family.update(drop=["a1"]), "the subset claimed as best may not be chosen"),
        (lambda of: of.claim.update(subset=["a4"]), "the subset claimed as best was not measured"),
        (lambda of: of.claim.update(criteria=[9.0, 4.0]), "the subset was not measured as claimed"),
        (lambda of: of.claim.update(of.measured["a1", "a2", "a4"]), "the subset claimed as best is dominated by {"),
        (lambda of: of.claim["statements"][0].update(better=[10**15]), "[1000000000000000] is no subset"),
        (lambda of: of.proof("regret").update(subset=[10**15]), "[1000000000000000] is no subset"),
        (lambda of: of.proof("regret").update(subset=[0]), "about another subset than the one claimed"),
        (lambda of: of.proof("least").update(subset=[0]), "about another subset than the one claimed"),
        (lambda of: of.proof("regret").update(kind="possible"), "a claim of kind 'possible' is unknown here"),
        (lambda of: of.claim["proofs"][0].update(set="cone"), "about another set of utilities than the settings name"),
        (lambda of: of.claim["proofs"].pop(0), "no regret is proven that could be the least"),
        (lambda of: of.proof("regret", "keep")["scope"].update(max_size=3), "the proof is about another family"),
        (lambda of: of.proof("regret", "keep").update(scope={"flips": 1}), "the proof is about other flips"),
        (lambda of: of.proof("regret", "keep").update(scope={"flips": 0}), "the proof is about other flips"),
        (lambda of: of.proof("rejected").update(subset=[0]), "the proof rejects a subset that was not passed over"),
        (lambda of: of.proof("rejected").update(price="0.05"), "a price below tau rejects nothing"),
        (lambda of: of.proof("rejected").update(price="99"), "the subset is not shown to cost more than B"),
        (lambda of: of.claim["proofs"].pop(2), "the run ended as necessarily optimal, and no proof of that is claimed"),
        (
            lambda of: of.stopped.update(reason="optimal: at last"),
            "its settings say 'optimal: necessarily optimal over",
        ),
    ],
)
def test_a_claim_with_one_thing_forged_is_refused_for_that(proven, tmp_path, forge, words):
    forged = Forged(journals.lines_of(proven))
    forge(forged)
    with pytest.raises(CertificateError, match=rf"^line {len(forged.lines)}: .*{re.escape(words)}"):
        steps(journals.write(tmp_path / "forged", forged.lines))


def test_a_scope_that_no_run_admits_is_not_listed(tmp_path):
    journals.played(tmp_path / "j", 30, 1, scope="flips:1", ask_every=2, budget=6, start=3)
    forged = Forged(journals.lines_of(tmp_path / "j"))
    forged.lines[0]["settings"]["elicit"]["scope"] = "flips:30"
    subset = [int(name[1:]) - 1 for name in forged.claim["subset"]]
    claim = {"kind": "regret", "subset": subset, "bound": "1", "scope": {"flips": 30}}
    forged.claim["proofs"] = [{"claim": claim, "set": "parsimonious", "proof": {}}]
    with pytest.raises(CertificateError, match=r"scope flips:30 holds \d+ subsets, the limit is"):
        steps(journals.write(tmp_path / "forged", forged.lines))


def test_a_proof_over_the_family_shows_nothing_of_what_an_earlier_run_measured_outside_it(tmp_path):
    measured = {0b001: (0.5, 1.0), 0b010: (0.4, 1.0), 0b100: (0.3, 1.0), 0b011: (0.6, 2.0)}
    oracle = CallableOracle(measured.__getitem__, 3, SCORE_AND_SIZE, takes="mask")
    evaluated = [Evaluated(k, subset, values) for k, (subset, values) in enumerate(measured.items())]
    facts = [Asked(0, tuple(measured)), *evaluated, Asked(4, compare=(0b011, 0b001))]
    facts += [Preferred(4, 0b011, 0b001, Answer.FIRST), Stopped(5, ended_by(EVALUATED, Scope.of(EVALUATED).optimal))]
    settings = settings_from({"stop": ["evaluated"], "recommend": "regret"})
    with begin(tmp_path / "j", oracle, settings, family=Family(3, max_size=1)) as session:
        session.elicitation.adopt(facts)
        for fact in facts:
            session.journal.append(fact)
        claim = claim_of(session.elicitation)
        assert claim["proofs"][0]["claim"]["scope"] == {"evaluated": True}
        found = certify_optimal(session.elicitation.beliefs.fresh_utilities(), 0b001, Family(3, max_size=1))
        claim["proofs"] = [_abridged(found, session.elicitation.beliefs.utilities)]
        session.journal.claim(claim)
    with pytest.raises(CertificateError, match="the run ended as necessarily optimal, and no proof of that is claimed"):
        steps(tmp_path / "j")


@pytest.mark.parametrize(
    ("value", "least", "most"),
    [
        (Fraction(1), "1", "1"),
        (Fraction(-7, 2), "-3.5", "-3.5"),
        (Fraction(123456789), "123456789", "123456789"),
        (Fraction(2500), "2500", "2500"),
        (1 - Fraction(1, 10**13), "0.999999999999", "1"),
        (1 + Fraction(1, 10**13), "1", "1.00000000001"),
        (Fraction(1, 3), "0.333333333333", "0.333333333334"),
        (Fraction(1, 10**400), "1e-400", "1e-400"),
        (Fraction(0), "0", "0"),
    ],
)
def test_figures_say_no_more_than_is_proven(value, least, most):
    assert (_at_least(value), _at_most(value)) == (least, most)


@pytest.mark.parametrize("where", ["evaluated", "keep"])
def test_less_than_what_may_be_lost_is_no_bound(tmp_path, where):
    journals.played(tmp_path / "j", 4, 0, budget=6, questions=0, stop=(), start=5)
    forged = Forged(journals.lines_of(tmp_path / "j"))
    bound = forged.proof("regret", where)
    assert judge.Fraction(bound["bound"]) > 0
    bound["bound"] = "0"
    with pytest.raises(CertificateError, match=rf"^line {len(forged.lines)}: "):
        steps(journals.write(tmp_path / "forged", forged.lines))


CIRCLES = {"noise": 0.5, "degree": 1, "stop": (), **EXACT, "budget": 7}


@pytest.mark.parametrize(
    ("n", "run", "kind"),
    [(4, RUNS["proven"], "rejected"), (4, RUNS["rejecting"], "rejected"), (3, CIRCLES, "inconsistent")],
)
def test_what_is_shown_by_no_proof_is_refused_in_either_set(tmp_path, n, run, kind):
    for seed in range(12):
        path = tmp_path / f"{seed}"
        journals.played(path, **{"n": n, "seed": seed, **run})
        lines = journals.lines_of(path)
        proofs = [proof for proof in lines[-1]["claim"]["proofs"] if proof["claim"]["kind"] == kind]
        if proofs:
            break
    proofs[0]["proof"] = {}
    with pytest.raises(CertificateError, match=rf"^line {len(lines)}: "):
        steps(journals.write(tmp_path / "forged", lines))


def test_a_price_of_just_tau_rejects(proven, tmp_path):
    forged = Forged(journals.lines_of(proven))
    forged.proof("rejected")["price"] = forged.claim["set"]["tau"]
    assert any("to believe it costs more than 0.1" in x for x in steps(journals.write(tmp_path / "j", forged.lines)))


def test_that_others_lose_as_much_is_said_of_each_that_nothing_puts_below_another(tmp_path):
    journals.played(tmp_path / "j", 4, 0, budget=6, questions=0, stop=(), start=5)
    lines = journals.lines_of(tmp_path / "j")
    (least,) = (proof for proof in lines[-1]["claim"]["proofs"] if proof["claim"]["kind"] == "least")
    for listed in (least["claim"]["candidates"], least["proof"]["gaps"]):
        listed.pop()
    with pytest.raises(CertificateError, match="the proof leaves out a subset that may lose less"):
        steps(journals.write(tmp_path / "forged", lines))


@pytest.mark.parametrize("third", ["not measured", "failed", "measured"])
def test_a_run_that_ended_as_optimal_looked_at_each_neighbour_of_what_it_recommends(tmp_path, third):
    scores = {0b01: 0.9, 0b10: 0.5, 0b11: 0.8}
    oracle = CallableOracle(scores.__getitem__, 2, takes="mask")
    facts = [Asked(0, (1, 2, 3)), measured(0, 1, 0.9), measured(1, 2, 0.5), measured(2, 3, 0.8), Stopped(3, WHOLE)]
    if third == "not measured":
        facts[0], facts[3:4] = Asked(0, (1, 2)), []
    elif third == "failed":
        facts[3] = Failed(2, 3, "singular")
    with begin(tmp_path / "j", oracle, settings_from({"parsimony": 0.0})) as session:
        session.elicitation.adopt(facts)
        for fact in facts:
            session.journal.append(fact)
        session.journal.claim(claim_of(session.elicitation))
    if third == "not measured":
        with pytest.raises(CertificateError, match="a neighbour of the recommended subset was never measured"):
            steps(tmp_path / "j")
    else:
        but = ", 1 of them in vain" if third == "failed" else ""
        assert steps(tmp_path / "j")[-1] == f"all 2 subsets one flip or one swap away from it were measured{but}"


@pytest.mark.parametrize(("request_of", "holds"), [(None, True), (2, False)])
def test_what_is_claimed_before_a_run_has_ended_is_checked_as_what_is_claimed_at_an_end(tmp_path, request_of, holds):
    facts = [Asked(0, (1, 3)), measured(0, 1, 0.5), measured(1, 3, 0.7)]
    oracle = CallableOracle({1: 0.5, 3: 0.7}.__getitem__, 2, takes="mask")
    with begin(tmp_path / "j", oracle, settings_from({})) as session:
        session.elicitation.adopt(facts)
        for fact in facts:
            session.journal.append(fact)
        session.journal.claim(claim_of(session.elicitation) | {"request": request_of})
    if holds:
        assert any("} is recommended" in words for words in steps(tmp_path / "j"))
    else:
        with pytest.raises(CertificateError, match=r"^line 5: the claim is of another end$"):
            steps(tmp_path / "j")


def test_that_none_loses_less_is_claimed_too_where_an_equal_one_of_more_attributes_loses_nothing_either(tmp_path):
    scores = {0b001: 0.9, 0b110: 0.95, 0b011: 0.5}
    oracle = CallableOracle(scores.__getitem__, 3, takes="mask")
    facts = [Asked(0, tuple(scores)), *(measured(k, x, score) for k, (x, score) in enumerate(scores.items()))]
    facts += [Asked(3, compare=(0b001, 0b110)), Preferred(3, 0b001, 0b110, Answer.EQUAL)]
    with begin(tmp_path / "j", oracle, settings_from({"parsimony": 0.0, "budget": 3})) as session:
        session.elicitation.adopt(facts)
        claim = claim_of(session.elicitation)
    assert claim["subset"] == ["a1"]
    among, least, *_ = (proof["claim"] for proof in claim["proofs"])
    assert (among["bound"], least["kind"], least["candidates"]) == ("0", "least", [])


@pytest.mark.parametrize(
    ("scores", "pair", "said"),
    [
        (
            {0b101: 0.5, 0b111: 0.6, 0b110: 0.2, 0b011: 0.1, 0b010: 0.0},
            (0b010, 0b011),
            "each simpler one that nothing puts below another (1) may lose ",
        ),
        (
            {0b101: 0.5, 0b111: 0.6, 0b110: 0.2, 0b011: 0.1},
            (0b101, 0b110),
            "no simpler one is left to compare: answers or measurements put every simpler one below another",
        ),
    ],
)
def test_where_nothing_is_lost_it_is_said_that_only_simpler_ones_must_lose_something(tmp_path, scores, pair, said):
    """All three attributes have the better score, and nothing puts them below another; nothing is shown of them."""
    oracle, n = CallableOracle(scores.__getitem__, 3, takes="mask"), len(scores)
    facts = [Asked(0, tuple(scores)), *(measured(k, x, score) for k, (x, score) in enumerate(scores.items()))]
    facts += [Asked(n, compare=pair), Preferred(n, *pair, Answer.FIRST), Stopped(n + 1, budget_spent(n))]
    with begin(tmp_path / "j", oracle, settings_from({"budget": n, "degree": 1})) as session:
        session.elicitation.adopt(facts)
        for fact in facts:
            session.journal.append(fact)
        session.journal.claim(claim_of(session.elicitation))
    told = steps(tmp_path / "j")
    assert any(words.startswith("{a1, a3} is recommended") for words in told)
    assert any(words.startswith(said) for words in told)


# a recommendation that says too much


def with_slice_proofs(tmp_path):
    """The lines of a run in the exact set, and the claim of its end, with a proof about the slice."""
    journals.played(tmp_path / "j", 4, 0, parsimony="exact", questions=6, ask_every=1, budget=6)
    lines = journals.lines_of(tmp_path / "j")
    claim = lines[-1]["claim"]
    assert any(proof["set"] == "slice" for proof in claim["proofs"])
    return lines, claim


@pytest.mark.parametrize("delta", ["0.999", "0.5", "0.0011", "0.0000009", "0", "-1"])
def test_a_slice_with_another_margin_than_a_run_gives_it_is_refused(tmp_path, delta, capsys):
    lines, claim = with_slice_proofs(tmp_path)
    claim["set"]["delta"] = delta
    status, _, err = verdict(journals.write(tmp_path / "thin", lines), capsys)
    assert status == 1
    assert "the margin of the slice is out of its range" in err


@pytest.mark.parametrize("delta", ["0.000001", "0.001"])
def test_a_slice_may_have_the_least_margin_and_the_usual_one(tmp_path, delta, capsys):
    lines, claim = with_slice_proofs(tmp_path)
    claim["set"]["delta"] = delta
    assert "out of its range" not in verdict(journals.write(tmp_path / "other", lines), capsys)[2]


@pytest.mark.parametrize(("spare", "holds"), [("0.0015", False), ("0.0019", True)])
def test_a_slice_with_a_margin_near_all_that_its_own_witness_has_is_refused(tmp_path, spare, holds, capsys):
    lines, claim = with_slice_proofs(tmp_path)
    for proof in claim["proofs"]:
        if proof["set"] == "slice":
            theta = [(sum(1 << i for i in term), judge.Fraction(x)) for term, x in proof["proof"]["witness"]]
            least = min(
                sum(x for t, x in theta if t & sum(1 << i for i in s["better"]) == t)
                - sum(x for t, x in theta if t & sum(1 << i for i in s["worse"]) == t)
                for s in claim["statements"]
            )
            shorter = judge.Fraction(spare) / least
            proof["proof"]["witness"] = [
                [term, str(judge.Fraction(x) * shorter)] for term, x in proof["proof"]["witness"]
            ]
    status, _, err = verdict(journals.write(tmp_path / "near", lines), capsys)
    assert (status == 0) is holds
    assert holds or "the slice with margin 0.001 leaves out too many utilities" in err


def test_what_a_witness_has_to_spare_is_that_of_strict_statements_alone():
    def checked(delta, *relations):
        pairs = [([0], [1]), ([0, 1], [0])]  # the first is better by all of θ, the other two are worth the same
        said = [{"better": a, "worse": b, "relation": how} for (a, b), how in zip(pairs, relations, strict=True)]
        claim = object.__new__(Proofs)
        claim.known = KnownFacts(Header(0, "-", Attributes.numbered(2), SCORE_AND_SIZE))
        claim.content = {"statements": said}
        claim._check_margin([([0], "1")], delta)

    whole = Fraction(str(MARGIN))
    checked(whole, "strict", "weak")
    checked(whole, "weak", "equal")  # nothing is strict
    with pytest.raises(CertificateError, match="leaves out too many utilities"):
        checked(whole, "strict", "strict")


@pytest.mark.parametrize(
    ("spare", "most"),
    [
        (1.0, MARGIN),
        (2 * MARGIN, MARGIN),
        (1.9 * MARGIN, MARGIN),
        (1.89 * MARGIN, 1.89 * MARGIN / 5),
        (10 * SMALLEST_MARGIN, 2 * SMALLEST_MARGIN),
        (2 * SMALLEST_MARGIN, SMALLEST_MARGIN),
        (0.0, SMALLEST_MARGIN),
    ],
)
def test_the_largest_margin_that_a_slice_may_have_is_told_by_what_its_witness_has_to_spare(spare, most):
    proofs = object.__new__(Proofs)
    proofs.known = KnownFacts(Header(0, "-", Attributes.numbered(2), SCORE_AND_SIZE))
    proofs.content = {"statements": [{"better": [0], "worse": [1], "relation": "strict"}]}
    spare, most = Fraction(f"{spare:g}"), Fraction(f"{most:g}")
    proofs._check_margin([([0], str(spare))], most)
    with pytest.raises(CertificateError, match="leaves out too many utilities"):
        proofs._check_margin([([0], str(spare))], most + Fraction(1, 10**9))


def test_a_slice_whose_witness_names_a_coefficient_twice_is_refused(tmp_path, capsys):
    lines, claim = with_slice_proofs(tmp_path)
    for proof in claim["proofs"]:
        if proof["set"] == "slice":  # the second counts for the statements; added up they would seem to have more room
            witness = proof["proof"]["witness"]
            proof["proof"]["witness"] = [[t, str(99 * judge.Fraction(x))] for t, x in witness] + witness
    status, _, err = verdict(journals.write(tmp_path / "twice", lines), capsys)
    assert status == 1
    assert "θ has two coefficients of" in err


def test_what_others_lose_is_shown_in_the_set_in_which_the_regret_is(tmp_path, capsys):
    journals.played(tmp_path / "j", 4, 3, parsimony="exact", questions=1, ask_every=3, budget=8, stop=[])
    assert verdict(tmp_path / "j", capsys)[0] == 0
    lines = journals.lines_of(tmp_path / "j")
    least = next(proof for proof in lines[-1]["claim"]["proofs"] if proof["claim"]["kind"] == "least")
    assert least["claim"]["candidates"]
    # a θ of the cone may be any multiple: a thousand times as much is lost by it
    least["set"], least["claim"]["floor"] = "cone", str(1000 * judge.Fraction(least["claim"]["floor"]))
    least["proof"]["thetas"] = [
        [[t, str(1000 * judge.Fraction(x))] for t, x in theta] for theta in least["proof"]["thetas"]
    ]
    status, _, err = verdict(journals.write(tmp_path / "cone", lines), capsys)
    assert status == 1
    assert "what others lose is not shown in the set in which the regret is" in err


@pytest.mark.parametrize("settings", [{}, {"recommend": "expected"}, {"parsimony": "exact"}], ids=str)
def test_what_an_answer_puts_below_another_is_not_recommended(tmp_path, settings, capsys):
    tried = 0
    for seed in range(3):
        path = tmp_path / f"{seed}"
        journals.played(path, 4, seed, questions=8, ask_every=1, budget=8, stop=(), **settings)
        assert verdict(path, capsys)[0] == 0
        lines = journals.lines_of(path)
        claim, measured = lines[-1]["claim"], {tuple(x["subset"]): x for x in lines if x.get("fact") == "evaluated"}
        dominated = {tuple(s["worse"]) for s in claim["statements"] if s["source"] == "dominance"}
        for said in claim["statements"]:
            if said["source"] == "operator" and said["relation"] == "strict" and tuple(said["worse"]) not in dominated:
                names = [lines[0]["attributes"][i] for i in said["worse"]]
                claim |= {"subset": names, "criteria": measured[tuple(names)]["criteria"], "proofs": []}
                status, _, err = verdict(journals.write(tmp_path / "forged", lines), capsys)
                assert status == 1
                assert "what was answered puts the subset claimed as best below" in err
                tried += 1
    assert tried


def test_without_a_proof_it_is_said_that_the_least_loss_is_not_shown(journal, tmp_path):
    lines = journals.lines_of(journal)
    claim = lines[-1]["claim"]
    claim["proofs"] = [proof for proof in claim["proofs"] if proof["claim"]["kind"] != "least"]
    words = "\n".join(steps(journals.write(tmp_path / "less", lines)))
    assert "is recommended (that it loses least is not shown)" in words
    assert "none loses less" not in words


def test_the_floor_of_the_others_is_held_against_what_is_lost(tmp_path):
    journals.played(tmp_path / "j", 5, 5, questions=1, budget=10, stop=(), parsimony=0.5)
    lines = journals.lines_of(tmp_path / "j")
    proofs = lines[-1]["claim"]["proofs"]
    least = next(proof["claim"] for proof in proofs if proof["claim"]["kind"] == "least")
    assert least["candidates"]
    assert judge.Fraction(least["floor"]) > judge.Fraction(1, 100)
    for floor, said in (("1/1000", "0.001 or more: none loses less"), ("0", None)):
        least["floor"] = floor
        changed = journals.write(tmp_path / "lower", lines)
        if said is None:
            with pytest.raises(CertificateError, match="a floor of zero or less says nothing"):
                steps(changed)
        else:
            assert said in "\n".join(steps(changed))


def test_how_much_less_another_may_lose_is_what_lies_between_the_bound_and_the_floor(tmp_path):
    journals.played(tmp_path / "j", 4, 0, budget=6, questions=0, stop=(), start=5)
    lines = journals.lines_of(tmp_path / "j")
    claims = [proof["claim"] for proof in lines[-1]["claim"]["proofs"]]
    among = next(claim for claim in claims if claim["kind"] == "regret" and "evaluated" in claim["scope"])
    least = next(claim for claim in claims if claim["kind"] == "least")
    floor = float(judge.Fraction(least["floor"]))
    assert "each other one that nothing puts below another (" in "\n".join(steps(tmp_path / "j"))
    assert f"may lose {floor:.12g} or more: none loses less" in "\n".join(steps(tmp_path / "j"))
    assert judge.Fraction(among["bound"]) < judge.Fraction(least["floor"])
    among["bound"] = "2"  # less is claimed, so that it still holds
    words = "\n".join(steps(journals.write(tmp_path / "weaker", lines)))
    assert f"none loses less by more than {float(2 - judge.Fraction(least['floor'])):.12g}" in words


def test_a_bound_is_told_with_all_the_digits_of_what_is_proven(tmp_path):
    journals.played(tmp_path / "j", 4, 0, budget=6, questions=0, stop=(), start=5)
    lines = journals.lines_of(tmp_path / "j")
    claims = [proof["claim"] for proof in lines[-1]["claim"]["proofs"]]
    next(claim for claim in claims if claim["kind"] == "regret")["bound"] = "12345642/1000000"
    assert "it loses at most 12.345642 to any" in "\n".join(steps(journals.write(tmp_path / "weaker", lines)))


def test_a_statement_that_is_listed_twice_to_count_twice_is_refused(tmp_path):
    journals.played(tmp_path / "j", 3, 0, budget=4, questions=0, stop=())
    lines = journals.lines_of(tmp_path / "j")
    lines[-1]["claim"]["statements"].append(lines[-1]["claim"]["statements"][0])
    with pytest.raises(CertificateError, match="the claim repeats a statement"):
        steps(journals.write(tmp_path / "twice", lines))
