"""Restoring some files of a backup to a folder of ours, to see that they come back as they were."""

import hashlib
import os
import random
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from ....exceptions import EngineError
from ....lib.paths import shown
from ....models import Entry, Job
from ...shared.job_parts import parent_of
from ...values import Outcome, Run, Selection
from ..catalog.view import View
from ..restore.plan import RestorePlan
from ..restore.unpack import unpack
from ..storage import layout
from ..transport.machines import LocalMachine

MAX_BYTES = 256 * 1024 * 1024  # of all files: they take space in the storage for a while
FEW = 5000  # files in a view that are all listed, to choose from
TRIES = 3  # for each file that is wanted: what was drawn may be no file, or too large
PIECE = 1024 * 1024


def test_restore(run: Run) -> Outcome:
    """Restore a sample; see ``Engine.test_restore``. Neither links nor owners are compared."""
    backup = parent_of(run.job)
    folder = layout.make_work_folder(run.job)
    try:
        view = View(backup)
        chosen = _sample(view, run.job.request["sample"])
        run.info(f"Restoring {len(chosen.files)} files of backup {backup.pk} to a folder of ours.")
        size = _restore(run, view, chosen, folder) if chosen.files else 0
    finally:
        layout.remove_work_folder(run.job)
    message = f"A sample of backup {backup.pk} is restored as it was:"
    return Outcome(files=len(chosen.files), bytes=size, message=message)


def discard(job: Job) -> None:
    """Remove what a test that did not succeed has left."""
    with suppress(EngineError):
        layout.remove_work_folder(job)


def _restore(run: Run, view: View, chosen: Selection, folder: Path) -> int:
    tree = folder / "tree"
    tree.mkdir(mode=0o700)
    with RestorePlan(folder / "plan.sqlite3") as plan:
        plan.fill(view, chosen, run.tick)
        run.expect(plan.size())
        unpack(plan, LocalMachine(), os.fsencode(tree), run, attributes="user.*")
        for part in plan.parts():
            if part.kind == Entry.Kind.FILE:
                _require_same(tree, part.path, part.sha256)
        return plan.size()


def _require_same(tree: Path, path: bytes, digest: bytes | None) -> None:
    place = tree / os.fsdecode(path.lstrip(b"/"))
    try:
        with place.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").digest()
    except OSError as e:
        raise EngineError(f"'{shown(path)}' was not restored: {e.strerror}.") from e
    if found != digest:
        raise EngineError(f"'{shown(path)}' is restored with other content than was backed up.")


def _sample(view: View, number: int) -> Selection:
    """Return random files of a view; each source counts as many times as it has files."""
    found: dict[int, bytes] = {}
    left = MAX_BYTES
    for entry in _drawn(view, number * TRIES):
        if len(found) < number and entry.pk not in found and entry.size <= left:
            left -= entry.size
            found[entry.pk] = _path(entry)
    return Selection(files=list(found.items()))


def _drawn(view: View, number: int) -> Iterator[Entry]:
    """Yield random files of a view, some twice."""
    sources = Job.objects.filter(pk__in=view.sources, files__gt=0)
    counts = dict(sources.order_by("pk").values_list("pk", "files"))
    if sum(counts.values()) <= FEW:
        files = list(view.at(kind=Entry.Kind.FILE).select_related("folder"))
        yield from random.sample(files, min(number, len(files)))
        return
    for source in random.choices(list(counts), list(counts.values()), k=number):  # noqa: S311
        if entry := _draw(view, source):
            yield entry


def _draw(view: View, source: int) -> Entry | None:
    """Return a random file that a source adds to the view, None if it was overwritten since."""
    rows = Entry.objects.filter(job=source).order_by("pk")
    first, last = rows.first(), rows.last()
    if first is None or last is None:
        return None
    start = random.randint(first.pk, last.pk)  # noqa: S311 - a sample
    row = (
        rows.filter(pk__gte=start, kind=Entry.Kind.FILE).first()
        or rows.filter(kind=Entry.Kind.FILE).first()
    )
    return row and view.at(pk=row.pk).select_related("folder").first()


def _path(entry: Entry) -> bytes:
    return bytes(entry.folder.path).rstrip(b"/") + b"/" + bytes(entry.name)
