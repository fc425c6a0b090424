"""A FastMCP server whose tool, prompt and resource guard themselves: each returns what it still has to ask."""

import argparse
from importlib.metadata import version

import mcp_types as types
from fastmcp import Context, FastMCP
from loopback import serve

server = FastMCP("guard-server", version=version("fastmcp"))


def asking(key, message, properties, *, state):
    form = types.ElicitRequestFormParams(
        message=message,
        requested_schema={"type": "object", "properties": properties, "required": list(properties)},
    )
    return types.InputRequiredResult(input_requests={key: types.ElicitRequest(params=form)}, request_state=state)


def accepted(context, key):
    response = (context.input_responses or {}).get(key)
    return response.content if response is not None and response.action == "accept" else None


@server.tool
async def transfer(amount: float, context: Context) -> dict | types.InputRequiredResult:
    """Ask for the account, then for a confirmation, then say what was heard."""
    if context.request_state is None:
        properties = {"account": {"type": "string", "enum": ["current", "savings"]}}
        return asking("account", "From which account?", properties, state="asked for the account")
    if context.request_state == "asked for the account":
        answer = accepted(context, "account")
        if answer is None:
            return {"amount": amount, "account": None}
        state = f"confirm {answer['account']}"
        return asking("confirm", f"Transfer {amount}?", {"value": {"type": "boolean", "title": "Value"}}, state=state)
    account = context.request_state.removeprefix("confirm ")
    return {"amount": amount, "account": account, "confirmed": accepted(context, "confirm")["value"]}


@server.prompt
async def brief(context: Context) -> str | types.InputRequiredResult:
    answer = accepted(context, "tone")
    if answer is None:
        return asking("tone", "Which tone?", {"tone": {"type": "string"}}, state="tone")
    return f"Be {answer['tone']}."


@server.resource("note://{number}")
async def note(number: str, context: Context) -> str | types.InputRequiredResult:
    answer = accepted(context, "page")
    if answer is None:
        return asking("page", "Which page?", {"page": {"type": "integer"}}, state="page")
    return f"note {number}, page {answer['page']}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--stdio", action="store_true")
    if parser.parse_args().stdio:
        server.run(show_banner=False)
    else:
        serve(server.http_app(path="/mcp"))
