"""What type checkers see of every public name: read by mypy and by pyright, never run.

Under `Refused` stands what must not pass a checker. Each such line ignores exactly the rule that refuses it, in the
words of both checkers, and each checker reports an ignore that nothing needs: a door that grows too wide fails here.
"""

from collections.abc import Mapping
from datetime import UTC
from typing import Any, Literal, assert_never, assert_type

from toolnexus_mrtr import (
    Answer,
    Call,
    CallTimeout,
    Choice,
    CreateMessageRequest,
    CreateMessageResult,
    Disclosure,
    Done,
    ElicitationRequests,
    ElicitationResponses,
    ElicitRequest,
    ElicitResult,
    Field,
    FieldError,
    Finding,
    Form,
    Handlers,
    InputRequest,
    InvalidAnswer,
    Limits,
    ListRootsRequest,
    ListRootsResult,
    LocalProtocolError,
    MrtrError,
    Origin,
    Pause,
    RemoteProtocolError,
    Request,
    RetryLimitExceeded,
    Root,
    TaskCancelled,
    TaskFailed,
    UnknownRequest,
    UrlReport,
    answer_to_elicit_result,
    elicitation_to_request,
    input_requests,
    inspect_url,
    lint,
    printable,
    request_meta,
    run,
    run_async,
)


class HostRequest:
    """A host's own request: of `Request`, only the kind matters to the mapping back."""

    def __init__(self, kind: str) -> None:
        self.kind = kind


class HostAnswer:
    """A host's own answer, as the dataclass of toolnexus is one."""

    def __init__(self, *, ok: bool) -> None:
        self.ok = ok
        self.data: dict[str, Any] | None = None
        self.reason: str | None = None


def reading(raw: Mapping[str, Any]) -> None:
    assert_type(ElicitationRequests.is_input_required(raw), bool)
    assert_type(ElicitationRequests.requests(raw), dict[str, ElicitRequest | None])
    assert_type(ElicitationRequests.request_state(raw), str | None)
    assert_type(input_requests(raw), dict[str, InputRequest])
    # Refused: what is no map, and a subclass of the namespace.
    ElicitationRequests.is_input_required(b"{}")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    ElicitationRequests.requests(None)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    ElicitationRequests.request_state([])  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    input_requests("{}")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]

    class _Readers(ElicitationRequests):  # type: ignore[misc]  # pyright: ignore[reportGeneralTypeIssues]
        pass


def telling_requests_apart_by_class(request: InputRequest) -> str:
    if isinstance(request, ElicitRequest):
        assert_type(request.message, str | None)
        assert_type(request.requested_schema, Mapping[str, Any] | None)
        assert_type(request.mode, str | None)
        assert_type(request.url, str | None)
        return "elicitation"
    if isinstance(request, CreateMessageRequest):
        assert_type(request.params, Mapping[str, Any])
        assert_type(request.max_tokens, float)
        for message in request.messages:
            assert_type(message, Any)
        for member in (request.model_preferences, request.system_prompt, request.include_context, request.temperature):
            assert_type(member, Any)
        for member in (request.stop_sequences, request.metadata, request.tools, request.tool_choice):
            assert_type(member, Any)
        return "sampling"
    if isinstance(request, ListRootsRequest):
        assert_type(request.params, Mapping[str, Any] | None)
        return "roots"
    assert_type(request, UnknownRequest)
    assert_type(request.params, Any)
    return request.method


def telling_requests_apart_by_pattern(request: InputRequest) -> str | None:
    match request:
        case ElicitRequest(message=message):
            return assert_type(message, str | None)
        case CreateMessageRequest():
            return str(assert_type(request, CreateMessageRequest).system_prompt)
        case ListRootsRequest():
            return None
        case UnknownRequest(method=method):
            return assert_type(method, str)
        case _:
            assert_never(request)


def forgetting_a_kind_of_request(request: InputRequest) -> None:
    match request:
        case ElicitRequest() | CreateMessageRequest() | ListRootsRequest():
            pass
        case _:
            # Refused: an `UnknownRequest` gets here.
            assert_never(request)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def making_requests() -> None:
    assert_type(ElicitRequest(), ElicitRequest)
    assert_type(ElicitRequest(message="Name?", requested_schema={}, mode="form", url=None), ElicitRequest)
    assert_type(CreateMessageRequest(params={"messages": [], "maxTokens": 1}), CreateMessageRequest)
    assert_type(ListRootsRequest(), ListRootsRequest)
    assert_type(UnknownRequest(method="x/y"), UnknownRequest)
    # Refused: positions, absent params, a change.
    ElicitRequest("Name?")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    CreateMessageRequest()  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    UnknownRequest()  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    ListRootsRequest().params = {}  # type: ignore[misc]  # pyright: ignore[reportAttributeAccessIssue]


def making_results() -> None:
    accepted = ElicitResult(action="accept", content={"name": "Ada"})
    assert_type(accepted.action, Literal["accept", "decline", "cancel"])
    assert_type(accepted.content, Mapping[str, Any] | None)
    sampled = CreateMessageResult(role="assistant", content={"type": "text", "text": "Paris"}, model="m")
    assert_type(sampled.role, Literal["user", "assistant"])
    assert_type(sampled.model, str)
    assert_type(sampled.stop_reason, str | None)
    CreateMessageResult(role="user", content=[{"type": "text", "text": "?"}], model="m", stop_reason="endTurn")
    root = Root(uri="file:///srv", name="srv")
    assert_type(root.uri, str)
    assert_type(root.name, str | None)
    assert_type(ListRootsResult(roots=(root,)), ListRootsResult)
    assert_type(ListRootsResult(roots=[Root(uri="file:///srv")]), ListRootsResult)
    # Refused: an action or a role that is none, an absent model, a uri for a root, a change.
    ElicitResult(action="accepted")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    ElicitResult("accept")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    CreateMessageResult(role="system", content={}, model="m")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    CreateMessageResult(role="user", content={})  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    ListRootsResult(roots=["file:///srv"])  # type: ignore[list-item]  # pyright: ignore[reportArgumentType]
    accepted.content = {}  # type: ignore[misc]  # pyright: ignore[reportAttributeAccessIssue]


def writing(raw: Mapping[str, Any], result: ElicitResult) -> None:
    assert_type(ElicitationResponses.to_input_response("who", result), dict[str, Any])
    assert_type(ElicitationResponses.to_input_responses({"who": result}), dict[str, Any])
    # What the readers give is what the writers take.
    read = input_requests(raw)
    assert_type(ElicitationResponses.to_input_response("who", result, read["who"]), dict[str, Any])
    assert_type(ElicitationResponses.to_input_responses({"who": result}, read), dict[str, Any])
    seen = ElicitationRequests.requests(raw)
    assert_type(ElicitationResponses.to_input_response("who", result, seen["who"]), dict[str, Any])
    assert_type(ElicitationResponses.to_input_responses({"who": result}, seen), dict[str, Any])
    model = CreateMessageResult(role="user", content={}, model="m")
    roots = ListRootsResult(roots=())
    assert_type(
        ElicitationResponses.to_input_responses({"who": result, "llm": model, "dir": roots}, read), dict[str, Any]
    )
    # Refused: a key that is no text, a raw map or a host's answer as result, a raw map as request.
    ElicitationResponses.to_input_response(1, result)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    ElicitationResponses.to_input_response("who", {})  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    ElicitationResponses.to_input_responses({"who": Answer("1", ok=True)})  # type: ignore[dict-item]  # pyright: ignore[reportArgumentType]
    ElicitationResponses.to_input_response("who", result, raw)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def asking_a_host(raw: Mapping[str, Any], request: InputRequest) -> None:
    asked = elicitation_to_request(request, id="1")
    assert_type(asked, Request)
    assert_type(elicitation_to_request(raw), Request)
    assert_type(asked.id, str)
    assert_type(asked.kind, str)
    assert_type(asked.prompt, str)
    assert_type(asked.url, str | None)
    assert_type(asked.data, dict[str, Any] | None)
    assert_type(asked.expiresAt, str | None)
    assert_type(Request("1", "input", "Name?", None, {"schema": {}}, "2026-07-28T00:00:00Z"), Request)
    # Refused: text as an elicitation, the id by position, a request without its prompt.
    elicitation_to_request("Name?")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    elicitation_to_request(raw, "1")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    Request("1", "input")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    asked.prompt = ""  # type: ignore[misc]  # pyright: ignore[reportAttributeAccessIssue]


def answering_as_a_host(asked: Request, read: ElicitRequest, raw: Mapping[str, Any]) -> None:
    answer = Answer(asked.id, True, {"name": "Ada"}, None)
    assert_type(answer.id, str)
    assert_type(answer.ok, bool)
    assert_type(answer.data, dict[str, Any] | None)
    assert_type(answer.reason, str | None)
    assert_type(answer_to_elicit_result(answer), ElicitResult)
    assert_type(answer_to_elicit_result(answer, asked), ElicitResult)
    assert_type(answer_to_elicit_result(answer, read), ElicitResult)
    assert_type(answer_to_elicit_result({"ok": False}, raw), ElicitResult)
    assert_type(answer_to_elicit_result(HostAnswer(ok=True), HostRequest("input")), ElicitResult)
    # Refused: a bare yes as an answer, text as its request, an answer that says neither yes nor no.
    answer_to_elicit_result(True)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    answer_to_elicit_result(answer, "input")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    Answer("1")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    answer.ok = False  # type: ignore[misc]  # pyright: ignore[reportAttributeAccessIssue]


def filling_in_a_form(schema: Mapping[str, Any], content: Mapping[str, Any]) -> None:
    form = Form.of(schema)
    assert_type(form, Form)
    assert_type(form.fields, tuple[Field, ...])
    assert_type(form.unenforced, tuple[str, ...])
    assert_type(form.check(content), tuple[FieldError, ...])
    assert_type(form.defaults(), dict[str, Any])
    assert_type(form.parse({"name": "Ada", "tags": ["a", "b"]}), tuple[dict[str, Any], tuple[FieldError, ...]])
    assert_type(form.to_strings(content), dict[str, str | list[str]])
    form.parse(form.to_strings(content), prefilled=content, timezone=UTC)
    field = form.fields[0]
    assert_type(field.choices, tuple[Choice, ...] | None)
    assert_type(field.default, str | int | float | bool | tuple[str, ...] | None)
    assert_type(field.min_length, int | None)
    assert_type(Choice("r", "Red").value, str | int | float | bool)
    # Refused: text as a schema, bytes among what was typed, the name of a time zone, a change.
    Form.of("{}")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    form.parse({}, timezone="UTC")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    form.parse({"name": b"Ada"})  # type: ignore[dict-item]  # pyright: ignore[reportArgumentType]
    field.label = ""  # type: ignore[misc]  # pyright: ignore[reportAttributeAccessIssue]


def asking_a_person(request: Request) -> Answer:
    assert_type(request.origin, Origin | None)
    assert_type(request.form(), Form | None)
    assert_type(request.decline(), Answer)
    assert_type(request.cancel(), Answer)
    # Refused: an action for data.
    request.accept("decline")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    return request.accept({"name": "Ada"})


def sending_by_http(call: Call) -> dict[str, str]:
    assert_type(call.disclosures, tuple[Disclosure, ...])
    assert_type(request_meta(form=True, roots=True, tasks=True), dict[str, Any])
    # Refused: a mode as an argument without its name.
    request_meta(True)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    return call.headers


def exchanging(raw: Mapping[str, Any], host_answer: HostAnswer, result: ListRootsResult) -> Call:
    call = Call("tools/call", {"name": "t"}, server="s", capabilities={}, result_types=["task"], limits=Limits(key=9))
    assert_type(call.method, str)
    assert_type(call.params, dict[str, Any])
    assert_type(call.server, str | None)
    assert_type(call.id, str)
    assert_type(call.retry, int)
    assert_type(call.to_json(), bytes)
    assert_type(Call.from_json(call.to_json(), server="s"), Call)
    outcome = call.receive(raw)
    assert_type(outcome, Done | Pause)
    if isinstance(outcome, Done):
        assert_type(outcome.result, dict[str, Any])
        assert_type(outcome.result_type, str)
        return call
    assert_type(outcome.call, Call)
    assert_type(outcome.id, str)
    assert_type(outcome.input_requests, dict[str, InputRequest])
    assert_type(outcome.requests, dict[str, Request])
    assert_type(outcome.request_state, str | None)
    assert_type(outcome.delay, float)
    assert_type(outcome.to_json(), bytes)
    assert_type(Pause.from_json(outcome.to_json(), server=None), Pause)
    assert_type(outcome.resume(), Call)
    assert_type(outcome.task_id, str | None)
    assert_type(outcome.status_message, str | None)
    assert_type(outcome.cancel_task().task_id, str | None)
    assert_type(call.cancel_task(), Call)
    assert_type(outcome.resume(max_retries=3).restart(), Call)
    assert_type(outcome.resume([Answer("1", True), host_answer, {"id": "1", "ok": False}]), Call)
    # Refused: text as params, a name in place of many, an answer that is none, a change, a Pause that nobody sent.
    Call("tools/call", "{}")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    Call("tools/call", {}, max_retries="10")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    Limits(100)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    outcome.resume({"a": True})  # type: ignore[dict-item]  # pyright: ignore[reportArgumentType, reportCallIssue]
    outcome.call = call  # type: ignore[misc]  # pyright: ignore[reportAttributeAccessIssue]
    Pause(call, raw)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    return outcome.resume({"a": Answer("1", True), "b": {"action": "decline"}, "c": result}, meta={})


def driving(pause: Pause, message: CreateMessageResult, raw: dict[str, Any]) -> dict[str, Any]:
    def send(method: str, params: dict[str, Any]) -> dict[str, Any]:
        return params if method else raw

    def wait_for(request: Request) -> HostAnswer:
        return HostAnswer(ok=bool(request.prompt))

    def create_message(request: CreateMessageRequest) -> CreateMessageResult | dict[str, Any]:
        return message if request.max_tokens else {}

    def list_roots() -> list[Root]:
        return [Root(uri="file:///w")]

    handlers = Handlers(wait_for, create_message, list_roots, modes=["form"], sampling_tools=True)
    assert_type(handlers.capabilities(), dict[str, Any])
    assert_type(handlers.meta({"name": "cli", "version": "1"}), dict[str, Any])
    options = run(Call("tools/call", {}), send, handlers, timeout=1, answer_timeout=0.5, max_retries=1, on_step=print)
    assert_type(options, dict[str, Any])
    # Refused: another mode, an option by place, an answer that is none, a host where its handlers belong, a change.
    Handlers(modes=["voice"])  # type: ignore[list-item]  # pyright: ignore[reportArgumentType]
    Handlers(wait_for, create_message, list_roots, ["form"])  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    Handlers(lambda _: True)  # type: ignore[arg-type, return-value]  # pyright: ignore[reportArgumentType]
    run(pause, send, wait_for)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    handlers.modes = ["url"]  # type: ignore[misc]  # pyright: ignore[reportAttributeAccessIssue]
    return run(pause, send, handlers, reask=0, sleep=float)


async def driving_at_once(pause: Pause, raw: dict[str, Any]) -> dict[str, Any]:
    async def send(_method: str, _params: dict[str, Any]) -> dict[str, Any]:
        return raw

    async def wait_for(request: Request) -> Answer:
        return Answer(request.id, False)

    async def list_roots() -> tuple[dict[str, Any], ...]:
        return ({"uri": "file:///w"},)

    handlers = Handlers(wait_for, list_roots=list_roots)
    assert_type(await run_async(pause, send, handlers, timeout=0.5, concurrency=1, on_step=print), dict[str, Any])
    # Refused: an awaitable transport in order, and a way to sleep at once.
    run(pause, send, handlers)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    await run_async(pause, send, handlers, sleep=print)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    return await run_async(Call("tools/call", {}), lambda _method, _params: raw, handlers)


def looking_at_what_a_server_sent(text: str) -> None:
    report = inspect_url(text)
    assert_type(report, UrlReport)
    assert_type(report.url, str)
    assert_type(report.scheme, str | None)
    assert_type(report.host, str | None)
    assert_type(report.warnings, tuple[str, ...])
    assert_type(report.refusal, str | None)
    assert_type(printable(text), str)
    # Refused: bytes, and a change.
    inspect_url(b"https://a.example")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    printable(b"")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    report.refusal = None  # type: ignore[misc]  # pyright: ignore[reportAttributeAccessIssue]


def looking_for_all_that_is_wrong(raw: Mapping[str, Any], declared: Mapping[str, Any]) -> None:
    findings = lint(raw, method="tools/call", capabilities=declared)
    assert_type(findings, tuple[Finding, ...])
    assert_type(findings[0].code, str)
    assert_type(findings[0].at, str)
    assert_type(findings[0].severity, Literal["error", "warning"])
    assert_type(findings[0].message, str)
    assert_type(findings[0].spec, str)
    # Refused: a method by position, capabilities that are a list.
    lint(raw, "tools/call")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    lint(raw, capabilities=["elicitation"])  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def catching(error: MrtrError) -> str:
    assert_type(error.code, str)
    assert_type(error.at, str)
    if isinstance(error, RemoteProtocolError):
        return error.at
    if isinstance(error, InvalidAnswer):
        assert_type(error.errors, tuple[FieldError, ...])
        first = error.errors[0]
        return assert_type(first.at, str) + assert_type(first.code, str) + assert_type(first.message, str)
    if isinstance(error, LocalProtocolError):
        return error.code
    if isinstance(error, RetryLimitExceeded):
        return assert_type(error.pause, Pause).id
    if isinstance(error, CallTimeout):
        return f"{error.at}: {error.step}"
    if isinstance(error, TaskFailed):
        assert_type(error.error, dict[str, Any])
        return str(error.status_message)
    if isinstance(error, TaskCancelled):
        return assert_type(error.status_message, str | None) or ""
    # Refused: only an invalid answer lists fields.
    _ = error.errors  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]
    return str(error)
