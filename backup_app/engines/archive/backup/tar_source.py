"""Reads a client's files: its ``tar`` packs them, the volume and the catalog store them.

Tar opens each file by its path, and the owner of a folder can replace it by a symlink between scan
and reading, so that tar (root) reads another user's file as his. So everything that tar tells about
a member before its content must equal the scan, including owner and ctime, which no user can fake.
What differs, because it was swapped or just modified meanwhile, is left out, and then read again in
a safer and slower way: see ``second_pass``.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from ....exceptions import EngineError
from ....lib.bulk import batches
from ....lib.formatting import counted
from ....lib.paths import shown
from ..storage.tar_reader import CutOff, Identity, TarStream
from ..storage.volume import VolumeWriter
from ..transport.machines import Machine
from ..transport.process import Argv, Process
from .catalog_writer import CatalogWriter
from .progress import Progress
from .workspace import ToStore, Workspace

TAR = (
    "tar --create --format=posix --pax-option=delete=atime --no-recursion"
    " --xattrs --xattrs-include=* --acls --sparse --file=-"
).split()
FROM = "--null --no-unquote --verbatim-files-from --files-from=-"
COMPLETE = 0, 1, 2  # exit codes of a tar that completed, possibly with error messages
AFTERWORD = "Exiting with failure status due to previous errors"
NAMES = 10_000  # written at once


class RequestedFiles:
    """The files that tar was told to read, in this order; tar skips those that it cannot read."""

    def __init__(self, requested: Iterator[ToStore], skip: Callable[[ToStore], None]):
        """``skip`` is called with each missing one."""
        self.current: ToStore
        self.missing = 0
        self._places, self._skip = requested, skip

    def find(self, path: bytes) -> ToStore:
        """Return the place of the next member; raises EngineError for one that is not here."""
        for place in self._places:
            if place.path == path:
                self.current = place
                return place
            self._miss(place)
        raise EngineError(f"The tar has '{shown(path)}', which was not requested.")

    def finish(self) -> None:
        """Count the remaining files as missing."""
        for place in self._places:
            self._miss(place)

    def _miss(self, place: ToStore) -> None:
        self.missing += 1
        self._skip(place)


@dataclass
class TarSource:
    """Reads a client's files into a volume and the catalog.

    ``pending`` are the IDs of scanned folders that are not stored as folders, or not yet.
    """

    machine: Machine
    workspace: Workspace
    volume: VolumeWriter
    catalog: CatalogWriter
    progress: Progress
    pending: set[int] = field(default_factory=set)

    def run(self, names: Path) -> None:
        """Store what is unchanged since the scan, and defer the rest; ``names`` is a new file.

        Logs what could not be read. Raises EngineError if tar fails.
        """
        if not write_names(self.workspace, names):
            return
        argv = [*TAR, "--blocking-factor=512", "--directory=/", *FROM.split()]
        requested = RequestedFiles(self.workspace.to_store(), self._hold_back)
        complaints = self.progress.outcome.warnings
        with names.open("rb") as stdin, self.start(argv, stdin) as process:
            self.store(process, requested, self._admit, self._report)
            code = process.close()
            self._report(process.take_lines())
            if code not in COMPLETE:
                raise EngineError(f"tar failed ({code}). {process.complaint()}".rstrip())
        self.require_reasons(requested, code, complaints)

    def start(self, argv: Argv, stdin: IO[bytes]) -> Process:
        """Start a program on the client."""
        return self.machine.start(argv, stdin=stdin, tick=self.progress.tick)

    def store(
        self,
        process: Process,
        requested: RequestedFiles,
        admit: Callable[[Identity, ToStore], bool],
        report: Callable[[list[str]], None],
    ) -> None:
        """Store those members of a program's tar that ``admit`` accepts for their place.

        ``report`` is called with the program's error messages.
        """

        def read() -> bytes:
            report(process.take_lines())
            return process.read()

        stream = TarStream(
            read,
            self.volume.write,
            self.progress.add_bytes,
            lambda identity: admit(identity, requested.find(identity.path)),
            self.volume.tar_size,
        )
        try:
            for member in stream:
                self.catalog.add(member, requested.current)
                self.progress.count(member)
        except CutOff as e:
            process.close()
            raise EngineError(f"{e} {process.complaint()}".rstrip()) from e

    def require_reasons(self, requested: RequestedFiles, code: int, complaints: int) -> None:
        """Log an error if files are missing without any message since ``complaints``."""
        requested.finish()
        if (code or requested.missing) and self.progress.outcome.warnings == complaints:
            missing = counted(requested.missing, "entry", "entries")
            self.progress.warn(
                f"tar ended with exit code {code}, without {missing} and without an error message."
            )

    def lacks_folder(self, place: ToStore) -> bool:
        """Return whether the folder of a place is not stored. The root is its own folder."""
        return place.folder in self.pending and place.folder != place.node

    def _admit(self, identity: Identity, place: ToStore) -> bool:
        admitted = (
            is_as_scanned(identity, place)
            and not self.lacks_folder(place)
            and not (identity.kind == "h" and self.workspace.is_deferred(identity.target))
        )
        if not admitted:
            self.workspace.defer(place)
            self._hold_back(place)
        return admitted

    def _hold_back(self, place: ToStore) -> None:
        if place.node is not None:
            self.pending.add(place.node)

    def _report(self, lines: list[str]) -> None:
        for line in lines:
            words = line.removeprefix("tar: ")
            if words != AFTERWORD:
                self.progress.warn(words)


def is_as_scanned(identity: Identity, place: ToStore) -> bool:
    """Return whether a member is what the scan found.

    Of folders only owner and mode count: their times change with their content.
    """
    if identity.owner != place.owner:
        return False
    if "d" in (identity.kind, place.kind):
        return identity.kind == place.kind
    same_times = (identity.mtime_ns, identity.ctime_ns) == (place.mtime, place.ctime)
    if identity.kind == "h":
        return same_times
    return same_times and (identity.kind, identity.size) == (place.kind, place.size)


def write_names(workspace: Workspace, names: Path) -> bool:
    """Write the names that tar is to read, relative to the root; return whether there are any."""
    with names.open("xb") as file:
        for some in batches(workspace.names(), NAMES):
            file.write(b"\0".join([path[1:] or b"." for path in some]) + b"\0")
        return file.tell() > 0
