"""A journal is a run as lines of JSON: a header, then one fact a line, each synced before it counts.

    {"journal": 2, "seed": 0, "settings": {…}, "fingerprint": "…", "attributes": […], "criteria": […],
     "versions": {…}, "crc": "…"}
    {"fact": "evaluated", "request": 0, "subset": ["alcohol"], "criteria": [0.7, 1.0], …, "crc": "…"}
    {"cache": "measured", "subset": ["hue"], "criteria": [0.6, 1.0], …, "crc": "…"}
    {"afresh": "measured", "seed": 1000, "subset": ["alcohol"], "criteria": [0.7, 1.0], …, "crc": "…"}
    {"claim": {"subset": ["alcohol"], "statements": […], "proofs": […], …}, "crc": "…"}

Subsets are lists of names in attribute order, floats are written so that they read back exactly, and
whatever is not ASCII is escaped. A cache line holds a result computed ahead of need, an "afresh" line one on
folds shuffled by another seed, for judging what was chosen. They belong to the journal but not to the run:
`identity` leaves them out, and the optional "time" of any line.
A claim line says what the facts above it prove (see `proof.claims`); it follows from them, so it is left out too.

"crc" is the CRC-32 of the line before ", "crc"", continued from that of the line above. So a changed,
missing or moved line is found, and named. The one damage that is no error is a last line without its
newline: its fact was never acknowledged, and it is dropped. In format 1 it was called "check", which is also a
field of an "asked" line, so that other readers of JSON lost one of the two.
"""

from __future__ import annotations

from elicit.journal.files import StrPath
from elicit.journal.lines import FORMAT
from elicit.journal.reading import begun, header_at, identity, is_journal, read
from elicit.journal.record import LIBRARIES, Claimed, Header, Record, Shuffled, library_versions, other_versions
from elicit.journal.writing import Journal

__all__ = [
    "FORMAT",
    "LIBRARIES",
    "Claimed",
    "Header",
    "Journal",
    "Record",
    "Shuffled",
    "StrPath",
    "begun",
    "header_at",
    "identity",
    "is_journal",
    "library_versions",
    "other_versions",
    "read",
]
