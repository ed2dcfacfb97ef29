"""What the Director's own schedules start next."""

from collections.abc import Iterator

from django.utils import timezone

from ....exceptions import EngineError, EngineUnreachable
from ...adoption import PlannedRuns
from ..names import quoted_name
from . import status
from .console import NotPermitted
from .director import STATUS_TIMEOUT, Director

DAYS = 32  # a monthly one is among them
# All that Bacula tells of a job that the console may not see is that there is one of this name.
RUN_BEFORE = """
SELECT DISTINCT j.name FROM job j JOIN client c USING (clientid)
WHERE c.name = %s AND j.type = 'B' ORDER BY j.name
"""


def planned_runs(director: Director, client: str) -> PlannedRuns:
    """Return the backups of a client that the Director's schedules start in the next days."""
    director.require("client", client)
    command = f"status schedule client={quoted_name(client)} days={DAYS}"
    found = status.planned("".join(director.ask(command, seconds=STATUS_TIMEOUT)))
    now = timezone.now()  # it begins with those of this morning
    runs = [run for run in found if run.time > now]
    return PlannedRuns(runs, _sentence(director, list(_hidden_jobs(director, client))))


def _sentence(director: Director, jobs: list[str]) -> str:
    if not jobs:
        return ""
    names = "', '".join(jobs)
    console = director.console.name
    return f"The JobACL of the console '{console}' hides when these jobs start: '{names}'."


def _hidden_jobs(director: Director, client: str) -> Iterator[str]:
    """Yield the jobs that have backed a client up, and that the console may not see."""
    if not director.console.scope:
        return
    seen = director.names("job")
    for (name,) in director.catalog.rows(RUN_BEFORE, [client]):
        if name not in seen and _is_configured(director, name):
            yield name


def _is_configured(director: Director, job: str) -> bool:
    try:
        director.ask(f"show job={quoted_name(job)}")
    except (EngineUnreachable, NotPermitted):
        raise
    except EngineError:
        return False
    return True
