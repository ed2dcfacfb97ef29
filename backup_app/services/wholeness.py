"""Whether a selection is all that a backup holds, which only some may restore."""

from collections import defaultdict

from ..engines import get_engine
from ..engines.base import Selection
from ..lib import paths
from ..models import Job


def is_whole(job: Job, selection: Selection) -> bool:
    """Say whether nothing in a backup lies beside a selection; folders above it do not count."""
    chosen = {path for _, path in (*selection.nodes, *selection.files)}
    inside, waiting = _ways(chosen), [paths.ROOT]
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


def _ways(chosen: set[bytes]) -> dict[bytes, set[bytes]]:
    """Return what in each folder leads to a chosen path, or is one."""
    inside = defaultdict(set)
    for path in chosen:
        while path != paths.ROOT:
            folder = path.rpartition(b"/")[0] or paths.ROOT
            if path in inside[folder]:
                break
            inside[folder].add(path)
            path = folder
    return inside
