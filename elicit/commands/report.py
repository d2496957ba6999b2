"""elicit report: one self-contained page of a journal."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from elicit.alongside.display import Meter, Update
from elicit.asks import Measured
from elicit.commands.caught_warnings import counted_warnings, warning_lines
from elicit.commands.output import destination, input_files
from elicit.commands.resume import session_section
from elicit.commands.status import DONE, complain, tell
from elicit.errors import InputError
from elicit.journal import Record, read
from elicit.proof.why import Why, otherwise
from elicit.report.content import Content, gather
from elicit.report.model import ModelStory, story_of
from elicit.report.page import page
from elicit.threads import one_thread


def run(args: argparse.Namespace) -> int:
    """Run the command and give its exit status."""
    record = read(args.path)
    section = _section(record, args.path)
    with destination(args.output, args.path, *input_files(section, Path())) as out, one_thread():
        with Meter(sys.stderr) as meter:
            why = Why(record)
            content = gather(why, otherwise(why.beliefs, meter.update))
        story = ModelStory(missing=("the model was not looked at (--no-model)",))
        if not args.no_model:
            with counted_warnings() as warned, Meter(sys.stderr) as meter:
                story = _story(record, content, section, meter.update)
            for line in (*warning_lines(warned, "looking at the model"), *filter(None, [story.complaint])):
                complain(line)
        assert out is not None
        out.write(page(content, story, os.path.basename(args.path)))
    tell(f"{args.output}: the report of {args.path}", sys.stdout)
    return DONE


def _section(record: Record, path: str) -> Mapping[str, Any]:
    """What the oracle was made of; nothing where the record does not say, as a run from Python need not."""
    try:
        return session_section(record, path)
    except InputError:
        return {}


def _story(record: Record, content: Content, section: Mapping[str, Any], progress: Update) -> ModelStory:
    if not section:
        return ModelStory(missing=("the record does not say what the oracle was made of",))
    chosen = {x: result.criteria[0] for x, result in record.cached.items() if isinstance(result, Measured)}
    chosen |= {m.subset: m.values[0] for m in content.measured}
    best = content.recommended.subset
    return story_of(section, best, chosen, record.header.fingerprint, content.family, progress, record.afresh)
