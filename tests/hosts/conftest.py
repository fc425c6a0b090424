"""What the tests share: the real server, the wire to it, the host, and browsers.

HOSTS_CHROMIUM and HOSTS_DRIVER name the browser and the program that drives it.
"""

import os
import re
import socket
import sys
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest
from browser import Browser
from processes import started
from wire import Wire

HERE = Path(__file__).parent
PEERS = HERE.parent / "peers"

# The host is a process of its own, and takes its transport from the client of that folder.
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(PEERS), os.environ.get("PYTHONPATH")]))


def python(program, *arguments, days=0):
    """The command of a Python program, as if run some days later."""
    later = [HERE / "later.py", days] if days else []
    return [sys.executable, *map(str, [*later, program, *arguments])]


def start_server(*options, days=0):
    """Start a real server, on the low level of the Python SDK, in a `with` statement."""
    return started(python(PEERS / "python_server.py", "--script", HERE / "script.json", *options, days=days))


@pytest.fixture(scope="session")
def server():
    with start_server() as url:
        yield url


@pytest.fixture
def wire(server):
    with Wire(server) as wire:
        yield wire


class Host:
    """The web host, which keeps its port and its database when it is started again."""

    def __init__(self, server, folder):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self._port = listener.getsockname()[1]
        self._arguments = folder / "calls.db", server, "--port", self._port
        self._stack = ExitStack()
        self.origin = f"http://127.0.0.1:{self._port}"

    def start(self, *options, days=0):
        self.stop()
        self._stack.enter_context(started(python(HERE / "web.py", *self._arguments, *options, days=days)))

    def stop(self):
        self._stack.close()


@pytest.fixture
def host(wire, tmp_path):
    host = Host(wire.url, tmp_path)
    host.start()
    yield host
    host.stop()


@pytest.fixture(scope="session")
def chromium(tmp_path_factory):
    browser = Browser(tmp_path_factory.mktemp("browser"))
    yield browser
    browser.quit()


@pytest.fixture
def browser(chromium, host):
    """A browser that has never been here."""
    chromium.forget()
    chromium.origin = host.origin
    return chromium


class Visitor(httpx.Client):
    """A program that posts forms as a browser does, or not quite as it does."""

    def __init__(self, origin):
        super().__init__(base_url=origin, headers={"Origin": origin}, trust_env=False, timeout=30)

    def __enter__(self):
        super().__enter__()
        self.token = self.hidden(self.get("/"), "token")
        return self

    def hidden(self, page, name):
        (value,) = re.findall(f'name="{name}" value="([^"]*)"', page.text)
        return value

    def call(self, tool):
        """Start a call, and give the path of its page and what its form posts, less the decision."""
        path = self.post("/", data={"token": self.token, "tool": tool, "arguments": "{}"}).headers["location"]
        return path, {"token": self.token, "seen": self.hidden(self.get(path), "seen")}


@pytest.fixture
def visitor(host):
    with Visitor(host.origin) as visitor:
        yield visitor
