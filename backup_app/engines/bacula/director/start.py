"""Starting a job in Bacula, and making sure that it is the one that was meant."""

import re
from collections.abc import Iterable, Sequence

from ....exceptions import EngineError
from ..director.director import Director
from .console import Asked

QUEUED = re.compile(r"^Job queued\. JobId=(\d+)$", re.MULTILINE)
CHOSEN = re.compile(r"^Automatically selected (?!Catalog:).*$", re.MULTILINE)


def started(director: Director, command: str, client: str, fileset: str | None = None) -> int:
    """Return the JobId of what a command starts.

    Raises EngineError, with the job canceled, where the Director took another client or fileset
    than was meant, or anything else that it chose for itself.
    """
    try:
        said = "".join(director.ask(command))
    except Asked as e:
        # It has started something for all that.
        _cancel(director, QUEUED.findall("".join(e.lines)))
        raise
    queued = QUEUED.findall(said)
    fault = _fault(director, queued, said, client, fileset)
    if fault:
        _cancel(director, queued)
        raise EngineError(fault)
    return int(queued[0])


def _fault(
    director: Director, queued: Sequence[str], said: str, client: str, fileset: str | None
) -> str:
    words = " ".join(said.split())[:500]
    if len(queued) != 1:
        return f"The Director did not start a job: {words}"
    if CHOSEN.search(said):
        return f"The Director chose for itself, so its job {queued[0]} was canceled: {words}"
    row = director.catalog.job(int(queued[0]))
    made_of = (row.client, row.fileset or fileset) if row else (None, None)
    if made_of != (client, fileset or made_of[1]):
        return (
            f"The Director took client '{made_of[0]}' and fileset '{made_of[1]}' for its job "
            f"{queued[0]}, not what it was told, so that was canceled."
        )
    return ""


def _cancel(director: Director, queued: Iterable[str]) -> None:
    for job_id in queued:
        director.cancel(int(job_id))
