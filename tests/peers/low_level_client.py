"""A low-level client of MCP 2026-07-28: its own transports, and multi round-trip requests by toolnexus-mrtr alone.

JSON-RPC over streamable HTTP (`Http`, answers as JSON and as SSE) and over stdio (`Stdio`), with no MCP SDK; `complete`
is the whole loop of rounds. Run with the url of a server as its last argument, it plays the scenario of the official
conformance suite that MCP_CONFORMANCE_SCENARIO names, or that of `toolnexus-mrtr adversary`.
"""

from __future__ import annotations

import codecs
import io
import itertools
import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, Protocol, Self

import httpx

from toolnexus_mrtr import (
    Answer,
    Call,
    CallTimeout,
    Done,
    Handlers,
    InvalidAnswer,
    MrtrError,
    Pause,
    Request,
    RetryLimitExceeded,
    request_meta,
    run,
)

VERSION = "2026-07-28"
CLIENT = {"name": "low-level-client", "version": "1"}
META = request_meta(form=True, url=True, sampling=True, roots=True, client_info=CLIENT)

UNSUPPORTED_VERSION = -32022

#: What a response may come to; more is no answer to a call.
MOST_BYTES, MOST_SECONDS = 16_000_000, 60

_ids = itertools.count(1)


class ServerError(Exception):
    """The server answered with a JSON-RPC error."""

    def __init__(self, error: Mapping[str, Any]) -> None:
        super().__init__(error["code"], error["message"])
        self.code: int = error["code"]
        self.data: Any = error.get("data")


def request(method: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """Make a JSON-RPC request with an id of its own: a retry is a request like any other."""
    return {"jsonrpc": "2.0", "id": next(_ids), "method": method, "params": params}


def encode(message: Mapping[str, Any]) -> bytes:
    """Write a message as ASCII, in which every `str` can be written: a state may hold half a surrogate pair."""
    return json.dumps(message, separators=(",", ":"), allow_nan=False).encode("ascii")


def decode(data: bytes | str) -> Any:
    """Read JSON that every parser reads alike: strict UTF-8, no name twice, no number that a float cannot hold."""
    text = data if isinstance(data, str) else data.decode("utf-8")
    return json.loads(text, object_pairs_hook=_members, parse_float=_number, parse_constant=_number)


def _members(members: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(members)) < len(members):
        raise ValueError("expected each name once in an object")
    return dict(members)


def _number(digits: str) -> float:
    if not math.isfinite(float(digits)):
        raise ValueError("expected a number that a float can hold")
    return float(digits)


def headers(message: Mapping[str, Any]) -> dict[str, str]:
    """What a POST repeats of its message in headers, for those on the way who do not read bodies."""
    media = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    return media | Call(message["method"], message["params"]).headers


def bounded(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Give the chunks of a response that ends in time: a server may drip comments, or events, for ever."""
    size, end = 0, time.monotonic() + MOST_SECONDS
    for chunk in chunks:
        size += len(chunk)
        if size > MOST_BYTES or time.monotonic() > end:
            raise ConnectionError("expected a shorter response")
        yield chunk


def events(chunks: Iterable[bytes]) -> Iterator[str]:
    """Read the data of server-sent events. Their lines end at CR, LF or both, but not where `splitlines` would."""
    decoder = io.IncrementalNewlineDecoder(codecs.getincrementaldecoder("utf-8")(), translate=True)
    text = ""
    for chunk in chunks:
        text += decoder.decode(chunk)
        *whole, text = text.split("\n\n")
        for event in whole:
            data = [line[5:].removeprefix(" ") for line in event.split("\n") if line.startswith("data:")]
            if data:
                yield "\n".join(data)


def result(messages: Iterable[Mapping[str, Any]], id: int) -> dict[str, Any]:
    """Find the result of the request among what the server sends: progress and logs may come before it."""
    for message in messages:
        if "method" in message or message.get("id") not in (id, None):
            continue
        if "error" in message:
            raise ServerError(message["error"])
        found: dict[str, Any] = message["result"]
        return found
    raise ConnectionError("expected a response, found the end of the stream")


class Transport(Protocol):
    """What takes a request to the server and brings the raw result back."""

    def send(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]: ...


class Http:
    """Streamable HTTP: a POST for each request, answered by a JSON body or by a stream of events."""

    def __init__(self, url: str, http: httpx.Client | None = None) -> None:
        self.url = url
        self._http = http or httpx.Client(timeout=30, trust_env=False)

    def send(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        try:
            return self._post(request(method, params))
        except ServerError as error:
            if error.code != UNSUPPORTED_VERSION or VERSION not in error.data["supported"]:
                raise
        return self._post(request(method, params))

    def _post(self, message: dict[str, Any]) -> dict[str, Any]:
        with self._http.stream("POST", self.url, content=encode(message), headers=headers(message)) as response:
            body = bounded(response.iter_bytes())
            kind = response.headers.get("content-type", "").partition(";")[0]
            if kind == "text/event-stream":
                return result(map(decode, events(body)), message["id"])
            if kind != "application/json":
                response.raise_for_status()
            # A JSON-RPC error comes with the status 200, 400 or 404: the body says what happened.
            return result([decode(b"".join(body))], message["id"])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()


class Stdio:
    """A server of one's own, spoken to over its standard input and output, one message a line."""

    def __init__(self, command: Iterable[str]) -> None:
        self._server = subprocess.Popen(list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        self._input, self._output = self._server.stdin, self._server.stdout

    def send(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        message = request(method, params)
        self._input.write(encode(message) + b"\n")
        self._input.flush()
        return result(map(decode, self._output), message["id"])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with self._server:
            self._input.close()
            try:
                self._server.wait(5)
            except subprocess.TimeoutExpired:
                self._server.kill()


def complete(send: Callable[[str, dict[str, Any]], Any], call: Call, answers: Callable[[Pause], Any]) -> dict[str, Any]:
    """Send a call until it is done, and give its raw result; `answers` gives those to each pause."""
    while not isinstance(step := call.receive(send(call.method, call.params)), Done):
        time.sleep(step.delay)
        call = step.resume(answers(step))
    return step.result


# The scenarios of the conformance suite.


def tool(name: str, **arguments: Any) -> Call:
    return Call("tools/call", {"name": name, "arguments": arguments, "_meta": META})


def confirm(pause: Pause) -> list[Answer]:
    return [Answer(request.id, ok=True, data={"confirmed": True}) for request in pause.requests.values()]


def request_state(server: Transport) -> None:
    call = tool("test_mrtr_echo_state")
    pause = call.receive(server.send(call.method, call.params))
    complete(server.send, tool("test_mrtr_unrelated"), confirm)
    assert isinstance(pause, Pause)
    complete(server.send, pause.resume(confirm(pause)), confirm)
    complete(server.send, tool("test_mrtr_no_state"), confirm)
    complete(server.send, tool("test_mrtr_no_result_type"), confirm)


def list_tools(server: Transport) -> dict[str, Any]:
    listed = server.send("tools/list", {"_meta": META})["tools"]
    return {tool["name"]: tool for tool in listed}


def standard_headers(server: Transport) -> None:
    for name in list_tools(server):
        complete(server.send, tool(name), confirm)
    for resource in server.send("resources/list", {"_meta": META})["resources"]:
        complete(server.send, Call("resources/read", {"uri": resource["uri"], "_meta": META}), confirm)
    for prompt in server.send("prompts/list", {"_meta": META})["prompts"]:
        complete(server.send, Call("prompts/get", {"name": prompt["name"], "_meta": META}), confirm)


def call_with_numbers(server: Transport) -> None:
    list_tools(server)
    complete(server.send, tool("add_numbers", a=5, b=3.5), confirm)


def give_a_schema_back(server: Transport) -> None:
    schema = list_tools(server)["json_schema_2020_12_tool"]["inputSchema"]
    complete(server.send, tool("json_schema_echo", schema=schema), confirm)


def adversary(server: Transport) -> None:
    """Call every tool, its user answering as its `_meta` says; a call that the library refuses is over."""
    for name, listed in list_tools(server).items():
        script = listed["_meta"]
        handlers = Handlers(partial(scripted, script["host"]), tasks=True)
        params = {"name": name, "arguments": script["arguments"], "_meta": handlers.meta(CLIENT)}
        try:
            run(Call("tools/call", params), server.send, handlers)
        except (CallTimeout, InvalidAnswer, RetryLimitExceeded) as error:
            # One could go on with the task; this client does not.
            if error.step.task_id is not None:
                cancel = error.step.cancel_task()
                server.send(cancel.method, cancel.params)
        except MrtrError:
            continue
    with suppress(MrtrError):
        complete(server.send, Call("prompts/list", {"_meta": META}), confirm)


def scripted(host: Mapping[str, Any], request: Request) -> dict[str, Any]:
    """Find the answer of the key that the message names; where there is nobody, nobody accepts."""
    answers = {f"What is {json.dumps(key, ensure_ascii=False)}?": answer for key, answer in host.items()}
    return answers.get(request.prompt) or {"action": "cancel"}


SCENARIOS: dict[str, Callable[[Transport], object]] = {
    "sep-2322-client-request-state": request_state,
    "request-metadata": list_tools,
    "http-standard-headers": standard_headers,
    "tools_call": call_with_numbers,
    "json-schema-ref-no-deref": list_tools,
    "json-schema-2020-12-preservation": give_a_schema_back,
    "adversary": adversary,
}

if __name__ == "__main__":
    with Http(sys.argv[-1]) as server:
        SCENARIOS[os.environ["MCP_CONFORMANCE_SCENARIO"]](server)
