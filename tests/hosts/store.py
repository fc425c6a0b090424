"""Sessions and calls in SQLite: one row says where a call stands, as in the README's stored loop."""

from __future__ import annotations

import json
import secrets
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from toolnexus_mrtr import Call, Done, Pause

#: Seconds that a session lasts, and with it the sight of its calls.
LIFETIME = 30 * 24 * 3600

TABLES = """
create table if not exists sessions (id text primary key, token text, since real);
create table if not exists calls (
    id text primary key, session text, since real, version integer, kind text, step blob, note text
);
"""

Step: TypeAlias = Call | Pause | Done


class ReplacedError(Exception):
    """Another tab has gone on with the call."""


class Session(NamedTuple):
    """A person's browser: the secret in its cookie, and the token that its forms post back."""

    id: str
    token: str


class Stored(NamedTuple):
    """A call as it stands; `note` says why it went no further."""

    id: str
    version: int
    step: Step
    note: str | None = None


class Store:
    """Each method is one transaction, on a connection of its own."""

    def __init__(self, path: Path, server: str) -> None:
        self._path, self._server = path, server
        with closing(sqlite3.connect(path)) as database:
            database.executescript(TABLES)

    def _execute(self, sql: str, *values: Any) -> tuple[list[Any], int]:
        with closing(sqlite3.connect(self._path)) as database, database:
            cursor = database.execute(sql, values)
            return cursor.fetchall(), cursor.rowcount

    def begin_session(self) -> Session:
        session = Session(secrets.token_urlsafe(32), secrets.token_urlsafe(32))
        self._execute("insert into sessions values (?, ?, ?)", *session, time.time())
        return session

    def load_session(self, id: str) -> Session | None:
        since = time.time() - LIFETIME
        rows, _ = self._execute("select id, token from sessions where id = ? and since > ?", id, since)
        return Session(*rows[0]) if rows else None

    def list_calls(self, session: Session) -> list[tuple[str, str, str | None]]:
        query = "select id, kind, note from calls where session = ? order by since desc"
        return self._execute(query, session.id)[0]

    def begin(self, session: Session, call: Call) -> Stored:
        row = (call.id, session.id, time.time(), call.to_json())
        self._execute("insert into calls values (?, ?, ?, 0, 'Call', ?, null)", *row)
        return Stored(call.id, 0, call)

    def load(self, session: Session, id: str) -> Stored | None:
        query = "select version, kind, step, note from calls where id = ? and session = ?"
        for version, kind, data, note in self._execute(query, id, session.id)[0]:
            if kind == "Done":
                return Stored(id, version, Done(json.loads(data), "complete"))
            step = (Call if kind == "Call" else Pause).from_json(data, server=self._server)
            return Stored(id, version, step, note)
        return None

    def replace(self, stored: Stored, step: Step, note: str | None = None) -> Stored:
        """Put the next step in the place of this one, unless another has taken it."""
        data = json.dumps(step.result).encode() if isinstance(step, Done) else step.to_json()
        update = "update calls set version = version + 1, kind = ?, step = ?, note = ? where id = ? and version = ?"
        if not self._execute(update, type(step).__name__, data, note, stored.id, stored.version)[1]:
            raise ReplacedError
        return Stored(stored.id, stored.version + 1, step, note)
