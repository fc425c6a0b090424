"""A server on the low level of the Python SDK `mcp`: it asks what a script says and gives back all that it was told.

Its state is what it heard so far, behind characters that are easily broken; it refuses a state that is not intact.
"""

import argparse
import json
from importlib.metadata import version
from pathlib import Path

import anyio
import mcp_types as types
from loopback import serve
from mcp.server.lowlevel import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

#: What is asked; the command line may name another script.
SCRIPT = json.loads(Path(__file__).with_name("script.json").read_bytes())


def heard_so_far(params):
    """What was heard in each round before this request, and in this one."""
    state, responses = params.request_state, params.input_responses
    if state is not None and not state.startswith(SCRIPT["state"]):
        raise MCPError(types.INVALID_PARAMS, "the state is not what was sent")
    heard = json.loads(state.removeprefix(SCRIPT["state"])) if state is not None else []
    if state is not None or responses is not None:
        told = (
            {key: each.model_dump(mode="json", by_alias=True, exclude_unset=True) for key, each in responses.items()}
            if responses
            else None
        )
        heard.append(told)
    return heard


def play(method, name, params):
    """Give the next round of a script, or what was heard in all of them, as text."""
    rounds, heard = SCRIPT[method][name], heard_so_far(params)
    if len(heard) == len(rounds):
        return None, json.dumps(heard)
    asked = {"resultType": "input_required"}
    if rounds[len(heard)]:
        asked["inputRequests"] = rounds[len(heard)]
    if name not in SCRIPT["stateless"]:
        asked["requestState"] = SCRIPT["state"] + json.dumps(heard)
    return types.InputRequiredResult.model_validate(asked), None


def call_tool(name, params):
    """Play the script of a tool, as a plain call and as a task alike."""
    paused, text = play("tools/call", name, params)
    end = SCRIPT.get("tasks", {}).get(name, {})
    if paused is None and "error" in end:
        raise MCPError(**end["error"])
    return paused or types.CallToolResult(content=[types.TextContent(text=text)], is_error=end.get("isError", False))


def make_server(*, streamed):
    async def on_call_tool(ctx, params):
        if streamed:
            await ctx.session.report_progress(1)
        return call_tool(params.name, params)

    async def get_prompt(ctx, params):
        paused, text = play("prompts/get", params.name, params)
        said = types.PromptMessage(role="user", content=types.TextContent(text=text or ""))
        return paused or types.GetPromptResult(messages=[said])

    async def read_resource(ctx, params):
        paused, text = play("resources/read", str(params.uri), params)
        return paused or types.ReadResourceResult(
            contents=[types.TextResourceContents(uri=params.uri, text=text or "")]
        )

    async def list_tools(ctx, params):
        tools = [types.Tool(name=name, input_schema={"type": "object"}) for name in SCRIPT["tools/call"]]
        return types.ListToolsResult(tools=tools)

    return Server(
        "python-server",
        version=version("mcp"),
        on_list_tools=list_tools,
        on_call_tool=on_call_tool,
        on_get_prompt=get_prompt,
        on_read_resource=read_resource,
    )


async def serve_stdio(server):
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--stdio", action="store_true")
    parser.add_argument("--streamed", action="store_true", help="answer with a stream of events")
    parser.add_argument(
        "--sealed", metavar="KEY", nargs="?", const="", help="seal the state, without KEY by a fresh one"
    )
    parser.add_argument("--script", type=Path)
    options = parser.parse_args()
    if options.script is not None:
        SCRIPT = json.loads(options.script.read_bytes())
    server = make_server(streamed=options.streamed)
    if options.sealed is not None:
        policy = RequestStateSecurity(keys=[options.sealed]) if options.sealed else RequestStateSecurity.ephemeral()
        server.middleware.append(RequestStateBoundary(policy, default_audience="python-server"))
    if options.stdio:
        anyio.run(serve_stdio, server)
    else:
        serve(server.streamable_http_app())
