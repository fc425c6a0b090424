"""The command `adversary` is fair: clients that differ in what the specification leaves open get full marks."""

import contextlib
import http.client
import itertools
import json
import socket
import threading
import urllib.error
import urllib.request
import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest
from adversary_client import META, Client, post
from adversary_runs import Clock, find_verdict, judge, not_passed

from toolnexus_mrtr import MrtrError
from toolnexus_mrtr.cli._adversary._loopback import Loopback
from toolnexus_mrtr.cli._adversary._server import HostileServer

CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"


def declaring(**elicitation):
    return META | {CAPABILITIES: META[CAPABILITIES] | {"elicitation": elicitation}}


class CountingAnew(Client):
    """Counts its ids anew in each call."""

    def call(self, name, host, arguments):
        self.ids = itertools.count(1)
        super().call(name, host, arguments)


class WithOtherIds(Client):
    """Has a kind of ids of its own."""

    def __init__(self, url, clock, ids):
        super().__init__(url, clock)
        self.ids = ids


class DeclaringFormOnce(Client):
    """Declares form alone for one call, and nothing for another."""

    def call(self, name, host, arguments):
        self.meta = {"plain": declaring(form={}), "visit": declaring(form={}), "values": declaring()}.get(name, META)
        if name == "arguments":
            self.meta = META | {CAPABILITIES: {}}
        super().call(name, host, arguments)


class DeclaringNothingOnRetries(Client):
    """Needs nothing more in one call, and declares so."""

    def retry(self, name, params):
        return params | {"_meta": META | {CAPABILITIES: {}}} if name == "awkward_state" else params


class WithOtherMeta(Client):
    """Adds to the `_meta` of its retries, and writes its members in another order."""

    def retry(self, name, params):
        more = {"progressToken": next(self.ids), "com.example/trace": [1, {}], "traceparent": "00-1-1-00"}
        own = {"io.modelcontextprotocol/logLevel": "debug", "io.modelcontextprotocol/clientInfo": {"name": name}}
        return params | {"_meta": more | own | dict(reversed(params["_meta"].items()))}


class InAnotherOrder(Client):
    """Writes the members of its messages in another order, and calls the tools in another."""

    def retry(self, name, params):  # noqa: ARG002 - the order of `Client`
        params = dict(reversed(params.items()))
        if "inputResponses" in params:
            params["inputResponses"] = dict(reversed(params["inputResponses"].items()))
        return params

    def post(self, body):
        return post(self.url, json.dumps(dict(reversed(json.loads(body).items())), indent=3).encode("ascii"))

    def send(self, method, params):
        result = super().send(method, params)
        return result | {"tools": result["tools"][::-1]} if method == "tools/list" else result


class InUtf8(Client):
    """Writes what it can as UTF-8."""

    def post(self, body):
        return post(self.url, json.dumps(json.loads(body), ensure_ascii=False).encode("utf-8", "surrogatepass"))

    def call(self, name, host, arguments):
        if name != "half_surrogate":
            super().call(name, host, arguments)


class SpellingNumbersOtherwise(Client):
    """Writes numbers as its language does; they are equal."""

    def retry(self, name, params):
        if name == "arguments":
            params["arguments"]["weight"] = 1
        if name == "values":
            params["inputResponses"]["all"]["content"]["count"] = 2.0
        return params


class Slow(Client):
    """Takes its time for each retry, as people do."""

    def wait(self, seconds):
        super().wait(seconds + 30)


class Hurried(Client):
    """Retries at once where nothing was asked."""

    def wait(self, seconds):
        pass


class Declining(Client):
    """Declines everything."""

    def answer(self, _):
        return {"action": "decline"}


class Cancelling(Client):
    """Cancels everything."""

    def answer(self, _):
        return {"action": "cancel"}


class Verbose(Client):
    """Sends members that say nothing."""

    def retry(self, name, params):
        answers = params.setdefault("inputResponses", {})
        for answer in answers.values():
            answer["_meta"] = {"com.example/at": name}
        return params


class Parallel(Client):
    """Makes all calls at once, two of each tool."""

    def play(self):
        listed = self.send("tools/list", {"_meta": self.meta})["tools"]
        with ThreadPoolExecutor(len(listed)) as pool:
            for _ in range(2):
                for tool in listed:
                    pool.submit(self.call_alone, tool["name"], tool["_meta"])
        self.send("prompts/list", {"_meta": self.meta})

    def call_alone(self, name, script):
        with contextlib.suppress(MrtrError):
            self.call(name, script["host"], script["arguments"])


class StartingAnew(Client):
    """Makes each call twice at first, and goes on with the second."""

    def first(self, name, params):  # noqa: ARG002 - as above
        self.send("tools/call", params)
        return params


class Repeating(Client):
    """Sends each retry again, as if the response had been lost."""

    def retry(self, name, params):  # noqa: ARG002 - as above
        self.send("tools/call", params)
        return params


class Probing(Client):
    """Finds out first what the server speaks."""

    def play(self):
        earlier = META | {"io.modelcontextprotocol/protocolVersion": "2025-11-25"}
        for method, params in (("initialize", {"protocolVersion": "2025-11-25"}), ("tools/list", {"_meta": earlier})):
            with pytest.raises(urllib.error.HTTPError):
                self.send(method, params)
        self.send("server/discover", {"_meta": META})
        super().play()
        assert self.post(b'{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}') == 202


class Visiting(Client):
    """Visits the url that the user accepted to visit."""

    def retry(self, name, params):
        if name == "visit":
            with pytest.raises(urllib.error.HTTPError):
                urllib.request.urlopen(self.url.replace("/mcp", "/trap/visit"))
        return params


class OverOneConnection(Client):
    """Keeps its connection alive, and sends bodies as they are or in chunks, with headers of its own."""

    is_chunked = False

    def play(self):
        self.connection = http.client.HTTPConnection(self.url.split("/")[2])
        with contextlib.closing(self.connection):
            super().play()

    def post(self, body):
        headers = {"Content-Type": "application/json", "Mcp-Method": "x", "X-More": "y", "Origin": "http://localhost"}
        parts = (body[place : place + 1000] for place in range(0, len(body), 1000)) if self.is_chunked else body
        self.connection.request("POST", "/mcp", parts, headers, encode_chunked=self.is_chunked)
        return json.load(self.connection.getresponse())


class InChunks(OverOneConnection):
    is_chunked = True


class OverOldHttp(Client):
    """Speaks HTTP/1.0."""

    def post(self, body):
        host, port = self.url.split("/")[2].split(":")
        with socket.create_connection((host, int(port))) as line, line.makefile("rb") as answer:
            line.sendall(b"POST /mcp HTTP/1.0\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
            return json.loads(answer.read().partition(b"\r\n\r\n")[2])


def with_ids(ids):
    return lambda url, clock: WithOtherIds(url, clock, ids())


@pytest.mark.parametrize(
    "kind",
    [
        CountingAnew,
        with_ids(lambda: map(str, itertools.count())),
        with_ids(lambda: (str(uuid.UUID(int=n)) for n in itertools.count())),
        with_ids(lambda: map(float, itertools.count())),
        with_ids(lambda: itertools.count(2**70)),
        with_ids(lambda: (str(n) + "x" * 100_000 for n in itertools.count())),
        DeclaringFormOnce,
        DeclaringNothingOnRetries,
        WithOtherMeta,
        InAnotherOrder,
        InUtf8,
        SpellingNumbersOtherwise,
        Slow,
        Hurried,
        Declining,
        Cancelling,
        Verbose,
        Parallel,
        StartingAnew,
        Repeating,
        Probing,
        Visiting,
        OverOneConnection,
        InChunks,
        OverOldHttp,
    ],
)
def test_adversary_gives_a_legal_client_full_marks(kind):
    assert not_passed(judge(kind)) == {}


class NoticingLock:
    """A lock that counts who waits for it."""

    def __init__(self):
        self.lock, self.waiters = threading.Lock(), threading.Semaphore(0)

    def __enter__(self):
        self.waiters.release()
        self.lock.acquire()

    def __exit__(self, *_):
        self.lock.release()


def test_adversary_finds_one_id_in_two_requests_in_flight():
    loopback = Loopback(0)
    lock = loopback.server.one_at_a_time = NoticingLock()
    server = HostileServer(loopback.base, Clock())
    with loopback.serve(server), ThreadPoolExecutor() as pool:
        client = Client(loopback.url)
        client.ids = itertools.repeat(1)
        with lock.lock:
            pending = [pool.submit(client.send, "tools/list", {"_meta": META}) for _ in range(2)]
            assert all(lock.waiters.acquire(timeout=10) for _ in pending)
        assert pending[0].result() == pending[1].result()
    assert find_verdict(server, "id-in-flight") == ("failed", ("expected an id that no request in flight has",))
