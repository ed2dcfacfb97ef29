"""Selections of files: whether one is a whole backup, which not every subuser may restore."""

from collections import defaultdict

from ...engines import get_engine
from ...engines.values import Selection
from ...lib import paths
from ...models import Job


def is_whole_backup(job: Job, selection: Selection) -> bool:
    """Return whether a selection covers all of a backup.

    Lists only folders above selected paths, and of each no more than one entry too many.
    """
    chosen = {path for _, path in (*selection.nodes, *selection.files)}
    inside, waiting = _by_folder(chosen), [paths.ROOT]
    engine = get_engine(job.engine)
    while waiting:
        folder = waiting.pop()
        if folder in chosen:
            continue
        wanted = inside.get(folder)
        if not wanted:
            return False
        found = engine.list_folder(job, folder, limit=len(wanted) + 1)
        if found.total > len(wanted):
            return False
        waiting += [file.path for file in found.files]
    return True


def _by_folder(chosen: set[bytes]) -> dict[bytes, set[bytes]]:
    """Return the entries of each folder that are chosen paths or lead to one."""
    inside: dict[bytes, set[bytes]] = defaultdict(set)
    for path in chosen:
        while path != paths.ROOT:
            folder = path.rpartition(b"/")[0] or paths.ROOT
            if path in inside[folder]:
                break
            inside[folder].add(path)
            path = folder
    return inside
