"""One line for each event, as text or JSON, with the ID of its request, task or job."""

import json
import logging
from contextvars import ContextVar
from datetime import UTC, datetime

from backup_app.lib.log_context import job_id

# Escaped as in Python, so that line breaks and terminal sequences cannot be injected.
CONTROLS = {
    code: repr(chr(code))[1:-1]
    for code in (*range(32), *range(127, 160), 0x2028, 0x2029, *range(0xD800, 0xE000))
}
INDENT = "\n    "

request_id: ContextVar[str | None] = ContextVar("request_id", default=None)
task_id: ContextVar[str | None] = ContextVar("task_id", default=None)


def ids() -> dict[str, str | int]:
    found = {"request": request_id.get(), "task": task_id.get(), "job": job_id.get()}
    return {name: value for name, value in found.items() if value is not None}


class TextFormatter(logging.Formatter):
    """One line of text; the lines of a traceback follow, indented."""

    def __init__(self):
        super().__init__("{asctime} {levelname} {name}{ids}: {message}", style="{")

    def formatMessage(self, record):  # noqa: N802 - logging's name
        record.ids = "".join(f" {name}={value}" for name, value in ids().items())
        return super().formatMessage(record).translate(CONTROLS)

    def formatException(self, exc_info):  # noqa: N802 - logging's name
        lines = super().formatException(exc_info).split("\n")
        return "    " + INDENT.join(line.translate(CONTROLS) for line in lines)


class JSONFormatter(logging.Formatter):
    """An object, with the traceback in it."""

    def format(self, record):
        event = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(),
            "level": record.levelname,
            "logger": record.name,
            **ids(),
            "message": record.getMessage(),
            **getattr(record, "details", {}),
        }
        if record.exc_info:
            event["exception"] = self.formatException(record.exc_info)
        return json.dumps(event, default=str)
