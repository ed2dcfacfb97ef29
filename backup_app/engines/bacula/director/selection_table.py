"""What is to be restored, and how the Director is told."""

import secrets
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from ....exceptions import EngineError
from ..director.director import Director


@dataclass(frozen=True)
class Wanted:
    """What is to be restored: the catalog's numbers of files, folders (PathId) and jobs.

    ``links`` are (JobId, FileIndex) of what hard links lead to.
    """

    jobs: Sequence[int]
    files: Sequence[int] = ()
    folders: Sequence[int] = ()
    links: Sequence[tuple[int, int]] = ()


@contextmanager
def table_of(director: Director, wanted: Wanted) -> Iterator[str]:
    """Yield the name of a table in the catalog with what is wanted, until the block ends."""
    # Bacula takes no other names: b2 and digits.
    name = f"b2{secrets.randbelow(10**15)}"
    links = [number for pair in wanted.links for number in pair]
    lists = {"fileid": wanted.files, "dirid": wanted.folders, "hardlink": links}
    words = [f"{key}={numbers(ids)}" for key, ids in lists.items() if ids]
    words += [f"jobid={numbers(wanted.jobs)}", f"path={name}"]
    try:
        # Of some lists that it cannot take it only does not say this.
        if director.ask_slowly(f".bvfs_restore {' '.join(words)}") != ["OK\n"]:
            raise EngineError("The Director could not put together what is to be restored.")
        yield name
    finally:
        # A table that stays does no harm.
        with suppress(EngineError):
            director.ask(f".bvfs_cleanup path={name}")


def numbers(ids: Iterable[int]) -> str:
    return ",".join(str(int(number)) for number in ids)
