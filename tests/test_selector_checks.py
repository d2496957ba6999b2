"""scikit-learn's own checks, all of them: no failure, and none expected."""

from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.utils.estimator_checks import parametrize_with_checks

from elicit.selector import ElicitSelector


@parametrize_with_checks(
    [
        ElicitSelector(LogisticRegression(), cv=3, budget=6),
        ElicitSelector(LinearRegression(), cv=3, budget=6),
    ]
)
def test_scikit_learn_finds_nothing_to_complain_about(estimator, check):
    check(estimator)
