"""The default output, and beside it a line of JSON for each result of a task, written to a file."""

from __future__ import annotations

import json
import os
import time

from ansible.plugins.callback.default import CallbackModule as Default

DOCUMENTATION = """
name: recorded
type: stdout
short_description: Default output with the results recorded in a file
description: Writes one line of JSON for each result to the file that RINGFENCE_RECORD names.
extends_documentation_fragment:
  - default_callback
  - result_format_callback
"""


class CallbackModule(Default):
    """Records before it prints, for printing takes the warnings out of a result."""

    CALLBACK_NAME = "recorded"

    def __init__(self):
        super().__init__()
        self._started = {}

    def v2_runner_on_start(self, host, task):
        self._started[host.name, task._uuid] = time.monotonic()
        super().v2_runner_on_start(host, task)

    def v2_runner_on_ok(self, result):
        self._record(result, "ok")
        super().v2_runner_on_ok(result)

    def v2_runner_on_failed(self, result, ignore_errors=False):
        self._record(result, "ignored" if ignore_errors else "failed")
        super().v2_runner_on_failed(result, ignore_errors)

    def v2_runner_on_skipped(self, result):
        self._record(result, "skipped")
        super().v2_runner_on_skipped(result)

    def v2_runner_on_unreachable(self, result):
        self._record(result, "unreachable")
        super().v2_runner_on_unreachable(result)

    def _record(self, result, status):
        host, task = result._host.name, result._task
        started = self._started.get((host, task._uuid), time.monotonic())
        line = {
            "name": task.get_name(),
            "action": task.action,
            "host": host,
            "status": status,
            "seconds": time.monotonic() - started,
            "result": result._result,
        }
        with open(os.environ["RINGFENCE_RECORD"], "a", encoding="utf-8") as file:
            file.write(json.dumps(line, default=str) + "\n")
