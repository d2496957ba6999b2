"""Oracles: what measures a subset. Each holds data and settings, and answers `Evaluate`.

They are by cross-validation (`wrapper`), of the data alone (`filters`), looked up (`table`), and any function
(`function`), such as a hidden truth (`synthetic`). Behind cross-validation: `columns`, `splits`, an estimator cut down
to a subset (`pruning`), work that subsets share (`fast`, `scaled`), and what a choice should beat (`guess`). Besides:
further `criteria` and their `naming`, many subsets at once (`parallel`, `table_writing`), and what tells oracles apart
(`describe`, `code`).
"""

from elicit.oracles.criteria import Extra, Reading, Trial, cost, fit_time, from_callable, scored, stability
from elicit.oracles.filters import FilterOracle
from elicit.oracles.function import CallableOracle
from elicit.oracles.parallel import Remembering, measure_many
from elicit.oracles.synthetic import SyntheticOracle
from elicit.oracles.table import TableOracle
from elicit.oracles.table_writing import Written, write_table
from elicit.oracles.wrapper import WrapperOracle

__all__ = [
    "CallableOracle",
    "Extra",
    "FilterOracle",
    "Reading",
    "Remembering",
    "SyntheticOracle",
    "TableOracle",
    "Trial",
    "WrapperOracle",
    "Written",
    "cost",
    "fit_time",
    "from_callable",
    "measure_many",
    "scored",
    "stability",
    "write_table",
]
