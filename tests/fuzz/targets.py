"""What is fuzzed, each target with what must hold of it; most of that is what the property tests say.

A target takes a JSON value, and fails by raising anything at all.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hostile_forms import HOSTILE, SMALL
from strategies import RESULTS
from test_forms_differential import test_form_of_check_defaults_and_parse_are_total_and_change_nothing as any_form
from test_lint import test_lint_finds_the_same_twice_and_changes_nothing as looking_twice
from test_lint import test_lint_raises_for_no_json_value as any_linted
from test_lint import test_receive_raises_the_first_error_of_lint as received_and_linted
from test_properties import READERS, outcome
from test_properties import test_every_reader_gives_a_value_or_an_error_and_changes_nothing as any_result
from test_properties import test_input_requests_gives_no_url_that_inspect_url_refuses as any_url_of_a_pause
from test_properties import test_request_state_gives_the_very_same_string as any_state
from test_properties import test_requests_reads_alike_whatever_input_requests_reads as both_readers
from test_urls import assert_goes_where_it_says
from vectors import VECTORS
from wire_values import MESSAGE

from toolnexus_mrtr import (
    Answer,
    Call,
    CreateMessageRequest,
    ElicitRequest,
    Form,
    InvalidAnswer,
    MrtrError,
    Pause,
)

CORPUS = Path(__file__).parent / "corpus"


def read(value: Any) -> None:
    """Both readers, the reading of a state, and the mapping onto a host's request."""
    raw = value if isinstance(value, dict) else {"resultType": "input_required", "inputRequests": value}
    for reader in READERS:
        any_result.hypothesis.inner_test(reader, raw)
    for check in (both_readers, any_url_of_a_pause, any_state):
        check.hypothesis.inner_test(raw)


def linted(value: Any) -> None:
    """Everything that is wrong with a result, the first of it what a call says."""
    for method, capabilities in ((None, None), ("tools/call", {})):
        any_linted.hypothesis.inner_test(value, method, capabilities)
        if isinstance(value, dict):
            received_and_linted.hypothesis.inner_test(value, method, capabilities)
    if isinstance(value, dict):
        looking_twice.hypothesis.inner_test(value)


def exchange(value: Any) -> None:
    """A call that takes a result, its pause there and back, and answers of every kind."""
    given = value if isinstance(value, dict) else {}
    params, raw, answers = (member if isinstance(member, dict) else {} for member in map(given.get, PARTS))
    call = outcome(lambda: Call("tools/call", params, id="c"))
    step = outcome(call.receive, raw) if isinstance(call, Call) else None
    if not isinstance(step, Pause):
        return
    assert Pause.from_json(step.to_json()) == step
    assert str(step).isprintable()
    assert (step.requests, step.input_requests, step.delay) == (step.requests, step.input_requests, step.delay)
    # What is no answer of any kind is a mistake of the caller's, and a TypeError.
    outcome(step.resume, {key: answer for key, answer in answers.items() if isinstance(answer, dict)})
    retry = step.resume({key: declined(request) for key, request in step.input_requests.items()})
    assert retry.retry == 1
    assert list(retry.params.get("inputResponses", {})) == list(step.input_requests)
    assert retry.params.get("requestState") == step.request_state
    assert Call.from_json(retry.to_json()) == retry
    for key, request in step.requests.items():
        entered = answers.get(key, {})
        accepted = {other: declined(each) for other, each in step.input_requests.items()}
        accepted[key] = Answer(request.id, ok=True, data=entered if isinstance(entered, dict) else {})
        retry = outcome(step.resume, accepted)
        assert isinstance(retry, Call | MrtrError)
        if isinstance(retry, InvalidAnswer):
            assert all(error.at.isascii() or error.at.startswith("/") for error in retry.errors)


PARTS = ("params", "result", "answers")


def declined(request: Any) -> Any:
    """Give the least that answers a request."""
    if isinstance(request, ElicitRequest):
        return Answer("h", ok=False, reason="declined")
    if isinstance(request, CreateMessageRequest):
        return MESSAGE
    return {"roots": []}


def forms(value: Any) -> None:
    """A form with content and with what was typed."""
    given = value if isinstance(value, dict) else {}
    schema, content, strings = (member if isinstance(member, dict) else {} for member in map(given.get, FORM_PARTS))
    typed = {name: text for name, text in strings.items() if isinstance(text, str) or _are_strings(text)}
    any_form.hypothesis.inner_test(schema, content, typed)
    # Not all of it is reached above: errors end early there.
    form = outcome(Form.of, schema)
    if isinstance(form, Form):
        assert all(place == "" or place.startswith("/") for place in form.unenforced)
        assert all(repr(field).isprintable() for field in form.fields)


FORM_PARTS = ("schema", "content", "strings")


def _are_strings(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def stored(value: Any) -> None:
    """What somebody put in the place of a stored pause; a string stands for its own bytes."""
    data = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else json.dumps(value).encode("ascii")
    for kind in (Pause, Call):
        for server in (None, "s"):
            came = outcome(lambda kind=kind, server=server: kind.from_json(data, server=server))
            if isinstance(came, MrtrError):
                assert came.code in ("stored_pause_invalid", "wrong_server")
                continue
            assert kind.from_json(came.to_json(), server=server) == came
            assert str(came).isprintable()


def urls(value: Any) -> None:
    """Any text as a url, beside the reading of a browser."""
    text = value if isinstance(value, str) else json.dumps(value)
    assert_goes_where_it_says(text)
    assert_goes_where_it_says("https://" + text)


TARGETS: dict[str, Callable[[Any], None]] = {
    "read": read,
    "lint": linted,
    "exchange": exchange,
    "forms": forms,
    "stored": stored,
    "urls": urls,
}


def seeds(target: str) -> list[Any]:
    """Give the documents that fuzzing starts from: the results of the property tests, the fixtures, hostile forms."""
    inputs = [(vector.operation, vector.input) for vector in VECTORS]
    if target == "urls":
        return [given["url"] for operation, given in inputs if operation == "inspect_url"]
    if target == "forms":
        hostile = [make(SMALL) for make in HOSTILE.values()]
        return [
            *({name: given.get(name, {}) for name in FORM_PARTS} for _, given in inputs if "schema" in given),
            *({"schema": form.schema, "content": form.content, "strings": form.strings} for form in hostile),
        ]
    exchanged = [step for operation, given in inputs if operation == "exchange" for step in given["steps"]]
    steps = [step for step in exchanged if "receive" in step]
    results = [*RESULTS, *(given["raw"] for _, given in inputs if "raw" in given), *(s["receive"] for s in steps)]
    if target in ("read", "lint"):
        return [*results, *(given["params"] for name, given in inputs if name == "elicitation_to_request")]
    exchanges = [{"params": {"name": "t"}, "result": raw, "answers": {}} for raw in results]
    exchanges += [{"params": {}, "result": s["receive"], "answers": s.get("answers", {})} for s in steps]
    if target == "exchange":
        return exchanges
    return [kept for each in exchanges if (kept := _stored(each["result"])) is not None]


def _stored(raw: Any) -> Any:
    """Give the stored form of a pause as a document, if the result pauses anything."""
    try:
        step = Call("tools/call", {"name": "t"}, server="s", id="c").receive(raw)
    except (MrtrError, TypeError):
        return None
    return json.loads(step.to_json()) if isinstance(step, Pause) else None


def corpus(target: str) -> list[Any]:
    """Give what earlier runs found worth keeping: values that reach what the seeds do not."""
    path = CORPUS / f"{target}.json"
    return json.loads(path.read_bytes()) if path.exists() else []
