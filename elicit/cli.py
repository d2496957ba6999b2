"""The command line: `elicit` and its commands, each a few calls to the rooms that do the work.

Exit status: 0 done, 1 a check does not hold, 2 bad input (one line: what, where, remedy), 130 interrupted.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, NoReturn, TextIO

from elicit import __version__
from elicit.asks import Compare, Oracle, Reconcile, Settlement
from elicit.data import BUILT_IN
from elicit.decide.settings import PRESETS, Settings
from elicit.display import Meter, clock_time, standing, told
from elicit.drive import Progress, Result, Session, begin, drive, resume
from elicit.errors import CertificateError, ElicitError, InputError, JournalError
from elicit.events import Answer
from elicit.journal import begun, read
from elicit.knowledge.statements import WEIGHTS, Relation, Source, Statement
from elicit.operators.lines import Leave, LineOperator, printable
from elicit.oracles import write_table
from elicit.scenario import Standing, SyntheticSpec, oracle_from, read_scenario, run_scenario, summary
from elicit.subsets import Attributes, Family

DONE, DOES_NOT_HOLD, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130

#: What `elicit` without an argument is about.
FIRST_SESSION = {"kind": "wrapper", "data": "wine", "model": "knn:3", "folds": 10}

#: The meaning of every setting, for `elicit --defaults`.
MEANINGS: Mapping[str, str] = {
    "budget": "oracle calls; none: n(n+1)/2, at least 20, at most 10 n, never more than there are subsets",
    "questions": "the most questions put to the operator",
    "parsimony": 'tau of the parsimonious set, or "exact" for the exact set',
    "slack": "C, the weight of setting a statement aside",
    "weights": "w, the price of a unit of utility by degree: single attributes, pairs, triples",
    "degree": "the largest group of attributes with a utility of its own",
    "explore": "how subsets are proposed: model, law, sequential or sequential-source",
    "theta": "the utility that ranks what was not evaluated: L2, L1 or max-margin",
    "index": "the power index: of that utility (theta), or over the set of utilities (gap, joint)",
    "index_samples": "sampled subsets behind an index over the set",
    "law": "how a subset is drawn from the power index",
    "temperature": "T of the logistic law: the larger, the more even the draws",
    "draws": "draws from which the best is proposed",
    "neighbours": "share of the proposals that are neighbours of the current best",
    "start": "subsets evaluated before anything is modelled",
    "patience": "rejections in a row after which the cheapest of the rejected is evaluated all the same",
    "policy": "who is compared: favourite, current, split, ranking, one-flip or none",
    "ask_every": "evaluations between two questions; 0: whenever there is something to ask",
    "last_questions": "questions kept for the end",
    "check_every": "answers after which one question repeats what they imply; 0: never",
    "stop": "rules that may end the run besides the budget",
    "epsilon": "model regret at which the rule `regret` stops",
    "rejections": "rejections in a row at which the rule `rejections` stops",
    "effort": "subcubes that a check of optimality over all subsets may look at",
    "batch": "evaluations that may be open at once",
    "noise_level": "level at which paired fold scores must differ for dominance; 0: means as they are",
}


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        _complain(f"{message}; {self.prog} --help shows what is possible")
        raise SystemExit(BAD_INPUT)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and give its exit status."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a name that the terminal cannot show is escaped
            stream.reconfigure(errors="backslashreplace")
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    try:
        args = _parser().parse_args(argv)
        status: int = args.command(args)
        sys.stdout.flush()
    except KeyboardInterrupt:
        _complain("interrupted")
        return INTERRUPTED
    except CertificateError as error:
        _complain(str(error))
        return DOES_NOT_HOLD
    except ElicitError as error:
        _complain(str(error))
        return BAD_INPUT
    except OSError as error:  # what is left of files: the standard streams
        _complain(f"the output cannot be written ({error.strerror or error}); give it room, or another place")
        _abandon(sys.stdout)
        return BAD_INPUT
    return status


def _complain(message: str) -> None:
    """One line on the standard error, whatever the message holds."""
    line = printable(" ".join(message.split("\n")))
    with suppress(OSError):
        sys.stderr.write(f"elicit: {line}\n")
        sys.stderr.flush()


def _abandon(stream: TextIO) -> None:
    """Let what a stream still holds go nowhere, so that the end of the program does not complain again."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def _parser() -> _Parser:
    parser = _Parser(
        prog="elicit",
        description="The subset of features that is best for its operator, with few evaluations and few questions. "
        "Without a command: a session on the built-in wine data.",
        epilog="Answers in a session, one a line: a, b, equal, cannot, later, quit. The end of the input saves and "
        "leaves. Exit status: 0 done, 1 a check does not hold, 2 bad input, 130 interrupted.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"elicit {__version__}")
    parser.add_argument("--defaults", action="store_true", help="print every default with its meaning")
    parser.add_argument("--journal", metavar="PATH", help="where the session without a command is kept")
    parser.set_defaults(command=_no_command)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    _add_resume(commands)
    _add_run(commands)
    _add_table(commands)
    return parser


def _add_resume(commands: Any) -> None:
    command = commands.add_parser(
        "resume", help="go on exactly where a session stopped, or further", allow_abbrev=False
    )
    command.add_argument("path", metavar="JOURNAL", help="the journal of the session")
    command.add_argument("--budget", metavar="N", help="oracle calls in all from now on, or with + that many more")
    command.add_argument("--n-jobs", type=_jobs, metavar="N", help="evaluations at once")
    command.set_defaults(command=_resume)


def _add_run(commands: Any) -> None:
    command = commands.add_parser("run", help="simulated operators over many seeds, from a file", allow_abbrev=False)
    command.add_argument("scenario", metavar="SCENARIO.toml")
    command.add_argument("--json", metavar="OUT", help="write every result to this file")
    command.add_argument("--budget", type=_count, metavar="N", help="another budget of oracle calls")
    command.add_argument("--seeds", type=_count, metavar="N", help="another number of seeds")
    command.add_argument("--n-jobs", type=_jobs, metavar="N", help="runs at once")
    command.set_defaults(command=_run)


def _add_table(commands: Any) -> None:
    command = commands.add_parser("table", help="evaluate every subset, to an oracle table", allow_abbrev=False)
    command.add_argument("data", metavar="DATA", help=f"a CSV file (.gz too), or {', '.join(BUILT_IN)}")
    command.add_argument("--target", metavar="COL", help="the column of a file that is to be predicted")
    command.add_argument("--model", default="knn:3", metavar="M", help="such as knn:3, logistic, ridge (default knn:3)")
    command.add_argument("--folds", type=_count, default=10, metavar="N", help="folds (default 10)")
    command.add_argument("--scoring", metavar="NAME", help="a scorer of scikit-learn (default: the model's own)")
    command.add_argument("--drop", default="", metavar="A,B", help="attributes to leave out")
    command.add_argument("--max-size", type=_count, metavar="N", help="the most attributes of a subset")
    command.add_argument("-o", "--output", required=True, metavar="T.csv.gz", help="the table to write")
    command.add_argument("--n-jobs", type=_jobs, metavar="N", help="evaluations at once")
    command.set_defaults(command=_table)


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number of at least 1, found {text!r}")
    return int(text)


def _jobs(text: str) -> int:
    try:
        jobs = int(text)
    except ValueError:
        jobs = 0
    if jobs == 0:
        raise argparse.ArgumentTypeError(f"expected a number of jobs, or -1 for every processor, found {text!r}")
    return jobs


# --- sessions ----------------------------------------------------------------------------------------


def _no_command(args: argparse.Namespace) -> int:
    if args.defaults:
        print("\n".join(_defaults()))
        return DONE
    oracle = _oracle(FIRST_SESSION, Path())
    path = _free_path("elicit-wine") if args.journal is None else args.journal
    with begin(path, oracle, about={"oracle": FIRST_SESSION}) as session:
        return _play(session, oracle, path)


def _resume(args: argparse.Namespace) -> int:
    record = read(args.path)
    about = record.header.settings.get("about")
    section = about.get("oracle") if isinstance(about, dict) else None
    if not isinstance(section, dict):
        raise InputError(
            f"journal {args.path!r} does not say what its oracle was made of; resume it from Python, "
            "with elicit.drive.resume"
        )
    try:
        oracle = _oracle(section, Path())
    except InputError as error:
        raise JournalError(f"journal {args.path!r}: its oracle cannot be made again: {error}") from error
    with resume(args.path, oracle) as session:
        if args.budget is not None:
            session.elicitation.resume(_budget(args.budget, session.elicitation.budget))
        return _play(session, oracle, args.path, args.n_jobs)


def _budget(text: str, now: int) -> int:
    number = text.removeprefix("+")
    if not number.isdecimal() or int(number) < 1:
        raise InputError(f"--budget is a number of at least 1, or +N for N more than {now}; found {text!r}")
    return int(number) + (now if text.startswith("+") else 0)


def _oracle(section: Mapping[str, Any], folder: Path) -> Oracle:
    oracle = oracle_from(section, folder)
    if isinstance(oracle, SyntheticSpec):
        raise InputError("a drawn truth has no session; use elicit run")
    return oracle


def _free_path(stem: str) -> str:
    """The first of stem.jsonl, stem-2.jsonl, … that no session has taken."""
    path, k = f"{stem}.jsonl", 1
    while os.path.lexists(path) and (not os.path.isfile(path) or begun(path)):
        k += 1
        path = f"{stem}-{k}.jsonl"
    return path


def _play(session: Session, oracle: Oracle, path: str, n_jobs: int | None = None) -> int:
    """A session with whoever is at the standard input, to its end or until they leave."""
    elicitation = session.elicitation
    attributes = elicitation.history.attributes
    again = f"elicit resume {printable(path)}"
    print(f"journal: {printable(path)}", flush=True)
    meter = Meter(sys.stderr)
    lines = LineOperator(
        attributes,
        elicitation.history.criteria,
        iter(sys.stdin.readline, ""),
        sys.stdout,
        recall=lambda request: elicitation.history.answers[request],
        prompt=sys.stdin.isatty(),
    )

    def operator(request: Compare | Reconcile) -> Answer | Settlement:
        meter.clear()
        return lines(request)

    def show(progress: Progress) -> None:
        meter.update(progress.evaluations / progress.budget, standing(progress))

    try:
        result = drive(elicitation, oracle, operator, session.journal, n_jobs=n_jobs, progress=show)
    except Leave as reason:
        meter.clear()
        print(f"\n{reason}; everything is kept, go on with: {again}")
        return DONE
    except KeyboardInterrupt:
        meter.clear()
        _complain(f"interrupted; everything is kept, go on with: {again}")
        return INTERRUPTED
    meter.clear()
    print("\n".join(_told(result, attributes)))
    print(f"to go further: {again} --budget +50")
    return DONE


def _told(result: Result, attributes: Attributes) -> Iterator[str]:
    """A result in plain lines."""
    yield ""
    if result.subset is None:
        yield "nothing could be measured, so nothing is recommended"
    else:
        yield f"recommended: {', '.join(map(printable, result.names))}"
        yield f"  {told(result.criteria)}"
    yield f"ended by {printable(result.reason)} ({result.scope})"
    spent = f"{result.evaluations} evaluations, {result.questions} questions, {clock_time(result.seconds)}"
    yield f"spent: {spent}"
    for reason, times in result.failures.items():
        yield f"not measured, {times} times: {printable(reason)}"
    measured = sum(1 for statement, _ in result.set_aside if statement.source is Source.DOMINANCE)
    for statement, _ in result.set_aside:
        if statement.source is not Source.DOMINANCE:
            yield f"set aside: {_stated(statement, attributes)}"
    if measured:
        yield f"set aside: {measured} of the orders that were measured, as noise"


def _stated(statement: Statement, attributes: Attributes) -> str:
    sign = {Relation.STRICT: "better than", Relation.WEAK: "at least as good as"}.get(statement.relation, "as good as")
    sides = [
        "{" + ", ".join(map(printable, attributes.subset(mask))) + "}" for mask in (statement.better, statement.worse)
    ]
    return f"{sides[0]} {sign} {sides[1]} ({statement.source.value})"


# --- experiments and tables --------------------------------------------------------------------------


def _run(args: argparse.Namespace) -> int:
    scenario = read_scenario(args.scenario).reduced(args.budget, args.seeds)
    meter = Meter(sys.stderr)

    def show(now: Standing) -> None:
        # a run may have questions left when its budget is spent: it is finished when it says so
        share = 0.99 * now.run.evaluations / now.run.budget if now.run is not None else 0.0
        words = [f"{now.finished} of {now.total} runs finished"] if now.total > 1 or now.run is None else []
        words += [standing(now.run)] if now.run is not None else []
        meter.update((now.finished + share) / now.total, "; ".join(words))

    with _destination(args.json) as out:
        try:
            results = run_scenario(scenario, args.n_jobs, show)
        finally:
            meter.clear()
        if out is not None:
            json.dump({"scenario": scenario.plain, "results": results}, out, indent=1, allow_nan=False)
            out.write("\n")
    print("\n".join(summary(results)))
    return DONE


@contextmanager
def _destination(path: str | None) -> Iterator[IO[str] | None]:
    """A file that takes its name once it is complete; that it can be made is known before the work begins."""
    if path is None:
        yield None
        return
    shown = printable(path)
    special = os.path.exists(path) and not os.path.isfile(path)
    try:
        if special:
            if os.path.isdir(path):
                raise InputError(f"{shown}: is a folder; give a file")
            with open(path, "w", encoding="utf-8") as out:
                yield out
            return
        folder, name = os.path.split(os.path.abspath(path))
        handle, temporary = tempfile.mkstemp(prefix=f".{name}.", dir=folder)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as out:
                yield out
                out.flush()
                os.fsync(out.fileno())
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(temporary, 0o666 & ~mask)
            os.replace(temporary, path)
        finally:
            Path(temporary).unlink(missing_ok=True)
    except OSError as error:
        raise InputError(f"{shown}: cannot be written ({error.strerror or error}); choose another place") from error


def _table(args: argparse.Namespace) -> int:
    section = {"kind": "wrapper", "data": args.data, "model": args.model, "folds": args.folds}
    section |= {key: getattr(args, key) for key in ("target", "scoring") if getattr(args, key) is not None}
    oracle = _oracle(section, Path())
    attributes = oracle.attributes
    dropped = attributes.mask(name for name in args.drop.split(",") if name)
    family = Family(len(attributes), drop=dropped, max_size=args.max_size)
    meter = Meter(sys.stderr)
    try:
        written = write_table(
            args.output,
            oracle,
            family,
            args.n_jobs,
            progress=lambda done, total: meter.update(done / total, f"evaluated {done} of {total}"),
        )
    finally:
        meter.clear()
    print(f"{printable(args.output)}: {written.rows} subsets")
    for reason in sorted(set(written.failures.values())):
        times = sum(1 for other in written.failures.values() if other == reason)
        print(f"not measured, {times} times: {printable(reason)}")
    return DONE


def _defaults() -> Iterator[str]:
    """Every default with its meaning."""
    yield "settings of [elicit] in a scenario, and of a session:"
    for name, value in Settings().plain().items():
        shown = "none" if value is None else json.dumps(value)
        yield f"  {name} = {shown}"
        yield f"      {MEANINGS.get(name, '')}".rstrip()
    yield "presets:"
    for name, choices in PRESETS.items():
        yield f"  {name}: " + (", ".join(f"{k} = {v}" for k, v in choices.items()) or "the settings above")
    yield "c, the weight of a statement by its source:"
    for source, weight in WEIGHTS.items():
        yield f"  {source.value} = {weight:g}"
    yield "a session without a command:"
    yield "  " + ", ".join(f"{key} = {value}" for key, value in FIRST_SESSION.items())
