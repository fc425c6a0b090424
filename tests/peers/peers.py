"""The servers that are spoken to: what the table calls each, how it is started, and that it is ended.

PEERS_PYTHON names the interpreter that has the Python servers, PEERS_FASTMCP_TASKS that of an older FastMCP with tasks,
PEERS_NODE the folder that holds node_modules.
"""

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
from low_level_client import META, Http, Stdio, Transport
from processes import started

HERE = Path(__file__).parent
PYTHON = os.environ["PEERS_PYTHON"]
FASTMCP_TASKS = os.environ["PEERS_FASTMCP_TASKS"]
NODE = Path(os.environ["PEERS_NODE"])

#: A key that outlives the server that seals by it.
KEY = "a key that two servers in a row seal their states by"

#: What the servers ask, and what a person enters.
SCRIPT = json.loads((HERE / "script.json").read_bytes())


@dataclass(frozen=True)
class Peer:
    """A server in one of its transports."""

    server: str
    transport: str
    command: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.server}, {self.transport}".replace("`", "")


@dataclass(frozen=True)
class Connection:
    """A peer that is up, and what is known of it."""

    peer: Peer
    transport: Transport
    version: str
    content_types: set[str] = field(default_factory=set)

    def send(self, method, params):
        return self.transport.send(method, params)


def python(file: str, *options: str, interpreter: str = PYTHON) -> tuple[str, ...]:
    return interpreter, str(HERE / file), *options


def node(file: str, *options: str) -> tuple[str, ...]:
    return str(NODE / "node_modules" / ".bin" / "node"), str(HERE / file), *options


def in_every_transport(server: str, command: Sequence[str], *, streamed: bool = False) -> list[Peer]:
    transports = {"HTTP with JSON": (), "HTTP with SSE": ("--streamed",), "stdio": ("--stdio",)}
    if not streamed:
        del transports["HTTP with SSE"]
    return [Peer(server, name, (*command, *options)) for name, options in transports.items()]


#: Servers that play script.json; what they ask for is in every transport the same.
TYPESCRIPT = in_every_transport(
    "TypeScript `@modelcontextprotocol/server`", node("typescript_server.mjs"), streamed=True
)
PLAIN = [*in_every_transport("Python `mcp`, low level", python("python_server.py"), streamed=True), *TYPESCRIPT]
SEALED = [
    *in_every_transport("Python `mcp`, low level, sealed state", python("python_server.py", "--sealed", KEY)),
    *in_every_transport(
        "TypeScript `@modelcontextprotocol/server`, sealed state", node("typescript_server.mjs", "--sealed", KEY)
    ),
]
SCRIPTED = PLAIN + SEALED

#: Servers that run tools of script.json as tasks.
EXTENSION = in_every_transport("Python `mcp`, `MCPServer` with an extension for tasks", python("task_server.py"))
FASTMCP = in_every_transport(
    "FastMCP with `fastmcp-tasks`", python("fastmcp_task_server.py", interpreter=FASTMCP_TASKS)
)
TASKS = EXTENSION + TYPESCRIPT + FASTMCP

RESOLVERS = in_every_transport("Python `mcp`, `MCPServer` with resolvers", python("resolver_server.py"))
GUARDS = in_every_transport("FastMCP with guards", python("guard_server.py"))
FLAT = Peer("A server of our own in Apache Juneau's flat shape", "HTTP with JSON", python("flat_server.py"))


@contextmanager
def connected(peer: Peer) -> Iterator[Connection]:
    """Start a server, connect to it, and ask it for its version."""
    if peer.transport == "stdio":
        with Stdio(peer.command) as transport:
            yield Connection(peer, transport, version_of(transport))
        return
    seen: set[str] = set()

    def note(response: httpx.Response) -> None:
        seen.add(response.headers["content-type"].partition(";")[0])

    with (
        started(peer.command) as url,
        Http(url, httpx.Client(timeout=30, trust_env=False, event_hooks={"response": [note]})) as transport,
    ):
        version = version_of(transport)
        seen.clear()
        yield Connection(peer, transport, version, seen)


def version_of(transport: Transport) -> str:
    discovered = transport.send("server/discover", {"_meta": META})
    return discovered["_meta"]["io.modelcontextprotocol/serverInfo"]["version"]


def heard(result):
    """What a server that plays script.json says that it heard, round by round."""
    (content,) = result["content"]
    return json.loads(content["text"])
