"""The client half of MCP 2026-07-28 Multi Round-Trip Requests, on raw maps: read what a paused call asks; answer it."""

from toolnexus_mrtr._drivers import run, run_async
from toolnexus_mrtr._errors import (
    CallTimeout,
    FieldError,
    InvalidAnswer,
    LocalProtocolError,
    MrtrError,
    RemoteProtocolError,
    TaskCancelled,
    TaskFailed,
)
from toolnexus_mrtr._exchange import Call, Pause, RetryLimitExceeded
from toolnexus_mrtr._findings import Finding
from toolnexus_mrtr._forms import Choice, Field, Form
from toolnexus_mrtr._handlers import Handlers, request_meta
from toolnexus_mrtr._lint import lint
from toolnexus_mrtr._outgoing import Disclosure
from toolnexus_mrtr._reader import ElicitationRequests, input_requests
from toolnexus_mrtr._receiving import Done
from toolnexus_mrtr._text import printable
from toolnexus_mrtr._toolnexus import Answer, Origin, Request, answer_to_elicit_result, elicitation_to_request
from toolnexus_mrtr._types import (
    CreateMessageRequest,
    CreateMessageResult,
    ElicitRequest,
    ElicitResult,
    InputRequest,
    ListRootsRequest,
    ListRootsResult,
    Root,
    UnknownRequest,
)
from toolnexus_mrtr._urls import UrlReport, inspect_url
from toolnexus_mrtr._validation import Limits
from toolnexus_mrtr._writer import ElicitationResponses

__all__ = (
    # read
    "ElicitationRequests",
    "input_requests",
    # write
    "ElicitationResponses",
    # wire values
    "ElicitRequest",
    "CreateMessageRequest",
    "ListRootsRequest",
    "UnknownRequest",
    "InputRequest",
    "ElicitResult",
    "CreateMessageResult",
    "ListRootsResult",
    "Root",
    # host contract
    "Request",
    "Origin",
    "Answer",
    "elicitation_to_request",
    "answer_to_elicit_result",
    # the exchange, without I/O
    "Call",
    "Pause",
    "Done",
    "Limits",
    "Disclosure",
    # declare
    "request_meta",
    # the exchange, driven
    "Handlers",
    "run",
    "run_async",
    # forms
    "Form",
    "Field",
    "Choice",
    "FieldError",
    # safety and lint
    "UrlReport",
    "inspect_url",
    "printable",
    "lint",
    "Finding",
    # errors
    "MrtrError",
    "RemoteProtocolError",
    "LocalProtocolError",
    "InvalidAnswer",
    "RetryLimitExceeded",
    "CallTimeout",
    "TaskFailed",
    "TaskCancelled",
)
