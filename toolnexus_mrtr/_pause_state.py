"""The private state of a pause: what is asked, under which ids, and the call that answers it.

`Pause` is the public value around it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, Final, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from toolnexus_mrtr._answers import match_answers_by_id, require_matching_id, write_answer
from toolnexus_mrtr._call_state import OF_A_RETRY, CallState, TaskState, count_on, require_declaration
from toolnexus_mrtr._errors import FieldError, InvalidAnswer, MrtrError, pointer
from toolnexus_mrtr._frozen import Frozen, from_state, state_of
from toolnexus_mrtr._json import canonical_text, copy_checked, copy_json
from toolnexus_mrtr._outgoing import name_of
from toolnexus_mrtr._reader import input_requests
from toolnexus_mrtr._toolnexus import Origin, Request, to_host_request
from toolnexus_mrtr._types import ElicitRequest, InputRequest
from toolnexus_mrtr._validation import entry_of
from toolnexus_mrtr._writer import require_same_keys

#: The first delay in seconds, how often it doubles, and the longest in seconds.
_DELAY: Final = 0.05
_DOUBLINGS: Final = 7
_LONGEST: Final = 5.0

#: How many hex digits of a digest an id shows: 64 bits.
SHOWN: Final = 16

_Kind = TypeVar("_Kind", bound=Frozen)


class PauseState(Struct, frozen=True, dict=True):
    """All that a pause is: the call, as it was sent, and the result that paused it. All else is read from these."""

    call: CallState
    raw: dict[str, Any]

    @property
    def id(self) -> str:
        """The id of the call, the number of its retries, and the digest of what was asked."""
        return f"{self.call.id}-{self.call.retry}-{self.digest[:SHOWN]}"

    @cached_property
    def digest(self) -> str:
        """What binds an id to what was asked: the server's name, the method, the params and the raw result.

        The order of members does not matter. `_meta` and what a retry adds to the params are left out.
        """
        method, params = self.call.sent
        bound = {name: params[name] for name in params if name not in (*OF_A_RETRY, "_meta")}
        return self.digest_of([self.call.server, method, bound, self.raw])

    def digest_of(self, value: Any) -> str:
        """Digest a value under the id of the call."""
        import hmac  # noqa: PLC0415 - loaded only where an id is needed

        key = self.call.id.encode("utf-8", "surrogatepass")
        return hmac.digest(key, canonical_text(value).encode("ascii"), "sha256").hex()

    @property
    def shown(self) -> list[tuple[str, Any]]:
        """What may stand in a log."""
        return [("id", self.id), ("method", self.call.sent[0]), ("asks", len(self.entries))]

    @cached_property
    def task(self) -> TaskState | None:
        """The task that the call has become."""
        return None

    @property
    def status_message(self) -> str | None:
        """What the server says of the status of the task."""
        return None

    @cached_property
    def entries(self) -> dict[str, Any]:
        """The entries of `inputRequests` that are asked; none where the member is absent or null."""
        return self.raw.get("inputRequests") or {}

    @property
    def request_state(self) -> str | None:
        """The state that the retry will echo, if the server sent one."""
        state: str | None = self.raw.get("requestState")
        return state

    @cached_property
    def asked(self) -> tuple[str, ...]:
        """The digests of what is asked, whatever its keys."""
        return tuple(self.digest_of(entry)[:SHOWN] for entry in self.entries.values())

    @property
    def asks_something_new(self) -> bool:
        """Whether an entry differs from all those of the last pause that asked anything."""
        return bool(self.entries) and not (self.call.asked and set(self.asked) <= set(self.call.asked))

    @property
    def is_past_limit(self) -> bool:
        """Whether the call was sent too often, with answers or, where this pause asks nothing, without."""
        call = self.call
        return call.answered >= call.max_retries if self.entries else call.polls >= call.max_polls

    @property
    def delay(self) -> float:
        """Seconds to wait before the retry, or before asking again what was just asked."""
        return 0.0 if self.asks_something_new else min(_DELAY * float(2 ** min(self.call.idle, _DOUBLINGS)), _LONGEST)

    def input_requests(self) -> dict[str, InputRequest]:
        """Read what is asked. It shares its schemas with this state: copy them before they are handed out."""
        return input_requests({"inputRequests": self.entries})

    @cached_property
    def request_ids(self) -> dict[str, str]:
        """The id of each elicitation, bound to the digest of the pause and to its key."""
        head, digest = f"elc-{self.call.id}-{self.call.retry}-", self.digest
        return {key: head + self.digest_of([digest, key])[:SHOWN] for key in self.elicited_keys()}

    def elicited_keys(self) -> list[str]:
        """Give the keys of the elicitations."""
        return [key for key, request in self.input_requests().items() if isinstance(request, ElicitRequest)]

    def hide_keys(self, error: MrtrError) -> None:
        """Let no text show a key into which a server may write what is secret: outside a task, none is."""

    def host_request(self, key: str) -> Request:
        """Make the `Request` of one elicitation, a fresh copy each time."""
        (request,) = input_requests({"inputRequests": {key: copy_checked(self.entries[key])}}).values()
        assert isinstance(request, ElicitRequest)  # noqa: S101 - nothing else is asked of `wait_for`
        call = self.call
        origin = Origin(server=call.server, method=call.method, name=name_of(call.method, call.params), key=key)
        return to_host_request(request, self.request_ids[key], origin)

    def write_input_response(
        self, key: str, answer: Any, request: InputRequest
    ) -> dict[str, Any] | tuple[FieldError, ...]:
        """Write what the retry carries for one answer, or give the field errors."""
        require_matching_id(key, answer, lambda: self.request_ids.get(key))
        place = pointer("inputRequests", key) + entry_of(self.entries[key]).params_at
        return write_answer(key, answer, request, place + "/requestedSchema")

    def resume(self, answers: Any, meta: Mapping[str, Any] | None = None) -> CallState:
        """Make the call to send next, of answers by key or by id."""
        is_by_key = isinstance(answers, Mapping)
        by_key: Mapping[str, Any] = answers if is_by_key else match_answers_by_id(answers, self.request_ids)
        try:
            responses = self._write_input_responses(by_key)
        except MrtrError as error:
            self.hide_keys(error)
            raise
        return self.next_call(responses, meta)

    def _write_input_responses(self, by_key: Mapping[str, Any]) -> dict[str, Any]:
        requests = self.input_requests()
        require_same_keys("answers", by_key, requests)
        responses: dict[str, Any] = {}
        errors: list[FieldError] = []
        for key, request in requests.items():
            response = self.write_input_response(key, by_key[key], request)
            if isinstance(response, dict):
                responses[key] = response
            else:
                errors += response
        if errors:
            raise InvalidAnswer(errors)
        return responses

    def cancel_task(self) -> CallState:
        """Make the call that cancels the task."""
        return replace(self.call, task=self.task).cancel_task()

    def next_call(self, responses: dict[str, Any], meta: Mapping[str, Any] | None = None) -> CallState:
        """Make the call to send next, of `inputResponses` that are written."""
        call = self.call
        # Answers and state belong to one retry alone (basic/patterns/mrtr, "Client Requirements", 2 and 4): those of an
        # earlier pause go, and a state is echoed only where this pause has one.
        params = call.lasting_params()
        if meta is not None:
            params["_meta"] = copy_json(meta, "/_meta", depth=call.limits.depth)
            require_declaration(params, "")
        if responses:
            params["inputResponses"] = responses
        if self.request_state is not None:
            params["requestState"] = self.request_state
        return replace(
            call,
            params=params,
            retry=count_on(call.retry),
            answered=count_on(call.answered) if responses else call.answered,
            polls=0 if responses else count_on(call.polls),
            idle=0 if self.asks_something_new else count_on(call.idle),
            asked=self.asked if self.entries else call.asked,
        )


def with_call(value: _Kind, change: Callable[[CallState], CallState]) -> _Kind:
    """Change the call that a call or a pause is, or holds."""
    state = state_of(value)
    if isinstance(state, PauseState):
        return from_state(type(value), replace(state, call=change(state.call)))
    return from_state(type(value), change(state))
