"""`python -m elicit` is the command `elicit`."""

import sys

from elicit.cli import main

if __name__ == "__main__":
    sys.exit(main())
