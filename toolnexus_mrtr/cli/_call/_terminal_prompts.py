"""The prompts of the terminal form: one to type into, and one to choose from a list."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import (
    BufferControl,
    ConditionalContainer,
    FormattedTextControl,
    HSplit,
    Window,
)
from prompt_toolkit.layout.menus import MultiColumnCompletionsMenu
from prompt_toolkit.layout.processors import (
    BeforeInput,
    PasswordProcessor,
    Processor,
    Transformation,
    TransformationInput,
)

from toolnexus_mrtr import printable
from toolnexus_mrtr.cli._call._terminal_screen import Pressed, Screen, visible
from toolnexus_mrtr.cli._text import truncate

#: How many rows of a list are shown at a time, and how many characters of each.
_ROWS: Final = 10
_WIDTH: Final = 70

#: How many lines of what is typed are shown.
_TYPED_LINES: Final = 8


class Verdict(NamedTuple):
    """What is said of what a prompt holds: why it cannot be taken, or how it will be sent where that differs."""

    error: str | None
    sent: str | None = None


class Option(NamedTuple):
    """One row of a list: what it gives, what it is called, and more about it."""

    value: str | None
    label: str
    description: str = ""


class _Visible(Processor):
    """Shows what a person, or the server's default, put into a prompt with nothing that a terminal obeys."""

    def apply_transformation(self, transformation_input: TransformationInput) -> Transformation:
        return Transformation([(part[0], visible(part[1])) for part in transformation_input.fragments])


class _Suggestions(Completer):
    """Offers the suggestions of a field that hold what was typed."""

    def __init__(self, options: Sequence[Option]) -> None:
        self._options = options

    def get_completions(
        self,
        document: Document,
        complete_event: CompleteEvent,  # noqa: ARG002 - every completer is told why it is asked
    ) -> Iterable[Completion]:
        typed = document.text.casefold()
        for option in self._options:
            if option.value is not None and typed in f"{option.value}\n{option.label}".casefold():
                shown = truncate(printable(option.label), _WIDTH)
                yield Completion(option.value, start_position=-len(document.text_before_cursor), display=shown)


def type_text(
    screen: Screen,
    text: str,
    check: Callable[[str], Verdict],
    *,
    keys: Sequence[str],
    hidden: bool = False,
    lines: bool = False,
    suggestions: Sequence[Option] = (),
) -> Pressed:
    """Let a person type a text, which is checked at each key; the text that comes back is one that `check` takes.

    `text` stands there at first. `hidden` shows stars. With `lines` the text has several, and an empty one ends it.
    """
    buffer = Buffer(multiline=lines, completer=_Suggestions(suggestions), complete_while_typing=bool(suggestions))
    buffer.set_document(Document(text))
    #: Whether Enter was pressed: before that nobody is told that a field is still empty.
    tried: list[bool] = []
    bindings = KeyBindings()

    def leave(event: KeyPressEvent, key: str) -> None:
        tried.append(True)
        if check(buffer.text).error is None:
            event.app.exit(result=Pressed("review" if key == "review" else "next", buffer.text))

    @bindings.add("enter", eager=True)
    def _enter(event: KeyPressEvent) -> None:
        if buffer.complete_state is not None and buffer.complete_state.current_completion is not None:
            buffer.complete_state = None
        elif lines and buffer.document.current_line.strip():
            buffer.newline(copy_margin=False)
        else:
            leave(event, "next")

    @bindings.add("tab")
    def _tab(_: KeyPressEvent) -> None:
        if buffer.complete_state is not None:
            buffer.complete_next()
        else:
            buffer.start_completion(select_first=True)

    @bindings.add("c-g", eager=True)
    def _review(event: KeyPressEvent) -> None:
        leave(event, "review")

    control = BufferControl(
        buffer, input_processors=[*([PasswordProcessor()] if hidden else []), _Visible(), BeforeInput("> ")]
    )
    typed = Window(control, wrap_lines=True, dont_extend_height=True, height=lambda: _height_of(buffer))
    menu = ConditionalContainer(MultiColumnCompletionsMenu(), Condition(lambda: bool(suggestions)))
    verdict = _verdict_window(lambda: check(buffer.text), lambda: bool(tried or buffer.text))
    return screen.run([typed, HSplit([menu]), verdict], bindings, keys, lambda: buffer.text)


def _height_of(buffer: Buffer) -> int | None:
    return _TYPED_LINES if buffer.document.line_count >= _TYPED_LINES else None


def choose(
    screen: Screen,
    options: Sequence[Option],
    *,
    keys: Sequence[str],
    first: int | None = None,
    picked: Iterable[int] | None = None,
    check: Callable[[list[int]], Verdict] = lambda _: Verdict(None),
) -> Pressed:
    """Let a person choose from a list: one row, or with `picked` any of them, those first.

    `first` is the row to stand on at the beginning; `None` for none, so that Enter alone chooses nothing. What is typed
    narrows the list. The value that comes back is the list of the places of the rows.
    """
    return _List(options, first, None if picked is None else set(picked), check).run(screen, keys)


class _List:
    def __init__(
        self,
        options: Sequence[Option],
        first: int | None,
        picked: set[int] | None,
        check: Callable[[list[int]], Verdict],
    ) -> None:
        self._options = options
        self._names = [f"{option.label}\n{option.value}".casefold() for option in options]
        self._picked = picked
        self._check = check
        self._search = ""
        #: The places of the rows that the search leaves, and which of them the cursor is on, if any.
        self._rows = list(range(len(options)))
        self._cursor = first
        self._tried = False

    def run(self, screen: Screen, keys: Sequence[str]) -> Pressed:
        bindings = KeyBindings()

        @bindings.add("up")
        @bindings.add("down")
        @bindings.add("pageup")
        @bindings.add("pagedown")
        def _move(event: KeyPressEvent) -> None:
            steps = {Keys.Up: -1, Keys.Down: 1, Keys.PageUp: -_ROWS, Keys.PageDown: _ROWS}
            self._move(steps[Keys(event.key_sequence[0].key)])

        @bindings.add("backspace")
        def _erase(_: KeyPressEvent) -> None:
            self._narrow(self._search[:-1])

        @bindings.add(Keys.Any)
        def _type(event: KeyPressEvent) -> None:
            if event.data == " " and self._picked is not None:
                self._picked ^= set(self._under_cursor())
            elif event.data.isprintable():
                self._narrow(self._search + event.data)

        @bindings.add("enter", eager=True)
        def _enter(event: KeyPressEvent) -> None:
            self._leave(event, Pressed("next", self._value()))

        if "review" in keys:

            @bindings.add("c-g", eager=True)
            def _review(event: KeyPressEvent) -> None:
                self._leave(event, Pressed("review", self._value()))

        rows = Window(
            FormattedTextControl(self._draw, focusable=True, show_cursor=False),
            wrap_lines=True,
            dont_extend_height=True,
        )
        verdict = _verdict_window(lambda: self._judge(self._value()), lambda: self._tried or bool(self._picked))
        return screen.run([rows, verdict], bindings, keys, self._value)

    def _leave(self, event: KeyPressEvent, pressed: Pressed) -> None:
        self._tried = True
        if self._judge(pressed.value).error is None:
            event.app.exit(result=pressed)

    def _judge(self, value: list[int]) -> Verdict:
        return self._check(value) if value or self._picked is not None else Verdict("one of the choices")

    def _value(self) -> list[int]:
        return self._under_cursor() if self._picked is None else sorted(self._picked)

    def _under_cursor(self) -> list[int]:
        return [] if self._cursor is None else [self._rows[self._cursor]]

    def _move(self, step: int) -> None:
        if self._rows:
            start = -1 if self._cursor is None else self._cursor
            self._cursor = min(max(start + step, 0), len(self._rows) - 1)

    def _narrow(self, search: str) -> None:
        self._search = search
        self._rows = [place for place, name in enumerate(self._names) if search.casefold() in name]
        self._cursor = 0 if self._rows and search else None

    def _draw(self) -> StyleAndTextTuples:
        top = max(0, min((self._cursor or 0) - _ROWS // 2, len(self._rows) - _ROWS))
        drawn: StyleAndTextTuples = []
        for row, place in enumerate(self._rows[top : top + _ROWS], top):
            is_here = row == self._cursor
            box = "" if self._picked is None else ("[x] " if place in self._picked else "[ ] ")
            label = truncate(printable(self._options[place].label), _WIDTH)
            drawn.append(("class:cursor-row" if is_here else "", f"{'>' if is_here else ' '} {box}{label}\n"))
            if is_here and self._options[place].description:
                drawn.append(("", f"    | {truncate(printable(self._options[place].description), _WIDTH)}\n"))
        drawn.append(("", self._describe()))
        return drawn

    def _describe(self) -> str:
        """Say how the list is used, and what is not on the screen."""
        parts = ["Up and Down move"]
        if self._picked is not None:
            parts.append("Space picks")
        parts.append(f"searched for: {visible(truncate(self._search, _WIDTH))}" if self._search else "type to search")
        if len(self._rows) > _ROWS:
            parts.append(f"{len(self._rows)} choices")
        return f"({', '.join(parts)})" if self._rows else f"(no choice has this: {visible(self._search)})"


def _verdict_window(check: Callable[[], Verdict], is_told: Callable[[], bool]) -> ConditionalContainer:
    """Say below a prompt what is wrong with what it holds, or how it will be sent."""

    def draw() -> StyleAndTextTuples:
        verdict = check()
        if verdict.error is not None:
            return [("class:error", f"expected {printable(verdict.error)}")] if is_told() else []
        return [("", f"sent as {printable(verdict.sent)}")] if verdict.sent is not None else []

    window = Window(FormattedTextControl(draw), wrap_lines=True, dont_extend_height=True)
    return ConditionalContainer(window, Condition(lambda: bool(draw())))
