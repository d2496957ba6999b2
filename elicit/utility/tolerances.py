"""The numerical tolerances by which the sets of utilities decide and certificates are made, by name."""

from __future__ import annotations

#: Two utilities, regrets or prices closer than this are equal when a decision is taken.
DECISION = 1e-6

#: Margin δ of a strict statement in the exact slice |θ| ≤ 1. Below `SMALLEST_MARGIN` a contradiction
#: of two rows already looks consistent to a solver working in floats.
MARGIN = 1e-3
SMALLEST_MARGIN = 1e-6

#: A monomial joins a program by column generation when it breaks its bound by more than this.
PRICING = 1e-7

#: Multipliers below this are noise of the solver.
MULTIPLIER = 1e-9

#: The denominator of the multipliers that a certificate states, and the nudge that makes a float
#: acceptance hold exactly.
DENOMINATOR = 1 << 32
NUDGE = 1e-9
