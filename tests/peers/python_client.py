"""The client of the Python SDK, as it comes: calls every tool of the adversary, its user answering as the tool says."""

import asyncio
import json
import sys
from contextlib import suppress

from mcp.client import Client
from mcp_types import ElicitResult


async def play(url):
    host = {}

    async def answer(context, params):
        """Find the answer of the key that the message names; where there is nobody, nobody accepts."""
        by_message = {f"What is {json.dumps(key, ensure_ascii=False)}?": chosen for key, chosen in host.items()}
        return ElicitResult.model_validate(by_message.get(params.message) or {"action": "cancel"})

    async with Client(url, elicitation_callback=answer) as client:
        for tool in (await client.list_tools()).tools:
            host = tool.meta["host"]
            # A call that fails is over, whatever it raises; groups of errors among it.
            with suppress(Exception):
                await client.call_tool(tool.name, tool.meta["arguments"])
        with suppress(Exception):
            await client.list_prompts()


if __name__ == "__main__":
    asyncio.run(play(sys.argv[-1]))
