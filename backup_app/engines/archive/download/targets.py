"""What hard links lead to that a view has no longer: it was left out of the backup since."""

from collections.abc import Iterator

from ....lib.bulk import batches
from ....models import Entry
from ..catalog import extents
from ..catalog.selection import places
from ..catalog.view import View


def lost_targets(view: View, source: int) -> Iterator[tuple[int, int]]:
    """Yield place and length in a source's tar of each target that the view has not."""
    links = view.of_source(source).filter(kind=Entry.Kind.HARDLINK)
    for batch in batches(links.values_list("target", flat=True).distinct()):
        there = places(view, batch)
        missing = [path for path in batch if path not in there]
        for page in extents.of_tar(source, view.job.client_id, missing):
            yield from ((part.offset, part.length) for part in page)
