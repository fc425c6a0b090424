"""The command `demo`: calls a tool of the server beside it, and tells of each step."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Final

from toolnexus_mrtr import Call, request_meta
from toolnexus_mrtr.cli._call._asking import ScriptedAsker
from toolnexus_mrtr.cli._call._exchange import Exchange
from toolnexus_mrtr.cli._call._report import Report
from toolnexus_mrtr.cli._call._stdio import StdioServer
from toolnexus_mrtr.cli._errors import print_error
from toolnexus_mrtr.cli._version import find_version

#: Runs alone, and on the standard library alone: `-I` lets no module of another folder take the place of one.
_COMMAND: Final = [sys.executable, "-I", str(Path(__file__).with_name("_server.py"))]

#: How long the server may take for an answer.
_SECONDS: Final = 30.0


def run_demo(options: argparse.Namespace) -> Generator[str, None, int]:
    """Call one tool of the server and print the result; the status is 1 if that is an error."""
    asker = ScriptedAsker(options)
    client = {"name": "toolnexus-mrtr", "version": find_version() or "0"}
    meta = request_meta(form=True, url=True, tasks=True, client_info=client)
    call = Call("tools/call", {"name": options.tool, "arguments": {}, "_meta": meta}, server="demo")
    with StdioServer(_COMMAND, _SECONDS) as server:
        exchange = Exchange(call, server.send, asker, Report())
        try:
            result = exchange.run()
        except BaseException as error:
            exchange.cancel_task(error)
            raise
    for name in asker.list_unused():
        print_error(f"{name}: not needed, its key was not asked")
    yield json.dumps(result, indent=2)
    return int(result.get("isError") is True)
