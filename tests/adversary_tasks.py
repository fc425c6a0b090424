"""A client that follows the tasks of the adversary too, by hand: what it sends is all that the adversary can see."""

import asyncio
import base64
import json

from adversary_client import META, Client, post

from toolnexus_mrtr import (
    Call,
    CallTimeout,
    Handlers,
    InvalidAnswer,
    MrtrError,
    Pause,
    RetryLimitExceeded,
    run,
    run_async,
)

CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
WITH_TASKS = META[CAPABILITIES] | {"extensions": {"io.modelcontextprotocol/tasks": {}}}
TASK_META = META | {CAPABILITIES: WITH_TASKS}


def encode_name(name):
    if name.isascii():
        return name
    return f"=?base64?{base64.b64encode(name.encode()).decode()}?="


class TaskClient(Client):
    """A good client. A bad one overrides what it does not do well."""

    meta = TASK_META
    result_types = ("task",)

    def post(self, body):
        params = json.loads(body)["params"]
        return post(self.url, body, self.headers(params["taskId"]) if "taskId" in params else None)

    def headers(self, task_id):
        return {"Mcp-Name": encode_name(task_id)}

    def call(self, name, host, arguments):
        done = super().call(name, host, arguments)
        if done is not None and done.result_type == "task":
            self.follow(name, host, done.result)

    def ask(self, name, method, task_id, **more):
        return self.send(method, self.request(name, method, {"taskId": task_id, **more, "_meta": self.meta}))

    def request(self, name, method, params):  # noqa: ARG002 - a bad client looks at them
        return params

    def follow(self, name, host, task):
        """Poll a task to its end, or cancel it where it goes wrong."""
        task_id, answered = task["taskId"], {}
        while True:
            self.wait(task.get("pollIntervalMs", 1000) / 1000)
            polled = self.ask(name, "tasks/get", task_id)
            if polled["status"] in ("completed", "failed", "cancelled"):
                self.finish(name, polled)
                return
            try:
                fresh = self.find_fresh(task_id, polled, answered)
                answers = {key: self.answer(host[key]) for key in fresh}
            except MrtrError:
                self.give_up(name, task_id)
                return
            if fresh:
                self.update(name, task_id, answers)
                answered |= fresh

    def answer(self, chosen):
        answer = super().answer(chosen)
        if any(isinstance(value, dict) for value in answer.get("content", {}).values()):
            raise MrtrError("nested", "expected a value that can be sent")
        return answer

    def find_fresh(self, task_id, polled, answered):
        """Find the requests that were not answered yet; raises if the poll is not to be answered."""
        requests = polled.get("inputRequests", {})
        expected = (task_id, "complete", polled["status"] in ("working", "input_required"))
        if expected != (polled["taskId"], polled["resultType"], True):
            raise MrtrError("unlike", "expected a poll of this task")
        if any(answered[key] != requests[key] for key in requests.keys() & answered.keys()):
            raise MrtrError("reused", "expected another key")
        fresh = {key: request for key, request in requests.items() if key not in answered}
        pause = {"resultType": "input_required", "inputRequests": fresh, "requestState": ""}
        Call("tools/call", {"name": "x", "_meta": self.meta}).receive(pause)
        return fresh

    def update(self, name, task_id, answers):
        self.ask(name, "tasks/update", task_id, inputResponses=answers)

    def give_up(self, name, task_id):
        self.ask(name, "tasks/cancel", task_id)

    def finish(self, name, polled):
        """Take the end of a task."""


class Driven(TaskClient):
    """Leaves the loop to `run`."""

    def call(self, name, host, arguments):
        answers = {f"What is {json.dumps(key, ensure_ascii=False)}?": answer for key, answer in host.items()}
        handlers = Handlers(lambda request: self.answer(answers[request.prompt]), tasks=True)
        try:
            self.drive(Call("tools/call", {"name": name, "arguments": arguments, "_meta": self.meta}), handlers)
        except (CallTimeout, InvalidAnswer, RetryLimitExceeded) as error:
            # Those leave the task running: one could go on with it.
            if error.step.task_id is not None:
                cancel = error.step.cancel_task()
                self.send(cancel.method, cancel.params)

    def answer(self, chosen):
        return Client.answer(self, chosen)

    def drive(self, call, handlers):
        run(call, self.send, handlers, sleep=self.wait)


class DrivenAsync(Driven):
    """Leaves the loop to `run_async`; `asyncio.sleep` is replaced by the clock of the tests."""

    def drive(self, call, handlers):
        async def sleep(seconds):
            self.wait(seconds)

        asleep, asyncio.sleep = asyncio.sleep, sleep
        try:
            asyncio.run(run_async(call, self.send, handlers))
        finally:
            asyncio.sleep = asleep


class Resuming(Driven):
    """Goes through the steps by hand, and cancels a task where a step of it is refused."""

    def drive(self, call, handlers):
        while True:
            try:
                step = call.receive(self.send(call.method, call.params))
                if not isinstance(step, Pause):
                    return
                self.wait(step.delay)
                call = step.resume({key: handlers.wait_for(asked) for key, asked in step.requests.items()})
            except MrtrError:
                if call.task_id is not None:
                    cancel = call.cancel_task()
                    self.send(cancel.method, cancel.params)
                return
