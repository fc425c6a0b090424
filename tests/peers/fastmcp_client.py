"""The client of FastMCP with `fastmcp-tasks`, as it comes: calls every tool of the adversary and follows its tasks."""

import asyncio
import json
import sys
from contextlib import suppress

import fastmcp_tasks  # noqa: F401 - the import is what makes the client follow tasks
from fastmcp import Client
from fastmcp.client.elicitation import ElicitResult

#: Seconds for one call: the client goes on for as long as a task asks.
DEADLINE = 10


async def play(url):
    host = {}

    async def answer(message, response_type, params, context):
        """Find the answer of the key that the message names; where there is nobody, the handler fails."""
        chosen = {f"What is {json.dumps(key, ensure_ascii=False)}?": chosen for key, chosen in host.items()}[message]
        return ElicitResult(action=chosen["action"], content=chosen.get("content"))

    async with Client(url, elicitation_handler=answer) as client:
        for tool in await client.list_tools():
            host = tool.meta["host"]
            # A call that fails is over, whatever it raises; groups of errors among it.
            with suppress(Exception):
                async with asyncio.timeout(DEADLINE):
                    await client.call_tool(tool.name, tool.meta["arguments"])
        with suppress(Exception):
            await client.list_prompts()


if __name__ == "__main__":
    asyncio.run(play(sys.argv[-1]))
