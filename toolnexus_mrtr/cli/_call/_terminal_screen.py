"""The terminal that a person is asked on: lines that stay, and below them one prompt at a time with its keys."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from prompt_toolkit.application import Application, get_app, run_in_terminal
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.input import Input, create_input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent, merge_key_bindings
from prompt_toolkit.layout import AnyContainer, FormattedTextControl, HSplit, Layout, Window
from prompt_toolkit.output import Output, create_output
from prompt_toolkit.styles import Style

from toolnexus_mrtr import printable
from toolnexus_mrtr.cli._call._asking import NobodyToAsk
from toolnexus_mrtr.cli._errors import print_to_stderr

#: How many lines of a long text are shown at a time.
PAGE: Final = 20

_STYLE: Final = Style.from_dict({"error": "ansired", "warning": "ansiyellow", "keys": "reverse", "cursor-row": "bold"})

#: What a person can do at a prompt.
Key: TypeAlias = Literal["next", "back", "review", "decline", "cancel"]

_NAMES: Final[dict[str, str]] = {
    "next": "Enter: next",
    "send": "Enter: choose",
    "back": "Shift-Tab: back",
    "review": "Ctrl-G: review and accept",
    "decline": "Ctrl-X: decline",
    "cancel": "Esc: cancel",
}


class Pressed(NamedTuple):
    """How a person left a prompt, and what it held then."""

    key: Key
    value: Any = None


def visible(text: str) -> str:
    """Give a text with one sign in place of each character that a terminal would obey or hide: its length stays."""
    return text if printable(text) == text else "".join(one if printable(one) == one else "\ufffd" for one in text)


class Screen:
    """Shows lines on standard error, which stay there, and runs a prompt below them.

    `input` and `output` are those of prompt_toolkit: those of the process, unless a test gives others.
    """

    def __init__(self, input: Input | None = None, output: Output | None = None) -> None:
        self._input = input
        self._output = output
        self._cut: list[str] = []

    def begin_question(self) -> None:
        """Forget what was cut off the texts of another question."""
        self._cut.clear()

    def show(self, lines: Iterable[str], limit: int | None = None) -> None:
        """Print lines. Of more than `limit` the rest can be read by a key of the next prompts."""
        listed = iter(lines)
        for line in islice(listed, limit):
            print_to_stderr(line)
        rest = list(listed)
        if rest:
            self._cut += rest
            print_to_stderr(f"  ... {len(rest)} more lines, Ctrl-T shows them")

    def run(
        self,
        content: Sequence[AnyContainer],
        bindings: KeyBindings,
        keys: Sequence[str],
        value: Callable[[], Any] = lambda: None,
    ) -> Pressed:
        """Run a prompt to its end: `keys` are those that can be pressed, `bindings` those of the prompt itself.

        `value` gives what the prompt holds when a person goes back. Raises `KeyboardInterrupt` for Ctrl-C, and
        `NobodyToAsk` where the terminal is closed.
        """
        if os.environ.get("TERM") == "dumb" and self._output is None:
            raise NobodyToAsk("the terminal: expected one that can move its cursor, TERM is dumb")
        common = self._bind(keys, value)
        help = Window(
            FormattedTextControl(lambda: self._describe(keys)),
            style="class:keys",
            wrap_lines=True,
            dont_extend_height=True,
        )
        application: Application[Pressed] = Application(
            layout=Layout(HSplit([*content, help])),
            key_bindings=merge_key_bindings([bindings, common]),
            style=_STYLE,
            erase_when_done=True,
            input=create_input() if self._input is None else self._input,
            # Standard output is for the result of the call alone.
            output=create_output(stdout=sys.stderr) if self._output is None else self._output,
        )
        try:
            return application.run()
        except EOFError:
            raise NobodyToAsk("the terminal: expected an answer, it was closed") from None

    def _bind(self, keys: Sequence[str], value: Callable[[], Any]) -> KeyBindings:
        bindings = KeyBindings()

        @bindings.add("escape", eager=True)
        def _cancel(event: KeyPressEvent) -> None:
            event.app.exit(result=Pressed("cancel"))

        @bindings.add("c-x", eager=True)
        def _decline(event: KeyPressEvent) -> None:
            event.app.exit(result=Pressed("decline"))

        @bindings.add("c-c", eager=True)
        @bindings.add("<sigint>", eager=True)
        def _interrupt(event: KeyPressEvent) -> None:
            event.app.exit(exception=KeyboardInterrupt())

        @bindings.add("c-t", eager=True)
        def _read_on(_: KeyPressEvent) -> None:
            run_in_terminal(self._show_more)

        if "back" in keys:

            @bindings.add("s-tab", eager=True)
            def _back(event: KeyPressEvent) -> None:
                event.app.exit(result=Pressed("back", value()))

        return bindings

    def _show_more(self) -> None:
        lines, self._cut = self._cut, []
        self.show(lines, PAGE)

    def _describe(self, keys: Sequence[str]) -> StyleAndTextTuples:
        names = [_NAMES[key] for key in keys]
        if self._cut:
            names.append("Ctrl-T: read on")
        return [("", _join(names, get_app().output.get_size().columns))]


def _join(names: Sequence[str], columns: int) -> str:
    """Put the names of keys beside each other, in lines that fit the terminal; none is split."""
    lines = [""]
    for name in [*names, "Ctrl-C: end, nothing is sent"]:
        if lines[-1] and len(lines[-1]) + len(" | ") + len(name) > columns:
            lines.append("")
        lines[-1] += f" | {name}" if lines[-1] else name
    return "\n".join(lines)
