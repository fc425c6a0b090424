"""The exchange as values: a `Call`, the `Pause`s on its way, and the `Done` at its end. No clock, no I/O.

What a pause keeps is the raw result; all else is read from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, final, overload

from msgspec import Struct

from toolnexus_mrtr._answers import HostAnswer
from toolnexus_mrtr._bridge import host_request
from toolnexus_mrtr._contract import Answer, AnswerLike, Request
from toolnexus_mrtr._errors import MrtrError, require_type
from toolnexus_mrtr._findings import raise_first
from toolnexus_mrtr._gates import Limits, pause_faults, result_type_faults
from toolnexus_mrtr._json import copy_checked, copy_json
from toolnexus_mrtr._reader import as_result, input_requests, is_input_required
from toolnexus_mrtr._records import CallRecord, Kept, PauseRecord, call_record, face
from toolnexus_mrtr._resuming import ids_of, resumed
from toolnexus_mrtr._stored import invalid, read, write
from toolnexus_mrtr._types import COMPLETE, ElicitRequest, InputRequest

#: No parser gives a value as deep as this. What a call came to is never refused for its depth: it has happened.
_ENDLESS: Final = 100_000


class Done(Struct, frozen=True):
    """The call is finished: `result` is a deep copy of the raw result, whole, and `result_type` its type.

    The type is `"complete"` where the server left it out; another one is listed in the `result_types` of the call.
    """

    result: dict[str, Any]
    result_type: str

    def __repr__(self) -> str:
        return f"Done(result_type={self.result_type!r})"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return [("result_type", self.result_type)]


@final
class Call(Kept):
    """One request to a server, and its retries: a value, made anew by each `Pause.resume`.

    Make one for each call: by its `id` pauses and answers are told apart.
    `server` is your own name for the server; it is stored with every pause, so that no other server is sent the
    answers. `capabilities` are what was declared to the server; unless given, those in the `_meta` of `params`; where
    neither says anything, nothing is gated. The call is sent at most `max_retries + 1` times. `result_types` are those
    that extensions add to `"complete"`. `id` tells this call from every other: 64 random bits, unless given.

    Raises `LocalProtocolError` `wrong_value` for what JSON cannot carry, and `TypeError` for a wrong type.
    """

    __slots__ = ()
    _record: CallRecord

    def __init__(
        self,
        method: str,
        params: Mapping[str, Any],
        *,
        server: str | None = None,
        capabilities: Mapping[str, Any] | None = None,
        max_retries: int = 10,
        result_types: Iterable[str] = (),
        limits: Limits = Limits(),  # noqa: B008 - it is frozen
        id: str | None = None,
    ) -> None:
        record = call_record(
            method,
            params,
            server=server,
            capabilities=capabilities,
            max_retries=max_retries,
            result_types=result_types,
            limits=limits,
            id=id,
        )
        object.__setattr__(self, "_record", record)

    @property
    def method(self) -> str:
        """The method to send."""
        return self._record.method

    @property
    def params(self) -> dict[str, Any]:
        """The params to send, a fresh copy each time; those of a retry hold its answers and the server's state."""
        copy: dict[str, Any] = copy_checked(self._record.params)
        return copy

    @property
    def server(self) -> str | None:
        """Your own name for the server."""
        return self._record.server

    @property
    def id(self) -> str:
        """What tells this call and its retries from every other call."""
        return self._record.id

    @property
    def retry(self) -> int:
        """How many sends came before this one."""
        return self._record.retry

    def receive(self, raw: Mapping[str, Any]) -> Done | Pause:
        """Take the result of this call, copied: it is done, or paused for input.

        A pure function: the same result gives an equal value, here and in any other process.

        Raises `RemoteProtocolError` for the first fault in the server's order: `unknown_result_type`,
        `method_not_supported`, `nothing_requested`, `undeclared_capability`, `too_large`, and all that
        `input_requests` raises; nothing of such a pause may be shown to anybody. Raises `RetryLimitExceeded` for one
        pause too many, `LocalProtocolError` `not_a_result`, and `TypeError` for what is no map.
        """
        record = self._record
        raise_first(result_type_faults(as_result(raw), record.result_types))
        if not is_input_required(raw):
            result = copy_json(raw, depth=_ENDLESS, remote=True, keep=True)
            return Done(result, result.get("resultType", COMPLETE))
        pause = _pause(record, raw)
        if record.retry >= record.max_retries:
            raise RetryLimitExceeded(pause)
        return pause

    def to_json(self) -> bytes:
        """Store the call, as ASCII JSON. It holds the params, and is as secret as they are."""
        return write(self._record)

    @staticmethod
    def from_json(data: bytes | str, *, server: str | None = None) -> Call:
        """Give back a stored call, under the rules of `Pause.from_json`."""
        record, raw = read(data, server)
        if raw is not None:
            raise invalid()
        return face(Call, record)


@final
class Pause(Kept):
    """A call that waits for input; `Call.receive` makes it, and `Pause.from_json`.

    Show its `requests`, or read its `input_requests`, and `resume`. What it gives out is copied each time.
    """

    __slots__ = ()
    _record: PauseRecord

    def __init__(self) -> None:
        raise TypeError("a Pause is made by Call.receive and Pause.from_json")

    @property
    def call(self) -> Call:
        """The call that was paused, as it was sent."""
        return face(Call, self._record.call)

    @property
    def id(self) -> str:
        """A name to store it under: the id of the call, and the number of its retries."""
        return self._record.id

    @property
    def input_requests(self) -> dict[str, InputRequest]:
        """What is asked, by the server's keys and in its order."""
        return input_requests(copy_checked(self._record.raw))

    @property
    def requests(self) -> dict[str, Request]:
        """A `Request` for each elicitation of `input_requests`, by the server's keys; the other kinds are not here."""
        asked = self.input_requests
        ids = ids_of(self._record, asked)
        return {key: host_request(each, ids[key]) for key, each in asked.items() if isinstance(each, ElicitRequest)}

    @property
    def request_state(self) -> str | None:
        """The state that the retry will echo, if the server sent one."""
        state: str | None = self._record.raw.get("requestState")
        return state

    @property
    def delay(self) -> float:
        """Seconds to wait before the retry: 0 after questions, else 0.05 doubling to 5 while nothing is asked."""
        return self._record.delay

    @overload
    def resume(self, answers: Mapping[str, HostAnswer], *, meta: Mapping[str, Any] | None = None) -> Call: ...
    @overload
    def resume(
        self,
        answers: Iterable[Answer | AnswerLike | Mapping[str, Any]] = (),
        *,
        meta: Mapping[str, Any] | None = None,
    ) -> Call: ...
    def resume(self, answers: Any = (), *, meta: Mapping[str, Any] | None = None) -> Call:
        """Answer everything that is asked, and get the call to send next; this pause stays as it is.

        `answers` are by key: an `Answer` of any make, a typed result, or a map in the wire's own shape, whose further
        members travel along, but for those of an envelope (`id`, `jsonrpc`, `method`, `resultType`). An `id` that this
        library made must be the one of that request; any other is ignored. Where only elicitations are asked, an
        iterable of `Answer`s will do: each finds its request by `id`. A `meta` replaces the `_meta` of the params.

        Raises `InvalidAnswer` with the field errors of all forms at once; `LocalProtocolError` `missing_answer`,
        `unexpected_answer`, `answer_id_mismatch`, `answer_kind_mismatch`, `wrong_value`; `RemoteProtocolError` where a
        form is accepted that cannot be checked (decline or cancel it); `TypeError` for a wrong type.
        """
        require_type("meta", meta, Mapping | None, "a mapping")
        return face(Call, resumed(self._record, answers, meta))

    def to_json(self) -> bytes:
        """Store the pause, as ASCII JSON. It holds the call's params and the state, and is as secret as they are."""
        return write(self._record.call, self._record.raw)

    @staticmethod
    def from_json(data: bytes | str, *, server: str | None = None) -> Pause:
        """Give back a stored pause, through every gate of `receive`, for the `server` of its call and no other.

        What was stored with a server must be asked for by that name, and what was stored without one without: no
        answer and no state goes to a server that did not ask.

        Raises `LocalProtocolError` `stored_pause_invalid`, `wrong_server`; `TypeError` for a wrong type.
        """
        record, raw = read(data, server)
        try:
            if raw is not None and is_input_required(raw):
                return _pause(record, raw)
        except MrtrError:
            pass
        raise invalid()


class RetryLimitExceeded(MrtrError):
    """The server paused the call once more after its last retry (code `retry_limit`).

    `pause` is that pause. Its `call.params` still hold what was answered before, and `resume` goes on all the same.
    """

    pause: Pause

    def __init__(self, pause: Pause) -> None:
        super().__init__("retry_limit", f"expected the call to be done by its retry number {pause.call.retry}")
        self.pause = pause

    def __reduce__(self) -> tuple[type[RetryLimitExceeded], tuple[Pause]]:
        return RetryLimitExceeded, (self.pause,)


def _pause(call: CallRecord, raw: Mapping[str, Any]) -> Pause:
    """Let a paused result in, through every gate."""
    raise_first(pause_faults(raw, method=call.method, capabilities=call.declared(), limits=call.limits))
    return face(Pause, PauseRecord(call, copy_json(raw, depth=call.limits.depth, remote=True)))
