"""The engines that zones use, and the programs and daemons that they need."""

import os
from collections.abc import Iterator

from ..conf import conf
from ..engines import get_engine
from ..exceptions import InvalidEngine
from .finding import Finding, failed, ok

INSTALL = "Install or correct it on each host that runs workers; 'manage.py check' says it too."


def examine() -> Iterator[Finding]:
    """Yield whether each engine can work, and whether the service may write its own folder."""
    yield _of_the_root()
    for alias in conf.engines:
        yield from _of_an_engine(alias)


def _of_the_root() -> Finding:
    folder = conf.root
    place = next(each for each in (folder, *folder.parents) if each.exists())
    if place.is_dir() and os.access(place, os.W_OK | os.X_OK):
        return ok(f"The folder '{folder}' can be written to.", "BACKUP_ROOT")
    return failed(
        f"The folder '{folder}' cannot be written to by this user.",
        "Run this as the user of the service, let it write there, or set BACKUP_ROOT.",
        "BACKUP_ROOT",
    )


def _of_an_engine(alias: str) -> Iterator[Finding]:
    try:
        engine = get_engine(alias)
    except InvalidEngine as e:
        yield failed(str(e), "Correct BACKUP_ENGINES.", alias)
        return
    faults = list(engine.own_faults())
    for fault in faults:
        yield failed(fault, INSTALL, alias)
    if not faults:
        yield ok("It has all that it needs.", alias)
