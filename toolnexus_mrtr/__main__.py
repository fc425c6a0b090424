"""Runs the command line: `python -m toolnexus_mrtr` is `toolnexus-mrtr`."""

import sys

from toolnexus_mrtr.cli import main

sys.exit(main())
