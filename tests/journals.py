"""Journals of short runs, and their lines taken apart, changed and chained anew. For tests alone."""

import json
import re
import zlib

import numpy as np

from elicit.asks import Measured
from elicit.decide.settings import settings_from
from elicit.drive import drive
from elicit.operators import HiddenTheta, SimulatedOperator
from elicit.oracles import SyntheticOracle
from elicit.sessions import begin


def truth(n, seed=0, interaction=1.0):
    """A drawn utility over n attributes."""
    return SyntheticOracle.drawn(n, np.random.default_rng([seed, n]), interaction=interaction, size=True)


class InFolds:
    """A drawn truth measured in five folds, each off by something that belongs to the fold and the subset."""

    attributes = property(lambda self: self.truth.attributes)
    criteria = property(lambda self: self.truth.criteria)
    fingerprint = property(lambda self: self.truth.fingerprint)
    theta = property(lambda self: self.truth.theta)

    def __init__(self, truth):
        self.truth = truth

    def __call__(self, request):
        score, size = self.truth(request).criteria
        scores = score + np.random.default_rng(request.subset).normal(scale=0.5, size=5)
        return Measured((float(scores.mean()), size), (tuple(scores.tolist()), ()), (float(scores.std()), None))


def played(path, n=4, seed=0, noise=0.0, oracle=None, **settings):
    """A run on a drawn truth, played to its end into a journal; what it came to.

    What is recommended is of least max regret, unless told otherwise: that the judge can say as well.
    """
    settings.setdefault("recommend", "regret")
    oracle = oracle or truth(n, seed)
    operator = SimulatedOperator(HiddenTheta(oracle.theta), oracle.criteria, noise=noise, seed=seed)
    with begin(path, oracle, settings_from(settings), seed=seed) as session:
        return drive(session.elicitation, oracle, operator, session.journal)


#: What follows the content of a line.
CHECK = re.compile(r', "crc": "([0-9a-f]{8})"}$')


def lines_of(path):
    """The content of every line, without its check."""
    return [json.loads(CHECK.sub("}", line)) for line in path.read_text().splitlines()]


def write(path, lines, check=None):
    """Write lines with a sound chain of checks, or with the given checks."""
    said, found = 0, []
    for k, line in enumerate(lines):
        body = json.dumps(line, ensure_ascii=True)[:-1].encode("ascii")
        said = zlib.crc32(body, said)
        found.append(body + b', "crc": "%s"}\n' % (b"%08x" % said if check is None else check[k].encode()))
    path.write_bytes(b"".join(found))
    return path


def checks_of(path):
    """The check of every line."""
    return [CHECK.search(line)[1] for line in path.read_text().splitlines()]
