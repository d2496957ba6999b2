"""`python -m elicit` is the command `elicit`."""

import sys

if __name__ == "__main__":
    from elicit.cli import main  # not above: processes at the side import this file, and need no command

    sys.exit(main())
