"""The grammar: every command with its arguments, and nothing that takes time to load.

What a command does is in the file of its name, which the command line imports once it is known that the
command was given and that its arguments can be read. So help, and what is wrong with arguments, come at once.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any, TypeVar

from elicit.commands.arguments import count, folds, jobs, natural
from elicit.data import BUILT_IN
from elicit.events import EXTRAS

#: The model when none is named.
CLASSIFIER, REGRESSOR = "logistic", "ridge"
TABLE_MODEL = "knn:3"

#: Subsets that `best` lists unless told otherwise.
LISTED = 5

#: The scores that are shown when none is asked for, as far as they serve the target.
FIRST_SCORES = ("correlation", "fisher", "mutual-information", "relieff", "rrelieff", "trees")

#: The scores that --model may give a model to.
EXPLAINED = ("permutation", "shapley", "johnson-shapley", "pimp")

#: What `score --reproduce` knows.
TABLE_SETS = ("shares",)

P = TypeVar("P", bound=argparse.ArgumentParser)

#: What several commands take is said once; a command adds in which way it differs.
_SHARED: Mapping[str, Mapping[str, Any]] = {
    "data": {"metavar": "DATA", "help": f"a CSV file (.gz too), or {', '.join(BUILT_IN)}"},
    "path": {"metavar": "JOURNAL", "help": "the journal of the session"},
    "--target": {"metavar": "COL", "help": "the column of a file that is to be predicted"},
    "--holds": {"metavar": "KIND", "help": "classes or numbers, which the target holds (default: by model and look)"},
    "--tidy": {"action": "store_true", "help": "let values be missing, leave out columns that say nothing"},
    "--groups": {"default": "", "metavar": "G=A,B;H=C,D", "help": "columns that together are one attribute"},
    "--scoring": {"metavar": "NAME", "help": "a scorer of scikit-learn (default: the model's own)"},
    "--folds": {"type": folds, "metavar": "N", "help": "folds (default 10)"},
    "--drop": {"default": "", "metavar": "A,B", "help": "attributes to leave out"},
    "--max-size": {"type": count, "metavar": "N", "help": "the most attributes of a subset"},
    "-o": {"metavar": "OUT.csv", "help": "write the data with the recommended columns only"},
    "--n-jobs": {"type": jobs, "metavar": "N", "help": "processes (default: all)"},
}


#: The sections of a scenario with their keys, those that are needed first.
_SCENARIO = (
    "A scenario is a TOML file; scenarios/wine_live.toml is a short one. [oracle]: kind = table (path; minimise), "
    "wrapper (data, model; folds, scoring, random_state, stability, fit_time, scorers), filter (data, merit; scores, "
    "bins) or synthetic (n; interaction, size); where there are data also target, holds, tidy, group_col, groups, "
    "dropped, costs, cost_unit. [operator], or [[operator]] several times: utility, order (with steps) or hidden; "
    "name, noise, hesitation. [elicit], or [[elicit]] several times: what elicit --defaults prints of the search, and "
    "name, preset, keep, drop, max_size, prior. [experiment]: seeds, methods, goal, trace_every. A key that is not "
    "known is refused, and the nearest is named."
)


def add_commands(commands: argparse._SubParsersAction[P]) -> None:
    """Make every command known to the parser, which notes the name of the one that is given."""
    for add in (_ask, _resume, _run, _compare, _table, _verify, _why, _best, _report, _score):
        add(commands)


def _shared(command: argparse.ArgumentParser, name: str, *others: str, **differs: Any) -> None:
    """Let a command take a shared argument, perhaps by other names as well."""
    command.add_argument(name, *others, **{**_SHARED[name], **differs})


def _as_said(command: argparse.ArgumentParser, *names: str) -> None:
    """Let a command take shared arguments just as they are said once for all."""
    for name in names:
        _shared(command, name)


def _played(command: argparse.ArgumentParser) -> None:
    """What the two commands that play scenarios take."""
    command.add_argument("--json", metavar="OUT", help="write every result to this file")
    command.add_argument("--budget", type=count, metavar="N", help="another budget of oracle calls")
    command.add_argument("--seeds", type=count, metavar="N", help="another number of seeds")
    _shared(command, "--n-jobs", help="runs at once (default: all processors for a table)")
    command.add_argument("--journals", metavar="FOLDER", help="keep every run there, and go on with what is there")


def _ask(commands: argparse._SubParsersAction[P]) -> None:
    command = commands.add_parser("ask", help="a session on your data", allow_abbrev=False)
    _as_said(command, "data", "--target", "--holds")
    command.add_argument("--model", metavar="M", help=f"such as knn:3, forest:100 (default {CLASSIFIER}, {REGRESSOR})")
    _shared(command, "--scoring")
    command.add_argument(
        "--criteria", metavar="A,B", default="", help=f"more criteria: {', '.join(EXTRAS)}, or scorers"
    )
    command.add_argument("--cost", metavar="FILE", help="a CSV of attribute,cost: adds the criterion cost")
    command.add_argument("--keep", default="", metavar="A,B", help="attributes in every subset")
    _as_said(command, "--drop", "--max-size", "--groups")
    _shared(command, "--folds", "--cv", default=10)  # sessions were begun with --cv before, and scripts say so still
    command.add_argument("--group-col", metavar="COL", help="rows with the same value here stay in one fold")
    command.add_argument(
        "--journal",
        metavar="PATH",
        default=argparse.SUPPRESS,  # what stands before the command is not overwritten
        help="where the session is kept (default: beside you, by name)",
    )
    command.add_argument("--budget", type=count, metavar="N", help="subsets to evaluate at most")
    command.add_argument("--questions", type=natural, metavar="N", help="questions at most (default 9)")
    command.add_argument(
        "--check-every", type=natural, metavar="N", help="answers between two checks (default 3), 0 for none"
    )
    command.add_argument(
        "--prior", metavar="SCORE", help="a score, such as relieff, that says of which attributes to expect most"
    )
    command.add_argument("--assume", metavar="HOW", help="linear or additive: what an answer implies of other subsets")
    command.add_argument(
        "--seed", type=natural, default=0, metavar="N", help="another course of the session (default 0)"
    )
    _shared(command, "-o", "--output")
    _shared(command, "--n-jobs")


def _resume(commands: argparse._SubParsersAction[P]) -> None:
    command = commands.add_parser(
        "resume", help="go on exactly where a session stopped, or further", allow_abbrev=False
    )
    _shared(command, "path")
    command.add_argument("--budget", metavar="N", help="oracle calls in all from now on, or with + that many more")
    command.add_argument("--undo", type=count, metavar="N", help="take the answer to question N back first")
    _shared(command, "-o", "--output")
    _shared(command, "--n-jobs")


def _run(commands: argparse._SubParsersAction[P]) -> None:
    command = commands.add_parser(
        "run", help="simulated operators over many seeds, from a file", epilog=_SCENARIO, allow_abbrev=False
    )
    command.add_argument("scenario", metavar="SCENARIO.toml")
    _played(command)


def _compare(commands: argparse._SubParsersAction[P]) -> None:
    command = commands.add_parser(
        "compare", help="every method on the same oracle, side by side", epilog=_SCENARIO, allow_abbrev=False
    )
    command.add_argument(
        "scenarios", metavar="SCENARIO.toml", nargs="*", help="a file, or several (a folder): a suite, in one table"
    )
    command.add_argument("--list", action="store_true", help="print the methods that a scenario may name")
    command.add_argument(
        "--choices",
        metavar="FILE",
        help="play its [[elicit]] choices on each table: what do the others choose?",
    )
    _played(command)
    command.add_argument("--plot", metavar="FILE", help="draw regret against evaluations (.png, .svg or .pdf)")


def _table(commands: argparse._SubParsersAction[P]) -> None:
    command = commands.add_parser("table", help="evaluate every subset, to an oracle table", allow_abbrev=False)
    _as_said(command, "data", "--target", "--holds", "--tidy")
    command.add_argument(
        "--model", default=TABLE_MODEL, metavar="M", help=f"such as logistic, ridge (default {TABLE_MODEL})"
    )
    _shared(command, "--folds", default=10)
    _as_said(command, "--scoring", "--drop", "--max-size")
    command.add_argument("-o", "--output", required=True, metavar="T.csv.gz", help="the table to write")
    _shared(command, "--n-jobs", help="evaluations at once")


def _verify(commands: argparse._SubParsersAction[P]) -> None:
    command = commands.add_parser(
        "verify",
        help="re-check all that a session claims, exactly; exit 1 when it does not hold",
        description="Re-checks in exact arithmetic, without a solver: that every line is as it was written, which "
        "statements follow from the measurements and answers, and each claim with its proof at its scope. "
        "Exit 1 with the first step that does not hold.",
        allow_abbrev=False,
    )
    _shared(command, "path")


def _why(commands: argparse._SubParsersAction[P]) -> None:
    command = commands.add_parser(
        "why",
        help="why this subset and not another, in your own answers",
        description="Why the recommended subset, or why not another: the causes with their share of the proof, the "
        "answers that matter, and what other answers would have led to. Nothing is measured anew.",
        allow_abbrev=False,
    )
    _shared(command, "path")
    command.add_argument("--not", dest="rival", metavar="A,B,…", help="why not this subset: its attributes")
    command.add_argument("--all", action="store_true", help="every cause, not only the first ones")


def _best(commands: argparse._SubParsersAction[P]) -> None:
    command = commands.add_parser(
        "best",
        help="what another utility would choose on the same record",
        description="Ranks what was measured by a utility, such as 'score - 0.01 * size'. Nothing is measured anew, "
        "so it speaks of the measured subsets alone.",
        allow_abbrev=False,
    )
    _shared(command, "path")
    command.add_argument("--utility", required=True, metavar="EXPR", help="arithmetic on the criteria; more is better")
    command.add_argument("--top", type=count, default=LISTED, metavar="N", help=f"subsets listed (default {LISTED})")


def _report(commands: argparse._SubParsersAction[P]) -> None:
    command = commands.add_parser(
        "report",
        help="one self-contained page of a session",
        description="Writes one page that needs no network: the result and what is proven of it, the front, why, what "
        "the model does with the chosen subset, every question and answer, and how to reproduce it.",
        allow_abbrev=False,
    )
    _shared(command, "path")
    command.add_argument("-o", "--output", required=True, metavar="OUT.html", help="the page to write")
    command.add_argument("--no-model", action="store_true", help="leave out what needs the model to be fitted again")


def _score(commands: argparse._SubParsersAction[P]) -> None:
    command = commands.add_parser("score", help="attribute scores side by side", allow_abbrev=False)
    _shared(command, "data", nargs="?")
    command.add_argument("--list", action="store_true", help="every score with its meaning and its options")
    _as_said(command, "--target", "--holds", "--tidy", "--groups", "--drop")
    command.add_argument(
        "--by", metavar="A,B", help=f"scores by name (default: {', '.join(FIRST_SCORES)}, where they serve)"
    )
    command.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="SCORE.NAME=VALUE",
        help="an option of a score, such as relieff.neighbours=20",
    )
    command.add_argument("--relevance", action="store_true", help="relevant, weakly relevant or irrelevant to a model")
    command.add_argument("--model", metavar="M", help=f"for --relevance and {', '.join(EXPLAINED)}, such as knn:3")
    _shared(command, "--folds", help="folds of --relevance (default 10)")
    command.add_argument("--subsets", type=count, metavar="N", help="random subsets tried by --relevance")
    command.add_argument("--reproduce", choices=TABLE_SETS, help="published tables beside what is computed here")
    command.add_argument("--level", type=float, metavar="P", help="of the tests of --relevance (default 0.05)")
    command.add_argument("--json", metavar="OUT", help="write everything to this file")
