"""A description tells values apart by what they are, never by where they lie in memory."""

from __future__ import annotations

import datetime
import functools
import importlib
import json
import logging
import queue
import random
import re
import shutil
import sys
import threading
from argparse import ArgumentParser
from array import array
from collections import defaultdict, deque
from decimal import Decimal
from fractions import Fraction
from types import ModuleType, SimpleNamespace
from typing import ClassVar

import numpy as np
import pytest
from joblib import Parallel, delayed
from scipy import sparse
from scipy.stats import norm
from sklearn import config_context
from sklearn.base import clone
from sklearn.ensemble import VotingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, f1_score, make_scorer
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from elicit.errors import InputError
from elicit.oracles.code import function_parts
from elicit.oracles.describe import describe, fingerprint


class Plain:
    def __init__(self, n):
        self.n = n


class Slotted:
    __slots__ = ()


SAME = [
    lambda: np.arange(6.0).reshape(2, 3),
    lambda: np.array(["a", None, 3], dtype=object),
    lambda: sparse.csr_matrix(np.eye(3)),
    lambda: VotingClassifier([("a", GaussianNB()), ("b", SVC(C=2))]),
    lambda: KFold(3, shuffle=True, random_state=np.random.RandomState(3)),
    lambda: np.random.default_rng(5),
    lambda: functools.partial(describe, value=Plain(3)),
    lambda: {"a": {3, 1, 2}, "b": [Plain(1), Slotted()]},
    lambda: Plain(2).__init__,
    lambda: lambda x: x + 1,
]


@pytest.mark.parametrize("make", SAME)
def test_two_of_a_kind_are_described_alike_without_addresses(make):
    assert describe(make()) == describe(make())
    assert "0x" not in describe(make())


def test_different_things_have_different_descriptions():
    things = [
        *(make() for make in SAME),
        1, 1.0, True, "1", b"1", None, (1,), [1], {1}, np.float64(1.5), range(3), slice(1, 2),
        np.arange(6.0), np.arange(6), np.arange(6).reshape(2, 3), np.arange(6.0).reshape(3, 2),
        np.array(["a", None, 4], dtype=object), sparse.csr_matrix(2 * np.eye(3)),
        Plain(1), Plain(2), KFold(3), KFold(4), SVC(), SVC(C=2), LogisticRegression(), SVC,
        lambda x: x + 2, lambda x: x - 1, len, max,
    ]  # fmt: skip
    assert len({describe(thing) for thing in things}) == len(things)


def test_layout_and_sparse_format_do_not_matter():
    dense = np.arange(6.0).reshape(2, 3)
    assert describe(dense) == describe(np.asfortranarray(dense))
    doubled = sparse.coo_matrix(([1.0, 1.0], ([0, 0], [1, 1])), shape=(2, 2))
    assert describe(doubled) == describe(sparse.csc_matrix(np.array([[0.0, 2.0], [0.0, 0.0]])))


def test_parts_are_kept_apart():
    assert fingerprint("ab", "c") != fingerprint("a", "bc") != fingerprint("abc")
    assert len(fingerprint("a")) == 64


def test_frames_are_described_by_names_and_contents():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1, 2], "b": ["x", None]})
    assert describe(frame) == describe(frame.copy())
    assert describe(frame) != describe(frame.rename(columns={"a": "c"}))
    assert describe(frame) != describe(frame.assign(a=[1, 3]))


def test_an_object_that_refers_to_itself_is_told_once():
    def scorer(**request):
        return make_scorer(accuracy_score).set_score_request(**request)

    with config_context(enable_metadata_routing=True):
        assert fingerprint(scorer(sample_weight=True)) == fingerprint(scorer(sample_weight=True))
        assert fingerprint(scorer(sample_weight=True)) != fingerprint(scorer(sample_weight=False))


FACTOR = 2


def by_global(x):
    return FACTOR * x


def raised_to(k):
    return lambda x: x**k


def by_default(k):
    def power(x, k=k):
        return x**k

    return power


class Scale:
    __slots__ = ("by",)

    def __init__(self, by):
        self.by = by

    def scaled(self, x):
        return x * self.by


@pytest.mark.parametrize(
    "make",
    [raised_to, by_default, Scale, lambda k: Scale(k).scaled],
    ids=["closure", "default", "slots", "method"],
)
def test_functions_that_compute_different_things_are_told_apart(make):
    assert describe(make(1)) == describe(make(1))
    assert describe(make(1)) != describe(make(2))


PARAMETERS = [
    ("def f(x, *, gain, loss):\n    return gain - loss", "def f(x, *, loss, gain):\n    return loss - gain"),
    ("def f(x, gain):\n    return gain", "def f(x, loss):\n    return loss"),
    ("def f(x, y):\n    return y", "def f(x, *y):\n    return y"),
    ("def f(x, *y):\n    return y", "def f(x, **y):\n    return y"),
    ("def f(x, y):\n    return y", "def f(x, /, y):\n    return y"),
    ("def f(x, y):\n    return y", "def f(x, *, y):\n    return y"),
    ("def f(x):\n    return lambda a: a", "def f(x):\n    return lambda b: b"),
]


def defined(text):
    """The function f that a text defines."""
    space = {}
    exec(text, space)
    return space["f"]


def test_the_body_of_a_function_is_told_to_its_last_constant_and_parameter(monkeypatch):
    pairs = [
        (lambda c: c in (1, 2), lambda c: c in (3, 4)),
        (lambda c: [x * 2 for x in c], lambda c: [x * 3 for x in c]),
        (lambda c: (lambda x: x + 1)(c), lambda c: (lambda x: x + 2)(c)),
    ]
    for one, other in pairs:
        assert describe(one) != describe(other)
    for one, other in PARAMETERS:
        assert describe(defined(one)) == describe(defined(one))
        assert describe(defined(one)) != describe(defined(other))
    before = describe(by_global)
    monkeypatch.setitem(globals(), "FACTOR", 3)
    assert describe(by_global) != before


LOG = logging.getLogger("elicit.tests")


def reads(held):
    """A function that reads this value as a global."""
    space = {"HELD": held}
    exec("def reader(x):\n    return HELD, x", space)
    return space["reader"]


def test_a_library_is_told_by_name_and_what_it_keeps_is_not(monkeypatch):
    assert describe(accuracy_score) == "sklearn.metrics._classification.accuracy_score"
    assert describe(json.dumps) == "json.dumps"
    before = describe(reads(LOG))
    monkeypatch.setattr(LOG, "level", 10)
    assert describe(reads(LOG)) == before
    assert "logging.Logger" in before
    assert len(before) < 1000


def test_what_is_bound_to_its_process_is_told_by_its_class():
    lock, one, other = threading.Lock(), queue.Queue(), queue.Queue()  # queues hold locks
    other.put(3)
    assert describe(reads(one)) == describe(reads(other))
    assert "_thread.lock" in describe(reads(lock))
    with lock:
        held = describe(reads(lock))
    assert held == describe(reads(lock))


def learned(*y):
    return GaussianNB().fit([[0.0], [1.0], [2.0]], y)


def series(*values, **options):
    return pytest.importorskip("pandas").Series(values, **options)


class Table(dict):
    def __init__(self, otherwise):
        super().__init__(a=1)
        self.otherwise = otherwise


class Around:
    def __init__(self, function, by):
        functools.update_wrapper(self, function)
        self.by = by

    def __call__(self, x):
        return self.by * self.__wrapped__(x)


class Hidden:
    __slots__ = ("__held",)

    def __init__(self, held):
        self.__held = held


class Kept(GaussianNB):
    def __sklearn_clone__(self):
        return self


#: Pairs that differ in what they hold, though not in their class, name or length.
APART = {
    "series": lambda: (series(1.0, 2.0), series(3.0, 4.0)),
    "labels of a series": lambda: (series(1, 2, index=["a", "b"]), series(1, 2, index=["b", "a"])),
    "labels of a frame": lambda: (series(1, 2, index=[4, 5]).to_frame(), series(1, 2, index=[5, 4]).to_frame()),
    "categories": lambda: (series("a", "b", dtype="category").array, series("b", "a", dtype="category").array),
    "times": lambda: (series("2020", dtype="M8[s]")[0], series("2021", dtype="M8[s]")[0]),
    "dates": lambda: (datetime.date(2020, 1, 1), datetime.date(2020, 1, 2)),
    "decimals": lambda: (Decimal("0.1"), Decimal("0.2")),
    "fractions": lambda: (Fraction(1, 3), Fraction(2, 3)),
    "namespaces": lambda: (SimpleNamespace(k=1), SimpleNamespace(k=2)),
    "queues": lambda: (deque([1, 2]), deque([2, 1])),
    "compact arrays": lambda: (array("d", [1.0]), array("d", [2.0])),
    "memory": lambda: (memoryview(b"a"), memoryview(b"b")),
    "masks": lambda: (np.ma.array([1, 2], mask=[0, 1]), np.ma.array([1, 2], mask=[1, 0])),
    "patterns": lambda: (re.compile("a" * 300 + "b"), re.compile("a" * 300 + "c")),
    "splitters": lambda: (KFold(3), KFold(4)),
    "scorers": lambda: (make_scorer(lambda *_: 1.0), make_scorer(lambda *_: 2.0)),
    "iterators": lambda: (iter([1, 2]), iter([1, 3])),
    "methods of tables": lambda: ({"a": 1}.get, {"a": 2}.get),
    "caches": lambda: (functools.lru_cache(lambda x: x + 1), functools.lru_cache(lambda x: x + 2)),
    "vectorized": lambda: (np.vectorize(lambda x: x + 1), np.vectorize(lambda x: x + 2)),
    "frozen": lambda: (FrozenEstimator(learned(0, 0, 1)), FrozenEstimator(learned(0, 1, 1))),
    "long": lambda: (deque(range(5000)), deque([*range(4999), 0])),
    "what is missing from tables": lambda: (defaultdict(int, a=1), defaultdict(list, a=1)),
    "units of time": lambda: (np.datetime64(1, "ns"), np.datetime64(1, "us")),
    "tables of one's own": lambda: (Table(lambda: 1), Table(lambda: 2)),
    "what is around a function": lambda: (Around(describe, 2), Around(describe, 3)),
    "compiled functions": lambda: (np.random.normal, np.random.uniform),
    "functions": lambda: (accuracy_score, f1_score),
    "private slots": lambda: (Hidden(1), Hidden(2)),
    "one's own way to copy": lambda: (Kept().fit([[0.0], [1.0]], [0, 1]), Kept().fit([[0.0], [1.0]], [1, 0])),
}


@pytest.mark.parametrize("pair", APART.values(), ids=APART)
def test_objects_of_libraries_are_told_apart_by_what_they_hold(pair):
    for around in (lambda held: held, reads, lambda held: functools.partial(max, held), lambda held: [Plain(held)]):
        one, other = pair()
        assert describe(around(one)) != describe(around(other))
        assert describe(around(one)) == describe(around(pair()[0]))


DRAWN = {"bound": random.gauss, "compiled": random.random, "numpy": np.random.normal, "scipy": norm.rvs}


@pytest.mark.parametrize("drawn", DRAWN.values(), ids=DRAWN)
def test_what_a_library_keeps_for_everybody_is_not_told(drawn):
    before = describe(reads(drawn))
    drawn(*[0.0, 1.0][: 0 if drawn is random.random else 2])
    assert describe(reads(drawn)) == before
    mine = random.Random(1).gauss
    assert describe(reads(mine)) == describe(reads(random.Random(1).gauss)) != describe(reads(random.Random(2).gauss))


def test_what_was_only_looked_at_is_told_as_before():
    weights = series(1.0, 2.0, 3.0)
    before = describe(reads(weights))
    assert (weights.loc[1], weights.index.is_unique, weights.to_numpy().sum()) == (2.0, True, 6.0)
    assert describe(reads(weights)) == before


def test_a_model_counts_with_what_it_has_learned_only_where_code_holds_it():
    assert describe(learned(0, 0, 1)) == describe(learned(0, 1, 1)) == describe(GaussianNB())
    for around in (reads, Plain, lambda held: lambda x: held.predict(x)):
        assert describe(around(learned(0, 0, 1))) != describe(around(learned(0, 1, 1)))
        assert describe(around(learned(0, 0, 1))) == describe(around(learned(0, 0, 1)))


def test_what_a_clone_takes_along_besides_parameters_is_told_where_it_was_set():
    with config_context(enable_metadata_routing=True):
        scalers = [
            StandardScaler(),
            StandardScaler().set_fit_request(sample_weight=True),
            StandardScaler().set_fit_request(sample_weight=False),
            StandardScaler().set_output(transform="pandas"),
        ]
        for made in (scalers, [make_pipeline(scaler, GaussianNB()) for scaler in scalers]):
            told = [describe(each) for each in made]
            assert len(set(told)) == len(made)
            assert [describe(clone(each)) for each in made] == told


def test_what_a_model_counts_while_it_is_used_is_not_told():
    near = KNeighborsClassifier(1).fit(np.arange(100.0)[:, None], np.arange(100) % 2)
    searched = [GridSearchCV(GaussianNB(), {"priors": [None]}, cv=2).fit([[0.0], [1.0]] * 4, [0, 1] * 4) for _ in "ab"]
    before = describe(reads(near))
    near.predict([[3.2]])
    assert describe(reads(near)) == before
    assert describe(reads(searched[0])) == describe(reads(searched[1]))


def test_what_is_built_from_a_lock_is_told_by_its_class_also_where_the_lock_was_told_before():
    filled = queue.Queue()
    before = describe(reads([filled.mutex, filled]))
    filled.put(1)
    assert describe(reads([filled.mutex, filled])) == before


def test_a_set_of_things_that_hold_each_other_is_told_in_no_order():
    kept, by_first = [], {}
    while len(by_first) < 2:  # the order of a set goes by addresses
        one, other = ArgumentParser(prog="a"), ArgumentParser(prog="b")
        one.peer, other.peer = other, one
        kept.append({one, other})
        by_first[next(iter(kept[-1])).prog] = kept[-1]
    assert describe(reads(by_first["a"])) == describe(reads(by_first["b"]))


def test_a_registry_of_classes_is_told_in_a_time_that_does_not_explode():
    class Step:
        known: ClassVar = {}

        def __init_subclass__(cls):
            Step.known[cls.__name__] = cls

    for k in range(30):
        type(f"Step{k}", (Step,), {"__module__": __name__, "apply": lambda self, s, k=k: (self, s * k)})
    assert fingerprint(reads(Step)) == fingerprint(reads(Step))


def test_what_holds_itself_in_a_list_is_one_clear_error():
    held = [1]
    held.append(held)
    with pytest.raises(InputError, match="what a function holds is nested too deeply, or in itself"):
        fingerprint(reads(held))
    assert fingerprint(reads([1])) == fingerprint(reads([1]))


def test_objects_that_hold_each_other_are_told_in_a_time_that_does_not_explode():
    knots = [SimpleNamespace(k=0)]
    for k in range(60):  # each holds the one before twice
        knots.append(SimpleNamespace(k=k, left=knots[-1], right=knots[-1]))
    knots[0].top = knots[-1]
    assert len(describe(reads(knots[-1]))) < 5000


CLASSES = {
    "in a function": "def thing(x):\n class Own:\n  def f(self):\n   return FACTOR * x\n return Own()",
    "with types": "class thing:\n    a: int = 1\n    def f(self, x: int) -> int:\n        return FACTOR * x",
    "of data": "from dataclasses import dataclass\n@dataclass\nclass thing:\n    a: float = FACTOR",
    "of a tuple": "from typing import NamedTuple\nclass thing(NamedTuple):\n    a: float = FACTOR",
}


@pytest.mark.parametrize("source", CLASSES.values(), ids=CLASSES)
def test_a_class_is_told_by_what_it_computes_and_not_by_its_line(source):
    def told(text):
        space = {"__name__": "own"}
        exec(compile(text, "own.py", "exec", dont_inherit=True), space)
        return describe(space["thing"])

    source = source.replace("FACTOR", "2")
    assert told(source) == told("\n" * 3 + source) == told("\n" * 400 + source)
    assert told(source) != told(source.replace("2", "3"))


def test_a_function_that_calls_itself_is_told_once():
    def down(k):
        return 0 if k == 0 else down(k - 1)

    assert "itself" in describe(down)


def test_constants_of_a_class_of_one_s_own_belong_to_it_and_counters_do_not():
    def made(alpha, counted):
        class Own:
            ALPHA, table, calls = alpha, {}, counted

            def fit(self):
                type(self).calls += 1
                return self.ALPHA

        return Own

    assert fingerprint(made(0.1, 0)) == fingerprint(made(0.1, 7))
    assert fingerprint(made(0.1, 0)) != fingerprint(made(-0.1, 0))
    assert fingerprint(made(0.1, 0)()) != fingerprint(made(-0.1, 0)())


@pytest.mark.parametrize(
    "source",
    [
        "{name} = lambda values: values['score'] * {factor}",
        "class {name}:\n    def __call__(self, values):\n        return values['score'] * {factor}",
    ],
)
def test_what_a_script_defines_is_told_in_its_workers_as_in_the_script(source):
    def defined(factor):  # where the name of the module stands for another one in a worker
        space = {"__name__": "__main__"}
        exec(source.format(name="Own", factor=factor), space)
        return space["Own"]

    given = [defined(1), defined(-1)]
    in_workers = Parallel(n_jobs=2, backend="loky")(delayed(fingerprint)(each) for each in given)
    assert in_workers == list(map(fingerprint, given))
    assert in_workers[0] != in_workers[1]


def test_a_variable_that_is_called_like_an_attribute_of_something_else_is_not_told():
    def defined(**variables):
        space = {"__name__": "typed", **variables}
        body = "model.calls = FACTOR; score = model.score(X, y); return {'score': score * FACTOR}['score']"
        exec(f"def measure(model, X, y): {body}", space)
        return fingerprint(space["measure"])

    assert defined(FACTOR=2) == defined(FACTOR=2, score=0.93, calls=[1])
    assert defined(FACTOR=2) != defined(FACTOR=3)


def test_what_a_function_counts_outside_of_itself_is_not_told():
    def made(counted, factor):
        def measure(names):
            nonlocal counted
            counted += 1
            return factor * len(names)

        return measure

    assert fingerprint(made(0, 2)) == fingerprint(made(7, 2))
    assert fingerprint(made(0, 2)) != fingerprint(made(0, 3))

    source = "def measure(names):\n    global calls\n    calls += 1\n    return factor * len(names)"
    counting = {"__name__": __name__, "calls": 0, "factor": 2}
    exec(source, counting)
    before = fingerprint(counting["measure"])
    counting["measure"](("a",))
    assert counting["calls"] == 1
    assert fingerprint(counting["measure"]) == before
    counting["factor"] = 3
    assert fingerprint(counting["measure"]) != before


def test_whatever_a_class_of_one_s_own_holds_belongs_to_it():
    def made(part):
        return type("Own", (), {"__module__": __name__, "HELD": part})

    for one, other in [
        ([1], [60]),
        ({"k": 1}, {"k": 60}),
        (np.arange(3), np.arange(3) + 1),
        (functools.cached_property(lambda _: 1), functools.cached_property(lambda _: 2)),
        (functools.partialmethod(lambda _, k: k, 1), functools.partialmethod(lambda _, k: k, 2)),
        (property(lambda _: 1), property(lambda _: 2)),
        (staticmethod(lambda: 1), staticmethod(lambda: 2)),
    ]:
        assert describe(made(one)()) != describe(made(other)())
        assert describe(made(one)()) == describe(made(one)())


def test_what_a_function_uses_of_a_module_of_one_s_own_belongs_to_it():
    def scorer_of(body, other=0):
        inner, outer = ModuleType("inner"), ModuleType("outer")
        exec(f"FACTOR = 2\ndef f(x):\n    return {body}\ndef g(x):\n    return {other}", vars(inner))
        outer.inner, inner.outer = inner, outer  # each knows the other
        space = {"outer": outer, "np": np}
        exec("def scorer(x):\n    return np.abs(outer.inner.f(x))", space)
        return space["scorer"]

    assert fingerprint(scorer_of("x + 1")) == fingerprint(scorer_of("x + 1", other=5))
    assert fingerprint(scorer_of("x + 1")) != fingerprint(scorer_of("x - 1"))


def test_categories_in_another_order_are_others_however_many_they_are():
    pd = pytest.importorskip("pandas")
    for count in (4, 150):
        order = [f"c{k}" for k in range(count)]
        middle = count // 2
        other = [*order[: middle - 1], order[middle], order[middle - 1], *order[middle + 1 :]]
        frames = [pd.DataFrame({"a": pd.Categorical(order, categories=c)}) for c in (order, other, order)]
        first, second, third = (describe(frame) for frame in frames)
        assert first == third != second


READERS = {
    "import": "def read(model):\n    import {name}\n    return {name}.TABLE['a'] + 1\n",
    "from": "def read(model):\n    from {name} import TABLE\n    return TABLE['a'] + 1\n",
    "within": "def read(model):\n    def f():\n        from {name} import TABLE\n        return TABLE\n    return f\n",
    "package": "def read(model):\n    from {name}.part import TABLE\n    return TABLE['a'] + 1\n",
    "neighbour": "__package__ = '{name}'\ndef read(model):\n    from .part import TABLE\n    return TABLE['a'] + 1\n",
}


@pytest.mark.parametrize("way", READERS)
def test_what_a_body_imports_of_code_of_one_s_own_counts(way, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    told = []
    for k, table in enumerate(({"a": 1}, {"a": 2}, {"a": 1})):
        name, text = f"own_{way}", f"TABLE = {table!r}\n"
        if way in ("package", "neighbour"):
            (tmp_path / name).mkdir(exist_ok=True)
            (tmp_path / name / "__init__.py").write_text("")
            (tmp_path / name / "part.py").write_text(text)
        else:
            (tmp_path / f"{name}.py").write_text(text)
        for loaded in [m for m in sys.modules if m.partition(".")[0] == name]:
            monkeypatch.delitem(sys.modules, loaded)
        importlib.invalidate_caches()
        shutil.rmtree(tmp_path / "__pycache__", ignore_errors=True)
        shutil.rmtree(tmp_path / name / "__pycache__", ignore_errors=True)
        space = {"__name__": f"typed_{k}"}
        exec(READERS[way].format(name=name), space)  # code as somebody would have written it
        told.append(describe(space["read"]))
    assert told[0].replace("typed_2", "typed_0") == told[2].replace("typed_2", "typed_0")
    assert told[0] != told[1].replace("typed_1", "typed_0")


def test_what_a_body_imports_of_libraries_or_cannot_import_changes_nothing():
    def plain():
        import json

        import sklearn.svm
        from nowhere_at_all import something

        return json, sklearn.svm, something

    assert "imports" not in function_parts(plain)
