"""The report: one page that loads nothing, says what the record says, and survives hostile names.

The rule: what a browser makes of the page is seen in a browser; what scores are worth is said by scikit-learn.
"""

import base64
import dataclasses
import hashlib
import html
import io
import itertools
import json
import re
import shlex
import shutil
import time
from html.parser import HTMLParser
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import journals
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn.datasets import load_wine
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from test_contradictions import after
from test_drive import CHECKED, slipping, truth

from elicit.alongside import fresh
from elicit.alongside.fresh import FIRST_SEED, ROUNDS, fresh_scores
from elicit.asks import Failure, Measured, Settlement
from elicit.cli import main
from elicit.decide.settings import Settings
from elicit.drive import drive
from elicit.events import (
    SCORE_AND_SIZE,
    Answer,
    Asked,
    Assumed,
    Criterion,
    Evaluated,
    Failed,
    Preferred,
    Retracted,
    Stopped,
)
from elicit.journal import Journal, read
from elicit.knowledge.statements import Relation
from elicit.operators import HiddenTheta, ScriptedOperator, SimulatedOperator
from elicit.oracles import CallableOracle
from elicit.printable import LONGEST_LABEL, rounded
from elicit.proof.record_check import Step
from elicit.proof.strained import strained_words
from elicit.proof.why import Why
from elicit.report.content import Measurement, _events, gather
from elicit.report.drawing import HEIGHT, LEFT, LOOKS, RIGHT, WIDTH, bars, curve, path_of_session, scale
from elicit.report.front import _near, front_section
from elicit.report.markup import data, element, raw
from elicit.report.model import PAIRED_ROWS, Importance, ModelStory, story_of
from elicit.report.page import page
from elicit.report.power import _heat, _interaction, power, strongest
from elicit.report.scores import _importance
from elicit.report.session import session
from elicit.report.verdict import result
from elicit.sessions import begin, elicitation_of, header_of
from elicit.sources.oracle import data_of, oracle_from
from elicit.subsets import Attributes, Family

HOSTILE = (
    "<script>window.pwned = 1</script>",
    '" onmouseover="window.pwned = 1',
    "</script><img src=x onerror='window.pwned = 1'>",
    "a\x1b[31m\u202e&amp;",
    "${window.pwned = 1}",
)
WINE = {"kind": "wrapper", "data": "wine", "model": "knn:3", "folds": 5}


@pytest.fixture(scope="module")
def wine(tmp_path_factory):
    """A short session on real data, with spread and a model."""
    path, oracle = tmp_path_factory.mktemp("report") / "wine.jsonl", oracle_from(WINE, Path())
    operator = SimulatedOperator("score - 0.01 * size", oracle.criteria, seed=0)
    with begin(path, oracle, Settings(budget=14, start=6, ask_every=2, questions=6), about={"oracle": WINE}) as session:
        drive(session.elicitation, oracle, operator, session.journal)
    return path


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """A session whose attributes, and a criterion, are called what nobody would call them."""
    path = tmp_path_factory.mktemp("report") / "hostile.jsonl"
    worth = dict(zip(HOSTILE, (1.0, 0.7, 0.5, 0.2, 0.1), strict=True))
    oracle = CallableOracle(lambda chosen: sum(worth[name] for name in chosen) - 0.1 * len(chosen) ** 2, HOSTILE)
    with begin(path, oracle, Settings(budget=12, start=5, ask_every=2), about={"note": HOSTILE[0]}) as session:
        drive(session.elicitation, oracle, ScriptedOperator([], otherwise="a"), session.journal)
    return path


def written(path, *options):
    """The page that the command writes for a journal."""
    out = path.with_suffix(".html")
    assert main(["report", str(path), "-o", str(out), *options]) == 0
    return out


@pytest.fixture(scope="module")
def page_of_wine(wine):
    """The page of the session on real data, without what its model makes of the attributes."""
    return written(wine, "--no-model").rename(wine.with_name("without-model.html"))


@pytest.fixture(scope="module")
def whole_page_of_wine(wine):
    return written(wine).rename(wine.with_name("with-model.html"))


def gathered(record):
    """What a page shows of a record, but for what reversed answers would have led to."""
    return gather(Why(record), [])


def test_a_page_says_why_nothing_is_proven_of_the_result(tmp_path):
    journals.played(tmp_path / "j", budget=12)
    lines = journals.lines_of(tmp_path / "j")
    (at,) = [k for k, line in enumerate(lines) if "claim" in line]
    without_proofs = {**lines[at], "claim": {**lines[at]["claim"], "proofs": []}}
    (end,) = [k for k, line in enumerate(lines) if line.get("fact") == "stopped"]
    for kept, why in (
        (lines[:end], "Nothing yet of this result: the run has not ended."),
        (lines[:at], "Nothing of this result: the run has ended, and no claim of its end holds."),
        ([*lines[:at], without_proofs], "Nothing of this result: its claim gives no bound on how much better another"),
    ):
        text = str(element("main", *result(gathered(read(journals.write(tmp_path / "k", kept))))))
        assert why in text
        assert text.count("of this result") == 1
    proven = str(element("main", *result(gathered(read(tmp_path / "j")))))
    assert "of this result" not in proven


class Tags(HTMLParser):
    """Every element with its attributes, and the text of scripts and styles."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.found, self.inside, self.texts = [], None, {}
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))
        self.inside = (tag, dict(attrs).get("type")) if tag in ("script", "style", "title") else None

    def handle_endtag(self, tag):  # noqa: ARG002
        self.inside = None

    def handle_data(self, text):
        if self.inside:
            self.texts[self.inside] = self.texts.get(self.inside, "") + text


# what stands in the file


@pytest.mark.parametrize("which", ["wine", "hostile"])
def test_the_page_loads_nothing_and_its_policy_names_its_one_style_and_script(which, request):
    text = written(request.getfixturevalue(which), "--no-model").read_text(encoding="utf-8")
    tags = Tags(text)
    names = [tag for tag, _ in tags.found]
    assert (names.count("script"), names.count("style")) == (2, 1)
    assert not {"img", "iframe", "link", "object", "embed", "form", "base", "audio", "video"} & set(names)
    for tag, attributes in tags.found:
        assert not [key for key in attributes if key.startswith("on") or key in ("style", "src", "srcdoc")], tag
        assert attributes.get("href", "#").startswith("#")
    (policy,) = [a["content"] for t, a in tags.found if a.get("http-equiv") == "Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; ")
    for kind in (("style", None), ("script", None)):
        digest = base64.b64encode(hashlib.sha256(tags.texts[kind].encode()).digest()).decode()
        assert f"{kind[0]}-src 'sha256-{digest}'" in policy
    assert "http://" not in text
    assert "https://" not in text


def test_every_element_is_closed_and_every_reference_leads_somewhere(page_of_wine):
    text = page_of_wine.read_text(encoding="utf-8")
    ids = re.findall(r' id="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]+)"', text)) | set(re.findall(r'aria-labelledby="([^"]+)"', text)) <= set(ids)
    for name in ("section", "table", "figure", "svg", "div", "ul", "li", "details", "g", "p", "button"):
        assert len(re.findall(f"<{name}[ >]", text)) == text.count(f"</{name}>"), name


def test_drawings_have_titles_and_tables_have_captions_and_headers(whole_page_of_wine):
    text = whole_page_of_wine.read_text(encoding="utf-8")
    for svg in re.findall(r"<svg.*?</svg>", text, re.DOTALL):
        assert "<title>" in svg
        assert 'aria-label="' in svg.split(">")[0]
    for table in re.findall(r"<table.*?</table>", text, re.DOTALL):
        assert "<caption>" in table
        assert "<th" in table
    assert '<html lang="en">' in text


def test_the_result_and_its_scope_come_first_and_every_question_is_there(wine, page_of_wine):
    text = page_of_wine.read_text(encoding="utf-8")
    record = gathered(read(wine))
    assert text.index('id="result"') < text.index('id="why"') < text.index('id="front"')
    first = text[text.index('id="result"') : text.index('id="why"')]
    assert ", ".join(record.recommended.names) in first
    assert "parsimonious set of degree 2 (tau = 0.1, C = 10)" in first
    table = text[text.index("Every question and answer") :]
    assert table.split("</table>")[0].count("<tr>") == len(record.questions) + 1
    assert "every line is as it was written" in text
    for key, value in record.settings:
        assert f"<td>{key}</td>" in text, value


def test_beside_fresh_folds_stands_the_score_on_those_that_chose(wine, whole_page_of_wine):
    text, record = whole_page_of_wine.read_text(encoding="utf-8"), gathered(read(wine))
    table = text[text.index("Folds drawn anew") :].partition("</table>")[0]
    cells = re.findall(r"<td[^>]*>([^<]*)</td>", table)
    assert float(cells[1]) == pytest.approx(record.recommended.values[0], abs=5e-4)


def test_a_step_that_takes_an_answer_back_names_its_question(tmp_path):
    journals.played(tmp_path / "j", 4, 1)
    record = read(tmp_path / "j")
    request = [fact.request for fact in record.facts if isinstance(fact, Preferred)][1]
    facts = tuple(fact for fact in record.facts if not isinstance(fact, Stopped))
    taken = dataclasses.replace(record, facts=(*facts, Retracted(facts[-1].request, request)), claims=())
    assert gathered(taken).events[-1] == ("taken back", "the answer to question 2")


def test_the_steps_name_what_was_passed_over():
    facts = (
        Asked(1, (0b1,)),
        Asked(3, (0b10,), rejected=((0b101, 0.2), (0b100, 0.3)), why="its answer tells most"),
        *(Assumed(4, 0b1, 0b110, relation.value, "prior") for relation in Relation),
    )
    header = SimpleNamespace(attributes=Attributes(("a", "b", "c")), criteria=())
    told = _events(SimpleNamespace(header=header, facts=facts), SimpleNamespace(question_numbers={}))
    how = ("a over b, c", "a at least as good as b, c", "a as good as b, c")
    assert told == [("2 passed over", "a, c; c"), *(("assumed (prior)", words) for words in how)]


def test_the_steps_quote_a_name_with_a_comma_as_every_other_list_of_names_does():
    facts = (
        Asked(1, (0b11,), rejected=((0b110, 0.2),)),
        Evaluated(1, 0b11, (0.5,)),
        Failed(2, 0b1, "no fit"),
        Preferred(3, 0b1, 0b11, Answer.FIRST),
        Assumed(4, 0b1, 0b10, Relation.STRICT.value, "prior"),
    )
    header = SimpleNamespace(attributes=Attributes(("a,b", "c", "d")), criteria=SCORE_AND_SIZE[:1])
    told = _events(SimpleNamespace(header=header, facts=facts), SimpleNamespace(question_numbers={}))
    assert [words for _, words in told] == [
        "c, d",
        '"a,b", c: score 0.5',
        '"a,b": no fit',
        'A is better than B. A = "a,b"; B = "a,b", c',
        '"a,b" over c',
    ]


def test_a_record_whose_claim_is_false_says_so_at_the_top(wine, tmp_path):
    lines = journals.lines_of(wine)
    claim = next(line["claim"] for line in lines if "claim" in line)
    claim["criteria"][0] += 0.01
    text = written(journals.write(tmp_path / "false.jsonl", lines), "--no-model").read_text(encoding="utf-8")
    assert "A claim of this record does not hold" in text[: text.index('id="why"')]


@pytest.mark.parametrize(
    "settings",
    [
        {"parsimony": "exact", "questions": 9, "ask_every": 1, "budget": 12},
        {"parsimony": "exact", "degree": 1, "noise": 0.5, "questions": 12, "ask_every": 1, "budget": 7, "stop": ()},
        {"budget": 1, "start": 1, "questions": 0},
        {"budget": 9, "degree": 3},
    ],
    ids=["exact", "contradicted", "one subset", "triples"],
)
def test_any_run_has_a_report(tmp_path, settings):
    journals.played(tmp_path / "j.jsonl", 3 if settings.get("degree") == 1 else 4, 1, **settings)
    assert "</html>" in written(tmp_path / "j.jsonl").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("choices", "why", "least"),
    [
        ({"preset": "source"}, "no utility of the exact set could find one of them best.", "–"),
        ({}, "believing that one of them is best costs too much in simplicity. The price is", "0.1"),
    ],
)
def test_what_was_passed_over_has_a_price_where_the_set_of_utilities_gives_one(tmp_path, choices, why, least):
    journals.played(tmp_path / "j.jsonl", 5, 4, questions=12, ask_every=1, budget=20, degree=1, **choices)
    prices = gathered(read(tmp_path / "j.jsonl")).prices
    assert prices, "else this shows nothing"
    text = written(tmp_path / "j.jsonl").read_text(encoding="utf-8")
    assert f"because {why}" in text
    told = re.findall(r"<td[^>]*>([^<]*)</td>", text[text.index("price then") :])[1::4][: len(prices)]
    assert all((price == least) if least == "–" else float(price) >= float(least) for price in told)


@pytest.mark.parametrize(("noise_level", "below"), [(0.1, True), (0.0, False)])
def test_of_one_below_the_front_that_is_recommended_it_is_said_that_noise_puts_it_there(tmp_path, noise_level, below):
    oracle = journals.InFolds(journals.truth(4, 2))
    journals.played(tmp_path / "j.jsonl", 4, 2, oracle=oracle, noise_level=noise_level, budget=14)
    assert gathered(read(tmp_path / "j.jsonl")).recommended.in_front != below, "else this shows nothing"
    text = written(tmp_path / "j.jsonl").read_text(encoding="utf-8")
    assert ("But for noise: what lies above the recommended one leads by no more than" in text) == below


@pytest.mark.parametrize(
    ("theta", "told"),
    [
        ("L2", "in the simplest utility that agrees with the record (Shapley"),
        ("L1", "in the simplest utility that agrees with the record (Shapley"),
        ("max-margin", "in the utility that keeps what was measured and answered furthest from a tie (Shapley"),
        ("mean", "those by which an attribute counts most or least (Shapley"),
    ],
)
def test_power_is_said_to_be_that_of_the_utility_that_the_settings_name(tmp_path, theta, told):
    journals.played(tmp_path / "j.jsonl", 3, 1, budget=5, theta=theta)
    assert told in "".join(map(str, power(gathered(read(tmp_path / "j.jsonl")))))


@pytest.mark.parametrize("criteria", [SCORE_AND_SIZE, SCORE_AND_SIZE[:1]])
def test_fewer_attributes_are_said_to_dominate_more_only_where_their_number_is_a_criterion(tmp_path, criteria):
    oracle = CallableOracle(lambda mask: {"score": mask / 8}, 3, criteria, takes="mask")
    with begin(tmp_path / "j.jsonl", oracle, Settings(questions=0, budget=5)) as run:
        drive(run.elicitation, oracle, None, run.journal)
    text = "".join(map(str, power(gathered(read(tmp_path / "j.jsonl")))))
    assert ("fewer attributes dominate more of them" in text) == (criteria == SCORE_AND_SIZE)


def test_a_power_index_that_is_rounding_is_shown_as_nothing(tmp_path):
    oracle = CallableOracle(lambda mask: {"score": mask.bit_count() % 3 + (mask & 1)}, 6, takes="mask")
    with begin(tmp_path / "j.jsonl", oracle, Settings(questions=0, budget=10)) as run:
        drive(run.elicitation, oracle, None, run.journal)
    content = gathered(read(tmp_path / "j.jsonl"))
    assert 0.0 in content.power
    text = "".join(map(str, power(content)))
    assert '<td class="number">0</td>' in text
    assert not re.search(r"\de-\d\d", text)


near = st.lists(st.integers(-30, 30) | st.floats(-30, 30), min_size=1, max_size=6)


@given(near, near)
@example([1, 6], [30])
@example([0.9, 0.95], [0.6, 0.98])
def test_a_drawing_reaches_as_far_as_anything_but_no_further_beyond_the_front_than_half_its_width(inner, others):
    every = [*inner, *others]
    (low, high), (first, last) = _near(inner, every), (min(every), max(every))
    more = (max(inner) - min(inner)) / 2
    if all(value == int(value) for value in every):
        more = np.ceil(more)
    assert low == (first if more == 0 else pytest.approx(max(first, min(inner) - more)))
    assert high == (last if more == 0 else pytest.approx(min(last, max(inner) + more)))
    assert low <= min(inner) <= max(inner) <= high


#: The radius of a mark that is no ring.
MARK = r'r="([^"]*)" class="(?:front|dot|beyond)"'


@pytest.mark.parametrize(("far", "count"), [((0.55, 30), 2), ((0.87, 5), 0)])
def test_what_lies_far_from_the_front_is_drawn_at_the_edge_and_counted(far, count):
    worst, largest = far
    scores = [(0.9, 1.0, True), (0.94, 3.0, True), (0.95, 4.0, True), (worst, 2.0, False), (0.94, largest, False)]
    measured = tuple(
        Measurement(k, 1 << k, (f"x{k}",), (score, size), (0.01, None), in_front)
        for k, (score, size, in_front) in enumerate(scores)
    )
    content = SimpleNamespace(criteria=SCORE_AND_SIZE, measured=measured, best=1, recommended=measured[1])
    text = "".join(front_section(content))
    marks = re.findall(r'<circle cx="([^"]*)" cy="([^"]*)" r="[^"]*" class="(\w+)"', text)
    assert [kind for _, _, kind in marks if kind != "ring"].count("beyond") == count
    assert ("drawn at the edge (2)" in text, "drawn at the edge" in text) == (count == 2, count > 0)
    across, down = ([float(mark[k]) for mark in marks] for k in (0, 1))
    assert (min(across), max(across), min(down) >= 0, max(down) <= HEIGHT) == (LEFT + 8, WIDTH - RIGHT - 8, True, True)
    recommended, sizes = re.findall(r"<(\w+) [^>]*class=\"recommended\"", text), set(re.findall(MARK, text))
    assert (recommended, len(sizes)) == (["polyline"], 2), "in grey the recommended one is told by its shape"
    # what lies at a place of its own is told there, and at the edge what was measured, not where it is drawn
    assert f"score {worst}; size 2" in text
    assert f"score 0.94; size {largest}" in text


@pytest.mark.parametrize("maximise", [True, False])
def test_the_best_by_the_first_criterion_comes_first_whichever_way_is_better(maximise):
    criteria = (Criterion("loss", maximise=maximise), SCORE_AND_SIZE[1])
    values = [(0.5, 2.0), (0.9, 3.0), (0.1, 1.0)]
    measured = tuple(
        Measurement(k, 1 << k, (f"x{k}",), value, (None, None), in_front=True) for k, value in enumerate(values)
    )
    content = SimpleNamespace(criteria=criteria, measured=measured, best=0, recommended=measured[0])
    text = "".join(front_section(content))
    order = re.findall(r"<td class=\"subset\">(?:recommended: )?(x\d)</td>", text)
    assert order == (["x1", "x0", "x2"] if maximise else ["x2", "x0", "x1"])
    course = SimpleNamespace(**vars(content), events=[("measured", "")] * 3, questions=(), failures=())
    line = re.search(r'<polyline points="([^"]*)"', "".join(session(course)))[1]
    heights = [float(point.split(",")[1]) for point in line.split()]
    assert heights == sorted(heights, reverse=maximise), "the best so far only becomes better"
    assert heights[0] != heights[-1]


def test_large_errors_are_told_in_whole_numbers():
    importance = (Importance("a", 2061.7, 617.3), Importance("b", 1738.2, 683.1))
    told = "".join(_importance(ModelStory(importance=importance, error="mean squared error")))
    assert "Above all: a (2062); b (1738)." in told
    assert [*re.findall(r'class="tick middle"[^>]*>([^<]*)<', told)] == ["0", "1000", "2000"]
    assert re.findall(r"<td class=\"number\">(.*?)</td>", told) == ["2062", "617", "1738", "683"]


def test_what_the_model_does_not_rely_on_is_not_said_to_matter():
    importance = (Importance("a", 0.2, 0.1), Importance("b", 0.0, 0.1), Importance("c", -0.02, 0.1))
    told = "".join(_importance(ModelStory(importance=importance, error="share of wrong classes")))
    assert "Above all: a (0.2). In brackets, by how much the share of wrong classes grows when its values" in told
    told = "".join(_importance(ModelStory(importance=importance[1:], error="share of wrong classes")))
    assert "Above all: no attribute." in told
    assert "In brackets" not in told


@pytest.mark.parametrize(("n", "wide"), [(12, False), (13, True)])
def test_a_map_of_many_pairs_is_printed_on_a_page_on_its_side_where_no_number_is_broken(n, wide):
    content = SimpleNamespace(
        attributes=[f"x{i}" for i in range(n)],
        candidates=range(n),
        power=[0.1] * n,
        interactions=[[-0.0039] * n] * n,
        settings=(),
    )
    text = "".join(_interaction(content))
    assert ('<table class="heat wide">' in text) == wide
    css = (Path(__file__).parents[1] / "elicit" / "report" / "page.css").read_text(encoding="utf-8")
    assert "@page wide { size: landscape;" in css
    assert re.search(r"\.heat td \{[^}]*white-space: nowrap", css)
    assert "white-space: normal" not in css


@pytest.mark.parametrize(("parsimony", "margin"), [("exact", "0.001"), (0.1, "1")])
def test_a_loss_is_told_beside_the_margin_of_an_answer_in_its_own_set(tmp_path, parsimony, margin):
    journals.played(tmp_path / "j.jsonl", parsimony=parsimony, budget=6, questions=1, stop=())
    text = written(tmp_path / "j.jsonl").read_text(encoding="utf-8")
    assert f"A loss of {margin} is the margin of one clear answer." in text


# colours


def themes():
    """The colours of the style sheet by theme."""
    css = (Path(__file__).parents[1] / "elicit" / "report" / "page.css").read_text(encoding="utf-8")
    blocks = re.findall(r":root \{(.*?)\}", css, re.DOTALL)
    found = {}
    for name, block in zip(("light", "dark", "print"), blocks, strict=True):
        colours = dict(re.findall(r"--(\w+): (#\w+)", block))
        found[name] = {k: v if len(v) == 7 else "#" + "".join(2 * c for c in v[1:]) for k, v in colours.items()}
    return found


def contrast(one, other):
    """The ratio of luminances of WCAG 2."""

    def luminance(colour):
        parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
        r, g, b = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
        return 0.2126 * r + 0.7152 * g + 0.0722 * b

    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_shapes_look_without_the_style_sheet_as_they_do_with_it_in_light(whole_page_of_wine):
    css = (Path(__file__).parents[1] / "elicit" / "report" / "page.css").read_text(encoding="utf-8")
    light = themes()["light"] | {"none": "none"}
    css = re.sub(r"var\(--(\w+)\)", lambda found: light.get(found[1], found[0]), css).replace(
        "currentColor", light["ink"]
    )
    of_any_width = re.findall(r"^svg (.+?) {(.*?)}", css, re.MULTILINE)
    rules = {name: dict(re.findall(r"([\w-]+): ([^;]+);", body)) for name, body in of_any_width}
    seen = set()
    for drawing in re.findall(r"<svg.*?</svg>", whole_page_of_wine.read_text(encoding="utf-8"), re.DOTALL):
        for name, text in re.findall(r"<(line|text|circle|rect|polyline) ([^>]*?)/?>", drawing):
            attributes = dict(re.findall(r'([\w-]+)="([^"]*)"', text))
            kinds, looks = attributes["class"].split(), dict(rules["text"] if name == "text" else {})
            for selector in (*(f".{kind}" for kind in kinds), "." + ".".join(kinds)):
                looks |= rules.get(selector, {})
            assert looks.items() <= attributes.items(), (name, kinds)
            seen |= {*kinds}
    assert seen == {*LOOKS}


@pytest.mark.parametrize("theme", ["light", "dark", "print"])
def test_texts_and_marks_stand_out_from_their_ground(theme):
    colours = themes()[theme]
    for text in ("ink", "soft", "mark"):
        for ground in ("paper", "panel"):
            assert contrast(colours[text], colours[ground]) >= 4.5, (text, ground)
    for mark in ("front", "best", "dot"):
        assert contrast(colours[mark], colours["paper"]) >= 3, mark


# markup


@pytest.mark.parametrize("assume", ["nothing", "linear"])
def test_what_answers_imply_is_said_beside_them(tmp_path, assume):
    journals.played(tmp_path / "j", assume=assume, ask_every=1, questions=9)
    record = read(tmp_path / "j")
    content = gathered(record)
    deduced = elicitation_of(record).history.deduced
    assert bool(deduced) == (assume == "linear")
    assert (f"{len(deduced)} orders follow from these answers" in content.implied) == (assume == "linear")
    told = written(tmp_path / "j").read_text(encoding="utf-8")
    assert ("Assumed: a linear trade-off" in told) == (assume == "linear")


def test_what_is_set_aside_is_said_as_at_the_end_of_the_run(tmp_path):
    oracle = truth(5)
    with begin(tmp_path / "j", oracle, dataclasses.replace(CHECKED, unasked=0, agreement=1), seed=7) as session:
        ended = drive(session.elicitation, oracle, slipping(oracle), session.journal)
        numbers = session.elicitation.history.question_numbers
    said = list(strained_words(ended.set_aside, numbers, oracle.attributes.braced))
    assert said == [
        "set aside, since the rest speaks against it: your answer to question 1, {a2, a3, a4, a5} above "
        "{a1, a2, a3, a4, a5}",
        "set aside, since the rest speaks against it: your answer to question 2, {a1, a4, a5} above {a2, a3, a4, a5}",
        "set aside: 3 of the orders that were measured, as noise",
    ]
    told = written(tmp_path / "j").read_text(encoding="utf-8")
    assert all(f"<li>{line[0].upper()}{line[1:]}.</li>" in told for line in said)
    assert "<h3>Statements that are set aside, or not honoured in full</h3>" in told
    meant = "every utility that fits what was measured and answered almost as simply as the simplest does"
    assert f"What was not measured is judged by {meant} (parsimonious set, tau = 0.1, C = 10)." in told


@pytest.mark.parametrize(
    ("answer", "told", "turned"),
    [
        (Answer.FIRST, "A is better than B", "B is better than A"),
        (Answer.SECOND, "B is better than A", "A is better than B"),
        (Answer.EQUAL, "A and B are equally good", "A and B are equally good"),
    ],
)
def test_an_answer_is_told_for_either_order_in_which_its_subsets_are_selected(tmp_path, answer, told, turned):
    path = tmp_path / "j"
    with begin(path, truth(), Settings(budget=6, start=3, ask_every=1, questions=1)) as session:
        drive(session.elicitation, truth(), ScriptedOperator([], otherwise=answer.value), session.journal)
    (question,) = gathered(read(path)).questions
    assert (question.answer, question.answer_turned) == (told, turned)
    text = written(path, "--no-model").read_text(encoding="utf-8")
    held = json.loads(re.search(r'<script type="application/json"[^>]*>(.*?)</script>', text, re.DOTALL)[1])
    assert held["questions"] == [
        {"first": question.first, "second": question.second, "told": [f"Question 1: {told}", f"Question 1: {turned}"]}
    ]


def test_contradictory_answers_that_were_kept_are_a_step_of_the_session(tmp_path):
    run = after(("a", "b", Answer.FIRST), ("b", "a", Answer.FIRST))
    run.tell(run.ask().id, Settlement(None))
    with Journal.create(tmp_path / "j", header_of(run, "")) as journal:
        journal.catch_up(run.facts, time.time)
    told = ("kept and weighed", "though they cannot all hold: your answers to questions 1, 2")
    assert told in gathered(read(tmp_path / "j")).events


def test_why_the_data_cannot_be_read_is_told_to_whoever_runs_the_command_and_is_not_on_the_page(tmp_path, capsys):
    secret = tmp_path / "private.txt"
    secret.write_text("password: hunter2\n1\n")
    path, section = tmp_path / "j", {**WINE, "data": str(secret), "target": "x"}
    with begin(path, truth(), Settings(budget=3, questions=0), about={"oracle": section}) as session:
        drive(session.elicitation, truth(), None, session.journal)
    assert "hunter2" not in written(path).read_text(encoding="utf-8")
    assert "hunter2" in capsys.readouterr().err


def test_texts_are_escaped_wherever_they_stand():
    made = element("p", "<b>", title='"&', data_x="'")
    assert made == '<p title="&quot;&amp;" data-x="&#x27;">&lt;b&gt;</p>'
    assert "<" not in data({"a": "</script><!--"})
    with pytest.raises(ValueError, match="end tag"):
        raw("</style>")


# what the model does


def test_scores_on_fresh_folds_are_those_of_scikit_learn():
    oracle = oracle_from(WINE, Path())
    subset = oracle.attributes.mask(["alcohol", "flavanoids", "proline"])
    story = story_of(WINE, subset, {subset: 0.5}, oracle.fingerprint, Family(13))
    X, y = load_wine(return_X_y=True)
    model = make_pipeline(StandardScaler(), KNeighborsClassifier(3))
    for told, columns in zip(story.honest, ([0, 6, 12], list(range(13))), strict=True):
        for seed, score in zip(range(FIRST_SEED, FIRST_SEED + ROUNDS), told.fresh, strict=True):
            folds = StratifiedKFold(5, shuffle=True, random_state=seed)
            assert score == pytest.approx(cross_val_score(model, X[:, columns], y, cv=folds).mean(), abs=1e-12)
    assert (story.honest[0].chosen, story.honest[1].chosen) == (0.5, None)


@pytest.mark.parametrize(
    ("failed", "rounds"),
    [
        ((), (5, 5)),
        (((1, 0b11), (3, 0b11)), (3, 3)),
        (((0, 0b01), (3, 0b11)), (3, 3)),
        (product(range(3), [0b11]), (2, 2)),
        (product(range(4), [0b11]), (5, 1)),
        (product(range(5), [3]), (5, 0)),
    ],
)
def test_fresh_scores_are_compared_on_the_folds_of_the_same_rounds(failed, rounds):
    failed = {(FIRST_SEED + k, subset) for k, subset in failed}
    known = {
        (seed, subset): Failure("no") if (seed, subset) in failed else Measured((seed / 1e4 + subset, 1.0))
        for seed, subset in product(range(FIRST_SEED, FIRST_SEED + ROUNDS), (0b01, 0b11))
    }
    one, other = fresh_scores({"random_state": 0}, (0b01, 0b11), known).values()
    assert (len(one), len(other)) == rounds
    assert len(other) < 2 or np.subtract(other, one) == pytest.approx(np.full(len(one), 2.0))


def test_the_folds_that_chose_are_never_the_fresh_ones():
    kept = {}
    section = {**WINE, "random_state": FIRST_SEED + 1}
    fresh_scores(section, (0b11,), {}, keep=lambda seed, subset, result: kept.update({seed: (subset, result)}))
    assert set(kept) == {FIRST_SEED, *range(FIRST_SEED + 2, FIRST_SEED + ROUNDS + 1)}
    X, y = load_wine(return_X_y=True)
    model = make_pipeline(StandardScaler(), KNeighborsClassifier(3))
    folds = StratifiedKFold(5, shuffle=True, random_state=FIRST_SEED + ROUNDS)
    last = cross_val_score(model, X[:, :2], y, cv=folds).mean()
    assert kept[FIRST_SEED + ROUNDS][1].criteria[0] == pytest.approx(last, abs=1e-12)


@pytest.mark.parametrize(("folds", "alone"), [(7, False), (12, True)])
def test_there_are_no_other_folds_only_where_each_holds_one_row(folds, alone):
    splits = list(KFold(folds).split(np.zeros(12)))  # of 7 the last two hold one row
    assert bool(fresh.no_other_folds({}, splits)) == alone


def test_all_rounds_of_fresh_folds_are_of_data_read_once(monkeypatch):
    reads = []
    monkeypatch.setattr(fresh, "data_of", lambda *read: reads.append(read) or data_of(*read))
    assert len(fresh_scores(WINE, (0b11,), {})[0b11]) == ROUNDS
    assert len(reads) == 1


@pytest.mark.parametrize(("rows", "one"), [(6, True), (7, False)])
def test_an_importance_of_one_fold_has_no_spread(tmp_path, rows, one):
    X = np.random.default_rng(0).normal(size=(rows, 2))
    text = "\n".join(f"{a},{b},{a + b}" for a, b in X.tolist())
    (tmp_path / "d.csv").write_text("a,b,y\n" + text + "\n")
    section = {"kind": "wrapper", "data": str(tmp_path / "d.csv"), "target": "y", "model": "ridge", "folds": 5}
    section |= {"scoring": "neg_mean_absolute_error"}
    story = story_of(section, 0b11, {0b11: -1.0}, oracle_from(section, Path()).fingerprint, Family(2))
    assert [i.spread is None for i in story.importance] == [one, one]
    told = "".join(_importance(story))
    assert ("of one fold, for all others have a single row" in told) == (">–</td>" in told) == one
    assert ("lines: spread over folds" in told) == (not one)


def test_the_score_of_a_guess_is_told_and_whether_the_choice_is_better(wine):
    X, y = load_wine(return_X_y=True)
    oracle = oracle_from(WINE, Path())
    story = story_of(WINE, 0b11, {0b11: 0.5}, oracle.fingerprint, Family(13))
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    assert story.guess == pytest.approx(cross_val_score(DummyClassifier(), X, y, cv=folds).mean(), abs=1e-12)
    content = gathered(read(wine))
    told = "A guess without any attribute has the score 0.25 on the folds that chose."
    assert told + "</p>" in page(content, ModelStory(guess=0.25), "j.jsonl")
    same = ModelStory(guess=content.recommended.values[0])
    assert "The subset is no better: another model, or other attributes, may do.</p>" in page(content, same, "j.jsonl")
    assert "A guess" not in page(content, ModelStory(), "j.jsonl")


def test_an_attribute_that_the_model_cannot_do_without_is_the_most_important(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    rows = "\n".join(f"{a},{b},{c},{2 * b}" for a, b, c in X.tolist())
    (tmp_path / "d.csv").write_text("first,second,third,y\n" + rows + "\n")
    section = {"kind": "wrapper", "data": str(tmp_path / "d.csv"), "target": "y", "model": "ridge", "folds": 4}
    oracle = oracle_from(section, Path())
    story = story_of(section, 0b111, {0b111: 1.0}, oracle.fingerprint, Family(3))
    assert story.importance[0].name == "second"
    # exchanging the values of a variable of variance 4 in a perfect model costs twice that variance, 8
    assert story.importance[0].mean == pytest.approx(8 * X[:, 1].var(), rel=0.25)
    assert story.error == "mean squared error"
    curve = story.effects[0]
    slope = (curve.effect[-1] - curve.effect[0]) / (curve.at[-1] - curve.at[0])
    assert slope == pytest.approx(2, rel=0.05)


def test_the_curve_of_an_attribute_with_gaps_is_drawn_from_the_rows_that_have_a_value(wine, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    shown = [["" if row % 6 == 0 else str(a), str(b), str(3 * a)] for row, (a, b) in enumerate(X.tolist())]
    (tmp_path / "d.csv").write_text("age,other,y\n" + "\n".join(map(",".join, shown)) + "\n")
    measured = {"data": str(tmp_path / "d.csv"), "target": "y", "model": "ridge", "folds": 3, "tidy": True}
    section = {"kind": "wrapper", **measured}
    oracle = oracle_from(section, Path())
    story = story_of(section, 0b11, {0b11: 1.0}, oracle.fingerprint, Family(2))
    curve, whole = story.effects
    assert (curve.name, curve.left_out, whole.left_out) == ("age", 10, 0)
    present = np.delete(X[:, 0], range(0, 60, 6))
    assert (curve.at[0], curve.at[-1]) == (present.min(), present.max())
    assert story.missing == ()
    told = page(gathered(read(wine)), story, "j.jsonl")
    assert told.count("0 is the average. 10 rows are left out, without a value of it.</figcaption>") == 1
    assert told.count("left out, without a value of it.</figcaption>") == 1


def acting(folder, model, missing_in=()):
    """The story of a model of y = 2 a b + c, and the model fitted to all rows."""
    X = np.random.default_rng(0).normal(size=(150, 3))
    y = 2 * X[:, 0] * X[:, 1] + X[:, 2]
    shown = [["" if (row, j) in missing_in else str(x) for j, x in enumerate(each)] for row, each in enumerate(X)]
    lines = [",".join([*cells, str(value)]) for cells, value in zip(shown, y.tolist(), strict=True)]
    (folder / "d.csv").write_text("\n".join(["a,b,c,y", *lines]))
    section = {"kind": "wrapper", "data": str(folder / "d.csv"), "target": "y", "model": model, "folds": 3}
    section |= {"tidy": True} if missing_in else {}
    oracle = oracle_from(section, Path())
    return story_of(section, 0b111, {0b111: 1.0}, oracle.fingerprint, Family(3))


def test_what_acts_together_in_the_model_is_told_with_its_strength(wine, tmp_path):
    story = acting(tmp_path, "knn:5")
    strongest, *others = story.interactions
    assert {strongest.first, strongest.second} == {"a", "b"}
    assert strongest.h > 0.5
    assert strongest.strength > max(other.strength for other in others)
    assert (len(others), story.paired_rows) == (2, PAIRED_ROWS)
    told = page(gathered(read(wine)), story, "j.jsonl")
    assert f'<td>a and b</td><td class="number">{strongest.h:.2g}</td>' in told
    assert f"in units of the prediction (root mean square over {PAIRED_ROWS} rows)" in told


def test_where_attributes_add_up_nothing_acts_together(wine, tmp_path):
    story = acting(tmp_path, "ridge", missing_in=[(row, 0) for row in range(60)])
    assert {i.strength for i in story.interactions} == {0.0}
    assert story.paired_rows == 90
    told = page(gathered(read(wine)), story, "j.jsonl")
    assert "Nothing: in the model a, b and c add up (over 90 rows).</p>" in told


def test_one_attribute_acts_together_with_none(wine):
    oracle = oracle_from(WINE, Path())
    story = story_of(WINE, 0b1, {0b1: 0.5}, oracle.fingerprint, Family(13))
    assert (story.interactions, story.paired_rows) == ((), 0)
    assert "What acts together" not in page(gathered(read(wine)), story, "j.jsonl")


@pytest.mark.parametrize(
    ("section", "fingerprint", "reason", "complaint"),
    [
        (
            {**WINE, "data": "nowhere.csv", "target": "y"},
            "",
            "cannot be made again",
            "made again: nowhere.csv: no such",
        ),
        (WINE, "another", "no longer those of the session", "no longer those of the session"),
        ({"kind": "table", "path": "scenarios/wine_knn3.csv.gz"}, "", "no model that could be fitted again", ""),
    ],
)
def test_what_cannot_be_made_again_is_said(section, fingerprint, reason, complaint, monkeypatch):
    monkeypatch.chdir(Path(__file__).parents[1])
    story = story_of(section, 0b11, {0b11: 0.5}, fingerprint, Family(13))
    assert (story.honest, story.importance) == ((), ())
    assert reason in story.missing[0]
    assert "nowhere" not in story.missing[0]
    assert complaint in story.complaint
    assert bool(story.complaint) is bool(complaint)


def test_that_the_data_have_changed_is_told_beside_the_page(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    rows = "".join(f"{k},{k * k % 7},{k % 2}\n" for k in range(24))
    Path("d.csv").write_text(f"a,b,y\n{rows}")
    options = ("--target", "y", "--folds", "3", "--journal", "j", "--budget", "3", "--questions", "0")
    assert main(["ask", "d.csv", *options]) == 0
    Path("d.csv").write_text(f"a,b,y\n{rows}5,5,1\n")
    capsys.readouterr()
    assert main(["report", "j", "-o", "r.html"]) == 0
    told = (
        "elicit: the data or the model are no longer those of the session; the page goes without what needs a new fit\n"
    )
    assert told in capsys.readouterr().err


def test_what_was_measured_on_fresh_folds_is_told_though_the_data_are_gone():
    section = {**WINE, "data": "nowhere.csv", "target": "y"}
    scores = {0b11: 0.5, 2**13 - 1: 0.25}
    kept = {
        (seed, x): Measured((seed / 1e4 + (x == 0b11), 1.0)) for seed in range(1000, 1005) for x in (0b11, 2**13 - 1)
    }
    story = story_of(section, 0b11, scores, "", Family(13), None, kept)
    assert "cannot be made again" in story.missing[0]
    assert [(told.mean, told.chosen) for told in story.honest] == [
        (pytest.approx(1.1002), 0.5),
        (pytest.approx(0.1002), 0.25),
    ]
    del kept[1004, 0b11]
    assert story_of(section, 0b11, {0b11: 0.5}, "", Family(13), None, kept).honest == ()


@pytest.fixture(scope="module")
def dropped(tmp_path_factory):
    """A session with costs, in which a leak is dropped that no cost was given for; its last columns are noise."""
    folder = tmp_path_factory.mktemp("dropped")
    rng = np.random.default_rng(3)
    rows = [f"{a},{b},{c},{2 * (a + b)},{a + b}" for a, b, c in rng.normal(size=(60, 3)).tolist()]
    (folder / "d.csv").write_text("a,b,c,<leak>,y\n" + "\n".join(rows) + "\n")
    (folder / "c.csv").write_text("a,1\nb,2\nc,3\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr("sys.stdin", io.StringIO(""))
        options = ("--target", "y", "--drop", "<leak>", "--cost", "c.csv", "--folds", "3", "--journal", "j")
        assert main(["ask", str(folder / "d.csv"), *options, "--budget", "7", "--questions", "0"]) == 0
    return folder / "j"


def test_a_story_holds_the_choice_against_all_that_may_be_chosen(dropped):
    record = read(dropped)
    content = gathered(record)
    section = record.header.settings["about"]["oracle"]
    story = story_of(section, 0b1, {0b1: 0.5}, record.header.fingerprint, content.family)
    assert [told.what for told in story.honest] == ["the recommended subset", "all 3 attributes that may be chosen"]
    assert story.honest[1].mean < 1, "the leak would be worth 1"
    whole = story_of(section, 0b111, {0b111: 0.5}, record.header.fingerprint, content.family)
    assert [told.what for told in whole.honest] == ["the recommended subset"]


def test_a_story_without_what_is_dropped_speaks_of_all_attributes():
    oracle = oracle_from(WINE, Path())
    story = story_of(WINE, 0b11, {0b11: 0.5}, oracle.fingerprint, Family(13, max_size=4))
    assert story.honest[1].what == "all 13 attributes"


def test_what_is_dropped_is_named_once_and_has_neither_power_nor_cost(dropped):
    content = gathered(read(dropped))
    assert (content.dropped, content.candidates) == (["<leak>"], [0, 1, 2])
    assert strongest(content) == [0, 1, 2]
    costs = {key: value for key, value in content.measured_with if key.startswith("costs: ")}
    assert costs == {"costs: a": "1.0", "costs: b": "2.0", "costs: c": "3.0"}
    assert "leak" not in str(content.measured_with)
    text = written(dropped).read_text(encoding="utf-8")
    shown = html.unescape(re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL))
    assert "of 3 attributes that may be chosen (dropped: <leak>); " in shown
    assert "Power index of every attribute that may be chosen" in shown
    assert shown.count("<leak>") == 1


def test_what_was_measured_with_is_told_in_full_where_nothing_is_dropped(wine, page_of_wine):
    content = gathered(read(wine))
    assert content.dropped == []
    assert len(content.candidates) == len(content.attributes)
    text = page_of_wine.read_text(encoding="utf-8")
    assert "that may be chosen (dropped" not in text
    assert "Data: wine; model: knn:3.</p>" in text[: text.index("<nav")]
    for key, value in WINE.items():
        assert f"<tr><td>{key}</td><td>{value}</td></tr>" in text


def of_criteria(path, count):
    """The page of a short run with so many criteria, of which the numbers are long."""
    criteria = [Criterion(f"recall_macro_{k}", maximise=k % 2 == 0) for k in range(count)]
    oracle = CallableOracle(lambda mask: [(mask * (k + 3) % 17) / 7 for k in range(count)], 6, criteria, takes="mask")
    with begin(path, oracle, Settings(budget=12, questions=0)) as run:
        drive(run.elicitation, oracle, None, run.journal)
    return written(path, "--no-model")


@pytest.mark.parametrize(("count", "first"), [(1, False), (3, False), (4, True), (8, True)])
def test_names_of_the_front_stand_before_its_numbers_where_these_would_push_them_off_the_page(tmp_path, count, first):
    text = of_criteria(tmp_path / "j.jsonl", count).read_text(encoding="utf-8")
    front = text[text.index("<caption>The front: ") :]
    head, row = (re.search(r"<tr.*?>(.*?)</tr>", part, re.S)[1] for part in front.split("<tbody>")[:2])
    assert (head.index(">subset<") < head.index("recall_macro_0")) == first
    assert (row.index('class="subset"') < row.index('class="number"')) == first
    assert head.count('scope="col"') == row.count("<td") - 1 == count + 1


def test_one_measured_subset_is_one(tmp_path):
    journals.played(tmp_path / "j", 3, budget=1, stop=())
    text = written(tmp_path / "j", "--no-model").read_text(encoding="utf-8")
    assert "The front: 1 of 1 measured subset<" in text
    assert "1 measured subsets" not in text


def test_of_a_record_that_says_nothing_of_its_oracle_the_page_says_that(tmp_path):
    journals.played(tmp_path / "j", 3, budget=3)
    text = written(tmp_path / "j").read_text(encoding="utf-8")
    assert "The record does not say what the oracle was made of" in text
    assert "chosen among 3: where chance has a part in it, it promises too much" in text, "a function has no folds"
    assert "folds on which" not in text


# the command


def test_what_is_being_worked_out_is_told_on_standard_error(wine, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("elicit.alongside.display._SECONDS_OF_SILENCE", 0.0)
    assert main(["report", str(wine), "-o", str(tmp_path / "r.html")]) == 0
    told = capsys.readouterr().err
    assert f"scores on fresh folds, round {ROUNDS} of {ROUNDS}, 0:" in told
    assert main(["report", str(wine), "-o", str(tmp_path / "s.html"), "--no-model"]) == 0
    assert "fresh folds" not in capsys.readouterr().err


def test_progress_of_a_story_never_goes_back():
    oracle, told = oracle_from(WINE, Path()), []
    story_of(WINE, 0b11, {0b11: 0.5}, oracle.fingerprint, Family(13), lambda share, text: told.append((share, text)))
    shares = [share for share, _ in told]
    assert shares == sorted(shares)
    assert (shares[0], shares[-1] < 1) == (0, True)
    assert told[0][1] == "importance of the attributes, fold 1 of 5"


def test_bad_input_is_one_clear_line(wine, tmp_path, capsys):
    for arguments in ([str(tmp_path / "no"), "-o", str(tmp_path / "x")], [str(wine), "-o", str(tmp_path / "no" / "x")]):
        assert main(["report", *arguments]) == 2
        assert len(capsys.readouterr().err.strip().splitlines()) == 1


# in a browser


@pytest.fixture(scope="module")
def browser():
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        pytest.skip("no Chromium on this machine")
    quiet = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
    with api.sync_playwright() as play:
        opened = play.chromium.launch(executable_path=found, args=[*quiet, "--disable-sync"])
        yield opened
        opened.close()


@pytest.fixture
def visit(browser):
    """Open a page, and fail afterwards when a script complained or anything was requested."""
    visits = []

    def opened(path, width=1200, **options):
        context = browser.new_context(viewport={"width": width, "height": 800}, **options)
        seen = context.new_page()
        trouble = []
        seen.on("console", lambda message: trouble.append(message.text))
        seen.on("pageerror", lambda error: trouble.append(str(error)))
        seen.on("dialog", lambda dialog: (trouble.append(dialog.message), dialog.dismiss()))
        seen.on("request", lambda request: trouble.append(request.url) if request.url != path.as_uri() else None)
        seen.goto(path.as_uri())
        visits.append((context, trouble))
        return seen

    yield opened
    for context, trouble in visits:
        context.close()
        assert trouble == []


def test_pointing_at_a_subset_tells_it_and_selecting_two_compares_them(visit, wine, page_of_wine):
    seen, record = visit(page_of_wine), gathered(read(wine))
    assert "Recommended: " + ", ".join(record.recommended.names) in seen.inner_text("#told")
    front = [m for m in record.measured if m.in_front]
    assert len(front) > 1
    # the last drawn lies on top of any other at the same place
    for m in (front[0], front[-1]):
        point = seen.locator(f'svg [data-place="{m.place}"]')
        point.dispatch_event("mouseenter")
        assert ", ".join(m.names) in seen.inner_text("#told")
        assert f"{rounded(m.values[0])}" in seen.inner_text("#told")
    assert "Select two" in seen.inner_text("#compared")
    seen.locator(f'svg [data-place="{front[0].place}"]').dispatch_event("click")
    assert "Select one more" in seen.inner_text("#compared")
    seen.locator(f'button[data-place="{front[1].place}"]').click()
    told = seen.inner_text("#compared")
    assert "What distinguishes the two" in told
    a, b = set(front[0].names), set(front[1].names)
    assert ", ".join(n for n in front[0].names if n not in b) in told
    assert ", ".join(n for n in front[1].names if n not in a) in told
    assert seen.get_attribute(f'svg [data-place="{front[0].place}"]', "aria-pressed") == "true"
    seen.locator(f'button[data-place="{front[1].place}"]').click()
    assert "Select one more" in seen.inner_text("#compared")


def test_the_pointer_itself_finds_the_recommended_subset(visit, wine, page_of_wine):
    seen, record = visit(page_of_wine), gathered(read(wine))
    other = next(m for m in record.measured if not m.in_front)
    seen.locator(f'svg [data-place="{other.place}"]').dispatch_event("mouseenter")
    assert "Recommended" not in seen.inner_text("#told")
    seen.locator(f'svg [data-place="{record.best}"]').hover()
    assert "Recommended" in seen.inner_text("#told")


def test_the_keyboard_does_what_the_pointer_does(visit, wine, page_of_wine):
    seen, record = visit(page_of_wine), gathered(read(wine))
    front = [m for m in record.measured if m.in_front]
    for m in front[:2]:
        seen.locator(f'svg [data-place="{m.place}"]').focus()
        assert ", ".join(m.names) in seen.inner_text("#told")
        seen.keyboard.press("Enter")
    assert "What distinguishes the two" in seen.inner_text("#compared")


@pytest.mark.parametrize("javascript", [True, False])
def test_hostile_names_do_nothing(visit, hostile, javascript):
    seen = visit(written(hostile), java_script_enabled=javascript)
    text = seen.inner_text("body")
    assert "<script>window.pwned = 1</script>" in text
    assert "\u202e" not in text
    assert "\x1b" not in text
    if javascript:
        record = gathered(read(hostile))
        for m in [m for m in record.measured if m.in_front][:2]:
            seen.locator(f'svg [data-place="{m.place}"]').dispatch_event("click")
        assert "What distinguishes" in seen.inner_text("#compared")
        assert seen.evaluate("window.pwned") is None
        assert seen.evaluate("document.scripts.length") == 2


@pytest.mark.parametrize("width", [390, 320, 1200])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_the_screen_in_both_themes(visit, whole_page_of_wine, width, scheme):
    seen = visit(whole_page_of_wine, width, color_scheme=scheme)
    assert seen.evaluate("document.documentElement.scrollWidth") <= width
    ground = seen.evaluate("getComputedStyle(document.body).backgroundColor")
    assert ground == {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 23, 26)"}[scheme]
    size = seen.evaluate("parseFloat(getComputedStyle(document.body).fontSize)")
    assert size >= 16


@pytest.mark.parametrize("width", [390, 1200])
def test_no_name_in_a_drawing_is_cut_by_the_edge_of_the_page(visit, tmp_path, width):
    names = [f"TOTAL_BILIRUBIN_LEVEL_{k}_MAX" for k in "ABCDE"] + ["od280/od315_of_diluted_wines"]
    oracle = CallableOracle(lambda chosen: float(len(chosen)), names)
    with begin(tmp_path / "j", oracle, Settings(budget=12, start=6, questions=0)) as session:
        drive(session.elicitation, oracle, ScriptedOperator([], otherwise="a"), session.journal)
    seen = visit(written(tmp_path / "j", "--no-model"), width)
    places = "[...document.querySelectorAll('svg text')].map((text) => text.getBoundingClientRect())"
    assert seen.evaluate(f"Math.min(...{places}.map((place) => place.left))") >= 0
    assert seen.evaluate(f"Math.max(...{places}.map((place) => place.right))") <= width


#: Words of up to nine characters, and all numbers of the map of pairs, that stand on more than one line.
BROKEN = """[...document.querySelectorAll("td")].flatMap((cell) => {
  const text = cell.firstChild, broken = [];
  if (!text || text.nodeType !== Node.TEXT_NODE) return broken;
  for (const word of text.data.matchAll(/\\S+/g)) {
    const range = document.createRange();
    range.setStart(text, word.index);
    range.setEnd(text, word.index + word[0].length);
    if (word[0].length < 10 && range.getClientRects().length > 1) broken.push(word[0]);
  }
  return broken;
})"""


def test_no_number_and_no_short_word_of_a_table_is_broken(visit, tmp_path):
    path = tmp_path / "j.jsonl"
    oracle = journals.truth(26)
    limits = {"budget": 30, "ask_every": 3, "check_every": 2, "questions": 9, "stop": ()}
    with begin(path, oracle, Settings(**limits)) as session:
        drive(
            session.elicitation, oracle, SimulatedOperator(HiddenTheta(oracle.theta), oracle.criteria), session.journal
        )
    seen = visit(written(path, "--no-model"), width=1000)
    assert seen.locator("td", has_text="a check").count() > 0
    assert seen.evaluate(BROKEN) == []


def test_paper_shows_the_tables_and_no_controls(visit, page_of_wine):
    seen = visit(page_of_wine)
    seen.emulate_media(media="print", color_scheme="dark")
    assert not seen.is_visible("nav")
    assert not seen.is_visible("button >> nth=0")
    assert seen.is_visible("text=The front: ")
    assert seen.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert len(seen.pdf()) > 10_000
    assert seen.evaluate("[...document.querySelectorAll('details')].every((folded) => folded.open)")


def test_paper_on_its_side_holds_the_front_of_many_criteria(visit, tmp_path):
    seen = visit(of_criteria(tmp_path / "j.jsonl", 8), width=1047)  # a sheet of A4 without its margins
    seen.emulate_media(media="print")
    assert seen.evaluate("document.querySelector('table.broad').getBoundingClientRect().right") <= 1047
    assert seen.evaluate("getComputedStyle(document.querySelector('.scroll:has(.broad)')).page") == "wide"


def test_without_a_script_the_page_says_the_same(visit, wine, whole_page_of_wine):
    seen, record = visit(whole_page_of_wine, java_script_enabled=False), gathered(read(wine))
    text = seen.inner_text("body")
    assert ", ".join(record.recommended.names) in text
    assert not seen.is_visible("#told")
    assert text.count("recommended: ") >= 1


def test_the_page_of_a_story_without_a_model_says_why(wine):
    text = page(gathered(read(wine)), ModelStory(missing=("no model was there",)), "j.jsonl")
    assert "No model was there." in text


def test_the_commands_that_reproduce_a_page_stand_on_lines_of_their_own_and_can_be_pasted(wine):
    text = page(gathered(read(wine)), ModelStory(), "a journal; rm -rf.jsonl")
    (shown,) = re.findall(r"<pre>(.*?)</pre>", text)
    commands = [html.unescape(line) for line in re.findall(r"<code>(.*?)</code>", shown)]
    assert [shlex.split(command)[:3] for command in commands] == [
        ["elicit", command, "a journal; rm -rf.jsonl"] for command in ("verify", "why", "report")
    ]


def test_axes_of_whole_numbers_have_whole_ticks_and_others_round_ones():
    assert scale([1.0, 13.0, 4.0], 0, 100)[1] == [3, 6, 9, 12]
    assert scale([1.0, 2.0], 0, 100)[1] == [1, 2]
    assert scale([0.5, 0.97], 0, 100)[1] == pytest.approx([0.5, 0.6, 0.7, 0.8, 0.9])


def test_an_axis_is_the_same_in_any_unit():
    for unit in (1e-13, 1e-200, 1e200):
        assert [tick / unit for tick in scale([0.0, 0.97 * unit], 0, 100)[1]] == pytest.approx([0, 0.2, 0.4, 0.6, 0.8])
    assert scale([0.0, 5e-324], 0, 100)[1] == pytest.approx([-0.4, -0.2, 0.0, 0.2, 0.4])


@pytest.mark.parametrize("values", [[1e17], [3e16, 3e16], [-9.1e15, -9.1e15 - 2], [0.0], [-1e300], [1e15, 1e15 + 1]])
def test_an_axis_of_values_that_are_nearly_the_same_holds_them(values):
    at, ticks = scale(values, 0, 100)
    assert all(0 <= at(value) <= 100 for value in [*values, *ticks])
    assert ticks


def test_what_was_proven_before_the_run_went_on_is_not_said_of_its_result(tmp_path):
    journals.played(tmp_path / "j", 5, 1, budget=12, ask_every=2, start=4)
    lines = journals.lines_of(tmp_path / "j")
    before = gathered(read(tmp_path / "j"))
    assert "regret" in [step.kind for step in before.current]
    record = lines[0] | {}
    assert "claim" in lines[-1]
    resumed = {"fact": "resumed", "request": lines[-2]["request"] + 1, "budget": 20, "time": 0.0}
    after = gathered(read(journals.write(tmp_path / "on", [record, *lines[1:], resumed])))
    assert after.current == ()
    assert any("it loses" in words and "an earlier claim, of line" in words for words in after.holds)
    assert "went on after what it claimed" in page(after, ModelStory(), "on.jsonl")
    assert "It loses at most" not in page(after, ModelStory(), "on.jsonl")


@pytest.mark.parametrize(("kind", "bounded"), [("optimal", False), ("regret", True), ("inconsistent", False)])
def test_what_is_proven_of_the_result_is_told_whatever_its_words(tmp_path, kind, bounded):
    journals.played(tmp_path / "j", 5, 1, budget=12, ask_every=2, start=4)
    steps = (Step(9, "so it is", kind), Step(9, "not of the result", "rejected"))
    shown = page(dataclasses.replace(gathered(read(tmp_path / "j")), current=steps), ModelStory(), "j")
    assert "<li>So it is.</li>" in shown
    assert "<li>Not of the result.</li>" not in shown
    assert ("is the margin of one clear answer" in shown) is bounded


def test_names_in_drawings_lie_inside_them_and_those_that_begin_alike_differ():
    long = ["temperature_" * 10 + end for end in ("inlet", "outlet")]
    drawn = curve("t", [0.0, 1.0], [0.0, 1.0], long[0], f"answer for class {long[1]}")
    drawn += bars("t", [(name, 1.0, None) for name in long], "no unit")
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", drawn)
    assert max(map(len, texts)) <= LONGEST_LABEL
    assert len({text for text in texts if text.endswith("let")}) == 4


def test_bars_whose_names_begin_and_end_alike_can_be_told_apart():
    drawn = bars("t", [(f"measurement_number_{k}_of_the_plant", 1.0, None) for k in range(3)], "no unit")
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", drawn)
    assert texts[-3:] == ["…0_of_the_plant", "…1_of_the_plant", "…2_of_the_plant"]


def test_the_figures_of_every_drawing_stand_in_a_table_beside_it(wine, whole_page_of_wine):
    record, text = gathered(read(wine)), whole_page_of_wine.read_text(encoding="utf-8")
    power = text[text.index('id="power"') : text.index('id="session"')]
    for name, index in zip(record.attributes, record.power, strict=True):
        assert f'<td>{name}</td><td class="number">{index:.3g}</td>' in power
    for m in record.measured:
        assert f"{', '.join(m.names)}: score {rounded(m.values[0])}; size {len(m.names)}<" in text
    drawn, tables = text.count("accumulated local effects"), text.count("The same as a table")
    assert (drawn, tables) == (3, 5)  # a table of each curve, of the importance, and of the power


def test_questions_after_the_last_measurement_stand_inside_the_drawing():
    drawn = path_of_session("t", [1.0, 3.0, 2.0], [1.0, 3.0, 3.0], [1, 3], "score")
    places = [float(x) for x in re.findall(r'<line x1="([\d.]+)" x2="\1"[^>]*class="asked"', drawn)]
    assert len(places) == 2
    assert max(places) == WIDTH - RIGHT


def test_names_with_commas_are_told_as_commands_take_them_and_none_is_changed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cells = np.random.default_rng(0).normal(size=(40, 2)).round(2)
    rows = [f"{a},{b},{'xyz'[k % 3]},{'no' if a < 0 else 'yes'}" for k, (a, b) in enumerate(cells.tolist())]
    Path("d.csv").write_text("\n".join(['"a,b",c,city,y', *rows]))
    monkeypatch.setattr("sys.stdin", io.StringIO("a\n" * 9))
    assert main(["ask", "d.csv", "--target", "y", "--keep", '"a,b",city', "--journal", "j", "--budget", "2"]) == 0
    told = written(tmp_path / "j").read_text(encoding="utf-8")
    assert '<p class="chosen">&quot;a,b&quot;, ' in told
    assert '"attributes":["\\"a,b\\"","c","city"]' in told.replace('", "', '","').replace('": [', '":[')
    assert "No curve is drawn of city, which is 3 columns." in told


def test_the_best_so_far_rises_where_a_better_one_is_measured():
    drawn = path_of_session("t", [1.0, 3.0, 2.0], [1.0, 3.0, 3.0], [], "score")
    points = [tuple(map(float, p.split(","))) for p in re.search(r'points="([^"]+)"', drawn)[1].split()]
    assert all(a[0] == b[0] or a[1] == b[1] for a, b in itertools.pairwise(points))
    dots = re.findall(r'cx="([\d.]+)" cy="([\d.]+)"', drawn)
    risen = [a[0] for a, b in itertools.pairwise(points) if a[1] != b[1]]
    assert risen == pytest.approx([float(dots[1][0])], abs=0.1)


def test_axes_and_headers_say_the_unit_of_a_criterion_and_which_way_is_better(tmp_path):
    path = tmp_path / "priced.jsonl"
    criteria = (*SCORE_AND_SIZE, Criterion("cost", maximise=False, unit="EUR"))

    def measured(chosen):
        return {"score": float(len(chosen)), "size": len(chosen), "cost": 2.0 * len(chosen)}

    oracle = CallableOracle(measured, ["a", "b", "c"], criteria)
    with begin(path, oracle, Settings(budget=4, start=3, questions=0)) as session:
        drive(session.elicitation, oracle, ScriptedOperator([], otherwise="a"), session.journal)
    text = written(path, "--no-model").read_text(encoding="utf-8")
    front = text[text.index('id="front"') : text.index('id="scores"')]
    drawing, table = front.split("<table>")
    for told in ("score (more is better)</text>", "size (less is better)</text>"):
        assert told in drawing
    assert "drawn by two of the 3 criteria" in drawing
    for told in ("score (more is better)</th>", "size (less is better)</th>", "cost [EUR] (less is better)</th>"):
        assert told in table


@pytest.mark.parametrize(("value", "told"), [(-0.0031, ">-0.0031<"), (0.25, ">0.25<"), (1e-12, ">0<")])
def test_a_small_interaction_is_told_with_its_digits(value, told):
    assert told in str(_heat(value, most=1.0))
