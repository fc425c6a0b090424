"""A FastMCP server with `fastmcp-tasks`, which runs tools as tasks (SEP-2663): the tools are those of script.json.

It has tasks from their beginning alone: none after a pause, none that is born finished, one `ttlMs` for all.
"""

import argparse
import asyncio
import logging
from datetime import timedelta
from importlib.metadata import version

import mcp_types as types
from fastmcp import Context, FastMCP
from fastmcp.utilities.tasks import TaskConfig
from fastmcp_tasks import TasksExtension
from loopback import serve
from python_server import SCRIPT, call_tool

server = FastMCP("fastmcp-task-server", version=version("fastmcp-tasks"))
server.add_extension(TasksExtension())


def add_tool(name, plan):
    mode = "required" if plan.get("declared") == "required" else "optional"

    @server.tool(name=name, task=TaskConfig(mode=mode, poll_interval=timedelta(milliseconds=50)))
    async def tool(context: Context) -> types.CallToolResult | types.InputRequiredResult:
        await asyncio.sleep(plan.get("seconds", 0))
        return call_tool(name, told(context))


def told(context):
    """Give what a round was told: between the rounds of a task, absent members are stored as null."""
    responses = {
        key: response.model_dump(mode="json", by_alias=True, exclude_none=True)
        for key, response in (context.input_responses or {}).items()
    }
    return types.CallToolRequestParams(name="", input_responses=responses or None, request_state=context.request_state)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--stdio", action="store_true")
    logging.disable()  # A tool that fails does so by the script.
    for name, plan in SCRIPT["tasks"].items():
        add_tool(name, plan)
    if parser.parse_args().stdio:
        server.run(show_banner=False)
    else:
        serve(server.http_app(path="/mcp"))
