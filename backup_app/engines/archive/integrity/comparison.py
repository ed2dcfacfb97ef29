"""What the manifests say of a view, by which a damaged catalog is noticed.

A row that the database has lost is missed by nobody; what is beside each volume still has it.
"""

from collections.abc import Collection, Iterable
from contextlib import contextmanager

from ....exceptions import EngineError
from ....lib.bulk import batches
from ....models import Volume
from ...base import Tick, no_tick
from .. import paths
from ..catalog.extents import Part
from ..catalog.view import View
from ..storage.layout import manifest_path, volume_path
from ..storage.manifest import ManifestReader
from .part_table import PartTable

FEW = 50  # paths that each line of a manifest is compared with, before it is read


class CatalogDamaged(EngineError):
    """The catalog says something else than the manifests."""


def require_chain(view: View) -> None:
    """Raise CatalogDamaged unless a view consists of the backups that its manifest names."""
    with _readable():
        manifests(view)


def require_same(
    view: View, chosen: Collection[bytes], pages: Iterable[list[Part]], tick: Tick
) -> None:
    """Raise CatalogDamaged unless the manifests say the same of the chosen paths as these parts.

    Where a manifest cannot be read the catalog counts.
    """
    with _readable():
        for path in differences(view, chosen, pages, tick):
            raise CatalogDamaged(
                f"The catalog of backup {view.job.pk} is damaged, for one at '{paths.shown(path)}':"
                " verify the backup."
            )


def differences(
    view: View, chosen: Collection[bytes], pages: Iterable[list[Part]], tick: Tick
) -> list[bytes]:
    """Return the paths, at or below the chosen ones, of which manifests and parts differ.

    Raises CatalogDamaged and EngineError as ``load_manifests``.
    """
    with PartTable() as table:
        for page in pages:
            tick()
            table.add(page)
        load_manifests(view, chosen, table, tick)
        return table.differences()


def load_manifests(
    view: View, chosen: Collection[bytes], table: PartTable, tick: Tick = no_tick
) -> None:
    """Add to a table what the manifests say of all at or below the chosen paths of a view.

    Raises CatalogDamaged where they say that the view consists of other backups, or has none of a
    chosen path; EngineError where one of them cannot be read.
    """
    starts = chosen if len(chosen) <= FEW else ()
    for source, manifest in manifests(view).items():
        rows = (row for row in manifest.rows(*starts) if paths.is_in_any(row.path, chosen))
        for batch in batches(rows):
            tick()
            table.add_from_manifest(
                Part(source, row.offset, row.length, *row[:2], row.size, row.sha256, row.target)
                for row in batch
            )
    for path in chosen:
        if not table.is_in_manifest(path):
            raise CatalogDamaged(
                f"The catalog is damaged: the manifests of backup {view.job.pk} do not have"
                f" '{paths.shown(path)}'."
            )


def manifests(view: View) -> dict[int, ManifestReader]:
    """Return the manifest of each backup that a view consists of, oldest first.

    Raises CatalogDamaged where the newest of them names others, EngineError where one is missing.
    """
    found = {source: _manifest(source) for source in view.sources}
    newest = found.get(view.job.pk)
    named = newest.sources if newest else {}
    volumes = Volume.objects.filter(job__in=view.sources).values_list("path", flat=True)
    # The volumes keep their names when their jobs come back under other IDs. Manifests of earlier
    # versions have the IDs alone.
    if set(named) != set(volumes) and set(named.values()) != set(view.sources):
        raise CatalogDamaged(
            f"The catalog is damaged: its manifest says that backup {view.job.pk} builds on other"
            " backups."
        )
    return found


@contextmanager
def _readable():
    """Pass over manifests that cannot be read: then the catalog is all that there is."""
    try:
        yield
    except CatalogDamaged:
        raise
    except EngineError:
        pass


def _manifest(source: int) -> ManifestReader:
    volume = Volume.objects.select_related("job__storage").filter(job=source).first()
    if volume is None:
        raise CatalogDamaged(f"The catalog is damaged: it has no volume of backup {source}.")
    manifest = ManifestReader(manifest_path(volume_path(volume)))
    if manifest.head["volume"].get("sha256") != volume.sha256.hex():
        raise EngineError(f"The manifest '{manifest.path}' is of another volume.")
    return manifest
