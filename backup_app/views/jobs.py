"""Jobs: what there are, how they go."""

from .. import access, shapes
from ..descriptions import JobAnswer
from ..operation import operation


@operation(7, "GET", topic="jobs", answer=JobAnswer, subusers=True)
def status(request, job_id):
    """Follow a job.

    A backup, a restore or a verification: its status, progress and last message.
    """
    return shapes.job(access.job(request.caller, job_id))
