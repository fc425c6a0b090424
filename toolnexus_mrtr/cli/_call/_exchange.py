"""Drives one call from send to send until it is done, and takes care of what is left where it is not."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from toolnexus_mrtr import Call, Done, MrtrError, Pause, RetryLimitExceeded, TaskCancelled, TaskFailed
from toolnexus_mrtr.cli._assignments import build_forms
from toolnexus_mrtr.cli._call._asking import Asker
from toolnexus_mrtr.cli._call._report import Report
from toolnexus_mrtr.cli._call._rpc import ServerError
from toolnexus_mrtr.cli._errors import CallFailed
from toolnexus_mrtr.cli._responses import resume


class Exchange:
    """One call on its way; `step` is where to go on from after an error."""

    def __init__(
        self,
        step: Call | Pause,
        send: Callable[[str, dict[str, Any]], dict[str, Any]],
        asker: Asker,
        report: Report,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        self.step = step
        self._send = send
        self._asker = asker
        self._report = report
        self._sleep = sleep

    def run(self) -> dict[str, Any]:
        """Go on until the call is done, and give its result; of each step is told before it is taken.

        Raises `CallFailed`, and what the asker raises.
        """
        step: Call | Pause | Done = self.step
        while not isinstance(step, Done):
            self.step = step
            self._report.tell_step(step)
            try:
                step = self._receive(step) if isinstance(step, Call) else self._resume(step)
            except ServerError as error:
                self._report.tell_error(error)
                raise
            except RetryLimitExceeded as error:
                self.step = error.pause
                raise CallFailed(str(error)) from None
            except MrtrError as error:
                raise CallFailed(str(error)) from None
        self._report.tell_step(step)
        return step.result

    def cancel_task(self, error: BaseException) -> None:
        """Cancel the task that an error leaves behind, if the call became one that has not ended.

        What the server makes of that changes nothing any more.
        """
        has_ended = isinstance(error.__context__, TaskFailed | TaskCancelled)
        if self.step.task_id is not None and not has_ended:
            cancel = self.step.cancel_task()
            with suppress(CallFailed):
                self._send(cancel.method, cancel.params)

    def _receive(self, call: Call) -> Done | Pause:
        return call.receive(self._send(call.method, call.params))

    def _resume(self, pause: Pause) -> Call:
        self._sleep(pause.delay)
        requests = pause.input_requests
        if not requests:
            return pause.resume()
        return resume(pause, dict(self._asker.answer(pause)), build_forms(requests))
