"""The operations of the fixtures, carried out by this library: JSON in, JSON out."""

from __future__ import annotations

from typing import Any

import msgspec

from toolnexus_mrtr import (
    CreateMessageResult,
    ElicitationRequests,
    ElicitationResponses,
    ElicitRequest,
    ElicitResult,
    FieldError,
    Form,
    ListRootsResult,
    Request,
    Root,
    UnknownRequest,
    answer_to_elicit_result,
    elicitation_to_request,
    input_requests,
    inspect_url,
    printable,
)


def run(operation: str, given: dict[str, Any]) -> Any:
    """Carry out one operation of the fixtures."""
    return _OPERATIONS[operation](**given)


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


def _inspect_url(url: str) -> Any:
    report = inspect_url(url)
    assert report.url is url
    return {
        "scheme": report.scheme,
        "host": report.host,
        "warnings": list(report.warnings),
        "refusal": report.refusal,
    }


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


_KEYWORDS = {
    "min_length": "minLength",
    "max_length": "maxLength",
    "min_items": "minItems",
    "max_items": "maxItems",
}

_OPERATIONS: dict[str, Any] = {
    "is_input_required": ElicitationRequests.is_input_required,
    "request_state": ElicitationRequests.request_state,
    "requests": _requests,
    "input_requests": _input_requests,
    "to_input_response": _to_input_response,
    "to_input_responses": _to_input_responses,
    "elicitation_to_request": _elicitation_to_request,
    "answer_to_elicit_result": _answer_to_elicit_result,
    "inspect_url": _inspect_url,
    "printable": printable,
    "form_fields": _form_fields,
    "form_check": _form_check,
    "form_defaults": _form_defaults,
    "form_parse": _form_parse,
}
