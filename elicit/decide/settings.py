"""Every choice of a run, with its default, its meaning and its check; `PRESETS` are whole sets of choices by name."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from elicit.errors import InputError, nearest
from elicit.events import (
    FEWEST_FIRST,
    OPTIMAL,
    QUESTIONS,
    REJECTIONS,
    STOPS,
    undoubted_questions,
    usual_budget,
)
from elicit.knowledge.deduction import ASSUMPTIONS
from elicit.knowledge.dominance import Noise
from elicit.numeric import is_finite, is_whole, whole
from elicit.subsets import Family
from elicit.utility.cubes import MOST_CUBES
from elicit.utility.monomials import HIGHEST_DEGREE
from elicit.utility.parsimony import Parsimony
from elicit.utility.power import THETAS
from elicit.utility.sampling import LAWS
from elicit.utility.scopes import Scope

T = TypeVar("T")

#: Subsets evaluated before anything is modelled, as a share of the budget, one in so many, where draws alone say which
#: attributes matter: what a search looks at is alike, and tells it badly.
SHARE_OF_THE_START = 20

#: The most by which a margin may exceed 1.
WIDEST = 100.0

#: Draws, and sampled subsets, at most: each is worked on in every round.
MOST_IN_A_ROUND = 100_000

EXACT = "exact"
INDICES = ("theta", "gap", "joint")
POLICIES = ("value", "current", "favourite", "split", "ranking", "one-flip", "none")
FIRSTS = ("path", "all", "drawn")
RECOMMENDATIONS = ("expected", "regret")
EXPLORERS = ("gain", "model", "law", "sequential", "sequential-source")


#: Takes the name of a setting and what was given for it, and returns what is kept of it; or it is an error.
Check = Callable[[str, Any], Any]


def _choice(default: T, meaning: str, check: Check) -> T:
    """A setting: its default, what `elicit --defaults` says of it, and the check of what is given in its place."""
    return dataclasses.field(default=default, metadata={"meaning": meaning, "check": check})


def _whole(least: int, most: int | None = None) -> Check:
    """A whole number from the least to the most, where there is a limit."""
    return partial(whole, least=least, most=most)


def _real(name: str, value: Any) -> float:
    """A finite number of at least 0."""
    if not is_finite(value) or value < 0:
        raise InputError(f"{name} must be a number of at least 0, found {value!r}")
    return float(value)


def _tau(name: str, value: Any) -> float | str:
    if isinstance(value, str) and value == EXACT:
        return value
    if not is_finite(value):
        raise InputError(f'{name} is a finite number (tau) or "{EXACT}", found {value!r}')
    return float(value)


def _one_of(words: Iterable[str]) -> Check:
    """One of a few words."""
    return partial(_word, words=tuple(words))


def _word(name: str, value: Any, words: tuple[str, ...]) -> str:
    if not isinstance(value, str) or value not in words:  # an array would be compared element by element
        raise InputError(f"{name} is one of {', '.join(words)}; found {value!r}{nearest(value, words)}")
    return value


def _rules(name: str, value: Any) -> tuple[str, ...]:
    """Rules that may end a run; one may stand without a list."""
    given = (value,) if isinstance(value, str) else _listed(name, value)
    return tuple(_word(name, rule, STOPS) for rule in given)


def _scope(_: str, value: Any) -> str:
    Scope.of(value)
    return str(value)


def _weights(name: str, value: Any) -> tuple[float, ...]:
    given = _listed(name, value)
    if not all(map(is_finite, given)):
        raise InputError(f"{name} are finite numbers, one a degree, found {value!r}")
    return tuple(map(float, given))


def _listed(name: str, value: Any) -> tuple[Any, ...]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise InputError(f"{name} is a list, found {value!r}")
    return tuple(value)


def _pairs(name: str, value: Any) -> tuple[tuple[int, int], ...]:
    """Pairs of positions, the smaller one first, each once."""
    found = []
    for given in _listed(name, value):
        pair = _listed("a pair", given)
        if len(pair) != 2 or any(not is_whole(k) or k < 0 for k in pair):
            raise InputError(f"a pair is the positions of two attributes, found {given!r}")
        if pair[0] == pair[1]:
            raise InputError(f"a pair is two different attributes, found {given!r}")
        found.append((int(min(pair)), int(max(pair))))
    return tuple(dict.fromkeys(found))


@dataclass(frozen=True)
class Settings:
    """How a run explores, asks and stops."""

    budget: int | None = _choice(
        None,
        "oracle calls at most; none: n(n+1)/2 where n attributes may be chosen, at least 20, at most 10 n, never more "
        "than there are subsets",
        _whole(1),
    )
    questions: int = _choice(15, "the most questions put to the operator", _whole(0))
    parsimony: float | str = _choice(0.1, 'tau of the parsimonious set, or "exact" for the exact set', _tau)
    slack: float = _choice(10.0, "C, the weight of setting a statement aside; the exact set sets none aside", _real)
    weights: tuple[float, ...] = _choice(
        (1.0, 2.0, 4.0),
        "w, the price of a unit of utility by degree: single attributes, pairs, triples; the exact set has no prices",
        _weights,
    )
    degree: int = _choice(2, "the largest group of attributes with a utility of its own", _whole(1, HIGHEST_DEGREE))
    explore: str = _choice(
        "gain",
        "how subsets are proposed. gain: of neighbours and draws, the one by which plausible operators may gain most; "
        "model: of neighbours or draws, the one that theta likes best; law: a draw; "
        "sequential, sequential-source: drawn attribute by attribute, by chances of their own, not by index and law; "
        "the law draws while no subset is known to be better than another, and where the exact set is empty",
        _one_of(EXPLORERS),
    )
    recommend: str = _choice(
        "expected",
        "what is recommended. expected: what is worth most to plausible operators; regret: least max regret",
        _one_of(RECOMMENDATIONS),
    )
    theta: str = _choice(
        "L2",
        "the utility that ranks what was not evaluated: L2, L1, max-margin, or mean, the average of those by which the "
        "power of an attribute is largest or least (two programs an attribute)",
        _one_of(THETAS),
    )
    margins: float = _choice(
        0.0,
        "how much wider theta L2 sets apart what is certain. The margin of a dominance is 1, and so much more times "
        "its certainty, from 0 (a coin) to 1, by the t statistic of paired fold scores; answers are certain. Proofs "
        "know of no margin but 1",
        _real,
    )
    pairs: tuple[tuple[int, int], ...] = _choice(
        (),
        "pairs of attributes expected to interact: theta L2 believes in these first; proofs assume nothing of them",
        _pairs,
    )
    index: str = _choice(
        "theta",
        "the power index, by which attributes are drawn. theta: that of the utility that theta names; gap, joint: over "
        "the set of utilities, by how far each attribute is above the mean; with the exact set as the source prints "
        "it, nearly all below 0. With more than 150 subsets evaluated, explore gain no longer uses index, "
        "law and temperature: it draws by the prior, or at even odds",
        _one_of(INDICES),
    )
    index_samples: int = _choice(
        8, "sampled subsets from which an index over the set (gap, joint) is computed", _whole(1, MOST_IN_A_ROUND)
    )
    law: str = _choice("logistic", f"how a subset is drawn from the power index: {', '.join(LAWS)}", _one_of(LAWS))
    temperature: float = _choice(1.0, "T of the logistic law: the larger, the more even the draws", _real)
    cooling: float = _choice(
        1.0,
        "T at the end of the budget, as a share of T at its start; below 1 draws gather, above 1 they spread",
        _real,
    )
    draws: int = _choice(30, "draws among which a proposal is chosen", _whole(1, MOST_IN_A_ROUND))
    neighbours: float = _choice(
        0.6,
        "explore model: share of the proposals that are neighbours of what theta likes best; the rest are draws",
        _real,
    )
    start: int | None = _choice(
        None,
        "subsets evaluated before anything is modelled: all attributes together, and draws. none: 4; or a twentieth of "
        "the budget, if that is more, in a run with explore gain that takes no way down and has no prior",
        _whole(0),
    )
    first: str = _choice(
        "path",
        "what is looked at first. path: all attributes, the draws, and then a way down, one attribute fewer at a time, "
        "which finds attributes that only matter together; all: the same without the way down; drawn: draws only. With "
        "more than 20 attributes, or a budget below three times the attributes, path is all, or what a prior puts "
        "first; unless explore is gain, path is all",
        _one_of(FIRSTS),
    )
    patience: int = _choice(
        2,
        "rejections in a row after which the cheapest of the rejected is evaluated all the same, unless the rule "
        "`rejections` may end the run. Rejections are provisional: where attributes interact in ways that no pair "
        "explains, many of them are wrong",
        _whole(1),
    )
    caution: float = _choice(
        0.0,
        "a rejection needs a price above (1 + caution) tau at the start, and above tau at the end of the budget, when "
        "more is known",
        _real,
    )
    detour: float = _choice(
        20.0,
        "on the second half of the way down (see first), a step waits while another subset promises more than so many "
        "times as much; 0: none waits",
        _real,
    )
    agreement: float | None = _choice(
        None,
        "explore gain: how much it counts that operators agree. What each may gain is raised to the power 1/agreement, "
        "and its weight to the power agreement. 1: the expected gain, which may be that of a single operator, hardly "
        "plausible but far from content. none: 2 in a run that takes a way down (see first); else 1",
        _real,
    )
    unasked: int | None = _choice(
        None,
        "explore gain: one evaluation in so many goes to the most promising, though it may be rejected. 1: nothing is "
        "rejected; 0: all may be, as where the rule `rejections` may end the run. none: 2 in a run that takes a way "
        "down (see first), with the parsimonious set; else 0",
        _whole(0),
    )
    policy: str = _choice(
        "value",
        "which subsets a question compares. value: the pair whose answer is worth most to the choice; current: the "
        "incumbent and its strongest rival; favourite: the incumbent and the front member that theta likes best; "
        "split: the pair whose answer divides the utilities of the set most evenly; ranking: all, by sorting; "
        "one-flip: the incumbent and what is one flip away; none: nothing is asked",
        _one_of(POLICIES),
    )
    ask_every: int | None = _choice(
        None,
        "evaluations between two questions, besides one that is under way at an answer; 0: whenever there is something "
        "to ask. none: 6 in a run that takes a way down (see first), where answers do not say what is measured; else 4",
        _whole(0),
    )
    last_questions: int = _choice(3, "questions kept for the end, when the budget is spent", _whole(0))
    spare: int = _choice(
        6,
        "policy value: of the questions beyond nine, up to so many are kept for the end of a run in which an answer is "
        "doubted",
        _whole(0),
    )
    worth: float = _choice(
        0.01,
        "policy value: the least that an answer must be worth to be asked for, as a share of what the better half of "
        "the front spans",
        _real,
    )
    doubt: float = _choice(
        0.5,
        "policy value: what answers imply is checked by a question when the operator thinks otherwise with at least "
        "this probability; and an answer so doubted, unless it was given twice, keeps nothing from being recommended. "
        "1: never",
        _real,
    )
    confirm: int = _choice(
        6,
        "policy value: if fewer questions than this were put when the budget is spent, what would be recommended is "
        "compared with the rivals that the operator may still like better (a chance of one in twenty is enough), and "
        "an answer that puts one of them below it is asked for once more. After more questions the latter is done only "
        "with a chance of one in five, or where much hangs on it; but both wherever some answer is doubted. What was "
        "answered both ways is asked up to five times. "
        "0: never",
        _whole(0),
    )
    check_every: int = _choice(0, "answers after which one question repeats what they imply; 0: never", _whole(0))
    scope: str = _choice(
        "family",
        "how far a proof of the rule `optimal` reaches. family: to all subsets; size:K: those of at most K attributes; "
        "flips:R: those at most R flips away; evaluated: those evaluated (worth little: it may end a run at once)",
        _scope,
    )
    stop: tuple[str, ...] = _choice(
        (OPTIMAL,),
        f"rules that may end the run besides the budget: {', '.join(STOPS)}. evaluated, which is the rule `optimal` "
        "among what was evaluated, may end a run at once",
        _rules,
    )
    epsilon: float = _choice(
        0.01,
        "model regret among the evaluated at which the rule `regret` ends the run, once all subsets one flip or one "
        "swap away from the incumbent were evaluated",
        _real,
    )
    rejections: int = _choice(50, "rejections in a row at which the rule `rejections` ends the run", _whole(1))
    effort: int = _choice(
        1000, "subcubes that a check of optimality may look at; if it needs more, it stays undecided", _whole(1)
    )
    batch: int = _choice(1, "evaluations that may be open at once", _whole(1))
    assume: str = _choice(
        "nothing",
        "what is assumed of the operator: nothing; linear: criteria are traded at fixed rates; additive: each has a "
        "worth of its own, and these add up. An assumption lets an answer order other pairs too, which become "
        "statements with the source deduced",
        _one_of(ASSUMPTIONS),
    )
    noise_level: float = _choice(
        0.0,
        "significance level at which paired fold scores must differ for dominance; 0: means are compared as they are",
        _real,
    )
    noise_ratio: float = _choice(
        0.0,
        "held-out rows for each training row, for noise_level, margins, and the leads that a question calls noise. 0: "
        "as in one round of k folds. Repeated folds and shuffled splits must name it: 1/9 for ten rounds of ten folds, "
        "1 for halves",
        _real,
    )

    def __post_init__(self) -> None:
        for setting in dataclasses.fields(self):
            value = getattr(self, setting.name)
            if value is not None or setting.default is not None:  # else it is left to the run
                object.__setattr__(self, setting.name, setting.metadata["check"](setting.name, value))
        self._fit_together()

    def _fit_together(self) -> None:
        """Refuse numbers beyond their limits, and settings that do not go with each other."""
        if self.effort > MOST_CUBES:
            raise InputError(
                f"effort is at most {MOST_CUBES}, for no proof of more pieces is checked; found {self.effort}"
            )
        if self.temperature == 0:
            raise InputError("temperature must be above 0: the smaller, the more draws resemble each other")
        if self.temperature * self.cooling == 0:
            raise InputError("cooling must be above 0: the smaller, the more the last draws resemble each other")
        if self.caution and self.exact:
            raise InputError("caution is for prices, and the exact set has none; leave it out")
        if self.margins > WIDEST:
            raise InputError(f"margins is at most {WIDEST:g}, beyond which digits are lost; found {self.margins:g}")
        if self.margins and self.theta != "L2":
            raise InputError("margins widen those of the utility theta = 'L2'; set this, or leave margins out")
        if not 0 < self.doubt <= 1:
            raise InputError(f"doubt is a probability above 0 (1: nothing is checked for it), found {self.doubt}")
        if self.agreement is not None and self.agreement < 1:
            raise InputError(f"agreement must be at least 1, where the expected gain counts; found {self.agreement}")
        if self.neighbours > 1:
            raise InputError(f"neighbours is a share between 0 and 1, found {self.neighbours}")
        if self.noise_level >= 0.5:
            raise InputError(f"noise_level must lie below 0.5, found {self.noise_level}")
        if self.pairs and (self.theta != "L2" or self.degree < 2):
            raise InputError("pairs guide the utility theta = 'L2' of degree 2 or 3; set these, or leave pairs out")
        if QUESTIONS in self.stop and self.questions == 0:
            raise InputError("stop = 'questions' with questions = 0 ends before anything is measured; allow a question")
        if not self.exact:
            self.parsimony_settings  # noqa: B018  # checks tau, C and w

    @property
    def exact(self) -> bool:
        """Whether the exact set decides."""
        return isinstance(self.parsimony, str) and self.parsimony == EXACT

    @property
    def parsimony_settings(self) -> Parsimony:
        """The settings of Θ_τ."""
        return Parsimony(float(self.parsimony), self.slack, self.weights, self.degree)

    @property
    def noise(self) -> Noise | None:
        """What a dominance must hold beyond, None when means count as they are."""
        return Noise(self.noise_level, self.noise_ratio) if self.noise_level else None

    @property
    def spread_of_folds(self) -> Noise:
        """How fold scores are compared where no level decides."""
        return Noise(ratio=self.noise_ratio)

    @property
    def undoubted_questions(self) -> int:
        """The most questions of a run in which no answer is doubted."""
        return undoubted_questions(self.questions, self.spare, self.policy, self.doubt)

    def calls(self, family: Family) -> int:
        """The budget: as it was given, or the usual one of as many attributes as may be chosen."""
        return usual_budget(family.largest.bit_count()) if self.budget is None else self.budget

    def evaluations(self, family: Family) -> int:
        """The budget of what measures only subsets of this family."""
        return min(self.calls(family), family.count())

    @property
    def begun_with(self) -> int:
        """Subsets that are evaluated, at the least, before anything is modelled."""
        return FEWEST_FIRST if self.start is None else self.start

    def plain(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {k: list(v) if isinstance(v, tuple) else v for k, v in dataclasses.asdict(self).items()}


def unproven_choice(settings: Settings, stated: bool) -> str:
    """What is recommended where no regret tells subsets apart, in words; whether anything was stated."""
    if settings.recommend == "expected":
        asked = stated or settings.questions > 0
        return "the subset worth most to plausible operators" if asked else "the subset with the best score"
    return "the member of the front that theta_k likes best (where nothing was stated, the simplest)"


#: The source as printed (its rejection test corrected): exact set, index by the gap, proportional law,
#: what is drawn is evaluated unless rejected, and the run ends on proof or on a run of rejections. In the slice
#: that index is negative throughout, so that the law, as printed, draws every attribute alike.
PRESETS: Mapping[str, Mapping[str, Any]] = {
    "default": {},
    "source": {
        "parsimony": EXACT,
        "explore": "law",
        "recommend": "regret",
        "policy": "current",
        "index": "gap",
        "law": "proportional",
        "start": 0,
        "stop": (OPTIMAL, REJECTIONS),
    },
}


def settings_from(choices: Mapping[str, Any]) -> Settings:
    """Settings from plain data: a preset by name, then single choices; unknown names are errors."""
    choices = dict(choices)
    preset = choices.pop("preset", "default")
    _word("preset", preset, tuple(PRESETS))
    known = {f.name for f in dataclasses.fields(Settings)}
    for name in choices:
        if name not in known:
            raise InputError(f"unknown setting {name!r}{nearest(name, known)}")
    return Settings(**{**PRESETS[preset], **choices})
