"""Data: a file, or a name, as columns and a target; what is odd about it; and models by name."""

from elicit.data.attributes import LEFT_OUT
from elicit.data.loading import BUILT_IN, Data, load, refuse_gaps, refuse_part, regrouped, without
from elicit.data.models import model_of

__all__ = ["BUILT_IN", "LEFT_OUT", "Data", "load", "model_of", "refuse_gaps", "refuse_part", "regrouped", "without"]
