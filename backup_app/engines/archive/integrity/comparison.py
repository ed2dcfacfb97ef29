"""Comparing the catalog of a view with the manifests of its volumes.

Nothing else notices a row that the database has lost: the manifest beside the volume still has it.
"""

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager

from ....exceptions import EngineError
from ....lib import paths
from ....lib.bulk import batches
from ....lib.paths import shown
from ....models import Volume
from ...values import Tick, no_tick
from ..catalog.extents import Part
from ..catalog.view import View
from ..storage.layout import manifest_path, volume_path
from ..storage.manifest import ManifestReader
from .part_table import PartTable

FEW = 50  # paths; with more, parsing each line is quicker than comparing its beginning first


class CatalogDamaged(EngineError):
    """The catalog and the manifests differ."""


def require_chain(view: View) -> None:
    """Raise CatalogDamaged unless a view consists of the backups that its manifest names."""
    with _ignoring_unreadable():
        manifests(view)


def require_same(
    view: View, chosen: Collection[bytes], pages: Iterable[list[Part]], tick: Tick
) -> None:
    """Raise CatalogDamaged if the manifests differ from these parts of the chosen paths.

    If a manifest cannot be read, the catalog is trusted.
    """
    with _ignoring_unreadable():
        for path in differences(view, chosen, pages, tick):
            raise CatalogDamaged(
                f"The catalog of backup {view.job.pk} is damaged, for example at '{shown(path)}':"
                " verify the backup."
            )


def differences(
    view: View, chosen: Collection[bytes], pages: Iterable[list[Part]], tick: Tick
) -> list[bytes]:
    """Return the paths, at or below the chosen ones, at which manifests and parts differ.

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
    """Add to a table what the manifests have at or below the chosen paths of a view.

    Raises CatalogDamaged if they say that the view consists of other backups, or lack a chosen
    path; EngineError if one of them cannot be read.
    """
    starts = chosen if len(chosen) <= FEW else ()
    for source, manifest in manifests(view).items():
        rows = (row for row in manifest.rows(*starts) if paths.is_in_any(row.path, chosen))
        for batch in batches(rows):
            tick()
            table.add_from_manifest(
                Part(
                    *(source, r.offset, r.length, r.path, r.kind),
                    *(r.size, r.sha256, r.target, r.mtime_ns),
                )
                for r in batch
            )
    for path in chosen:
        if not table.is_in_manifest(path):
            raise CatalogDamaged(
                f"The catalog is damaged: the manifests of backup {view.job.pk} lack"
                f" '{shown(path)}'."
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
def _ignoring_unreadable() -> Iterator[None]:
    """Ignore manifests that cannot be read: without them the catalog must be trusted."""
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
        raise EngineError(f"The manifest '{manifest.path}' belongs to another volume.")
    return manifest
