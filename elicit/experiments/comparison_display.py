"""A comparison as a picture: regret against evaluations, one line a method.

It needs matplotlib (the extra "plot"), which is imported only when something is drawn. Colour never carries
meaning alone: lines differ in their dashes and markers, too, and ours is the thick one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from elicit.effects.drawing import axes_for, count_below
from elicit.errors import InputError
from elicit.experiments.results import Results, RunResult
from elicit.methods.registry import classical
from elicit.printable import printable

#: Width and height of a new picture.
SIZE = (9.0, 5.5)

#: What a regret needs.
NEEDS = "it needs an oracle whose best subset is known, a table or a small synthetic one"

#: Markers on a line.
_MARKS = 8

#: Four dashes and nine markers, which have no common divisor: 36 methods can be told apart without colour.
_DASHES, _MARKERS = ("-", "--", "-.", ":"), "os^vD*PX<"


def _filled(run: RunResult, longest: int) -> NDArray[np.float64]:
    """The regret after each of so many evaluations, NaN before it is known; a run that ended keeps its last."""
    trace = [np.nan if regret is None else regret for regret in run["trace"] or ()][:longest]
    found = np.array([np.nan, *trace, *[np.nan] * (longest - len(trace))])
    last = np.maximum.accumulate(np.where(np.isnan(found), 0, np.arange(longest + 1)))
    return np.asarray(found[last][1:])


@dataclass
class ComparisonDisplay:
    """Mean regret of each method after each number of evaluations; `regret` holds one line a method.

    A run that ended early keeps its last regret; before anything was recommended there is none, and a run
    that recommends nothing is left out.
    """

    evaluations: np.ndarray[Any, np.dtype[np.int64]]
    regret: Mapping[str, np.ndarray[Any, np.dtype[np.float64]]]
    ax_: Any = field(default=None, repr=False)
    figure_: Any = field(default=None, repr=False)

    @classmethod
    def of(cls, results: Results) -> Self:
        """Of the results of a comparison; they need a regret, hence an oracle whose best is known."""
        known = [run for run in results if run["regret"] is not None]  # a run may recommend nothing
        if not known:
            raise InputError(f"there is no regret to draw: {NEEDS}, and runs that recommend something")
        longest = max(run["evaluations"] for run in known)
        at = np.arange(1, longest + 1)
        lines = {}
        for method in dict.fromkeys(run["method"] for run in known):
            rows = [_filled(run, longest) for run in known if run["method"] == method]
            lines[method] = np.array(rows).mean(axis=0)  # no mean before every run recommends something
        return cls(at, lines)

    def plot(self, ax: Any = None) -> Self:
        """Draw on `ax`, or on a new one."""
        ax = axes_for(ax, SIZE)
        order = sorted(self.regret, key=lambda method: self.regret[method][-1])
        for k, method in enumerate(order):
            ax.plot(
                self.evaluations,
                self.regret[method],
                _DASHES[k % len(_DASHES)],
                marker=_MARKERS[k % len(_MARKERS)],
                markevery=(k % _MARKS % len(self.evaluations), max(1, len(self.evaluations) // _MARKS)),
                markersize=5,
                linewidth=1.3 if classical(method) else 3,
                label=printable(method).replace("$", r"\$"),
            )
        ax.set(xlabel="evaluations", ylabel="mean regret")
        count_below(ax)
        ax.update_datalim([(1, 0.0)])  # 0 is the best there is; a line there lies above the frame, not on it
        ax.set_yscale("symlog", linthresh=1e-3)
        ax.legend(title="best at the end first", fontsize="small", loc="upper left", bbox_to_anchor=(1.01, 1.0))
        self.ax_, self.figure_ = ax, ax.figure
        return self
