"""Restoring some files of a backup to a folder of ours, to see that they come back as they were.

They are extracted and compared by the steps of every download.
"""

from ....models import Job
from ...shared.job_parts import parent_of
from ...values import Outcome, Run, Selection
from ..catalog import finding
from ..catalog.lstat import FILE, decoded
from ..extraction.download import make_part
from ..extraction.members import content_digest
from ..names import Bacula
from ..view.view import View

MAX_BYTES = 256 * 1024 * 1024  # of all files: they take space here for a while
FOLDERS = 200  # that files are drawn from
DRAWN = 2000  # files that are drawn, of which some are too large or have no checksum


def test_restore(engine: Bacula, run: Run) -> Outcome:
    """Restore a sample; see ``Engine.test_restore``. Neither links nor owners are compared."""
    backup = parent_of(run.job)
    chosen, size = _sample(engine, backup, run.job.request["sample"])
    if not chosen.files:
        message = f"Backup {backup.pk} has no file with a checksum to compare:"
        return Outcome(warnings=1, message=message)
    run.info(f"Restoring {len(chosen.files)} files of backup {backup.pk} to a folder of ours.")
    run.expect(size)
    _, tar = make_part(engine, backup, chosen, run.tick)
    with tar:
        message = f"A sample of backup {backup.pk} is restored as it was:"
    return Outcome(files=len(chosen.files), bytes=size, message=message)


def _sample(engine: Bacula, backup: Job, number: int) -> tuple[Selection, int]:
    """Return random files of random folders, and their size."""
    view = View(engine, backup)
    folders = [path_id for (path_id,) in view.rows(finding.DRAWN, most=FOLDERS)]
    files: list[tuple[int, bytes]] = []
    total = 0
    for _, name, file_id, lstat, signature in view.rows(finding.sample, within=folders, most=DRAWN):
        status = decoded(lstat)
        is_comparable = status.type == FILE and name and content_digest(lstat, signature)
        if is_comparable and len(files) < number and total + status.size <= MAX_BYTES:
            files.append((file_id, bytes(name)))
            total += status.size
    return Selection(files=files), total
