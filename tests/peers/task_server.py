"""An `MCPServer` of the Python SDK with an extension that runs tools as tasks (SEP-2663).

The tools are those of script.json, whose "tasks" says which of them become a task for a client that declares the
extension. An answer is acknowledged before it takes effect: what it answers is shown until the tool asks anew or ends.
"""

import argparse
import asyncio
import secrets
from datetime import UTC, datetime
from importlib.metadata import version

import mcp_types as types
from loopback import serve
from mcp.server.extension import Extension, MethodBinding, ToolBinding
from mcp.server.mcpserver import Context, MCPServer, require_client_extension
from mcp.shared.exceptions import MCPError
from python_server import SCRIPT, call_tool, heard_so_far


class TaskParams(types.RequestParams):
    task_id: str


class UpdateTaskParams(TaskParams):
    input_responses: types.InputResponses


class Task:
    """A call of a tool that goes on after its request was answered."""

    def __init__(self, params, plan):
        now = datetime.now(UTC).isoformat()
        self.about = {"taskId": secrets.token_urlsafe(16), "createdAt": now, "lastUpdatedAt": now}
        self.about |= {"ttlMs": plan.get("ttlMs", 60_000), "pollIntervalMs": 50}
        self.seconds = plan.get("seconds", 0)
        self.state = {"status": "working"}
        self.answers, self.answered = {}, asyncio.Event()
        self.run = asyncio.create_task(self.play(params))

    async def play(self, params):
        try:
            while isinstance(result := await self.call(params), types.InputRequiredResult):
                self.state = {"status": "input_required", "inputRequests": dump(result)["inputRequests"]}
                while result.input_requests.keys() - self.answers.keys():
                    self.answered.clear()
                    await self.answered.wait()
                told = {"input_responses": self.answers, "request_state": result.request_state}
                params, self.answers = params.model_copy(update=told), {}
            self.state = {"status": "completed", "result": dump(result)}
        except MCPError as error:
            self.state = {"status": "failed", "statusMessage": error.message, "error": dump(error.error)}
        except asyncio.CancelledError:
            self.state = {"status": "cancelled"}

    async def call(self, params):
        await asyncio.sleep(self.seconds)
        return call_tool(params.name, params)

    def answer(self, responses):
        self.answers |= responses
        self.answered.set()


class Tasks(Extension):
    """The extension: a tool becomes a task instead of being called, and three methods look after the task."""

    identifier = "io.modelcontextprotocol/tasks"

    def __init__(self):
        self.tasks = {}

    def tools(self):
        return [ToolBinding(call_plainly(name), kwargs={"name": name}) for name in SCRIPT["tasks"]]

    def methods(self):
        return [
            MethodBinding("tasks/get", TaskParams, self.get),
            MethodBinding("tasks/update", UpdateTaskParams, self.update),
            MethodBinding("tasks/cancel", TaskParams, self.cancel),
        ]

    async def intercept_tool_call(self, params, ctx, call_next):
        plan = SCRIPT["tasks"][params.name]
        if len(heard_so_far(params)) < plan.get("pauses", 0):
            return await call_next(ctx)
        try:
            require_client_extension(ctx, self.identifier)
        except MCPError:
            if plan.get("declared") == "required":
                raise
            if plan.get("declared") != "ignored":
                return await call_next(ctx)
        task = Task(params, plan)
        self.tasks[task.about["taskId"]] = task
        if plan.get("born") == "completed":
            await task.run
        return task.about | {"resultType": "task", "status": task.state["status"]}

    async def get(self, ctx, params):
        task = self.find(ctx, params)
        return task.about | task.state

    async def update(self, ctx, params):
        self.find(ctx, params).answer(params.input_responses)
        return {}

    async def cancel(self, ctx, params):
        self.find(ctx, params).run.cancel()
        return {}

    def find(self, ctx, params):
        require_client_extension(ctx, self.identifier)
        if params.task_id not in self.tasks:
            raise MCPError(types.INVALID_PARAMS, "there is no such task")
        return self.tasks[params.task_id]


def call_plainly(name):
    async def tool(ctx: Context) -> types.CallToolResult | types.InputRequiredResult:
        return call_tool(name, ctx)

    return tool


def dump(model):
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--stdio", action="store_true")
    server = MCPServer("task-server", version=version("mcp"), extensions=[Tasks()])
    if parser.parse_args().stdio:
        server.run()
    else:
        serve(server.streamable_http_app())
