"""Unpacking what a restore wants into a private folder, and checking every content on the way."""

import re
import subprocess
from collections.abc import Iterator

from ....exceptions import EngineError
from ...base import Run
from .. import paths
from ..catalog.extents import Part
from ..storage.layout import volume_files
from ..storage.tar_reader import Member, TarStream
from ..storage.volume import END_OF_TAR, VolumeReader
from ..transport.machines import Machine
from .plan import RestorePlan

# What GNU tar says of metadata that this machine or its file system has not: the content is whole.
HARMLESS = re.compile(
    r": Cannot (mknod|change (ownership|mode|inode flags)|utime|set|remove|mkfifo)\b"
    r"|: Cannot (setfacl|acl_)|: Warning: |Exiting with failure status due to previous errors"
)
SAME = "path kind sha256 length".split()


class Stopped(EngineError):
    """The unpacking tar reads no further."""


def unpack(
    plan: RestorePlan, machine: Machine, folder: bytes, run: Run, *, attributes: str = "*"
) -> None:
    """Unpack everything into a folder of a machine, under its full path.

    ``attributes`` is a pattern of the extended attributes that files get back.
    Raises EngineError at the first file that is not what was backed up, naming it, and when tar
    could not write all content. What is lost of the metadata is said in the job's log.
    """
    argv = [
        *("tar", "--extract", "--file=-", b"--directory=" + folder),
        # Times of folders come last, since their content comes from several volumes.
        *("--preserve-permissions", "--delay-directory-restore", "--warning=no-timestamp"),
        *("--xattrs", f"--xattrs-include={attributes}", "--acls"),
    ]
    with machine.start(argv, stdin=subprocess.PIPE, tick=run.tick) as tar:
        _feed(plan, tar, run)
        tar.write(END_OF_TAR)
        tar.end_input()
        code = tar.close()
        _report(tar.take_lines(), code, run)


def _feed(plan, tar, run):
    def write(data):
        try:
            tar.write(data)
        except EngineError as e:
            raise Stopped(f"The restore could not be unpacked. {e}") from e

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
    except Stopped:
        raise
    except EngineError as e:
        raise _damaged(part, str(e)) from e


def _require_same(part: Part, member: Member | None) -> None:
    if member is None:
        raise _damaged(part, "Its volume ends before it.")
    for name in SAME:
        if getattr(member, name) != getattr(part, name):
            raise _damaged(part, f"Its {name} is not what was backed up.")


def _damaged(part, reason):
    return EngineError(
        f"'{paths.shown(part.path)}' is damaged in backup {part.job_id}, so that nothing was"
        f" restored. {reason}"
    )


def _blocks(plan: RestorePlan) -> Iterator[bytes]:
    files = volume_files(plan.sources())
    reader, opened = None, None
    try:
        for job_id, offset, length in plan.segments():
            if job_id != opened:
                if reader:
                    reader.__exit__(None, None, None)
                reader, opened = VolumeReader(files[job_id]), job_id
            yield from reader.read(offset, length)
    finally:
        if reader:
            reader.__exit__(None, None, None)
    yield END_OF_TAR


def _report(lines: list[str], code: int, run) -> None:
    for line in lines:
        if not HARMLESS.search(line):
            raise EngineError(f"The restore could not be unpacked. {line}")
        if "Exiting with failure" not in line:
            run.warning(line)
    if code not in (0, 2):
        raise EngineError(f"The restore could not be unpacked: tar ended with {code}.")
