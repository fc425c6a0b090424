"""What `Call` and `Pause` have in common: frozen values, each around a private state that is not shown."""

from __future__ import annotations

from typing import Any, NoReturn, TypeVar

_Kind = TypeVar("_Kind", bound="Frozen")


class Frozen:
    """A frozen value, compared by its private state, which its `repr` does not show."""

    __slots__ = ("_state",)
    _state: Any

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a {type(self).__name__} is frozen")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a {type(self).__name__} is frozen")

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._state == getattr(other, "_state", None)

    def __hash__(self) -> int:
        # Params and results cannot be hashed; what `repr` shows differs between most calls and pauses.
        return hash(tuple(value for _, value in self.__rich_repr__()))

    def __reduce__(self) -> tuple[Any, ...]:
        return from_state, (type(self), self._state)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.__rich_repr__())})"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        shown: list[tuple[str, Any]] = self._state.shown
        return shown


def from_state(kind: type[_Kind], state: Any) -> _Kind:
    """Make the public value of a state."""
    value = object.__new__(kind)
    object.__setattr__(value, "_state", state)
    return value


def state_of(value: Frozen) -> Any:
    """Give the private state of a value."""
    return value._state  # noqa: SLF001 - it is this module's own
