"""A whole exchange beside the same one through other clients in memory, for orientation.

They carry a session and a server along, and FastMCP's the streams between the two. The session is opened beforehand, so
that a call alone is timed. FastMCP's client checks forms as `run` does, and its server seals the state; the SDK's do
neither.
"""

from __future__ import annotations

import asyncio
import atexit
import json
import math
from collections.abc import Iterator
from typing import Any

import fastmcp
import mcp_types as types
from harness import Row, Stopwatch, calling, orientation
from mcp.client import Client
from mcp.server.lowlevel import Server
from rows_exchange import PARAMS, RESULTS, driven, entered, server

NAME, ARGUMENTS = PARAMS["name"], PARAMS["arguments"]

PAUSES = [types.InputRequiredResult.model_validate(result) for result in RESULTS[:-1]]
DONE = types.CallToolResult.model_validate(RESULTS[-1])

#: What follows on a state.
NEXT = dict(zip([None, *(pause.request_state for pause in PAUSES)], [*PAUSES, DONE], strict=True))


def rows() -> Iterator[Row]:
    results = json.loads(json.dumps(RESULTS))
    ours = calling(lambda: driven(server(results)))
    runner = asyncio.Runner()
    atexit.register(runner.close)
    for peer, client in (("mcp in memory", sdk_client()), ("fastmcp in memory", fastmcp_client())):
        yield Row("a whole exchange", "3 pauses", peer, ours, through(client, runner.get_loop()), orientation())


def through(client: Any, loop: asyncio.AbstractEventLoop) -> Stopwatch:
    """Open a client, leave it open until the loop ends, and time its calls."""
    opened = loop.create_future()

    async def keep_open() -> None:
        # One task for both, since whoever opened it must close it.
        async with client:
            opened.set_result(None)
            await asyncio.sleep(math.inf)

    def call() -> Any:
        return loop.run_until_complete(client.call_tool(NAME, ARGUMENTS))

    kept_open = loop.create_task(keep_open())
    loop.run_until_complete(asyncio.wait([kept_open, opened], return_when=asyncio.FIRST_COMPLETED))
    assert call().content == DONE.content
    return calling(call)


def sdk_client() -> Client:
    """The official client, which calls a low-level server of its own SDK directly."""

    async def list_tools(_context: Any, _params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[types.Tool(name=NAME, input_schema={"type": "object"})])

    async def call_tool(_context: Any, params: Any) -> types.InputRequiredResult | types.CallToolResult:
        return NEXT[params.request_state]

    parcels = Server("parcels", on_list_tools=list_tools, on_call_tool=call_tool)
    return Client(parcels, elicitation_callback=answer)


def fastmcp_client() -> fastmcp.Client:
    """FastMCP's client, which speaks to a server of its own through streams."""
    parcels = fastmcp.FastMCP("parcels")
    parcels.tool(send_parcel)
    return fastmcp.Client(parcels, elicitation_handler=lambda _text, _type, params, context: answer(context, params))


async def send_parcel(
    parcel: str, weight: float, tags: list[str], context: fastmcp.Context
) -> str | types.InputRequiredResult:
    """The tool of FastMCP's server, which takes its arguments by name."""
    assert {"parcel": parcel, "weight": weight, "tags": tags} == ARGUMENTS
    step = NEXT[context.request_state]
    return DONE.content[0].text if step is DONE else step


async def answer(_context: Any, params: Any) -> types.ElicitResult:
    """The same person again, who agrees to everything at once."""
    if isinstance(params, types.ElicitRequestURLParams):
        return types.ElicitResult(action="accept")
    return types.ElicitResult(action="accept", content=entered({"schema": params.requested_schema}))
