"""Real restores, for tests, and what of a tree must be the same afterwards."""

import os
import stat
from hashlib import sha256
from pathlib import Path

from django.utils import timezone

from backup_app.engines.archive import ArchiveEngine
from backup_app.lib import destinations
from backup_app.models import Job

from .factories import JobFactory
from .recording_run import Recording

RELATED = "client", "fileset", "pool", "storage__zone", "parent"


def begin_restore(backup, *chosen, to=b"/", client=None) -> Job:
    """Return a new running restore of paths of a backup's view."""
    engine = ArchiveEngine()
    selection = engine.select_paths(backup, [os.fsencode(path) for path in chosen])
    nodes, files = ([pk for pk, _ in found] for found in (selection.nodes, selection.files))
    where = destinations.packed(destinations.cleaned(os.fsencode(to)))
    job = JobFactory(
        client=client or backup.client,
        type=Job.Type.RESTORE,
        level=None,
        status=Job.Status.RUNNING,
        started=timezone.now(),
        storage=backup.storage,
        parent=backup,
        request={"nodes": nodes, "files": files, **where},
    )
    return Job.objects.select_related(*RELATED).get(pk=job.pk)


def restore(backup, *chosen, to=b"/", client=None, run=None) -> Recording:
    """Restore from beginning to end, as ``running.py`` does; return the run with log and outcome.

    An exception ends the job as failed, and is raised.
    """
    engine = ArchiveEngine()
    run = run or Recording(begin_restore(backup, *chosen, to=to, client=client))
    status = Job.Status.FAILED
    try:
        run.outcome = engine.restore(run)
        status = Job.Status.WARNINGS if run.outcome.warnings else Job.Status.COMPLETED
    except BaseException:
        engine.discard(run.job)
        raise
    finally:
        Job.objects.filter(pk=run.job.pk).update(status=status, ended=timezone.now())
    return run


def below(destination, path) -> Path:
    """Return where a path ends up below a destination: whole."""
    return Path(f"{destination}{path}")


def tree_of(folder) -> dict[bytes, tuple]:
    """Return all that a backup keeps of what is below a folder, by relative path."""
    links: dict[tuple, bytes] = {}
    found, waiting = {}, [b"."]
    fd = os.open(folder, os.O_RDONLY)
    try:
        while waiting:
            path = waiting.pop()
            found[path] = described = _described(fd, path, links)
            if stat.S_ISDIR(described[0]):
                waiting += [path + b"/" + name for name in sorted(_names(fd, path))]
    finally:
        os.close(fd)
    return found


def _names(fd, path):
    with os.scandir(b"/proc/self/fd/%d/%b" % (fd, path)) as entries:
        return [entry.name for entry in entries]


def _described(fd, name, links):
    """Return what one entry is; hard links name one and the same of their paths."""
    path = b"/proc/self/fd/%d/%b" % (fd, name)
    status = os.lstat(path)
    kind, content, link = stat.S_IFMT(status.st_mode), None, name
    if kind == stat.S_IFLNK:
        content = os.readlink(path)  # noqa: PTH115 - bytes
    elif kind == stat.S_IFREG:
        content = sha256(Path(os.fsdecode(path)).read_bytes()).digest()
    if kind != stat.S_IFDIR:
        link = links.setdefault((status.st_dev, status.st_ino), name)
    names = sorted(os.listxattr(path, follow_symlinks=False))
    attributes = {n: os.getxattr(path, n, follow_symlinks=False) for n in names}
    owner = status.st_uid, status.st_gid
    return status.st_mode, owner, status.st_mtime_ns, status.st_rdev, content, link, attributes
