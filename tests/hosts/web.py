"""A whole web host: a person starts a call of a tool on a page, answers what it asks on others, whenever that is.

`python web.py DATABASE SERVER_URL` serves it on loopback. No page has a script, and nothing is fetched for a server.
"""

from __future__ import annotations

import argparse
import hmac
import json
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from loopback import listen, origin_of, serve
from low_level_client import Http, ServerError, decode
from pages import PAGES, render
from questions import ZONES, Question, list_questions, read_answers
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.middleware.base import BaseHTTPMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response
from starlette.routing import Route
from store import LIFETIME, ReplacedError, Session, Step, Store, Stored

from toolnexus_mrtr import Call, Done, MrtrError, Pause, request_meta

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; "
    "base-uri 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}

#: How many bytes of a posted form are kept; a longer one is refused.
MOST_BYTES = 1_000_000

Send = Callable[[str, dict[str, Any]], dict[str, Any]]
Posted = dict[str, list[str]]


class Host:
    """The pages, and what their buttons do; a request follows pauses that ask nothing for `patience` seconds."""

    def __init__(self, store: Store, send: Send, server: str, origin: str, patience: float) -> None:
        self._store, self._send, self._server = store, send, server
        self._origin, self._patience = origin, patience
        self._under_way: set[str] = set()

    def make_app(self) -> Starlette:
        routes = [
            Route("/", self._page(self._start), methods=["GET"]),
            Route("/", self._page(self._begin), methods=["POST"]),
            Route("/style.css", lambda _: FileResponse(PAGES / "style.css")),
            Route("/calls/{id}", self._page(self._show), methods=["GET"]),
            Route("/calls/{id}", self._page(self._go_on), methods=["POST"]),
        ]
        return Starlette(routes=routes, middleware=[Middleware(BaseHTTPMiddleware, dispatch=self._guard)])

    async def _guard(self, request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
        """Refuse requests under another host's name and posts from another page; put the headers on every response."""
        origin, site = request.headers.get("origin"), request.headers.get("sec-fetch-site")
        # Under `Referrer-Policy: no-referrer` a browser gives the origin of our own pages as null.
        is_ours = origin == self._origin or (origin == "null" and site == "same-origin")
        if request.headers.get("host") != self._origin.removeprefix("http://"):
            response: Response = render("refused.html", 421, reason="This is another host.")
        elif request.method not in ("GET", "HEAD") and not is_ours:
            response = render("refused.html", 403, reason="This was posted from another page.")
        elif site == "cross-site":
            # A link on another site comes without the cookie: the page loads itself again, and then it has it.
            response = render("reload.html")
        else:
            response = await call_next(request)
        response.headers.update(HEADERS)
        return response

    def _page(self, handle: Callable[[Request, Session, Posted], Response]) -> Callable[[Request], Awaitable[Response]]:
        """Let a handler do what a request wants in its session; a post must have the token of that."""

        def respond(request: Request, posted: Posted) -> Response:
            session = self._store.load_session(request.cookies.get("session", ""))
            token = posted.get("token", [""])[0].encode()
            if request.method == "POST" and not (session and hmac.compare_digest(token, session.token.encode())):
                return render("refused.html", 403, reason="This page is too old. Load it again.")
            if session is not None:
                return handle(request, session, posted)
            session = self._store.begin_session()
            response = handle(request, session, posted)
            response.set_cookie("session", session.id, max_age=LIFETIME, httponly=True, samesite="strict")
            return response

        async def endpoint(request: Request) -> Response:
            body = b""
            async for chunk in request.stream():
                if len(body) <= MOST_BYTES:
                    body += chunk
            if len(body) > MOST_BYTES:
                return render("refused.html", 413, reason="This is too long.")
            posted = parse_qs(body.decode("ascii", "replace"), keep_blank_values=True)
            return await run_in_threadpool(respond, request, posted)

        return endpoint

    def _start(self, _: Request, session: Session, posted: Posted, error: str = "") -> Response:
        tool, arguments = posted.get("tool", [""])[0], posted.get("arguments", ["{}"])[0]
        values = {"session": session, "calls": self._store.list_calls(session), "tool": tool, "arguments": arguments}
        return render("start.html", 422 if error else 200, error=error, **values)

    def _begin(self, request: Request, session: Session, posted: Posted) -> Response:
        meta = request_meta(form=True, url=True, client_info={"name": "web-host", "version": "1"})
        try:
            params = {"name": posted["tool"][0], "arguments": {**decode(posted["arguments"][0])}, "_meta": meta}
            call = Call("tools/call", params, server=self._server)
        except (LookupError, TypeError, ValueError, RecursionError, MrtrError):
            return self._start(request, session, posted, "Expected a tool, and its arguments as a JSON object.")
        self._advance(self._store.begin(session, call))
        return RedirectResponse(f"/calls/{call.id}", 303)

    def _show(self, request: Request, session: Session, _: Posted, *, replaced: bool = False) -> Response:
        stored = self._store.load(session, request.path_params["id"])
        if stored and isinstance(stored.step, Pause) and not stored.step.input_requests:
            self._advance(stored)
            stored = self._store.load(session, stored.id)
        if stored is None:
            return render("refused.html", 404, reason="There is no such call here.")
        questions = list_questions(stored.step) if isinstance(stored.step, Pause) else {}
        return self._render_call(session, stored, questions, 409 if replaced else 200)

    def _render_call(self, session: Session, stored: Stored, questions: dict[str, Question], status: int) -> Response:
        kind = type(stored.step).__name__
        result = json.dumps(stored.step.result, ensure_ascii=False) if isinstance(stored.step, Done) else None
        values = {"session": session, "stored": stored, "questions": questions, "zones": ZONES, "result": result}
        return render("call.html", status, kind=kind, under_way=stored.id in self._under_way, **values)

    def _go_on(self, request: Request, session: Session, posted: Posted) -> Response:
        stored = self._store.load(session, request.path_params["id"])
        if stored is None:
            return render("refused.html", 404, reason="There is no such call here.")
        step = stored.step
        try:
            # A pause is known by what it asks, so that no answer reaches another question than the one that was seen.
            if posted.get("seen") != [step.id if isinstance(step, Pause) else str(stored.version)]:
                raise ReplacedError  # noqa: TRY301 - as the store raises it, a moment later
            if isinstance(step, Pause):
                questions = list_questions(step)
                answers = read_answers(questions, posted)
                if answers is None:
                    return self._render_call(session, stored, questions, 422)
                self._advance(self._store.replace(stored, step.resume(answers)))
            elif isinstance(step, Call):
                self._advance(self._store.replace(stored, step.restart() if "restart" in posted else step))
        except ReplacedError:
            return self._show(request, session, posted, replaced=True)
        return RedirectResponse(f"/calls/{stored.id}", 303)

    def _advance(self, stored: Stored) -> None:
        """Send a call that is stored, and go on as long as nobody is needed; each step is stored before the next."""
        until = time.monotonic() + self._patience
        self._under_way.add(stored.id)
        try:
            while stored.note is None:
                step, note = stored.step, None
                if isinstance(step, Call):
                    step, note = self._try(step)
                elif isinstance(step, Pause) and not step.input_requests and time.monotonic() < until:
                    time.sleep(step.delay)
                    step = step.resume()
                else:
                    break
                stored = self._store.replace(stored, step, note)
        except ReplacedError:
            pass  # Another tab goes on.
        finally:
            self._under_way.discard(stored.id)

    def _try(self, call: Call) -> tuple[Step, str | None]:
        """Send a call. Where that leads no further the call is stored again, with a note of why."""
        try:
            return call.receive(self._send(call.method, call.params)), None
        except ServerError as error:
            is_code = type(error.code) is int
            return call, str(error.code) if is_code else "unusable: expected a number as the code of an error"
        except MrtrError as error:
            return call, f"unusable: {error}"
        except Exception:  # noqa: BLE001 - whatever went wrong on the way, the call can be sent again
            return call, "no answer"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("database", type=Path)
    parser.add_argument("url", help="of the MCP server")
    parser.add_argument("--server", default="parcels", help="what people here call it")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--patience", type=float, default=3)
    options = parser.parse_args()
    listener = listen(options.port)
    with Http(options.url) as server:
        store = Store(options.database, options.server)
        host = Host(store, server.send, options.server, origin_of(listener), options.patience)
        serve(host.make_app(), listener, path="/")
