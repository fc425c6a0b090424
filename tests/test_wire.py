"""Recordings of real servers: their requests are read whole, and the answers are written as they were sent."""

import json
from pathlib import Path
from typing import Any

import pytest
from vectors import ROOT, json_text
from wire_values import KINDS

from toolnexus_mrtr import (
    ElicitationRequests,
    ElicitationResponses,
    ElicitRequest,
    input_requests,
)
from toolnexus_mrtr.cli import main
from toolnexus_mrtr.cli._vectors._operations import build_result

OURS = sorted((ROOT / "tests" / "wire").glob("*.json"))

#: Recordings of more servers, if they are beside the repository; tasks are another extension.
MORE = sorted(path for path in (ROOT.parent / "shared" / "wire").rglob("*.json") if "tasks" not in path.parts)

#: Files among those that do not hold an exchange of this protocol.
NO_EXCHANGE = {
    "fieldcheck": "a table of schemas, without messages",
    "legacy-elicit_bool": "the protocol before this one, in which the server calls the client",
    "legacy-elicit_enum": "as above",
    "legacy-elicit_modelnoopt": "as above",
    "legacy-elicit_multi": "as above",
}

#: Exchanges that end with a pause: recorded for their requests alone.
UNANSWERED = {
    "http-tools_call-bad_schema": "a form with an object and a list of free text in it",
    "http-tools_call-extra_top": "a schema with keywords that the protocol does not name",
    "http-tools_call-ref_defs": "a schema with references",
}


def exchange(path: Path) -> list[dict[str, Any]]:
    return [] if path.stem in NO_EXCHANGE else json.loads(path.read_bytes())


def results(path: Path) -> list[dict[str, Any]]:
    return [step["response"].get("result", {}) for step in exchange(path)]


def is_paused(result: dict[str, Any]) -> bool:
    return result.get("resultType") == "input_required"


def retries(path: Path) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Give every paused result of one exchange with the params of the request that answers it."""
    params = [step["request"]["params"] for step in exchange(path)]
    return [pair for pair in zip(results(path), params[1:], strict=False) if is_paused(pair[0])]


def name_of(path: Path, place: int) -> str:
    return f"{path.parent.name}/{path.stem}/{place}"


PAUSES = [
    pytest.param(result, id=name_of(path, place))
    for path in [*OURS, *MORE]
    for place, result in enumerate(filter(is_paused, results(path)))
]
RETRIES = [
    pytest.param(result, params, id=name_of(path, place))
    for path in [*OURS, *MORE]
    for place, (result, params) in enumerate(retries(path))
]


@pytest.mark.parametrize("raw", PAUSES)
def test_input_requests_reads_a_recorded_pause_whole(raw):
    assert ElicitationRequests.is_input_required(raw)
    read = input_requests(raw)
    entries = raw.get("inputRequests", {})
    assert list(read) == list(entries)
    for key, entry in entries.items():
        assert type(read[key]) is KINDS[entry["method"]]
        if isinstance(read[key], ElicitRequest):
            params = entry["params"]
            assert read[key].message == params["message"]
            assert read[key].mode == params.get("mode")
            assert read[key].requested_schema is params.get("requestedSchema")
            assert read[key].url is params.get("url")
        else:
            assert read[key].params is entry.get("params")


@pytest.mark.parametrize("raw", PAUSES)
def test_requests_reads_the_same_elicitations_as_input_requests_in_recordings(raw):
    read = {
        key: request if isinstance(request, ElicitRequest) else ElicitRequest()
        for key, request in input_requests(raw).items()
    }
    lenient = ElicitationRequests.requests(raw)
    assert lenient == read
    assert list(lenient) == list(read)


@pytest.mark.parametrize("raw", PAUSES)
def test_show_prints_every_key_of_a_recorded_pause(raw, tmp_path, capsys):
    file = tmp_path / "response.json"
    file.write_text(json.dumps({"jsonrpc": "2.0", "id": 1, "result": raw}), "ascii")
    assert main(["show", str(file)]) == 0
    lines = capsys.readouterr().out.splitlines()
    for key in raw.get("inputRequests", {}):
        assert [line for line in lines if line.startswith(json.dumps(key, ensure_ascii=False) + ": ")], key


@pytest.mark.parametrize(("raw", "params"), RETRIES)
def test_to_input_responses_writes_recorded_answers_as_they_were_sent(raw, params):
    answers = params.get("inputResponses", {})
    typed = {key: build_result(answer) for key, answer in answers.items()}
    written = ElicitationResponses.to_input_responses(typed, input_requests(raw))
    assert json_text(written) == json_text(answers)
    assert list(written) == list(answers)


@pytest.mark.parametrize(("raw", "params"), RETRIES)
def test_request_state_reads_the_state_that_the_recorded_client_echoed(raw, params):
    assert ElicitationRequests.request_state(raw) == params.get("requestState")


@pytest.mark.parametrize("path", OURS, ids=lambda path: path.stem)
def test_a_recording_of_ours_is_one_call_that_was_answered_to_its_end(path):
    assert path.read_bytes().isascii()
    steps = exchange(path)
    assert all(step.keys() == {"request", "response"} for step in steps)
    assert [is_paused(result) for result in results(path)] == [True] * (len(steps) - 1) + [False]
    call = [
        (step["request"]["method"], step["request"]["params"].get("name"), step["request"]["params"].get("uri"))
        for step in steps
    ]
    assert call == call[:1] * len(steps)


def test_every_pause_in_the_recordings_is_read_and_answered():
    for path in [*OURS, *MORE]:
        text = json_text(json.loads(path.read_bytes()))
        assert text.count('"resultType": "input_required"') == sum(map(is_paused, results(path))), path.name
        left_open = sum(map(is_paused, results(path))) - len(retries(path))
        assert left_open == (path.stem in UNANSWERED), path.name
