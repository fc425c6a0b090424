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
    """One call on its way; `step` is where to go on from after an error, if `can_go_on`.

    `max_retries` says how many sends with answers there may be after a pause that is gone on from.
    """

    def __init__(
        self,
        step: Call | Pause,
        send: Callable[[str, dict[str, Any]], dict[str, Any]],
        asker: Asker,
        *,
        report: Report,
        max_retries: int | None = None,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        self.step = step
        self._send = send
        self._asker = asker
        self._report = report
        self._max_retries = max_retries
        self._sleep = sleep
        self._fault: MrtrError | None = None

    @property
    def can_go_on(self) -> bool:
        """Whether the call has neither ended nor met a fault of the server that sending again does not mend."""
        return self._fault is None

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
                self._fault = error
                raise CallFailed(str(error)) from None
        self._report.tell_step(step)
        return step.result

    def cancel_task(self) -> bool:
        """Cancel the task that an error leaves behind, if the call became one that has not ended; say whether it did.

        What the server makes of that changes nothing any more.
        """
        if self.step.task_id is None or isinstance(self._fault, TaskFailed | TaskCancelled):
            return False
        cancel = self.step.cancel_task()
        with suppress(CallFailed):
            self._send(cancel.method, cancel.params)
        return True

    def _receive(self, call: Call) -> Done | Pause:
        with self._report.show_work():
            raw = self._send(call.method, call.params)
        return call.receive(raw)

    def _resume(self, pause: Pause) -> Call:
        with self._report.show_work():
            self._sleep(pause.delay)
        requests = pause.input_requests
        max_retries, self._max_retries = self._max_retries, None
        if not requests:
            return pause.resume(max_retries=max_retries)
        answers = self._asker.answer(pause)
        return resume(pause, answers, build_forms(requests), max_retries)
