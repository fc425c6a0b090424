"""The server of the command `adversary`: on loopback alone, bounded, and deaf to the pages of other sites."""

import contextlib
import gc
import http.client
import itertools
import json
import socket
import tracemalloc

import pytest
from adversary_client import META, post
from adversary_runs import find_verdict, not_passed, serving

from toolnexus_mrtr.cli._adversary._loopback import Loopback

LIST = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": META}}).encode()


def ask(url, *lines, body=b""):
    """Send a request as these lines, and give the status of the answer; 0 where the server hangs up."""
    host, port = url.split("/")[2].split(":")
    with socket.create_connection((host, int(port))) as line:
        line.sendall("\r\n".join([*lines, "", ""]).encode("latin-1") + body)
        line.shutdown(socket.SHUT_WR)
        answer = b"".join(iter(lambda: line.recv(65536), b""))
    return int(answer.split()[1]) if answer else 0


@pytest.mark.parametrize(
    ("request_line", "header", "status"),
    [
        ("GET /mcp", "X: y", 405),
        ("DELETE /mcp", "X: y", 405),
        ("POST /", "Content-Length: 0", 404),
        ("HEAD /.well-known/x", "X: y", 404),
        ("POST /mcp", "X: y", 411),
        ("POST /mcp", "Content-Length: x", 411),
        ("POST /mcp", "Content-Length: -1", 411),
        ("POST /mcp", "Content-Length: \xb2", 411),
        ("POST /mcp", f"Content-Length: {(1 << 20) + 1}", 413),
        ("POST /mcp", "Content-Length: " + "9" * 5_000, 413),
        ("POST /mcp", "Transfer-Encoding: gzip", 501),
    ],
)
def test_adversary_takes_nothing_but_a_bounded_post_to_mcp(request_line, header, status, capfd):
    with serving() as (client, server):
        assert ask(client.url, f"{request_line} HTTP/1.1", header, body=b"{}") == status
    assert "failed" not in not_passed(server.judge()).values()
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("chunks", "status"),
    [
        (b"5;a=b\r\n%s\r\n%x\r\n%s\r\n000\r\nX: y\r\n\r\n" % (LIST[:5], len(LIST) - 5, LIST[5:]), 200),
        (b"fffff\r\n" + b" " * 0xFFFFF + b"\r\n10\r\n", 413),
        (b"f" * 900 + b"\r\n", 413),
        (b"f" * 5_000 + b"\r\n", 413),
        (b"x\r\n", 0),
        (b"-1\r\n", 0),
        (b"", 0),
        (b"5\r\n12", 0),
        (b"0\r\n" + b"X: y\r\n" * 200 + b"\r\n", 0),
    ],
)
def test_adversary_reads_bodies_in_chunks_within_its_bounds(chunks, status, capfd):
    with serving() as (client, _):
        assert ask(client.url, "POST /mcp HTTP/1.1", "Transfer-Encoding: chunked", body=chunks) == status
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("header", "status"),
    [
        ("Origin: http://localhost:3000", 200),
        ("Origin: https://127.0.0.1", 200),
        ("Origin: https://evil.example", 403),
        ("Origin: https://localhost.evil.example", 403),
        ("Origin: null", 403),
        ("Origin: http://[", 403),
        ("Host: localhost:1", 200),
        ("Host: [::1]", 200),
        ("Host: evil.example:80", 403),
        ("Host:", 403),
    ],
)
def test_adversary_refuses_what_a_page_of_another_site_sends(header, status):
    with serving() as (client, server):
        assert ask(client.url, "POST /mcp HTTP/1.1", header, f"Content-Length: {len(LIST)}", body=LIST) == status
        assert find_verdict(server, "id-type")[0] == ("passed" if status == 200 else "not exercised")
        # Nor can such a page pretend that the client fetched a trap.
        client.send("tools/call", {"name": "foreign_ref", "_meta": META})
        ask(client.url, "GET /trap/foreign_ref HTTP/1.1", header)
    assert find_verdict(server, "ref-fetched")[0] == ("failed" if status == 200 else "passed")


def test_adversary_listens_on_loopback_alone():
    loopback = Loopback(0)
    host, port = loopback.server.server_address
    with contextlib.closing(loopback.server.socket):
        assert host == "127.0.0.1"
        # Whoever listens on every address answers here too.
        with pytest.raises(OSError):  # noqa: PT011 - the reasons differ from system to system
            socket.create_connection(("127.0.0.2", port), timeout=5)


def test_adversary_bounds_its_connections_and_closes_those_that_are_idle_in_the_end():
    with contextlib.ExitStack() as stack:
        with serving() as (client, _):
            host, port = client.url.split("/")[2].split(":")
            address = host, int(port)
            lines = [stack.enter_context(socket.create_connection(address, timeout=10)) for _ in range(300)]
            for line in lines[128:]:
                with contextlib.suppress(ConnectionError):
                    assert line.recv(1) == b""
            lines[0].sendall(b"POST /mcp HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % len(LIST) + LIST)
            assert lines[0].recv(12) == b"HTTP/1.1 200"
        assert lines[127].recv(1) == b""


def test_adversary_keeps_nothing_that_a_client_makes_large():
    with serving() as (client, server):
        large = "x" * 300_000
        client.ids = (f"{n}{large}" for n in itertools.count())
        params = {"name": "endless", "arguments": {"large": large}, "_meta": META}
        retry = params | {"inputResponses": {"who": {"action": "decline", "large": large}}, "requestState": "s-1"}
        client.send("tools/call", params)
        tracemalloc.start()
        try:
            for _ in range(10):
                client.send("tools/call", retry)
            gc.collect()
            assert tracemalloc.get_traced_memory()[0] < 2 * len(large)
        finally:
            tracemalloc.stop()
    assert find_verdict(server, "id-reused") == ("passed", ())


def test_adversary_ignores_a_client_that_hangs_up(capfd):
    with serving() as (client, server):
        host, port = client.url.split("/")[2].split(":")
        with socket.create_connection((host, int(port))) as line:
            line.sendall(b"POST /mcp HTTP/1.0\r\nContent-Length: 9\r\n\r\n{")
            line.shutdown(socket.SHUT_WR)
            assert line.recv(1) == b""
        client.send("server/discover", {"_meta": META})
    assert "failed" not in not_passed(server.judge()).values()
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(("fault", "is_told"), [(BrokenPipeError(), False), (ValueError(), True)])
def test_adversary_prints_the_traceback_of_a_fault_of_its_own(fault, is_told, capsys):
    class Faulty:
        def answer(self, *_):
            raise fault

    loopback = Loopback(0)
    with loopback.serve(Faulty()), pytest.raises(http.client.RemoteDisconnected):
        post(loopback.url, LIST)
    assert ("ValueError" in capsys.readouterr().err) == is_told
