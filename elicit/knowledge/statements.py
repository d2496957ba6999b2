"""A statement says that one subset is better than, at least as good as, or equal to another.

Each carries its source, so that an explanation can name it and a repair can retract it. R is a list
of statements; this file knows its logic (cycles, transitive reduction), not its numbers.
"""

from __future__ import annotations

import enum
from collections import deque
from collections.abc import Collection, Container, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

from elicit.errors import InputError
from elicit.knowledge.dominance import covering_pairs, topological_order
from elicit.subsets import Mask, members


class Relation(enum.StrEnum):
    """How the two subsets of a statement compare: ≻, ≽ or ~."""

    STRICT = "strict"
    WEAK = "weak"
    EQUAL = "equal"


class Source(enum.StrEnum):
    """Who says so."""

    DOMINANCE = "dominance"
    OPERATOR = "operator"
    PRIOR = "prior"
    DEDUCED = "deduced"


#: c_r: how much breaking a statement costs. An operator's word weighs more than a measured difference.
WEIGHTS = {Source.DOMINANCE: 1.0, Source.OPERATOR: 3.0, Source.PRIOR: 1.0, Source.DEDUCED: 1.0}


#: Around settled contradictions another one is looked for by leaving answers out: so many choices of them are tried for
#: each statement. One found by none stays untold, which does no harm: answers that clash are weighed all the same.
MOST_WITHOUT = 1000


@dataclass(frozen=True)
class Statement:
    """`better` ≻, ≽ or ~ `worse`, said by `source` in reply to `request` (None for dominance)."""

    better: Mask
    worse: Mask
    relation: Relation = Relation.STRICT
    source: Source = Source.OPERATOR
    weight: float = 1.0
    request: int | None = None

    def __post_init__(self) -> None:
        for mask in (self.better, self.worse):
            if type(mask) is not int:  # an integer of numpy has a fixed width, and lacks what a mask can do
                raise InputError(
                    f"a statement compares two integer masks, found {mask!r:.40}; Attributes.mask(names) makes one"
                )
        if self.better <= 0 or self.worse <= 0:
            raise InputError("a statement compares two non-empty subsets, one of these is empty")
        if self.better == self.worse:
            raise InputError(f"a statement of subset {self.better} against itself says nothing; leave it out")
        if not 0 < self.weight < float("inf"):
            raise InputError(f"a statement's weight must be positive and finite, found {self.weight}")
        # the text "strict" is accepted for Relation.STRICT, but as a text it would be neither strict nor equal
        for name, kind in (("relation", Relation), ("source", Source)):
            given = getattr(self, name)
            if not isinstance(given, kind):
                if given not in list(kind):
                    raise InputError(f"a statement's {name} is one of {', '.join(kind)}; found {given!r:.40}")
                object.__setattr__(self, name, kind(given))

    @property
    def strict(self) -> bool:
        """Whether the statement demands a margin."""
        return self.relation is Relation.STRICT

    @property
    def edges(self) -> tuple[tuple[Mask, Mask], ...]:
        """The statement as 'at least as good' edges: an equality goes both ways."""
        forward = (self.better, self.worse)
        return (forward, forward[::-1]) if self.relation is Relation.EQUAL else (forward,)


#: For each subset those that a statement puts below it, or level with it, and the statement.
EdgesDown = dict[Mask, list[tuple[Mask, Statement]]]


def edges_down(statements: Iterable[Statement]) -> EdgesDown:
    """The statements by the subset that they put above."""
    outgoing: EdgesDown = {}
    for statement in statements:
        for above, below in statement.edges:
            outgoing.setdefault(above, []).append((below, statement))
    return outgoing


def contradiction(statements: Sequence[Statement], settled: Collection[tuple[int, ...]] = ()) -> tuple[Statement, ...]:
    """The shortest cycle through a strict statement, () when there is none.

    Such a cycle is a contradiction for any utility; no program is needed to see it. A cycle with answers that are
    `settled` together is passed over, and others are looked for, through the same statement too.
    """
    outgoing, settled = edges_down(statements), sorted(settled)
    # a cycle stays within one component, and most components are a single subset
    component = _components(outgoing)
    outgoing = {
        above: [(below, s) for below, s in edges if component[below] == component[above]]
        for above, edges in outgoing.items()
    }
    best: tuple[Statement, ...] = ()
    for statement in statements:
        if statement.strict and component[statement.better] == component[statement.worse]:
            path = _way_back(outgoing, statement, settled, len(best) - 2 if best else None)
            if path is not None:
                best = (statement, *path)
    return best


def _way_back(
    outgoing: EdgesDown, statement: Statement, settled: Collection[tuple[int, ...]], longest: int | None
) -> list[Statement] | None:
    """The fewest statements that close a cycle with this one, none with answers that are settled together.

    Of answers that are, each in turn is done without, to find the cycles that lack it.
    """
    found: list[Statement] | None = None
    waiting = [frozenset[int]()]
    for without in waiting:  # grows while it is read
        path = _shortest_path(outgoing, statement.worse, statement.better, longest, without)
        if path is None:
            continue
        known = settled_among(answers_of((statement, *path)), settled)
        if known is None:
            found, longest = path, len(path) - 1
            continue
        more = [without | {request} for request in known if request != statement.request]
        waiting += [fewer for fewer in more if fewer not in waiting][: max(0, MOST_WITHOUT - len(waiting))]
    return found


def settled_among(answers: Collection[int], settled: Collection[tuple[int, ...]]) -> tuple[int, ...] | None:
    """Those of these answers whose contradiction the operator has already looked at, if any."""
    return next((known for known in settled if set(known) <= set(answers)), None)


def answers_of(statements: Iterable[Statement]) -> tuple[int, ...]:
    """The requests whose answers are among these statements, in their order."""
    return tuple(sorted(s.request for s in statements if s.source is Source.OPERATOR and s.request is not None))


def uncontradicted(statements: Sequence[Statement]) -> tuple[Statement, ...]:
    """The statements that lie on no cycle with a strict step: nothing stated leads back up from below."""
    component = _components(edges_down(statements))
    circling = {component[s.better] for s in statements if s.strict and component[s.better] == component[s.worse]}
    return tuple(
        s for s in statements if component[s.better] != component[s.worse] or component[s.better] not in circling
    )


def standing(statements: Sequence[Statement]) -> tuple[Statement, ...]:
    """The statements that order subsets for good: answers that go in circles cancel out, dominance never does.

    No chain of these leads by a strict step back to where it began, for dominance alone goes in no circle.
    """
    kept = set(uncontradicted(statements))
    return tuple(s for s in statements if s in kept or s.source is Source.DOMINANCE)


def beaten(statements: Sequence[Statement], among: Container[Mask]) -> set[Mask]:
    """Those that a strict statement which stands puts below one of these (a prior may name others)."""
    return {s.worse for s in standing(statements) if s.strict and s.better in among}


def reachable(start: Mask, outgoing: Mapping[Mask, Set[Mask]]) -> set[Mask]:
    """All subsets that steps lead to from this one; itself too, where they lead back."""
    found: set[Mask] = set()
    waiting = [start]
    while waiting:
        fresh = outgoing.get(waiting.pop(), frozenset()) - found
        found |= fresh
        waiting.extend(fresh)
    return found


def reachable_by_steps(starts: Iterable[Mask], outgoing: EdgesDown) -> set[tuple[Mask, bool]]:
    """All that chains of statements lead down to from any of these, itself included, and whether by a strict step."""
    found = {(start, False) for start in starts}
    waiting = list(found)
    while waiting:
        here, strictly = waiting.pop()
        for below, statement in outgoing.get(here, ()):
            step = (below, strictly or statement.strict)
            if step not in found:
                found.add(step)
                waiting.append(step)
    return found


def _components(outgoing: EdgesDown) -> dict[Mask, Mask]:
    """The strongly connected component of every subset, named by one of its members (Kosaraju's algorithm)."""
    incoming: dict[Mask, list[Mask]] = {}
    for above, edges in outgoing.items():
        for below, _ in edges:
            incoming.setdefault(below, []).append(above)
    finished: list[Mask] = []
    seen: set[Mask] = set()
    for root in outgoing:
        path = [] if root in seen else [(root, iter(outgoing[root]))]
        seen.add(root)
        while path:
            here, rest = path[-1]
            fresh = next((below for below, _ in rest if below not in seen), None)
            if fresh is None:
                finished.append(here)
                path.pop()
            else:
                seen.add(fresh)
                path.append((fresh, iter(outgoing.get(fresh, ()))))
    component: dict[Mask, Mask] = {}
    for root in reversed(finished):
        waiting = [] if root in component else [root]
        while waiting:
            here = waiting.pop()
            component[here] = root
            waiting += [above for above in incoming.get(here, ()) if above not in component]
    return component


def _shortest_path(
    outgoing: EdgesDown, start: Mask, goal: Mask, longest: int | None, without: Set[int]
) -> list[Statement] | None:
    """The fewest statements that lead from start down to goal (breadth first); None where `longest` are too few.

    The answers to the requests `without` lead nowhere.
    """
    predecessor: dict[Mask, tuple[Mask, Statement] | None] = {start: None}
    depth = {start: 0}
    waiting = deque([start])
    while waiting:
        here = waiting.popleft()
        if here == goal:
            path = []
            while (step := predecessor[here]) is not None:
                here = step[0]
                path.append(step[1])
            return path[::-1]
        if longest is not None and depth[here] >= longest:
            continue
        for below, statement in outgoing.get(here, ()):
            barred = statement.source is Source.OPERATOR and statement.request in without
            if below not in predecessor and not barred:
                predecessor[below] = (here, statement)
                depth[below] = depth[here] + 1
                waiting.append(below)
    return None


def transitive_reduction(statements: Iterable[Statement]) -> tuple[Statement, ...]:
    """The statements without those that the others imply by transitivity.

    It serves the exact set, where an implied row changes nothing, and deduction, which keeps only what nothing else
    implies. Equalities are kept, and imply nothing here. Of a list with a cycle only the duplicates are removed.
    """
    kept = _strongest_by_pair(statements)
    edges = {pair: s for pair, s in kept.items() if s.relation is not Relation.EQUAL}
    place = {mask: k for k, mask in enumerate(sorted({m for pair in edges for m in pair}))}
    direct = [0] * len(place)
    for better, worse in edges:
        direct[place[better]] |= 1 << place[worse]
    order = topological_order(direct)
    if order is None:
        return tuple(kept.values())
    rank = {old: new for new, old in enumerate(order)}
    place = {mask: rank[k] for mask, k in place.items()}
    needed = _edges_to_keep(edges, place)
    return tuple(s for pair, s in kept.items() if s.relation is Relation.EQUAL or pair in needed)


def _edges_to_keep(edges: dict[tuple[Mask, Mask], Statement], place: dict[Mask, int]) -> set[tuple[Mask, Mask]]:
    """The edges that no path of the others implies; only a path with a strict step implies a strict edge."""
    masks = sorted(place, key=place.__getitem__)
    strict, every, strictly_above, above = ([0] * len(masks) for _ in range(4))
    for (better, worse), statement in edges.items():
        i, j = place[better], place[worse]
        every[i] |= 1 << j
        above[j] |= 1 << i
        if statement.strict:
            strict[i] |= 1 << j
            strictly_above[j] |= 1 << i
    needed = {(masks[i], masks[j]) for i, j in covering_pairs(every)}
    reaching, reaching_strictly = _closures(above, strictly_above)
    for (better, worse), statement in edges.items():
        if statement.strict and (better, worse) not in needed:
            i, j = place[better], place[worse]
            if not every[i] & reaching_strictly[j] and not strict[i] & reaching[j]:
                needed.add((better, worse))
    return needed


def _closures(above: list[int], strictly_above: list[int]) -> tuple[list[int], list[int]]:
    """Bits of what reaches each at all, and of what does by a path with a strict step; numbered topologically."""
    reaching, reaching_strictly = [0] * len(above), [0] * len(above)
    for j, row in enumerate(above):
        reaching_strictly[j] = strictly_above[j]
        reaching[j] = row
        for k in members(row):
            reaching[j] |= reaching[k]
            reaching_strictly[j] |= reaching[k] if strictly_above[j] >> k & 1 else reaching_strictly[k]
    return reaching, reaching_strictly


def _strongest_by_pair(statements: Iterable[Statement]) -> dict[tuple[Mask, Mask], Statement]:
    """One statement for each ordered pair: a strict one wins over a weak one, the first over a repeat.

    An equality has its sorted pair, negated, for its key, so that it never hides an order between the same two.
    """
    kept: dict[tuple[Mask, Mask], Statement] = {}
    for s in statements:
        pair = (s.better, s.worse)
        if s.relation is Relation.EQUAL:
            pair = (-min(pair), -max(pair))
        if pair not in kept or (s.strict and not kept[pair].strict):
            kept[pair] = s
    return kept
