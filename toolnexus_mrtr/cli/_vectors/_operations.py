"""The operations of the fixtures, carried out by this library: JSON in, JSON out."""

from __future__ import annotations

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
)

#: The members of a field that JSON Schema spells otherwise.
_KEYWORDS: Final = {
    "min_length": "minLength",
    "max_length": "maxLength",
    "min_items": "minItems",
    "max_items": "maxItems",
}


def run(operation: str, given: dict[str, Any]) -> Any:
    """Carry out one operation of the fixtures."""
    return OPERATIONS[operation](**given)


def _requests(raw: Any) -> Any:
    return msgspec.to_builtins(ElicitationRequests.requests(raw))


def _input_requests(raw: Any) -> Any:
    return {key: _entry(request) for key, request in input_requests(raw).items()}


def _entry(request: Any) -> dict[str, Any]:
    if isinstance(request, ElicitRequest):
        return {"method": "elicitation/create", "params": msgspec.to_builtins(request)}
    names = {"CreateMessageRequest": "sampling/createMessage", "ListRootsRequest": "roots/list"}
    method = request.method if isinstance(request, UnknownRequest) else names[type(request).__name__]
    return {"method": method} if request.params is None else {"method": method, "params": request.params}


def typed_result(result: dict[str, Any]) -> Any:
    """Build the typed result that is spelled as on the wire."""
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
    asked = None if request is None else input_requests({"inputRequests": {key: request}})[key]
    return ElicitationResponses.to_input_response(key, typed_result(result), asked)


def _to_input_responses(results: Any, requests: Any = None) -> Any:
    asked = None if requests is None else input_requests({"inputRequests": requests})
    typed = {key: typed_result(result) for key, result in results.items()}
    return ElicitationResponses.to_input_responses(typed, asked)


def _elicitation_to_request(params: Any, id: str) -> Any:
    return msgspec.to_builtins(elicitation_to_request(params, id=id))


def _answer_to_elicit_result(answer: Any, request: Any = None) -> Any:
    asked = None if request is None else msgspec.convert(request, Request)
    result = answer_to_elicit_result(answer, asked)
    return {"action": result.action} | ({} if result.content is None else {"content": result.content})


def new_call(given: dict[str, Any]) -> Call:
    """Make the call that an exchange starts with."""
    names = {"maxRetries": "max_retries", "resultTypes": "result_types"}
    members = {names.get(name, name): value for name, value in given.items() if name != "limits"}
    limits = {"inputRequests": "input_requests", "requestState": "request_state"}
    asked: dict[str, int] = given.get("limits", {})
    limited = {limits.get(name, name): limit for name, limit in asked.items()}
    return Call(**members, limits=Limits(**limited))


def restored(pause: Pause, server: str | None = None, *, cut: bool = False) -> Pause:
    """Store a pause, and read it back."""
    data = pause.to_json()
    return Pause.from_json(data[: len(data) // 2] if cut else data, server=server)


def play(call: dict[str, Any], steps: list[dict[str, Any]], seen: dict[str, list[Any]]) -> dict[str, Any]:
    """Go through an exchange, noting what is sent and asked; give what it ends in."""
    sending = new_call(call)
    for step in steps:
        seen["sends"].append(sending.params)
        outcome = sending.receive(step["receive"])
        if not isinstance(outcome, Pause):
            return {"done": outcome.result, "resultType": outcome.result_type}
        if "stored" in step:
            outcome = restored(outcome, **step["stored"])
        seen["asks"].append(msgspec.to_builtins(outcome.requests))
        seen["delays"].append(round(outcome.delay * 1000))
        sending = outcome.resume(step.get("answers", ()), meta=step.get("meta"))
    raise ValueError("an exchange ends with its last step")


def _exchange(call: Any, steps: Any) -> Any:
    seen: dict[str, list[Any]] = {"sends": [], "asks": [], "delays": []}
    try:
        return {**seen, "outcome": play(call, steps, seen)}
    except MrtrError as error:
        ending: dict[str, Any] = {"code": error.code, "at": error.at}
        if isinstance(error, InvalidAnswer):
            ending["errors"] = [{"code": each.code, "at": each.at} for each in error.errors]
        return {**seen, "outcome": {"error": ending}}


def _inspect_url(url: str) -> Any:
    report = msgspec.to_builtins(inspect_url(url))
    return {name: report[name] for name in ("scheme", "host", "warnings", "refusal")}


def _lint(raw: Any, method: str | None = None, capabilities: Any = None) -> Any:
    findings = lint(raw, method=method, capabilities=capabilities)
    return [{"code": finding.code, "at": finding.at, "severity": finding.severity} for finding in findings]


def _form_fields(schema: Any) -> Any:
    form = Form.of(schema)
    fields = [
        {_KEYWORDS.get(name, name): value for name, value in msgspec.to_builtins(field).items() if value is not None}
        for field in form.fields
    ]
    return {"fields": fields, "unenforced": list(form.unenforced)}


def _form_check(schema: Any, content: Any) -> Any:
    return _errors(Form.of(schema).check(content))


def _form_defaults(schema: Any) -> Any:
    return Form.of(schema).defaults()


def _form_parse(schema: Any, strings: Any) -> Any:
    content, errors = Form.of(schema).parse(strings)
    return {"content": content, "errors": _errors(errors)}


def _errors(errors: tuple[FieldError, ...]) -> list[dict[str, str]]:
    return [{"at": error.at, "code": error.code} for error in errors]


#: By name, what carries an operation out.
OPERATIONS: Final[dict[str, Any]] = {
    "is_input_required": ElicitationRequests.is_input_required,
    "request_state": ElicitationRequests.request_state,
    "requests": _requests,
    "input_requests": _input_requests,
    "to_input_response": _to_input_response,
    "to_input_responses": _to_input_responses,
    "elicitation_to_request": _elicitation_to_request,
    "answer_to_elicit_result": _answer_to_elicit_result,
    "exchange": _exchange,
    "inspect_url": _inspect_url,
    "printable": printable,
    "lint": _lint,
    "form_fields": _form_fields,
    "form_check": _form_check,
    "form_defaults": _form_defaults,
    "form_parse": _form_parse,
}
