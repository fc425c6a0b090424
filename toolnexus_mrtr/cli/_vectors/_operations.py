"""The operations of the fixtures, each as a function of this library's API: JSON in, JSON out.

`OPERATIONS` holds them by name; the parameters of each are the members of a vector's `input`.
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any, Final

import msgspec

from toolnexus_mrtr import (
    Call,
    CreateMessageResult,
    ElicitationRequests,
    ElicitationResponses,
    ElicitRequest,
    ElicitResult,
    FieldError,
    Form,
    InvalidAnswer,
    Limits,
    ListRootsResult,
    MrtrError,
    Pause,
    Request,
    Root,
    UnknownRequest,
    answer_to_elicit_result,
    elicitation_to_request,
    input_requests,
    inspect_url,
    lint,
    printable,
    request_meta,
)

#: The members of a `Field` whose names in JSON Schema, and so in the vectors, differ.
_KEYWORDS: Final = {
    "exclusive_minimum": "exclusiveMinimum",
    "exclusive_maximum": "exclusiveMaximum",
    "multiple_of": "multipleOf",
    "min_length": "minLength",
    "max_length": "maxLength",
    "min_items": "minItems",
    "max_items": "maxItems",
}


def run_operation(operation: str, given: dict[str, Any]) -> Any:
    """Run one operation on the input of a vector; raises the `MrtrError` that a vector may expect."""
    return OPERATIONS[operation](**given)


def _requests(raw: Any) -> Any:
    return msgspec.to_builtins(ElicitationRequests.requests(raw))


def _input_requests(raw: Any) -> Any:
    return {key: _encode_request(request) for key, request in input_requests(raw).items()}


def _encode_request(request: Any) -> dict[str, Any]:
    if isinstance(request, ElicitRequest):
        return {"method": "elicitation/create", "params": msgspec.to_builtins(request)}
    names = {"CreateMessageRequest": "sampling/createMessage", "ListRootsRequest": "roots/list"}
    method = request.method if isinstance(request, UnknownRequest) else names[type(request).__name__]
    return {"method": method} if request.params is None else {"method": method, "params": request.params}


def build_result(result: dict[str, Any]) -> Any:
    """Build the typed value of an input response in its wire form."""
    if "action" in result:
        return ElicitResult(action=result["action"], content=result.get("content"))
    if "role" in result:
        members = {"role": result["role"], "content": result["content"], "model": result["model"]}
        return CreateMessageResult(**members, stop_reason=result.get("stopReason"))
    roots = result["roots"]
    if isinstance(roots, list):
        roots = [Root(uri=root["uri"], name=root.get("name")) for root in roots]
    return ListRootsResult(roots=roots)


def _to_input_response(key: str, result: Any, request: Any = None) -> Any:
    typed_request = None if request is None else input_requests({"inputRequests": {key: request}})[key]
    return ElicitationResponses.to_input_response(key, build_result(result), typed_request)


def _to_input_responses(results: Any, requests: Any = None) -> Any:
    typed_requests = None if requests is None else input_requests({"inputRequests": requests})
    typed_results = {key: build_result(result) for key, result in results.items()}
    return ElicitationResponses.to_input_responses(typed_results, typed_requests)


def _elicitation_to_request(params: Any, id: str) -> Any:
    return msgspec.to_builtins(elicitation_to_request(params, id=id))


def _answer_to_elicit_result(answer: Any, request: Any = None) -> Any:
    typed_request = None if request is None else msgspec.convert(request, Request)
    result = answer_to_elicit_result(answer, typed_request)
    return {"action": result.action} | ({} if result.content is None else {"content": result.content})


def build_call(given: dict[str, Any]) -> Call:
    """Build the call that an exchange starts with."""
    call_names = {"maxRetries": "max_retries", "maxPolls": "max_polls", "resultTypes": "result_types"}
    members = {call_names.get(name, name): value for name, value in given.items() if name != "limits"}
    limit_names = {"inputRequests": "input_requests", "requestState": "request_state"}
    given_limits: dict[str, int] = given.get("limits", {})
    limits = {limit_names.get(name, name): limit for name, limit in given_limits.items()}
    return Call(**members, limits=Limits(**limits))


def _store_and_restore(pause: Pause, server: str | None = None, *, cut: bool = False, sorted: bool = False) -> Pause:
    """Store a pause, and read it back for a server.

    Where `cut` is set, one half of the stored bytes is read back, and where `sorted` is, with its members sorted.
    """
    data = pause.to_json()
    if sorted:
        data = json.dumps(json.loads(data), sort_keys=True).encode("ascii")
    return Pause.from_json(data[: len(data) // 2] if cut else data, server=server)


def _spell_request(request: Request) -> dict[str, Any]:
    """Spell out a `Request`, without its origin, which repeats the call."""
    members: dict[str, Any] = msgspec.to_builtins(request)
    members.pop("origin", None)
    return members


def play_exchange(call: dict[str, Any], steps: list[dict[str, Any]], seen: dict[str, list[Any]]) -> dict[str, Any]:
    """Play an exchange to its end and give the outcome; adds what is sent and asked to the lists of `seen`."""
    current = build_call(call)
    for step in steps:
        disclosures = [_select_present(disclosure) for disclosure in current.disclosures]
        _add(seen, sends=current.params, headers=current.headers, disclosures=disclosures)
        if "receive" not in step:
            current = current.restart() if "restart" in step else current.cancel_task()
            continue
        outcome = current.receive(step["receive"])
        if not isinstance(outcome, Pause):
            return {"done": outcome.result, "resultType": outcome.result_type}
        if "stored" in step:
            outcome = _store_and_restore(outcome, **step["stored"])
        asks = {key: _spell_request(request) for key, request in outcome.requests.items()}
        _add(seen, asks=asks, delays=round(outcome.delay * 1000))
        if "cancelTask" in step:
            current = outcome.cancel_task()
        else:
            current = outcome.resume(step.get("answers", ()), meta=step.get("meta"), max_retries=step.get("maxRetries"))
    raise ValueError("expected the exchange to end with its last step")


def _add(seen: dict[str, list[Any]], **items: Any) -> None:
    for name, item in items.items():
        seen.setdefault(name, []).append(item)


def _exchange(call: Any, steps: Any) -> Any:
    seen: dict[str, list[Any]] = {"sends": [], "headers": [], "disclosures": [], "asks": [], "delays": []}
    try:
        return {**seen, "outcome": play_exchange(call, steps, seen)}
    except MrtrError as error:
        members: dict[str, Any] = {"code": error.code, "at": error.at}
        if isinstance(error, InvalidAnswer):
            members["errors"] = [{"code": each.code, "at": each.at} for each in error.errors]
        return {**seen, "outcome": {"error": members}}


#: The members that the outcome of an exchange always has, and that a vector need not expect.
_OPTIONAL: Final = ("headers", "disclosures")


def leave_out_unexpected(operation: str, outcome: Any, expected: Any) -> Any:
    """Leave out of the outcome of an exchange what a vector may expect, but does not."""
    if operation != "exchange" or not isinstance(outcome, dict) or not isinstance(expected, dict):
        return outcome
    return {name: value for name, value in outcome.items() if name in expected or name not in _OPTIONAL}


def _request_meta(**given: Any) -> Any:
    names = {"samplingTools": "sampling_tools", "clientInfo": "client_info"}
    return request_meta(**{names.get(name, name): value for name, value in given.items()})


def _inspect_url(url: str) -> Any:
    report = msgspec.to_builtins(inspect_url(url))
    return {name: report[name] for name in ("scheme", "host", "warnings", "refusal")}


def _lint(raw: Any, method: str | None = None, capabilities: Any = None) -> Any:
    findings = lint(raw, method=method, capabilities=capabilities)
    return [{"code": finding.code, "at": finding.at, "severity": finding.severity} for finding in findings]


def _form_fields(schema: Any, message: str | None = None) -> Any:
    form = Form.of(schema, message=message)
    fields = [
        {_KEYWORDS.get(name, name): value for name, value in _select_present(field).items()} for field in form.fields
    ]
    for field in fields:
        if "choices" in field:
            field["choices"] = list(map(_select_present, field["choices"]))
    shown = {"fields": fields, "unenforced": list(form.unenforced), "answerable": form.answerable}
    texts = {"title": form.title, "description": form.description}
    return shown | {name: text for name, text in texts.items() if text is not None}


def _select_present(members: Any) -> dict[str, Any]:
    return {name: value for name, value in msgspec.to_builtins(members).items() if value is not None}


def _form_check(schema: Any, content: Any) -> Any:
    return _to_json_errors(Form.of(schema).check(content))


def _form_defaults(schema: Any) -> Any:
    return Form.of(schema).defaults()


def _form_parse(schema: Any, strings: Any, prefilled: Any = None, timezone: str | None = None) -> Any:
    zone = None if timezone is None else datetime.strptime(timezone, "%z").tzinfo
    content, errors = Form.of(schema).parse(strings, prefilled=prefilled, timezone=zone)
    return {"content": content, "errors": _to_json_errors(errors)}


def _form_to_strings(schema: Any, content: Any) -> Any:
    return Form.of(schema).to_strings(content)


def _to_json_errors(errors: tuple[FieldError, ...]) -> list[dict[str, str]]:
    return [{"at": error.at, "code": error.code} for error in errors]


#: The function of each operation, by name.
OPERATIONS: Final[dict[str, Any]] = {
    "is_input_required": ElicitationRequests.is_input_required,
    "request_state": ElicitationRequests.request_state,
    "requests": _requests,
    "input_requests": _input_requests,
    "to_input_response": _to_input_response,
    "to_input_responses": _to_input_responses,
    "elicitation_to_request": _elicitation_to_request,
    "answer_to_elicit_result": _answer_to_elicit_result,
    "request_meta": _request_meta,
    "exchange": _exchange,
    "inspect_url": _inspect_url,
    "printable": printable,
    "lint": _lint,
    "form_fields": _form_fields,
    "form_check": _form_check,
    "form_defaults": _form_defaults,
    "form_parse": _form_parse,
    "form_to_strings": _form_to_strings,
}
