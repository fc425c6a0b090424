"""A toolnexus tool that calls a server of MCP 2026-07-28, whose questions go to the host's own `wait_for`.

toolnexus speaks the protocol up to 2025-11-25. Give such a tool to its toolkit, and the host that answers its other
questions answers those of the newer server too, unchanged.
"""

import asyncio
from collections.abc import Callable
from typing import Any

import httpx
from low_level_client import Http, ServerError
from toolnexus import Tool, ToolContext, ToolResult, sanitize

from toolnexus_mrtr import Call, Handlers, MrtrError, run_async


def remote_tool(url: str, definition: dict[str, Any], wait_for: Callable[..., Any]) -> Tool:
    """Make a tool of one that the server at the url listed in its answer to `tools/list`."""
    handlers = Handlers(wait_for)

    async def execute(arguments: dict[str, Any], context: ToolContext | None = None) -> ToolResult:
        params = {"name": definition["name"], "arguments": arguments, "_meta": handlers.meta()}
        with Http(url) as server:

            async def send(method: str, params: dict[str, Any]) -> dict[str, Any]:
                return await asyncio.to_thread(server.send, method, params)

            try:
                result = await run_async(Call("tools/call", params, server=url), send, handlers)
            except (MrtrError, ServerError, httpx.HTTPError, OSError) as error:
                return ToolResult(output=str(error), is_error=True)
        texts = [content["text"] for content in result["content"] if content["type"] == "text"]
        return ToolResult(output="\n".join(texts), is_error=result.get("isError", False))

    return Tool(
        name=sanitize(definition["name"]),
        description=definition.get("description", ""),
        input_schema=definition["inputSchema"],
        source="custom",
        execute=execute,
    )
