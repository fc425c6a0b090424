"""The work for a pause grows with what it asks and no faster: counted in function calls, and in characters of JSON.

A copy or a digest of a whole pause is a few calls into C, however large it is; the characters show it.
"""

import json
from typing import Any

import msgspec
import pytest
from counting import calls
from driving import DONE, Server, both
from wire_values import FORM, LINK, asking, form, paused

from toolnexus_mrtr import Answer, Call, Handlers, Limits, Pause

#: How often a person gives no good answer to a form before there is one.
WRONG = 2

MORE = {f"f{n}": {"type": "string", "title": f"Field {n}", "maxLength": 80} for n in range(8)}
SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}, **MORE}, "required": ["n"]}


class Characters:
    """Counts what is written as JSON, or copied, by the two libraries that do so."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        for owner, name in ((json, "dumps"), (msgspec, "to_builtins"), (msgspec.json, "encode")):
            monkeypatch.setattr(owner, name, self.counted(getattr(owner, name)))

    def counted(self, function: Any) -> Any:
        encode = msgspec.json.encode

        def wrapper(value: Any, *arguments: Any, **named: Any) -> Any:
            result = function(value, *arguments, **named)
            self.count += len(result if isinstance(result, str | bytes) else encode(result))
            return result

        return wrapper

    def of(self, function: Any, *arguments: Any) -> int:
        before = self.count
        function(*arguments)
        return self.count - before


@pytest.fixture(params=["function calls", "characters"])
def work(request, monkeypatch):
    """Measure what one call does."""
    return calls if request.param == "function calls" else Characters(monkeypatch).of


def pause_of(entries: dict[str, Any]) -> Pause:
    return paused(call=Call("tools/call", {"name": "t"}, id="c", limits=Limits(input_requests=1000)), **entries)


def assert_linear(work: Any, few: Any, many: Any, function: Any) -> None:
    function(few)  # What is loaded with the first use is not counted.
    assert 0 < work(function, many) <= 12 * work(function, few)


@both
def test_run_does_linear_work_where_every_form_is_asked_again(drive, work):
    def exchange(count: int) -> None:
        entries = {f"k{n}": form(schema=SCHEMA | {"title": f"Form {n}"}) for n in range(count)}
        tries: dict[str, int] = {}

        def wait_for(request: Any) -> Answer:
            schema = request.data["schema"]
            tries[schema["title"]] = tries.get(schema["title"], 0) + 1
            return Answer(request.id, ok=True, data={"n": 1 if tries[schema["title"]] > WRONG else "x"})

        drive(Call("tools/call", {"name": "t"}, id="c"), Server(asking("s", **entries), DONE), Handlers(wait_for))
        assert set(tries.values()) == {WRONG + 1}

    assert_linear(work, 10, 100, exchange)


@pytest.mark.parametrize("entry", [form(schema=SCHEMA), LINK], ids=["forms", "urls"])
def test_pause_requests_takes_linear_work(entry, work):
    few, many = ({f"k{n}": entry for n in range(count)} for count in (100, 1000))
    assert_linear(work, few, many, lambda entries: pause_of(entries).requests)


@pytest.mark.parametrize("entry", [FORM, LINK], ids=["forms", "urls"])
@pytest.mark.parametrize("suffix", ["", ".2"])
def test_resume_by_id_takes_linear_work(entry, suffix, work):
    few, many = (pause_of({f"k{n}": entry for n in range(count)}) for count in (100, 1000))
    answers = {
        pause: [Answer(request.id + suffix, ok=True, data={"n": "x"}) for request in pause.requests.values()]
        for pause in (few, many)
    }
    assert_linear(work, few, many, lambda pause: pause.resume(reversed(answers[pause])))
