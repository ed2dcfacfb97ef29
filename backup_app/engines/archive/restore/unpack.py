"""Unpacking the parts of a restore into a private folder, and checking their content."""

import re
import subprocess
from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter

from ....exceptions import EngineError
from ....lib.paths import shown
from ...values import Run
from ..catalog.extents import Part
from ..storage.layout import volume_files
from ..storage.tar_reader import Member, TarStream
from ..storage.volume import END_OF_TAR, VolumeReader
from ..transport.machines import Machine
from ..transport.process import Process
from .plan import RestorePlan

# Messages of GNU tar about metadata that the file system or user cannot set: the content is whole.
HARMLESS = re.compile(
    r": Cannot (mknod|change (ownership|mode|inode flags)|utime|set|remove|mkfifo)\b"
    r"|: Cannot (setfacl|acl_)|: Warning: |Exiting with failure status due to previous errors"
)
SAME = "path kind sha256 length".split()


class TarStopped(EngineError):
    """The unpacking tar stopped reading."""


def unpack(
    plan: RestorePlan, machine: Machine, folder: bytes, run: Run, *, attributes: str = "*"
) -> None:
    """Unpack everything into a folder of a machine, under its full path.

    ``attributes`` is a pattern of the extended attributes to restore. Raises EngineError naming
    the first file that is not what was backed up, and if tar could not write all content. Lost
    metadata is a warning in the job's log.
    """
    argv: list[str | bytes] = [
        *("tar", "--extract", "--file=-", b"--directory=" + folder),
        # Folders get their times last, since their content may come from several volumes.
        *("--preserve-permissions", "--delay-directory-restore", "--warning=no-timestamp"),
        *("--xattrs", f"--xattrs-include={attributes}", "--acls"),
    ]
    with machine.start(argv, stdin=subprocess.PIPE, tick=run.tick) as tar:
        _feed(plan, tar, run)
        tar.write(END_OF_TAR)
        tar.end_input()
        code = tar.close()
        _report(tar.take_lines(), code, run)


def _feed(plan: RestorePlan, tar: Process, run: Run) -> None:
    def write(data: bytes | memoryview) -> None:
        try:
            tar.write(data)
        except EngineError as e:
            raise TarStopped(f"The restore could not be unpacked. {e}") from e

    blocks = _blocks(plan)
    members = iter(TarStream(lambda: next(blocks, b""), write))
    size = 0
    for number, part in enumerate(plan.parts(), 1):
        _require_same(part, _next(members, part))
        size += part.size
        run.tick(number, size)
    next(members, None)


def _next(members: Iterator[Member], part: Part) -> Member | None:
    try:
        return next(members, None)
    except TarStopped:
        raise
    except EngineError as e:
        raise _damaged(part, str(e)) from e


def _require_same(part: Part, member: Member | None) -> None:
    if member is None:
        raise _damaged(part, "Its volume ends before it.")
    for name in SAME:
        if getattr(member, name) != getattr(part, name):
            raise _damaged(part, f"Its {name} is not what was backed up.")


def _damaged(part: Part, reason: str) -> EngineError:
    return EngineError(
        f"'{shown(part.path)}' is damaged in backup {part.job_id}, so nothing was restored."
        f" {reason}"
    )


def _blocks(plan: RestorePlan) -> Iterator[bytes]:
    files = volume_files(plan.sources())
    for job_id, segments in groupby(plan.segments(), key=attrgetter("job_id")):
        with VolumeReader(files[job_id]) as reader:
            for segment in segments:
                yield from reader.read(segment.offset, segment.length)
    yield END_OF_TAR


def _report(lines: list[str], code: int, run: Run) -> None:
    for line in lines:
        if not HARMLESS.search(line):
            raise EngineError(f"The restore could not be unpacked. {line}")
        if "Exiting with failure" not in line:
            run.warning(line)
    if code not in (0, 2):
        raise EngineError(f"The restore could not be unpacked: tar ended with {code}.")
