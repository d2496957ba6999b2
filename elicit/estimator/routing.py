"""Routing: who gets what `fit` is given besides X and y, and what may be asked for where scikit-learn routes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import is_classifier
from sklearn.model_selection import GroupKFold, check_cv
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, get_routing_for_object, process_routing

from elicit.errors import InputError
from elicit.numeric import is_whole
from elicit.oracles.criteria import Scored
from elicit.scores.answers import scorer_of

if TYPE_CHECKING:
    from elicit.selector import ElicitSelector

#: What `fit` takes besides X and y when metadata routing is not enabled.
WITHOUT_ROUTING = ("sample_weight", "groups")

#: What the scorer of a criterion of this name is called among those to whom metadata are routed.
_ROUTE = "criterion {}".format


@dataclass(frozen=True)
class Routed:
    """Who gets what: the splits (or how to make them) with their groups, arguments of fit and of the scorers."""

    cv: Any
    groups: Any = None
    sample_weight: Any = None
    fit: Mapping[str, Any] = field(default_factory=dict)
    score: Mapping[str, Any] = field(default_factory=dict)
    criteria: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def routed_arguments(selector: ElicitSelector, X: Any, y: NDArray[Any], params: Mapping[str, Any]) -> Routed:
    """Sort what `fit` was given besides X and y."""
    given = {name: value for name, value in params.items() if value is not None}
    if not get_config()["enable_metadata_routing"]:
        for name in given:
            if name not in WITHOUT_ROUTING:
                raise InputError(
                    f"fit() takes {' and '.join(WITHOUT_ROUTING)}, found {name!r}; "
                    "for others enable routing with sklearn.set_config(enable_metadata_routing=True)"
                )
        return Routed(selector.cv, given.get("groups"), given.get("sample_weight"))
    routed = process_routing(selector, "fit", **given)
    split = dict(routed.splitter.split)
    cv, groups = selector.cv, split.get("groups")
    if split.keys() - {"groups"}:  # a splitter that asks for more than groups makes its splits here
        splitter = check_cv(cv, y, classifier=is_classifier(selector.estimator))
        cv, groups = list(splitter.split(X, y, **split)), None
    criteria = {name: dict(routed[_ROUTE(name)].score) for name in _requesting(selector.criteria)}
    return Routed(cv, groups, None, dict(routed.estimator.fit), dict(routed.scorer.score), criteria)


def router_of(selector: ElicitSelector) -> MetadataRouter:
    """What the estimator, the splitter, the scorer and those among the criteria may be handed by `fit`."""
    counted = selector.cv is None or is_whole(selector.cv)
    # a number of folds takes groups when it gets them; what lists its splits asks for nothing, and a generator of
    # them must not be used up here
    splitter = GroupKFold() if counted else check_cv(selector.cv if hasattr(selector.cv, "split") else [])
    # by name, for releases before 1.9 copy the owner, and a generator of splits cannot be copied
    router = MetadataRouter(owner=type(selector).__name__)
    scorer = scorer_of(selector.estimator, selector.scoring)
    further = {_ROUTE(name): scorer for name, scorer in _requesting(selector.criteria).items()}
    return (
        router.add(estimator=selector.estimator, method_mapping=_when_fitted("fit"))
        .add(splitter=splitter, method_mapping=_when_fitted("split"))
        .add(scorer=scorer, method_mapping=_when_fitted("score"))
        .add(**further, method_mapping=_when_fitted("score"))
    )


def _when_fitted(callee: str) -> MethodMapping:
    """What `fit` calls, alone or in a pipeline, which before scikit-learn 1.9 tells a step's `fit_transform` apart."""
    return MethodMapping().add(caller="fit", callee=callee).add(caller="fit_transform", callee=callee)


def _requesting(criteria: Any) -> dict[str, Any]:
    """The scorers among the criteria that request metadata, by the names of the criteria; others are given none."""
    listed = criteria if isinstance(criteria, Sequence) else ()
    scorers = {one.criterion.name: one.scoring for one in listed if isinstance(one, Scored)}
    return {name: scorer for name, scorer in scorers.items() if _requests(scorer)}


def _requests(scorer: Any) -> bool:
    made = getattr(get_routing_for_object(scorer), "score", None)
    return made is not None and any(made.requests.values())
