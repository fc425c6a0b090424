"""The exchange as values: a `Call`, the `Pause`s on its way, and the `Done` at its end. No clock, no I/O."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, final, overload

from toolnexus_mrtr._answers import HostAnswer
from toolnexus_mrtr._call_state import CallState, fresh_id, make_call_state
from toolnexus_mrtr._errors import MrtrError, require_count, require_type
from toolnexus_mrtr._frozen import Frozen, from_state, state_of
from toolnexus_mrtr._json import copy_checked
from toolnexus_mrtr._outgoing import Disclosure, list_disclosures, make_headers
from toolnexus_mrtr._pause_state import PauseState, with_call
from toolnexus_mrtr._reader import input_requests
from toolnexus_mrtr._receiving import Done, receive
from toolnexus_mrtr._stored import load, store, stored_pause_invalid
from toolnexus_mrtr._toolnexus import Answer, AnswerLike, Request
from toolnexus_mrtr._types import ElicitRequest, InputRequest
from toolnexus_mrtr._validation import Limits


@final
class Call(Frozen):
    """One request to a server, and its retries: a value, made anew by each `Pause.resume`.

    `method` and `params` are those of the request. Make a new one for each call: its `id` keeps an answer from reaching
    another call. `server` is your own name for the server; it is stored with every pause, so that no other server is
    sent the answers. `capabilities` are what was declared to the server; unless given, those in the `_meta` of
    `params`; where neither says anything, no request is refused as undeclared. `max_retries` bounds the sends that
    carry answers, `max_polls` those in a row that carry none since the server asked nothing; past either, `receive`
    raises `RetryLimitExceeded`. At the pace of `Pause.delay` 200 polls take some 16 minutes. `limits` say how much one
    pause may hold. `result_types` are those that extensions add to `"complete"`. `id` tells this call from every other:
    64 random bits, unless given.

    A `tools/call` that declares the extension `io.modelcontextprotocol/tasks` may become a task. It is followed by the
    same loop: the next calls are its `tasks/get` and `tasks/update`, until it is done. `max_polls` does not bound its
    polls: how long to follow it is for you or the `timeout` of a driver to say.

    Raises `LocalProtocolError` `wrong_value` for what JSON cannot carry and for a number out of bounds, and `TypeError`
    for a wrong type.
    """

    __slots__ = ()
    _state: CallState

    def __init__(
        self,
        method: str,
        params: Mapping[str, Any],
        *,
        server: str | None = None,
        capabilities: Mapping[str, Any] | None = None,
        max_retries: int = 10,
        max_polls: int = 200,
        result_types: Iterable[str] = (),
        limits: Limits = Limits(),  # noqa: B008 - it is frozen
        id: str | None = None,
    ) -> None:
        state = make_call_state(
            method,
            params,
            server=server,
            capabilities=capabilities,
            max_retries=max_retries,
            max_polls=max_polls,
            result_types=result_types,
            limits=limits,
            id=id,
        )
        object.__setattr__(self, "_state", state)

    @property
    def method(self) -> str:
        """The method to send."""
        return self._state.sent[0]

    @property
    def params(self) -> dict[str, Any]:
        """The params to send, a fresh copy each time; those of a retry hold its answers and the server's state."""
        copy: dict[str, Any] = copy_checked(self._state.sent[1])
        return copy

    @property
    def headers(self) -> dict[str, str]:
        """The headers that the protocol asks of a streamable HTTP request, a fresh dict of ASCII text each time.

        They are `MCP-Protocol-Version` (what `_meta` says, else 2026-07-28), `Mcp-Method`, and `Mcp-Name` where the
        method has one: tool, prompt, uri or id of a task. What a header cannot carry as it is stands there in base64
        (basic/transports/streamable-http, "Value Encoding"). All else of HTTP is the transport's, `Mcp-Param-*`
        included. In a `send`, `Call(method, params).headers` gives them for any method.
        """
        return make_headers(*self._state.sent)

    @property
    def disclosures(self) -> tuple[Disclosure, ...]:
        """What this retry gives away, in order: each action, each value of content, and every further member.

        An answer without an `action`, such as a message of a language model, is listed by its members.
        `on_step` can look at it and veto. A first send gives nothing of this kind away: `()`.
        """
        if not self._state.retry:
            return ()
        return list_disclosures(self._state.server, self._state.sent[1].get("inputResponses", {}))

    @property
    def server(self) -> str | None:
        """Your own name for the server."""
        return self._state.server

    @property
    def id(self) -> str:
        """What tells this call and its retries from every other call."""
        return self._state.id

    @property
    def retry(self) -> int:
        """How many sends came before this one."""
        return self._state.retry

    @property
    def task_id(self) -> str | None:
        """The id of the task that the call has become: a secret, since whoever has it can answer and cancel."""
        return None if self._state.task is None else self._state.task.id

    def receive(self, raw: Mapping[str, Any]) -> Done | Pause:
        """Take `raw`, the result of this call, and copy it: the call is done, or paused for input or by a task.

        A pure function: the same result gives an equal value, here and in any other process. A `tasks/get` also takes
        the params of a `notifications/tasks`.

        Raises `RemoteProtocolError` for the first fault (entries in the server's order): `unknown_result_type`,
        `method_not_supported`, `nothing_requested`, `undeclared_capability`, `too_large`, and all that `input_requests`
        raises; of a task `wrong_task`, `unknown_task_status` and `reused_key` too. Nothing of such a pause may be shown
        to anybody. Raises `TaskFailed` and `TaskCancelled` for a task that ended so, `RetryLimitExceeded` for one pause
        too many, `LocalProtocolError` `not_a_result`, and `TypeError` for what is no map.
        """
        received = receive(self._state, raw)
        if isinstance(received, Done):
            return received
        pause = from_state(Pause, received)
        if received.is_past_limit:
            raise RetryLimitExceeded(pause)
        return pause

    def restart(self) -> Call:
        """Give the call as it was first sent, with a new `id`: for a server that refuses the state that it gave.

        Answers and state are left out, and of a task it is the tool call; `_meta`, `max_retries` and all else are those
        of this call.
        """
        return from_state(Call, self._state.restart(fresh_id()))

    def cancel_task(self) -> Call:
        """Give the `tasks/cancel` of the task that the call has become, to send in place of this call or after it.

        The server only acknowledges, and may finish the task all the same: its pauses then ask nothing, and lead on to
        the end. To be polled no more is up to you.

        Raises `LocalProtocolError` `no_task` for a call that is none.
        """
        return from_state(Call, self._state.cancel_task())

    def to_json(self) -> bytes:
        """Store the call, as ASCII JSON to keep as bytes or text. It is as secret as the params that it holds."""
        return store(self._state)

    @staticmethod
    def from_json(data: bytes | str, *, server: str | None = None) -> Call:
        """Give back a call from the `data` of `to_json`, under the rules of `Pause.from_json`.

        Raises what `Pause.from_json` raises.
        """
        state, raw = load(data, server)
        if raw is not None:
            raise stored_pause_invalid()
        return from_state(Call, state)


@final
class Pause(Frozen):
    """A call that waits for input, or for its task; `Call.receive` makes it, and `Pause.from_json`.

    Show its `requests`, or read its `input_requests`, and `resume`. What it gives out is copied each time.
    """

    __slots__ = ()
    _state: PauseState

    def __init__(self) -> None:
        raise TypeError("a Pause is made by Call.receive and Pause.from_json")

    @property
    def call(self) -> Call:
        """The call that was paused, as it was sent."""
        return from_state(Call, self._state.call)

    @property
    def id(self) -> str:
        """A name to store it under, bound to what was asked: pauses of one call differ in it where their results do.

        It is the id of the call, the number of its retries and 16 hex digits of a keyed digest. Who guesses what
        was asked can check the guess by the digest.
        """
        return self._state.id

    @property
    def input_requests(self) -> dict[str, InputRequest]:
        """What is asked, by the server's keys and in its order; of a task, what was not answered before."""
        return input_requests({"inputRequests": copy_checked(self._state.entries)})

    @property
    def requests(self) -> dict[str, Request]:
        """A `Request` for each elicitation of `input_requests`, by the server's keys; the other kinds are not here."""
        requests = self._state.input_requests().items()
        return {key: self._state.host_request(key) for key, request in requests if isinstance(request, ElicitRequest)}

    @property
    def raw(self) -> dict[str, Any]:
        """The whole result that paused the call, a fresh copy each time."""
        copy: dict[str, Any] = copy_checked(self._state.raw)
        return copy

    @property
    def request_state(self) -> str | None:
        """The state that the retry will echo, if the server sent one; a task has none."""
        return self._state.request_state

    @property
    def task_id(self) -> str | None:
        """The id of the task that the call has become: a secret, since whoever has it can answer and cancel."""
        return None if self._state.task is None else self._state.task.id

    @property
    def status_message(self) -> str | None:
        """What the server says of the status of the task: text for people, to be passed through `printable`."""
        return self._state.status_message

    @property
    def delay(self) -> float:
        """Seconds to wait before you show what is asked or, where nothing is, before the retry.

        It is 0 where something new is asked, else 0.05, doubled by each next pause up to 5. What the last pause that
        asked anything asked too is not new: a server asks for the same visit until it is done. So answer a visit when
        it is done, not when it begins; each such answer counts as one of `max_retries`.

        A task that asks nothing has the interval that its server told last: 1 second unless told, at least 0.05 and at
        most 3600; it is 0 where the call became a task that has ended already.
        """
        return self._state.delay

    @overload
    def resume(
        self,
        answers: Mapping[str, HostAnswer],
        *,
        meta: Mapping[str, Any] | None = None,
        max_retries: int | None = None,
    ) -> Call: ...
    @overload
    def resume(
        self,
        answers: Iterable[Answer | AnswerLike | Mapping[str, Any]] = (),
        *,
        meta: Mapping[str, Any] | None = None,
        max_retries: int | None = None,
    ) -> Call: ...
    def resume(
        self, answers: Any = (), *, meta: Mapping[str, Any] | None = None, max_retries: int | None = None
    ) -> Call:
        """Answer everything that is asked, and get the call to send next; this pause stays as it is.

        `answers` are by key: an `Answer` of any make, a typed result, or a map in the wire's own shape, whose further
        members travel along, but for those of an envelope (`id`, `jsonrpc`, `method`, `resultType`); with a decline, a
        cancel or the accept of a url `_meta` alone does. An `id` out of the `requests` of another pause is refused; any
        other is ignored. What `input_requests` gives as an `UnknownRequest` is answered with a map, which is sent
        whole. Where only elicitations are asked, an iterable of `Answer`s will do: each finds its request by `id`. A
        `meta` replaces the `_meta` of the params; that of a task has to declare the extension again. `max_retries` says
        how many sends with answers there may be from here on, this one among them; polls are counted anew too.

        Raises `InvalidAnswer` with the field errors of all forms at once; `LocalProtocolError` `missing_answer`,
        `unexpected_answer`, `answer_id_mismatch`, `answer_kind_mismatch`, `wrong_value`; `RemoteProtocolError`, what
        `Form.of` raises, where a form is accepted that cannot be checked (decline or cancel it); `TypeError` for a
        wrong type.
        """
        require_type("meta", meta, Mapping | None, "a mapping")
        if max_retries is not None:
            require_count("max_retries", max_retries)
        pause = with_call(self, lambda call: call.bound(max_retries))
        return from_state(Call, state_of(pause).resume(answers, meta))

    def cancel_task(self) -> Call:
        """Give the call that cancels the task, as `Call.cancel_task` does.

        Raises `LocalProtocolError` `no_task` where the call has become none.
        """
        return from_state(Call, self._state.cancel_task())

    def to_json(self) -> bytes:
        r"""Store the pause, as ASCII JSON. It holds the call's params and the state, and is as secret as they are.

        Keep it as bytes or text. A store that parses it, and sorts members or writes 1.0 as 1, changes no id; one that
        holds no lone surrogate or `\u0000` (as PostgreSQL's `jsonb`), or rewrites numbers beyond 2**53, may lose it.
        """
        return store(self._state.call, self._state.raw)

    @staticmethod
    def from_json(data: bytes | str, *, server: str | None = None) -> Pause:
        """Give back a pause from the `data` of `to_json`, checked as by `receive`, for the `server` of its call alone.

        Pass the `server` that the call was made with, or none if it was made without: no answer and no state goes to a
        server that did not ask.

        Raises `LocalProtocolError` `stored_pause_invalid`, `wrong_server`, `wrong_value` for a server that JSON cannot
        carry; `TypeError` for a wrong type.
        """
        state, raw = load(data, server)
        try:
            received = None if raw is None else receive(state, raw)
            if isinstance(received, PauseState):
                return from_state(Pause, received)
        except MrtrError:
            pass
        raise stored_pause_invalid()


class RetryLimitExceeded(MrtrError):
    """The server paused the call once more than `max_retries` or `max_polls` allow (code `retry_limit`).

    It is neither the server's fault nor the caller's. `pause` is that pause. Its `call.params` still hold what was
    answered before. `resume` goes on all the same, and the `max_retries` of `resume` or a driver says for how long.
    """

    pause: Pause

    def __init__(self, pause: Pause) -> None:
        super().__init__(
            "retry_limit", f"expected a finished call after {pause.call.retry} retries, found another pause"
        )
        self.pause = pause

    def __reduce__(self) -> tuple[Any, ...]:
        return RetryLimitExceeded, (self.pause,), {"step": self.step}
