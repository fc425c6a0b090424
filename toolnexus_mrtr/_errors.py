"""The error tree, JSON Pointers, and the checks of argument types.

Where the error of another library could hold what a person entered, ours is raised after the `except` block, not
inside it: raised inside, it would carry the other one as its `__context__`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, TypeAlias, TypeVar

from msgspec import Struct

from toolnexus_mrtr._text import quoted

#: How many field errors the text of an `InvalidAnswer` spells out, and how much of each; `errors` has them all.
_LISTED: Final = 2
_SENTENCE: Final = 100

#: The largest count: up to here a double holds every whole number.
MAX_COUNT: Final = 2**53

#: Where a value stands: a JSON Pointer, or a pair of where its parent stands and its own name or index. A walk keeps
#: pairs, and writes a pointer only for what it raises.
LazyPointer: TypeAlias = "str | tuple[LazyPointer, str | int]"

_Result = TypeVar("_Result")


class MrtrError(Exception):
    """The base of the errors of this library; a wrong Python type is a `TypeError`, and a deadline a `TimeoutError`.

    `code` is a word of a closed vocabulary, the same in every port. `at` is an RFC 6901 JSON Pointer into what was
    refused: the raw result, a schema, the answers (by key, or by place in a list), the one value that a function was
    given, or an argument by its name; `""` for the whole. `sentence` says to a person what was expected, and never
    holds an answer's value; compare `code` and `at`, not the text. Where a request of a task is meant, the text says
    which one it is in order, not its key, since servers write the id of a task into keys; `at` has the key.

    `step` is the `Call` or the `Pause` to go on from, where `run` or `run_async` raised the error on its way: pass it
    to either of them. A `Call` is then sent again. It is `None` in any other error.
    """

    code: str
    sentence: str
    at: str
    step: Any

    def __init__(self, code: str, sentence: str, at: str = "") -> None:
        super().__init__(code, sentence, at)
        self.code = code
        self.sentence = sentence
        self.at = at
        self.step = None
        self._shown_at = at

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.code!r}, {str(self)!r})"

    def __str__(self) -> str:
        return f"{self.sentence}, at {quoted(self._shown_at)}" if self.at else self.sentence


class RemoteProtocolError(MrtrError):
    """What a server sent cannot be used: it breaks the protocol, passes a limit, or needs what is not supported here.

    `at` points into its result, or into the schema that `Form.of` was given.
    """


class LocalProtocolError(MrtrError):
    """What the caller gave cannot be used; `at` says which part of it."""


class CallTimeout(MrtrError, TimeoutError):
    """The time that a driver was given is over (code `timeout`); `at` names which: `/timeout` or `/answer_timeout`."""


class FieldError(Struct, frozen=True):
    """One reason why content does not satisfy its form.

    `at` is a pointer: `/<field>` from `Form.check`, `/<key>/<field>` inside an `InvalidAnswer`. `code` is one of
    `required`, `wrong_type`, `too_short`, `too_long`, `too_small`, `too_large`, `not_a_choice`, `too_few`, `too_many`,
    `wrong_format`, `not_finite`, `not_allowed`, `not_sendable`, `other`. `message` tells the person who fills the form
    in what was expected, in words that follow "expected": "at least 18", "an email address". It never quotes the value;
    for words of your own, go by `code` and the `Field`.
    """

    at: str
    code: str
    message: str

    @property
    def field(self) -> str:
        """The name of the field: the last token of `at`, unescaped."""
        return self.at.rpartition("/")[2].replace("~1", "/").replace("~0", "~")


class InvalidAnswer(LocalProtocolError):
    """An answer does not satisfy the form that asked for it (code `invalid_answer`); nothing was sent.

    `errors` holds those of every form at once, in field order, at most 100 of each form; from `run` and `run_async`,
    those of the form that stayed wrong. `at` is the first one's.
    """

    errors: tuple[FieldError, ...]

    def __init__(self, errors: Sequence[FieldError]) -> None:
        super().__init__("invalid_answer", _list_field_errors(errors), errors[0].at)
        self.errors = tuple(errors)

    def __str__(self) -> str:
        # It names the places itself.
        return self.sentence

    def __reduce__(self) -> tuple[Any, ...]:
        return InvalidAnswer, (self.errors,), {"step": self.step, "sentence": self.sentence, "args": self.args}


class TaskFailed(MrtrError):
    """The call became a task, and the task failed (code `task_failed`): its request ended in an error of JSON-RPC.

    A tool that reports an error of its own has a result, with `isError`. `error` is what the server sent: `code`,
    `message`, and perhaps `data`. `status_message` is what it said of the status, if anything. The text of this error
    names the `code` alone, since all else may hold the id of the task.
    """

    error: dict[str, Any]
    status_message: str | None

    def __init__(self, error: dict[str, Any], status_message: str | None = None) -> None:
        code = error["code"]
        shown = f" with the error {code}" if -MAX_COUNT <= code <= MAX_COUNT else ""
        super().__init__("task_failed", f"expected the task to be completed, it failed{shown}")
        self.error = error
        self.status_message = status_message

    def __reduce__(self) -> tuple[Any, ...]:
        return TaskFailed, (self.error, self.status_message), {"step": self.step}


class TaskCancelled(MrtrError):
    """The call became a task, and the task was cancelled (code `task_cancelled`), by whoever it was.

    `status_message` is what the server said of the status, if anything.
    """

    status_message: str | None

    def __init__(self, status_message: str | None = None) -> None:
        super().__init__("task_cancelled", "expected the task to be completed, it was cancelled")
        self.status_message = status_message

    def __reduce__(self) -> tuple[Any, ...]:
        return TaskCancelled, (self.status_message,), {"step": self.step}


def hide_keys(error: MrtrError, keys: Iterable[object]) -> None:
    """Let the text of an error name which request of a task is meant, in place of its key.

    `keys` are those of all requests of the result, in order.
    """
    places = {pointer(str(key)): f"/<request {place}>" for place, key in enumerate(keys, 1)}
    head = "/inputRequests" if isinstance(error, RemoteProtocolError) else ""

    def show(at: str) -> str:
        if not at.startswith(head + "/"):
            return at
        token, slash, rest = at.removeprefix(head + "/").partition("/")
        return f"{head}{places.get('/' + token, '/<no request>')}{slash}{rest}"

    shown_at = error._shown_at = show(error.at)  # noqa: SLF001 - it is this module's own
    if isinstance(error, InvalidAnswer):
        error.sentence = _list_field_errors(error.errors, show)
    # What Python shows of an error beside its text.
    error.args = (error.code, error.sentence, shown_at)


def _list_field_errors(errors: Sequence[FieldError], show: Callable[[str], str] = str) -> str:
    """Say of the first field errors where they are and what was expected."""
    listed = "; ".join(f"{quoted(show(error.at))}: {error.message[:_SENTENCE]}" for error in errors[:_LISTED])
    more = f"; and {len(errors) - _LISTED} more" if len(errors) > _LISTED else ""
    return f"the answer does not satisfy the form: {listed}{more}"


def pointer(*tokens: str | int) -> str:
    """Join reference tokens into a JSON Pointer (RFC 6901, section 3)."""
    text = ""
    for token in tokens:
        text += "/" + str(token).replace("~", "~0").replace("/", "~1")
    return text


def pointer_of(place: LazyPointer) -> str:
    """Write a place out as the JSON Pointer that it is."""
    tokens: list[str | int] = []
    while not isinstance(place, str):
        place, token = place
        tokens.append(token)
    return place + pointer(*reversed(tokens))


def prefix_pointers(errors: Iterable[FieldError], prefix: str) -> tuple[FieldError, ...]:
    """Put the pointer to a form before the pointers of its errors."""
    return tuple(FieldError(prefix + error.at, error.code, error.message) for error in errors)


def call_prefixing_pointers(prefix: str, function: Callable[..., _Result], *arguments: Any) -> _Result:
    """Call a function, and put a pointer before that of the error that it raises."""
    try:
        return function(*arguments)
    except MrtrError as caught:
        error = caught
    # Raised after the block, it carries no context, which could hold an answer.
    raise type(error)(error.code, error.sentence, prefix + error.at)


def require_type(name: str, value: object, kind: Any, expected: str) -> None:
    """Refuse an argument of a wrong Python type."""
    if not isinstance(value, kind):
        raise TypeError(f"{name} must be {expected}, not {type(value).__name__}")


def require_count(name: str, value: object, least: int = 0, most: int = MAX_COUNT, prefix: str = "") -> None:
    """Refuse an argument that is no `int`, that is a boolean, which Python takes for one, or that is out of bounds."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} must be an int, not {type(value).__name__}")
    if not least <= value <= most:
        raise LocalProtocolError("wrong_value", f"expected a number from {least} to {most}", prefix + pointer(name))
