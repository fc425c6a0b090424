"""The rules for clients, each with the place of the specification that says so, and how binding that place is."""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple, TypeAlias

from toolnexus_mrtr._findings import SPEC, TASKS

#: How binding a rule is:
#:   must    the specification demands it of every client, by a MUST or by the type of a message
#:   should  the specification recommends it
#:   advice  no sentence demands it of a client; a client that does otherwise is legal
Level: TypeAlias = Literal["must", "should", "advice"]

#: What a call has to declare before a rule can be tested: a mode of elicitation, or the extension for tasks.
Mode: TypeAlias = Literal["form", "url", "tasks"]

_MRTR: Final = "basic/patterns/mrtr"
_BASE: Final = "basic/index"
_ELICITATION: Final = "client/elicitation"
_HTTP: Final = "basic/transports/streamable-http"
_SCHEMA: Final = "schema"
_TASKS: Final = "ext-tasks/specification/2026-07-28/tasks"


class Rule(NamedTuple):
    """What a client must do, should do or is advised to do, and the page and heading that say so."""

    id: str
    level: Level
    says: str
    #: Both empty where no sentence of the specification says so.
    page: str = ""
    heading: str = ""
    mode: Mode = "form"

    @property
    def link(self) -> str:
        """The url of the heading; empty where there is none."""
        anchor = re.sub(r"[^a-z0-9 -]", "", self.heading.lower()).replace(" ", "-")
        if self.page == _TASKS:
            return f"{TASKS}#{anchor}"
        return f"{SPEC}{self.page}#{anchor}" if self.page else ""

    @property
    def basis(self) -> str:
        """What a person reads about where the rule comes from: how binding it is, the page and the heading."""
        place = f'{self.page}, "{self.heading}"' if self.page else "no sentence of the specification"
        return f"{self.level}: {place}"


_RETRY: Final = (_MRTR, "Multi Round-Trip Requests")
_CLIENTS: Final = (_MRTR, "Client Requirements (Basic Workflow)")
_RESPONSES: Final = (_MRTR, "InputResponses")
_ACTIONS: Final = (_ELICITATION, "Response Actions")
_SAFE_URLS: Final = (_ELICITATION, "Safe URL Handling")
_RESULT: Final = (_SCHEMA, "ElicitResult")
_RESOURCES: Final = (_BASE, "Composition-Keyword Resource Use")
_REQUESTS: Final = (_BASE, "Requests")

_POLLING: Final = (_TASKS, "Task Polling", "tasks")
_UPDATE: Final = (_TASKS, "Task Update Requests", "tasks")

_RULES: Final = (
    # What goes back to the server with a retry.
    Rule("state-unchanged", "must", "A state goes back as it came, to the code point.", *_CLIENTS),
    Rule("state-dropped", "must", "A state that was given goes back.", *_CLIENTS),
    Rule("state-empty", "must", "An empty state goes back as an empty state.", *_CLIENTS),
    Rule("state-invented", "must", "Without a state none is sent, not even an earlier one.", *_CLIENTS),
    Rule("leaked", "must", "State and answers are sent with the retry of their own call alone.", *_CLIENTS),
    Rule("answers-kept", "should", "Answers of an earlier pause are not sent again.", *_RESPONSES),
    Rule("answer-key", "should", "An answer stands under the key of a request of this pause.", *_RESPONSES),
    Rule("answer-missing", "must", "All that was asked is answered before the retry.", *_CLIENTS),
    Rule("params-changed", "must", "A retry is the same request: its params have the same values.", *_RETRY),
    # Each answer.
    Rule("answer-bare", "must", "An answer is the result itself, in no envelope.", *_RESPONSES),
    Rule("answer-members", "should", "An answer has no members of an envelope beside its own.", *_RESPONSES),
    Rule("answer-action", "must", "The action is accept, decline or cancel.", *_RESULT),
    Rule("consent", "must", "Nothing is accepted that the user did not accept.", *_ACTIONS),
    Rule("action-changed", "should", "A user who declined has declined, one who cancelled has cancelled.", *_ACTIONS),
    Rule("content-refused", "should", "A decline and a cancel carry no content.", *_ACTIONS),
    Rule("content-url", "must", "The accept of a url carries no content.", *_ACTIONS, "url"),
    Rule("content-null", "must", "Content is an object or left out, never null.", *_RESULT),
    Rule("content-missing", "should", "The accept of a form carries content, be it an empty object.", *_ACTIONS),
    Rule("content-values", "must", "Content holds strings, numbers, booleans and lists of strings alone.", *_RESULT),
    Rule("content-changed", "must", "Content is what the user entered, in value and type.", *_ACTIONS),
    # Each message.
    Rule("meta-missing", "must", "Every request names its version and its capabilities in _meta.", _BASE, "_meta"),
    Rule("id-type", "must", "The id of a request is a string or a whole number.", *_REQUESTS),
    Rule("id-reused", "must", "The id of a retry differs from those of its call before.", *_CLIENTS),
    Rule("id-in-flight", "must", "No id is that of a request whose response is yet to come.", *_REQUESTS),
    Rule("message-json", "must", "A message is one request or notification of JSON-RPC.", _HTTP, "Sending Messages"),
    Rule("message-plain", "advice", "A message has no name twice, 100 levels at most, no number beyond a double."),
    # Attacks.
    Rule("ref-fetched", "must", "A reference of a schema is never fetched.", _BASE, "$ref Resolution"),
    Rule("url-fetched", "must", "A url is not requested without the user's consent.", *_SAFE_URLS, "url"),
    Rule("url-unsafe", "must", "Nobody visits a url that deceives without a warning.", *_SAFE_URLS, "url"),
    Rule(
        "schema-slow", "should", "A hostile schema takes 5 seconds at most.", _BASE, "Composition-Keyword Resource Use"
    ),
    # Results that are none of this, or that break the protocol.
    Rule("result-type", "must", "A result of an unknown type is invalid.", _BASE, "ResultType"),
    Rule("complete", "must", "A complete result is final, whatever other members it has.", _BASE, "ResultType"),
    Rule("undeclared", "must", "What is answered was declared.", "client/sampling", "Capabilities"),
    Rule("malformed", "advice", "A pause with a malformed request is not retried."),
    Rule("pause-of-nothing", "advice", "A pause that neither asks nor has a state is not retried."),
    Rule("paused-list", "advice", "A pause of a method that cannot be paused is not retried."),
    Rule("unanswered", "advice", "A pause that the user can answer is answered by a retry."),
    Rule("retry-bound", "advice", "A server that always pauses is given up."),
    # Tasks; their questions and answers are under the rules above.
    Rule("task-declared", "must", "Each request of a task declares the extension.", _TASKS, "Protocol Errors", "tasks"),
    Rule("task-name", "must", "Mcp-Name is the id of the task.", _TASKS, "Streamable HTTP: Routing Headers", "tasks"),
    Rule("task-leaked", "must", "State and answers of the call stay out of the task's requests.", *_CLIENTS, "tasks"),
    Rule("task-key", "must", "An answer is to a key that the task shows now.", *_UPDATE),
    Rule("task-asked-twice", "should", "A key that is still shown is not answered twice.", *_UPDATE),
    Rule("task-key-reused", "should", "A key that comes back with another question is not answered.", *_UPDATE),
    Rule("task-unanswered", "should", "What a task asks is answered, be it by a decline.", *_UPDATE),
    Rule("task-polled-hot", "should", "The interval between polls is respected.", *_POLLING),
    Rule("task-left-running", "should", "A task is polled to its end, or cancelled.", *_POLLING),
    Rule("task-cancel", "must", "A task is cancelled by no notification.", _TASKS, "Task Cancellation", "tasks"),
    Rule("task-result", "advice", "The result of a task is final, even one that looks like a pause.", mode="tasks"),
    Rule(
        "task-malformed",
        "advice",
        "A poll that breaks the protocol, or of another task, is not answered.",
        mode="tasks",
    ),
)

RULES: Final = {rule.id: rule for rule in _RULES}

#: Rules whose checks are reported even when passed, for the numbers in them.
SHOWN_WHEN_PASSED: Final = ("retry-bound", "schema-slow")
