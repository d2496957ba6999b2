"""Either set of utilities: the exact one, seen through its slice, or the parsimonious one.

Both say what they are (`n`, `evaluated`, `statements`, `support`, `monomials`, `scope`, `frame`, `meaning`, `budget`,
`clear`), whether they decide anything (`informative`, `empty`, and why by `conflict`), and answer the same: `maximum`,
`verdict`, `excluded`, `upper_bounds`, `candidates`, `rivals`, `admits`; `inside` is a θ that is at hand. A set must
not be `empty` where a number is asked for.
"""

from __future__ import annotations

from elicit.utility.exact import ExactSet
from elicit.utility.parsimony import ParsimoniousSet

AnySet = ExactSet | ParsimoniousSet
