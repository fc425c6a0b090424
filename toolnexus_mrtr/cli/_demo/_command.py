"""The command `demo`: calls a tool of the server beside it, and tells of each step."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Final

from toolnexus_mrtr import Call
from toolnexus_mrtr.cli._call._asking import choose_asker
from toolnexus_mrtr.cli._call._command import make_meta, make_report, report_unused, run_exchange
from toolnexus_mrtr.cli._call._exchange import Exchange
from toolnexus_mrtr.cli._call._result import is_error
from toolnexus_mrtr.cli._call._stdio import StdioServer

#: Runs alone, and on the standard library alone: `-I` lets no module of another folder take the place of one.
_COMMAND: Final = [sys.executable, "-I", str(Path(__file__).with_name("_server.py"))]

#: How long the server may take for an answer.
_SECONDS: Final = 30.0


def run_demo(options: argparse.Namespace) -> Generator[str, None, int]:
    """Call one tool of the server and print the result; the status is 1 if that is an error."""
    asker = choose_asker(options)
    call = Call("tools/call", {"name": options.tool, "arguments": {}, "_meta": make_meta([])}, server="demo")
    with StdioServer(_COMMAND, _SECONDS) as server:
        result = run_exchange(Exchange(call, server.send, asker, report=make_report(asker)))
    report_unused(asker)
    yield json.dumps(result, indent=2)
    return int(is_error(result))
