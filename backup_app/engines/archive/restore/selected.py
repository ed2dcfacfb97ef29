"""A part of a backup as a tar, read from the volumes while it is sent."""

from ....exceptions import EngineError
from ....models import Job
from ...values import Selection, Tick, no_tick
from ..catalog.view import View
from ..download.plan import Plan
from ..storage.layout import volume_files
from .plan import RestorePlan


def plan_selection(job: Job, selection: Selection, tick: Tick = no_tick) -> Plan:
    """Return the parts of the tar of a selection: whole paths, with the targets of hard links.

    Raises NotFound if it is empty, and EngineError if a volume is not there.
    """
    plan = Plan()
    with RestorePlan() as parts:
        parts.fill(View(job), selection, tick)
        for name, path in volume_files(parts.sources()).items():
            if not path.is_file():
                raise EngineError(f"The volume '{path}' of backup {name} is missing.")
        for part in parts.parts():
            plan.add(part.job_id, part.offset, part.length)
    return plan
