"""ElicitSelector: the subset of features that is best for somebody, as a scikit-learn transformer.

    selector = ElicitSelector(make_pipeline(StandardScaler(), KNeighborsClassifier()), n_jobs=-1).fit(X, y)
    X_chosen = selector.transform(X)

It stands where a SequentialFeatureSelector stands, and leaves more: the front, the whole record, and a
certificate. The rule: `fit` asks nobody unless an operator was given, and never prompts by itself.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin, is_classifier
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import _safe_indexing, check_array
from sklearn.utils._set_output import _get_output_config
from sklearn.utils._tags import Tags, get_tags
from sklearn.utils.metadata_routing import MetadataRouter
from sklearn.utils.validation import check_is_fitted, validate_data

from elicit.alongside.display import write_aside
from elicit.alongside.progress import Progress
from elicit.errors import InputError
from elicit.estimator.certificate import certificate_of
from elicit.estimator.choosing import chosen_of, warnings_of
from elicit.estimator.fitting import Run, play, seed_of
from elicit.estimator.honest import NestedScore, nested_score
from elicit.estimator.inputs import (
    as_pandas,
    checked_array,
    checked_features,
    checked_target,
    labelled_by_names,
    oracle_of,
    require_distinct_labels,
    require_estimator,
    require_finite,
)
from elicit.estimator.judges import Judge, judge_of
from elicit.estimator.keeping import family_of
from elicit.estimator.priors import pairs_of, prior_of
from elicit.estimator.readable import require_labels, require_readable, warn_of_lost_categories
from elicit.estimator.results import check_names, front_of, ranks_of, results_of
from elicit.estimator.routing import routed_arguments, router_of
from elicit.estimator.tags import takes_missing, takes_sparse
from elicit.estimator.tolerance import Tolerance, tolerance_of
from elicit.numeric import is_whole
from elicit.oracles import Extra, WrapperOracle, cost
from elicit.oracles.columns import is_frame, require_array_or_frame
from elicit.oracles.naming import extras_of
from elicit.oracles.parallel import workers_of
from elicit.oracles.pruning import never_read, pruned
from elicit.oracles.splits import ratio_of
from elicit.subsets import Mask
from elicit.threads import one_thread
from elicit.worth import against_directions, best_for, is_utility, utility_of


class ElicitSelector(SelectorMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Select the subset of features that is best for somebody, with few fits and few questions.

    Whoever judges is the operator; without one the score decides. Subsets are measured by cross-validation. An
    *attribute* is a feature, or a group of columns that are chosen together (`feature_groups`).

    Parameters
    ----------
    estimator : estimator or pipeline
        It is cloned, never fitted itself. A ColumnTransformer in it that selects columns by name or position is cut
        down to the columns of each subset; `pruned_estimator` gives the one for the columns that were chosen.
    operator : None, str, path, Answers or callable, default=None
        Whose preferences count.

        - None: the utility is the score, ties go to fewer features. No question, never a prompt.
        - An expression over the criteria, such as ``"score - 0.005 * size"``, or a function of one mapping, from the
          names of the criteria to their values: a simulated operator answers by it, and its answers are counted. Of
          what was measured, the subset that it likes best is chosen. A journal speaks of what the answers alone
          recommend, which may be another where they were few.
        - The path of a journal (or `Answers`): the answers of that session are carried over as statements where they
          apply. Each is dropped once the new scores dominate the other way. Nothing is asked.
        - An object with a ``__call__``, such as a `ScriptedOperator`: an operator, who is asked. It takes a `Compare`
          and returns an `Answer`, or takes a `Reconcile` and returns a `Settlement`. One that talks to a person
          refuses to run in a worker. One that keeps its place, as in a script, may have a method ``catch_up``: it is
          given the facts of the journal with which a fit goes on.
    scoring : str, callable or None, default=None
        A scorer's name, a callable (estimator, X, y) -> float, or None for the estimator's own score. Larger is better,
        so losses have scorers such as "neg_log_loss".
    cv : int, splitter, iterable of splits or None, default=10
        A number of shuffled folds (stratified for classifiers), a splitter, or the splits themselves. None is five
        folds.
    budget : int or "auto", default="auto"
        The most oracle calls; one is a cross-validation of one subset. "auto" is a third of a whole forward path,
        n(n+1)/6, at least 5 n and 20, at most 400.
    questions : int, default=15
        The most questions put to the operator.
    parsimony : float or "exact", default=0.1
        tau of the parsimonious set of utilities: up to this share less simple than the simplest that fits, each may be
        the operator's. With a larger one less is rejected. "exact" is the set of all that fit outright.
    criteria : list or None, default=None
        Criteria beyond score and size: `elicit.stability()`, `elicit.scored("recall")` and the like, or their names
        as in ``elicit ask --criteria``: "stability", "fit_time", and those of scikit-learn's scorers, such as
        "recall_macro".
    costs : mapping, sequence or None, default=None
        The cost of each attribute, by name or in order. Adds the criterion ``cost``.
    feature_groups : mapping or None, default=None
        Name -> columns, by name or position. Such a group is chosen or left as a whole, and counts as one attribute
        here and in every list of attributes.
    keep : list or None, default=None
        The attributes that every subset must hold, by name or position. A constant one is left out unless it is named
        here (a linear model without an intercept may need it), as is one that a ``ColumnTransformer`` in the estimator
        drops.
    max_features : int or None, default=None
        The most attributes a subset may have.
    tolerance : float, "1-se" or None, default=None
        With ``operator=None``: take the smallest measured subset whose score is within this much of the best. "1-se" is
        one standard error of the best one's fold scores, s/√k (of repeated folds, which share rows, too small a one).
        In the second half of the budget the search looks for fewer features, too. What a journal proves is about the
        best score; `elicit why` names both.
    prior : str, mapping, sequence or None, default="auto"
        What is thought of the attributes beforehand. By its ranks it says where to look first; no proof assumes it.
        The name of an attribute score, such as "mutual-information" (``elicit score --list``); or one number per
        attribute, by name or in order, larger is better; or None for no prior. "auto" is the better of each attribute's
        places by F statistic (alone) and by ReliefF (together with others; of very many rows by a sample), where there
        are more than 4 attributes, all of finite numbers; otherwise it is None. It leaves a sparse X sparse, as
        F and the Relief family do; other scores make it dense. A score reads all rows of y, so the selection score is
        even less honest than without; see `nested_score`, which works out anew only what is given by name.
    pairs : list, array, "h" or None, default=None
        What is thought to interact, which `power_`, `interactions_` and draws take into account. A list of pairs
        by name or position; a symmetric table (n, n) of strengths, such as H statistics or the roots of second-order
        Sobol indices; or "h", the pairs that a random forest lets interact (H statistic).
    batch : int, default=4
        Subsets decided on together, hence the most that can be measured at once. The result depends on it, never on
        `n_jobs`.
    n_jobs : int or None, default=None
        Subsets measured at once, by joblib (any backend). None is 1 unless in a ``parallel_config``. Each is measured
        with one thread of BLAS and OpenMP, so that its score has the same digits on any machine.
    journal : path or None, default=None
        A folder for journals, one for each combination of data, settings and operator. A fit that was interrupted
        goes on, and nothing that any of them measured on the same data is measured again.
    verbose : int, default=0
        1 shows progress on the standard error stream.
    callback : callable or None, default=None
        Called with a `Progress` after every measured subset and every answer: `evaluations`, `budget`, `questions`,
        `seconds`, and of the best so far `names` and `criteria` (name to value; both are empty until the first few
        subsets, which are drawn together, are all measured). Once it returns True, the fit ends with the best so far
        when what was decided on together is measured; with a journal, the next fit goes on.
    random_state : int, RandomState or None, default=None
        The seed of folds, draws, and of what is random in the estimator. None is 0, so that a fit can be repeated and
        finds its journal again.

    Attributes
    ----------
    support_ : array of bool, (n_features,)
        Which columns are selected.
    ranking_ : array of int, (n_features,)
        1 for every selected column, as in recursive elimination. The others follow from 2, by the power index of
        their attribute; those that were left out come last.
    feature_names_ : tuple of str
        The selected attributes; a group by its name.
    best_score_ : float
        Mean score of the selected subset over the folds. It is a selection score; see `nested_score`.
    cv_results_ : dict of arrays
        Every measured, failed or rejected subset, a row each: `features` (names of attributes), `size`,
        `mean_test_score`, `std_test_score`, `split0_test_score` and so on, `rank_test_score`, each further criterion by
        its name, `decision` ("evaluated", "failed" or "rejected"), `price` and `reason` (why it failed). Subsets are
        rejected unmeasured in runs with an operator; without one the scores themselves say where to look. The price of
        a rejected one is the least tau with which it might still be best (inf with ``parsimony="exact"``).
    front_ : tuple
        The Pareto front, smallest subset first, each with `features`, `score`, `size`, `criteria` (name to value) and
        `spread`. These are sample standard deviations of the score (n − 1); those of ``cv_results_`` are divided by n,
        as scikit-learn's are.
    certificate_ : dict or None
        What the record proves about the subset, made on demand.

        - Without an operator: which of the measured subsets is best by score, as the journal claims it and
          `elicit verify` re-checks it (with a tolerance, the one that the selected subset is compared with).
        - With an operator: a certificate about every utility that the record allows, for `elicit.utility.verify`. It
          may take longer than the fit. It speaks of all subsets where that can be shown (tried up to 14 attributes),
          else of those measured: its ``["claim"]["scope"]`` says which. Above 500 attributes it is about additive
          utilities, for pairs would be too many.
        - None where nothing is proven. Among more than 150 measured subsets, a bound above the margin of a clear
          answer counts as nothing.
    power_, interactions_ : arrays, (n_attributes,) and (n_attributes, n_attributes)
        Shapley power indices of the utility of least norm, and its u_ij (u_i on the diagonal), these made on demand.
        Without an operator dominance alone shapes that utility, so they, and the ranks of what is not selected, tell
        little.
    prior_ : array, (n_attributes,), or None
        The prior that was used; None when there was none.
    n_evaluations_, n_questions_, stopped_ : int, int and str
        What was spent, counting what a journal held already, and why the run ended.
    attributes_, positions_ : tuples
        The names of the attributes, and the columns of each.
    session_ : Elicitation
        The finished elicitation, with all its facts.
    n_features_in_, feature_names_in_ : int and array of str
        The columns seen by `fit`, and their names when they are texts.

    Notes
    -----
    Columns of an array, and of a frame whose labels are not texts, are called x0, x1, … as in
    ``get_feature_names_out``. A number in a list of attributes is a position. A series, as costs, keep or prior, may
    have the labels of the frame.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from elicit import ElicitSelector
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = ElicitSelector(GaussianNB(), cv=5).fit(X, y)
    >>> selector.feature_names_
    ('sepal width (cm)', 'petal length (cm)', 'petal width (cm)')
    >>> selector.n_evaluations_, selector.n_questions_
    (15, 0)
    >>> [(member.size, round(member.score, 3)) for member in selector.front_]
    [(1, 0.96), (3, 0.967)]
    >>> selector.best_subset_for("score - 0.05 * size")
    ('petal width (cm)',)
    >>> selector.set_output(transform="pandas").transform(X).shape
    (150, 3)
    """

    certificate_: dict[str, Any] | None
    interactions_: NDArray[np.float64]
    _label = ""  # shown before the progress, where this fit is one of several

    def __init__(
        self,
        estimator: Any,
        *,
        operator: Any = None,
        scoring: str | Callable[..., float] | None = None,
        cv: Any = 10,
        budget: int | str = "auto",
        questions: int = 15,
        parsimony: float | str = 0.1,
        criteria: Sequence[Extra | str] | None = None,
        costs: Mapping[str, float] | Sequence[float] | None = None,
        feature_groups: Mapping[str, Sequence[int | str]] | None = None,
        keep: Sequence[str | int] | None = None,
        max_features: int | None = None,
        tolerance: float | str | None = None,
        prior: Any = "auto",
        pairs: Any = None,
        batch: int = 4,
        n_jobs: int | None = None,
        journal: str | os.PathLike[str] | None = None,
        verbose: int = 0,
        callback: Callable[[Progress], object] | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.operator = operator
        self.scoring = scoring
        self.cv = cv
        self.budget = budget
        self.questions = questions
        self.parsimony = parsimony
        self.criteria = criteria
        self.costs = costs
        self.feature_groups = feature_groups
        self.keep = keep
        self.max_features = max_features
        self.tolerance = tolerance
        self.prior = prior
        self.pairs = pairs
        self.batch = batch
        self.n_jobs = n_jobs
        self.journal = journal
        self.verbose = verbose
        self.callback = callback
        self.random_state = random_state

    # -- fitting --------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, **params: Any) -> Self:
        """Find the subset.

        `params` are `sample_weight` (for the estimator's fit) and `groups` (rows that stay together in a
        fold); with metadata routing enabled, whatever the estimator, the splitter, the scorer and those among the
        criteria request.
        """
        X, y, seed = self._validated(X, y)
        routed = routed_arguments(self, X, y, params)
        oracle = oracle_of(self, X, y, seed, routed, self._extras(X))
        check_names(oracle.criteria)
        judge = judge_of(self.operator, oracle.criteria)
        within = tolerance_of(self.tolerance, judge, len(oracle.splits))
        run = self._run(judge, oracle, y, seed, within)
        require_labels(oracle, run.family.largest, self.estimator)
        require_readable(oracle, run.family.largest, self.estimator)
        elicitation, result = play(
            run,
            oracle,
            folder=self.journal,
            n_jobs=self.n_jobs,
            verbose=int(self.verbose),
            callback=self.callback,
            label=self._label,
        )
        against = None if judge.utility is None else against_directions(elicitation, judge.utility)
        followed = judge.utility is not None and against is None and is_utility(self.operator)
        chosen = chosen_of(elicitation, result, judge.utility if followed else None, within)
        for warning in warnings_of(elicitation, result, against):
            warnings.warn(warning, stacklevel=2)
        self.session_, self.prior_, self._utility = elicitation, run.prior, judge.utility
        self.stopped_ = result.reason
        self.n_evaluations_, self.n_questions_ = result.evaluations, result.questions
        self._set_choice(oracle, chosen)
        return self

    def _validated(self, X: Any, y: Any) -> tuple[Any, NDArray[Any], int]:
        """X and y as they are used, and the seed. The parameters are checked, and an earlier fit is forgotten."""
        require_estimator(self.estimator)
        for name in [name for name in vars(self) if name.endswith("_") and not name.startswith("_")]:
            delattr(self, name)  # a fit that fails leaves nothing of the one before
        self.__dict__.pop("_certificate", None)
        X = checked_features(self, X)
        y = checked_target(self, y, X.shape[0])
        workers_of(self.n_jobs)  # refuses what is no number of them
        if not is_whole(self.verbose) and not isinstance(self.verbose, bool):
            raise InputError(f"verbose is a whole number, found {self.verbose!r}")
        if self.callback is not None and not callable(self.callback):
            raise InputError(f"callback is called with the progress of the fit, found {self.callback!r:.80}")
        return X, y, seed_of(self.random_state)

    def _run(self, judge: Judge, oracle: WrapperOracle, y: NDArray[Any], seed: int, within: Tolerance | None) -> Run:
        """Everything that a run needs besides its oracle."""
        X, classes = oracle.columns.X, is_classifier(self.estimator)
        keep = labelled_by_names(self, self.keep, X)
        run = Run(
            judge,
            family_of(keep, self.max_features, oracle.columns, never_read(self.estimator, X)),
            seed,
            budget=self.budget,
            questions=self.questions,
            parsimony=self.parsimony,
            batch=self.batch,
            operator=self.operator if judge.answers is None else judge.answers,
            tolerance=within,
            rows=len(y),
            noise_ratio=ratio_of(oracle.splits, len(y)),
        )
        _ = run.settings  # wrong ones are refused here, before anything that may take long
        prior, pairs = (labelled_by_names(self, given, X) for given in (self.prior, self.pairs))
        return replace(
            run,
            prior=prior_of(prior, oracle.columns, y, classes=classes, tell=self._tell),
            pairs=pairs_of(pairs, oracle.columns, y, classes=classes, tell=self._tell),
        )

    def _tell(self, what: str) -> None:
        """Say what is done before there is a share of it to show."""
        if self.verbose:
            write_aside(sys.stderr, f"{self._label}{what}\n")

    def _extras(self, X: Any) -> list[Extra]:
        """The criteria beyond score and size."""
        if self.criteria is not None and (isinstance(self.criteria, str) or not isinstance(self.criteria, Sequence)):
            raise InputError(f"criteria is a list of criteria and names of criteria, found {self.criteria!r}")
        costs = None if self.costs is None else cost(labelled_by_names(self, self.costs, X))
        return extras_of(self.criteria or (), costs)

    def _set_choice(self, oracle: WrapperOracle, chosen: Mask) -> None:
        """Set the fitted attributes that say what was chosen."""
        self._subset = chosen
        self.attributes_ = oracle.attributes.names
        self.positions_ = oracle.columns.positions
        self.feature_names_ = oracle.attributes.subset(chosen)
        self.best_score_ = self.session_.history.evaluated[chosen].criteria[0]
        self.support_ = np.isin(np.arange(self.n_features_in_), oracle.columns.of(chosen))
        with one_thread():  # the same digits on any number of processors
            self.power_ = self.session_.beliefs.theta.power()
        self.ranking_ = np.empty(self.n_features_in_, dtype=np.intp)
        ranks = ranks_of(self.power_, chosen, self.session_.family.drop)
        for rank, columns in zip(ranks, self.positions_, strict=True):
            self.ranking_[list(columns)] = rank
        self.cv_results_ = results_of(self.session_)
        self.front_ = front_of(self.session_)

    # -- what a fitted selector can say -----------------------------------------------------------

    if not TYPE_CHECKING:  # to a type checker every name would be an attribute

        def __getattr__(self, name: str) -> Any:
            """What is made when it is asked for.

            No properties: who lists all of them, as a notebook that shows a selector does, would wait for a proof.
            """
            made = {"certificate_": self._certified, "interactions_": self._interactions}.get(name)
            if made is None:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            check_is_fitted(self)
            return made()

    def _certified(self) -> dict[str, Any] | None:
        """The certificate, made once."""
        if "_certificate" not in vars(self):
            self._certificate = certificate_of(self.session_, self._subset)
        return deepcopy(self._certificate)

    def _interactions(self) -> NDArray[np.float64]:
        """u_ij of the utility of least norm, symmetric; u_i on the diagonal."""
        with one_thread():
            table: NDArray[np.float64] = self.session_.beliefs.theta.interactions()
        return table

    def best_subset_for(self, utility: Any) -> tuple[str, ...]:
        """The evaluated subset that another utility likes best, by names; nothing is fitted.

        `utility` is an expression or a function, as an `operator` may be. A warning names two subsets where it goes
        against the direction of every criterion.
        """
        check_is_fitted(self)
        wanted = utility_of(self.session_, utility)
        best = best_for(self.session_, wanted)
        against = against_directions(self.session_, wanted, followed=True)
        if against is not None:
            warnings.warn(against, stacklevel=2)
        assert best is not None, "a fitted selector has measured at least one subset of its family"
        return self.session_.history.attributes.subset(best)

    def nested_score(self, X: Any, y: Any, cv: Any = 5, *, n_jobs: int | None = None, **params: Any) -> NestedScore:
        """The honest score: the whole selection is repeated inside each outer fold, and judged outside it.

        The selector need not be fitted, unless its operator is asked: the answers that it gave to the fit, on all rows,
        are reused. A `prior` or `pairs` given by name ("auto", "fisher", "h") are worked out anew in each fold. Those
        given as numbers or as a list are used as they are: where these come from the target of the same rows, as
        ``prior=fisher(X, y)`` does, the score is not honest, and with many features far too high.

        `cv` are the outer folds, given like those of a selector; `n_jobs` of them are played at once, and
        `params` are those of `fit`, where groups stay together in the outer folds, too. The result has `mean`,
        `spread`, `optimism` and `agreement`, and an entry for each fold in `scores`, `selection_scores`,
        `all_features` and `subsets`.
        """
        return nested_score(self, X, y, cv, n_jobs=n_jobs, params=params)

    def pruned_estimator(self, X: Any) -> Any:
        """An unfitted clone of the estimator for the selected columns of X, ready for ``transform(X)``.

        What chooses columns by name, or by a callable that looks at a frame, chooses them by position where `transform`
        makes arrays of frames.
        """
        check_is_fitted(self)
        if is_frame(X):
            require_distinct_labels(X)
        validate_data(self, X, reset=False, skip_check_array=True)
        named = _get_output_config("transform", estimator=self)["dense"] != "default"
        return pruned(self.estimator, X, np.flatnonzero(self.support_).tolist(), named=named)

    # -- scikit-learn ---------------------------------------------------------------------------

    def transform(self, X: Any) -> Any:
        """X with the selected columns; a frame stays one when `set_output` asks for frames."""
        check_is_fitted(self)
        require_array_or_frame(X)
        if not is_frame(X):
            X = checked_array(self, X, dtype=None, accept_sparse="csr", reset=False)
            return _safe_indexing(X, self.support_, axis=1)
        require_distinct_labels(X)
        validate_data(self, X, reset=False, skip_check_array=True)
        chosen = _safe_indexing(X, self.support_, axis=1)  # what was not chosen may hold what no array takes
        wanted = _get_output_config("transform", estimator=self)["dense"]
        if wanted != "default":
            return as_pandas(chosen) if wanted == "pandas" else chosen  # its columns keep their types
        require_finite(self, X, np.flatnonzero(self.support_).tolist())
        warn_of_lost_categories(self.estimator, chosen)
        return check_array(chosen, dtype=None, accept_sparse="csr", ensure_all_finite=False, copy=True)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "support_")

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        mask: NDArray[np.bool_] = self.support_
        return mask

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = get_tags(self.estimator).input_tags.allow_nan or takes_missing(self.estimator)
        tags.input_tags.sparse = takes_sparse(self.estimator)
        tags.target_tags.required = True
        return tags

    def get_metadata_routing(self) -> MetadataRouter:
        """What the estimator, the splitter, the scorer and those among the criteria may be handed by `fit`."""
        return router_of(self)
