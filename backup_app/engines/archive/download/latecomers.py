"""Folders that a view's tar has to end with.

A tar gives a folder its times when it leaves the folder. In a chain something newer comes after
that, and changes them again. So these folders come last, the deepest first.
"""

from collections.abc import Iterable

from django.db.models import Max

from ....lib.bulk import batches
from ....models import Folder
from ..catalog.view import DIRECTORY, View


def latecomers(view: View) -> dict[int, int]:
    """Return ID and depth of each folder of the view that holds something newer than it is.

    And of those above them: such a folder is made in them when something in it is unpacked.
    """
    newest: dict[int, int] = {}  # job in each folder
    for source in view.sources[1:]:
        rows = view.of_source(source).values("folder").annotate(newest=Max("job"))
        newest.update(rows.values_list("folder", "newest"))
    late: list[int] = []
    for batch in batches(newest):
        own = view.at(node__in=batch, kind=DIRECTORY).values_list("node", "job")
        late.extend(node for node, job in own if job < newest[node])
    return _with_those_above(late)


def _with_those_above(folders: Iterable[int]) -> dict[int, int]:
    depths: dict[int, int] = {}
    wanted = set(folders)
    while wanted:
        above = set()
        for batch in batches(wanted):
            rows = Folder.objects.filter(pk__in=batch).values_list("pk", "parent", "path")
            for folder, parent, path in rows:
                depths[folder] = path.rstrip(b"/").count(b"/")
                above.add(parent)
        wanted = above - depths.keys() - {None}
    return depths
