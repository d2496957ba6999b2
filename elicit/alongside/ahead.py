"""Ahead: while the operator thinks, other processes compute what would follow each possible answer.

For every reply that the open question may get, a copy of the run is played in another process up to its
next question. What a copy measures is kept at once, as a result ahead of need, whichever answer comes. What it decides
is adopted only if its reply is the one that is given. A copy decides exactly what the run itself would decide, so a
run is the same with any number of these processes, or none. None measures what another one, or the run, is measuring.
"""

from __future__ import annotations

import multiprocessing
import pickle
import threading
import time
import warnings
from collections.abc import Callable, Mapping
from concurrent.futures import Future, wait
from dataclasses import dataclass, field
from typing import Any, Literal

from elicit.alongside.progress import Progress, progress_of
from elicit.asks import Compare, Evaluate, Failure, Measured, Oracle, Reconcile, Settlement
from elicit.decide.elicitation import Elicitation
from elicit.errors import one_line
from elicit.events import Answer, Fact
from elicit.oracles.parallel import Remembering
from elicit.orphans import block_ctrl_c, tie_to_parent
from elicit.subsets import Mask
from elicit.threads import one_thread

OperatorReply = Answer | Settlement
Keep = Callable[[Mask, Measured | Failure], None]
_Pipe = Any  # an end of one: its class differs from platform to platform

#: How often a waiting thread looks whether its copy is still wanted.
_SECONDS_BETWEEN_LOOKS = 0.1


@dataclass(frozen=True)
class Found:
    """What follows a reply: the facts that a copy added after it, and where the run stands then."""

    facts: tuple[Fact, ...]
    progress: Progress


@dataclass(frozen=True)
class _Task:
    """What a process needs to play one copy: the arguments of `Elicitation`, known results, and the reply."""

    run: Mapping[str, Any]
    known: Mapping[Mask, Measured | Failure]
    request: int
    reply: OperatorReply


@dataclass
class _Question:
    """A question: what its copies start from, which replies wait, which are being played, and what was found."""

    run: Mapping[str, Any] = field(default_factory=dict)
    request: int = -1
    todo: list[OperatorReply] = field(default_factory=list)
    doing: set[OperatorReply] = field(default_factory=set)
    found: dict[OperatorReply, Found] = field(default_factory=dict)
    latest: Progress | None = None


def replies_to(request: Compare | Reconcile) -> tuple[OperatorReply, ...]:
    """Every reply that a question may get, the likely ones first."""
    if isinstance(request, Compare):
        return (Answer.FIRST, Answer.SECOND, Answer.EQUAL, Answer.INCOMPARABLE, Answer.LATER)
    return (*map(Settlement, request.conflict), Settlement(None))


class Ahead:
    """Processes that compute ahead, with a thread for each that talks to it.

    keep: called with every result that they measure, from any of these threads.
    """

    def __init__(self, oracle: Remembering, workers: int, keep: Keep) -> None:
        self._oracle, self._workers, self._keep = oracle, workers, keep
        self._threads: list[threading.Thread] = []
        self._processes: dict[threading.Thread, Any] = {}
        #: why the oracle cannot be sent to a process, or be loaded there; None as long as nothing is known against it
        self.hindrance: Exception | None = None
        self._changed = threading.Condition()
        self._closed = False
        #: the open question; a copy that was begun for another is called off at its next step
        self._question = _Question()

    def begin(self, elicitation: Elicitation, request: Compare | Reconcile) -> None:
        """Start to play a copy for every reply that the question may get."""
        history = elicitation.history
        run = {
            "attributes": history.attributes,
            "criteria": history.criteria,
            "settings": elicitation.settings,
            "family": elicitation.family,
            "seed": elicitation.seed,
            "prior": elicitation.prior,
            "rows": elicitation.rows,
            "facts": elicitation.facts,
        }
        with self._changed:
            self._question = _Question(run, request.id, list(replies_to(request)))
            self._changed.notify_all()
        for thread in self._threads:
            if _has_died(self._processes.get(thread)):
                thread.join()  # it was woken, finds its process dead, and ends
        self._threads = [thread for thread in self._threads if thread.is_alive()]  # one that ended is replaced
        while self.hindrance is None and len(self._threads) < self._workers:
            self._threads.append(threading.Thread(target=self._serve, daemon=True))
            self._threads[-1].start()

    def take(self, reply: OperatorReply, show: Callable[[Progress], None] | None = None) -> Found | None:
        """Wait for what follows this reply; None when no process works on it. Other copies are called off."""
        shown = None
        with self._changed:
            question = self._question
            question.todo = []
            question.doing &= {reply}
            while reply in question.doing:
                self._changed.wait(_SECONDS_BETWEEN_LOOKS)
                if show is not None and question.latest is not None and question.latest is not shown:
                    shown = question.latest
                    show(shown)
            self._question = _Question()
            return question.found.get(reply)

    def under_way(self, reply: OperatorReply) -> bool:
        """Whether a process is still working on what follows the reply."""
        return reply in self._question.doing

    def close(self) -> None:
        """End every process; what it has not sent yet is lost."""
        with self._changed:
            self._closed = True
            self._question = _Question()
            self._changed.notify_all()
            processes = list(self._processes.values())
        for process in processes:
            process.terminate()  # also one that its thread is still sending to
        for thread in self._threads:
            thread.join()

    def __enter__(self) -> Ahead:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- one thread for each process --------------------------------------------------------------

    def _serve(self) -> None:
        """Start a process and hand it tasks until everything is closed. If it dies, only its task is lost."""
        block_ctrl_c()  # it is for the parent, also while the process starts
        context = multiprocessing.get_context("spawn")  # a fork would copy locks that other threads hold
        here, there = context.Pipe()
        process = context.Process(target=_process_main, args=(there,), daemon=True)
        task: tuple[_Question, OperatorReply] | None = None
        try:
            with self._changed:
                if self._closed:
                    return
                process.start()
                self._processes[threading.current_thread()] = process
            there.close()
            here.send(self._oracle.inner)
            if trouble := here.recv():
                raise pickle.UnpicklingError(trouble)
            while (task := self._next(process)) is not None:
                self._play(here, *task)
                task = None  # it is done: an end from here on takes nothing along
        except (EOFError, OSError):
            pass  # the process died, could not begin, or is not wanted any more: the run itself does its work
        except Exception as error:  # whatever keeps an oracle from being pickled: it may raise what it likes
            if task is not None:
                raise
            self.hindrance = error  # this oracle stays in its own process; the run itself does all the work
        finally:
            with self._changed:
                if task is not None:
                    question, reply = task
                    question.doing.discard(reply)
                self._changed.notify_all()
            there.close()  # where it did not come so far
            here.close()
            if process.pid is not None:
                process.terminate()
                process.join()

    def _next(self, process: Any) -> tuple[_Question, OperatorReply] | None:
        """Wait for a reply that nobody works on; None when everything is closed, EOFError when the process has died."""
        with self._changed:
            while not self._question.todo and not self._closed:
                self._changed.wait()
            if self._closed:
                return None
            if _has_died(process):
                raise EOFError
            question, reply = self._question, self._question.todo.pop(0)
            question.doing.add(reply)
            return question, reply

    def _play(self, process: _Pipe, question: _Question, reply: OperatorReply) -> None:
        """Let the process play one copy, keep what it measures, and call the copy off once it is not wanted."""
        claimed: Mask | None = None  # what this copy is measuring, and no other
        process.send(_Task(question.run, self._oracle.known, question.request, reply))
        try:
            while True:
                while not process.poll(_SECONDS_BETWEEN_LOOKS):
                    if self._closed:
                        raise EOFError
                message = process.recv()
                match message:
                    case int(subset):
                        told = self._known_or_claimed(subset, lambda: self._wants(question, reply))
                        claimed = subset if told is None else None
                        process.send(told)
                    case (int(subset), Measured() | Failure() as result, Progress() as progress):
                        self._oracle.learn({subset: result})
                        self._keep(subset, result)
                        claimed = None
                        with self._changed:
                            wanted = self._wants(question, reply)
                            if wanted:
                                question.latest = progress
                                self._changed.notify_all()
                        process.send(wanted)
                    case Found() | None:
                        with self._changed:
                            question.doing.discard(reply)
                            if message is not None:
                                question.found[reply] = message
                            self._changed.notify_all()
                        return
                    case _:
                        raise AssertionError(f"a process told {type(message).__name__}")
        finally:
            if claimed is not None:
                self._oracle.give_up(claimed)

    def _wants(self, question: _Question, reply: OperatorReply) -> bool:
        """Whether what follows this reply is still of use."""
        return not self._closed and self._question is question and reply in question.doing

    def _known_or_claimed(self, subset: Mask, wanted: Callable[[], bool]) -> Measured | Failure | Literal[False] | None:
        """What a copy is told of a subset that it needs: the result; None, to measure it; False, that it is called off.

        As long as the answer does not matter all copies need the same subsets: one measures, and the others wait.
        """
        while isinstance(known := self._oracle.claim(subset), Future):
            while not known.done():
                if not wanted():
                    return False
                wait([known], _SECONDS_BETWEEN_LOOKS)
        return known


def _has_died(process: Any) -> bool:
    """Whether a process was started and has ended."""
    return process is not None and process.exitcode is not None


def _process_main(parent: _Pipe) -> None:
    """The main function of a process: receive an oracle, then play task after task until the parent has gone."""
    tie_to_parent()  # a fit may take hours
    warnings.simplefilter("ignore")  # the screen is the dialogue's; what a fit cannot do is a recorded failure
    try:
        try:
            oracle: Oracle = parent.recv()
        except (EOFError, OSError):
            raise
        except Exception as error:  # such as a function of a notebook, which only its own process knows
            parent.send(one_line(error))
            return
        parent.send(None)
        remembering = Remembering(oracle)
        while True:
            task: _Task = parent.recv()
            remembering.learn(task.known)
            try:
                parent.send(_play_to_next_question(task, remembering, parent))
            except (EOFError, OSError):
                raise
            except Exception:  # whatever it is, the run itself will meet it too, and tell it
                parent.send(None)
    except (EOFError, OSError):
        return  # the parent has gone


def _play_to_next_question(task: _Task, oracle: Remembering, parent: _Pipe) -> Found | None:
    """Play on from the reply to the next question; None when the parent calls it off."""
    elicitation = Elicitation(**task.run)
    elicitation.tell(task.request, task.reply)
    before = len(elicitation.facts)
    begun = time.monotonic()
    with one_thread():
        while isinstance(request := elicitation.ask(), Evaluate):
            if request.subset not in oracle.known:
                parent.send(request.subset)
                if (told := parent.recv()) is False:
                    return None
                oracle.learn({} if told is None else {request.subset: told})
            reply = oracle(request)
            elicitation.tell(request.id, reply)
            parent.send((request.subset, reply, progress_of(elicitation, time.monotonic() - begun, brief=True)))
            if not parent.recv():
                return None
        return Found(elicitation.facts[before:], progress_of(elicitation, time.monotonic() - begun, regret=True))
