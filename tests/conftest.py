"""How the tests run: no deadline on one example, always the same examples under CI, and interrupts that arrive."""

import os
import signal

from hypothesis import settings

settings.register_profile("elicit", deadline=None, derandomize=os.environ.get("CI") == "true")
settings.load_profile("elicit")

# what a shell starts in the background ignores Ctrl-C, and so would the commands that the tests interrupt
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:  # as nohup has it
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
