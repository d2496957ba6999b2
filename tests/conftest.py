"""How the tests run: one thread and one process each, no deadline on one example, the same examples under CI, and
interrupts.

The tests take all processors by themselves, and whatever wants them too makes each wait for the others. So "one process
for each processor" means one here, and the tests that are about several processes say how many.
"""

import gc
import os
import signal

from hypothesis import settings

os.environ.setdefault("OMP_NUM_THREADS", "1")  # read when numpy is first imported, here and by what the tests start
os.environ.setdefault("LOKY_MAX_CPU_COUNT", "1")  # read by joblib when n_jobs is -1, here and in what the tests start
for name in ("COLUMNS", "LINES"):  # which some shells export: the tests say how large their terminals are
    os.environ.pop(name, None)
os.fsync = lambda _: None  # no test cuts the power, and those about it see the calls; on a slow disk tests wait long

settings.register_profile("elicit", max_examples=60, deadline=None, derandomize=os.environ.get("CI") == "true")
settings.load_profile("elicit")

# what a shell starts in the background ignores Ctrl-C, and so would the commands that the tests interrupt
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:  # as nohup has it
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def pytest_collection_finish() -> None:
    """What is imported by now stays to the end: no collection of garbage need look at it again, and some tests ask for
    many."""
    gc.freeze()
