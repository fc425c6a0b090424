"""A form, a sampling and the roots, asked for at once: who answers them, what the server hears, and three drives."""

import asyncio

from low_level_client import complete

from toolnexus_mrtr import (
    Answer,
    CreateMessageRequest,
    CreateMessageResult,
    ElicitRequest,
    Handlers,
    ListRootsResult,
    Root,
    run,
    run_async,
)

HEARD = {
    "form": {"action": "accept", "content": {"name": "Ada"}},
    "model": {
        "role": "assistant",
        "content": {"type": "text", "text": "THE CAPITAL OF FRANCE?"},
        "model": "a model",
        "stopReason": "endTurn",
    },
    "roots": {"roots": [{"uri": "file:///work", "name": "work"}, {"uri": "file:///w%20x"}]},
}


def handlers(**options):
    return Handlers(
        wait_for=lambda request: Answer(request.id, ok=True, data={"name": "Ada"}),
        create_message=lambda asked: CreateMessageResult(
            role="assistant",
            content={"type": "text", "text": asked.messages[0]["content"]["text"].upper()},
            model="a model",
            stop_reason="endTurn",
        ),
        list_roots=lambda: ListRootsResult(roots=[Root(uri="file:///work", name="work"), Root(uri="file:///w%20x")]),
        **options,
    )


def driven_by_hand(call, send, handlers):
    def answers(pause):
        return {
            key: handlers.wait_for(pause.requests[key])
            if isinstance(asked, ElicitRequest)
            else handlers.create_message(asked)
            if isinstance(asked, CreateMessageRequest)
            else handlers.list_roots()
            for key, asked in pause.input_requests.items()
        }

    return complete(send, call, answers)


def driven_by_run(call, send, handlers):
    return run(call, send, handlers)


def driven_by_run_async(call, send, handlers):
    async def send_async(method, params):
        return await asyncio.to_thread(send, method, params)

    return asyncio.run(run_async(call, send_async, handlers))


DRIVES = [driven_by_hand, driven_by_run, driven_by_run_async]
