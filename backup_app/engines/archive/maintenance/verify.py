"""Verifying a backup: its volume is read and compared with the catalog and the manifest."""

import hashlib
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any

from ....exceptions import EngineError
from ....lib import paths
from ....lib.bulk import BATCH
from ....lib.paths import shown
from ....models import Entry, Volume
from ...shared.job_parts import parent_of
from ...values import Outcome, Run
from ..backup.chain import volume_faults
from ..catalog import extents
from ..catalog.folders import folder_ids_by_hash
from ..catalog.view import View
from ..integrity import comparison
from ..storage.layout import manifest_path, volume_path
from ..storage.manifest import COLUMNS, ManifestReader, Row
from ..storage.tar_reader import Member, TarStream
from ..storage.volume import VolumeReader

PIECE = 1024 * 1024
NAMED = 1000  # faults in the log; further ones are only counted


def verify(run: Run) -> Outcome:
    """Read the volume of ``run.job.parent``; see ``Engine.verify``.

    Each fault is an error in the log that names the path. Raises EngineError if there is any. Of
    the backups that it builds on, only the existence of their volumes is checked.
    """
    return Verification(run).run()


class Verification:
    """A running verification."""

    def __init__(self, run: Run):
        self.job_run, self.job = run, parent_of(run.job)
        self.faults = self.files = self.bytes = 0

    def run(self) -> Outcome:
        volume = Volume.objects.select_related("job__storage").filter(job=self.job).first()
        if volume is None:
            raise EngineError(f"Backup {self.job.pk} has no volume.")
        path = volume_path(volume)
        self.job_run.expect(volume.tar_size)
        self._check_sources()
        self._check_file(volume, path)
        self._check_manifest(volume, path)
        self._check_content(volume, path)
        self._check_view()
        self._check_places()
        if self.faults:
            some = f"the first {NAMED} of " if self.faults > NAMED else ""
            words = f"its log names {some}{self.faults} faults"
            raise EngineError(f"Backup {self.job.pk} is damaged: {words}.")
        return Outcome(
            files=self.files, bytes=self.bytes, message=f"Backup {self.job.pk} is intact."
        )

    def fault(self, message: str) -> None:
        self.faults += 1
        if self.faults <= NAMED:
            self.job_run.error(message)

    def _check_sources(self) -> None:
        for fault in volume_faults(self.job.sources.exclude(pk=self.job.pk)):
            self.fault(fault)

    def _check_file(self, volume: Volume, path: Path) -> None:
        digest = hashlib.sha256()
        try:
            with path.open("rb") as file:
                while piece := file.read(PIECE):
                    digest.update(piece)
                    self.job_run.tick()
        except OSError as e:
            raise EngineError(f"The volume '{path}' cannot be read: {e.strerror}.") from e
        if digest.digest() != volume.sha256:
            self.fault(f"The volume '{path}' is not what was written: its SHA-256 differs.")

    def _check_manifest(self, volume: Volume, path: Path) -> None:
        try:
            manifest = ManifestReader(manifest_path(path))
            if manifest.head["volume"].get("sha256") != volume.sha256.hex():
                self.fault(f"The manifest '{manifest.path}' belongs to another volume.")
                return
            self._compare(manifest)
        except EngineError as e:
            self.fault(str(e))

    def _compare(self, manifest: ManifestReader) -> None:
        name = f"manifest '{manifest.path}'"
        for row, known in zip_longest(manifest.rows(), self._rows()):
            place = shown((known or row).path)
            if row is None or known is None or row.path != known.path:
                self.fault(f"The {name} differs from the catalog from '{place}' on.")
                return
            if row != known:
                self.fault(f"'{place}' differs from the catalog in the {name}.")

    def _check_content(self, volume: Volume, path: Path) -> None:
        try:
            with VolumeReader(path) as reader:
                end = Content(self, reader).check(row for row in self._rows() if row.length)
        except EngineError as e:
            self.fault(str(e))
            return
        if end != volume.tar_size:
            self.fault(f"The volume '{path}' contains more than the catalog says.")

    def _check_view(self) -> None:
        """Compare what a restore would find, folder by folder, with the manifests."""
        if self.faults:
            return  # they would all be reported again
        for folder, name, node in self._values("folder__path", "name", "node__path", kind="d"):
            if node != (path := paths.join(folder, name)):
                self.fault(f"'{shown(path)}' is another folder in the catalog.")
        view = View(self.job)
        roots = folder_ids_by_hash(self.job.client, [paths.digest(paths.ROOT)]).values()
        try:
            found = extents.below(view, roots)
            unlike = comparison.differences(view, [paths.ROOT], found, self.job_run.tick)
        except EngineError as e:
            self.fault(str(e))
            return
        for path in unlike:
            self.fault(f"'{shown(path)}' would not be restored: the catalog is damaged.")

    def _check_places(self) -> None:
        for folder in View(self.job).misplaced().values_list("path", flat=True):
            self.fault(
                f"'{shown(folder)}' is not a folder in this backup: what is below it cannot be"
                " restored together with it."
            )

    def _rows(self) -> Iterator[Row]:
        """Yield the backup's entries in the catalog, in the order of the volume."""
        for folder, name, *values in self._values("folder__path", "name", *COLUMNS[1:]):
            yield Row(paths.join(folder, name), *values)

    def _values(self, *fields: str, **kind: str) -> Iterator[tuple[Any, ...]]:
        """Yield values of the backup's entries, in pages, between which no query is open."""
        last = 0
        found = Entry.objects.filter(job=self.job, **kind).order_by("pk")
        while rows := list(found.filter(pk__gt=last).values_list(*fields, "pk")[:BATCH]):
            self.job_run.tick(self.files, self.bytes)
            yield from (row[:-1] for row in rows)
            last = rows[-1][-1]


class Content:
    """Compares the content of a volume with the catalog, entry by entry."""

    def __init__(self, verification: Verification, reader: VolumeReader):
        self._verification, self._reader = verification, reader
        self._start = self._read_to = 0  # where the stream began, and how far it has read
        self._stream: Iterator[Member] | None = None
        self._bad_to = 0  # up to where nothing can be read

    def check(self, rows: Iterator[Row]) -> int:
        """Compare with rows in the order of the volume; return where the last one ends."""
        end = 0
        for row in rows:
            if row.offset != end:
                self._fault(row, f"does not begin at byte {end} of the tar, as it should")
                self._stream = None
            end = row.offset + row.length
            if row.offset < self._bad_to:
                self._fault(row, "is in a damaged part of the volume")
                continue
            self._check(row)
        return end

    def _check(self, row: Row) -> None:
        if self._stream is None:
            self._stream = self._open(row.offset)
        try:
            member = next(self._stream, None)
        except EngineError as e:
            self._stream = None
            self._fault(row, f"is damaged. {e}")
            return
        if differences := self._differences(row, member):
            self._stream = None
            self._fault(row, f"differs from the catalog: {', '.join(differences)}")
            return
        self._verification.files += 1
        self._verification.bytes += row.size

    def _differences(self, row: Row, member: Member | None) -> list[str]:
        if member is None:
            return ["it is missing"]
        member = member._replace(offset=member.offset + self._start)
        return [name for name in member._fields if getattr(member, name) != getattr(row, name)]

    def _open(self, offset: int) -> Iterator[Member]:
        self._start = self._read_to = offset
        blocks = self._reader.read(offset, self._reader.size - offset)
        tick = self._verification.job_run.tick
        return iter(TarStream(lambda: self._next(blocks), lambda block: None, lambda part: tick()))

    def _next(self, blocks: Iterator[bytes]) -> bytes:
        try:
            block = next(blocks, b"")
        except EngineError:
            self._bad_to = self._reader.frame_end(self._read_to)
            raise
        self._read_to += len(block)
        self._verification.job_run.tick()
        return block

    def _fault(self, row: Row, words: str) -> None:
        self._verification.fault(f"'{shown(row.path)}' {words.rstrip('.')}.")
