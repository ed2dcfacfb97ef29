"""Polls engines for jobs that others started, or schedules that this service gave them."""

import logging
from collections.abc import Callable

from ...conf import conf
from ...engines import get_engine
from ...engines.base import Engine
from ...exceptions import BackupError, InvalidEngine
from ...models import Client
from .. import tasks
from . import new_jobs
from .records import Known

AT_ONCE = 100  # jobs per round, so that other upkeep is not delayed
logger = logging.getLogger(__name__)
# The last error of each engine and step, so that it is logged once.
_complaints: dict[tuple[str, str], str] = {}


def adopt_jobs() -> int:
    """Create jobs for those that were started elsewhere; return how many are new.

    What keeps an engine from telling is logged once, until it changes.
    """
    return sum(_ask(alias, "could not list its jobs", adopt_from) for alias in conf.engines)


def keep_schedules() -> None:
    """Tell the engines that start scheduled backups themselves when; log as ``adopt_jobs``."""
    for alias in conf.engines:
        _ask(alias, "could not store the schedules of its clients", _keep_schedules)


def adopt_from(engine: Engine) -> int:
    """Create jobs for backups and restores of known clients that others started; return how many.

    One that runs becomes a running job, which is resumed as our own are; while another job of its
    client keeps it from that, it waits. Several workers may do this at once. Raises
    EngineUnreachable and EngineError.
    """
    known = Known(engine, Client.objects.present().filter(zone__engine=engine.alias))
    stored = 0
    for found in new_jobs.missing(known):
        for pk, each in new_jobs.adopt(known, found):
            stored += 1
            if each.has_ended:
                tasks.conclude(pk)
        if stored >= AT_ONCE:
            break
    engine.discard_left()
    return stored


def _keep_schedules(engine: Engine) -> int:
    engine.keep_schedules()
    return 0


def _ask(alias: str, failure: str, verb: Callable[[Engine], int]) -> int:
    try:
        found = verb(get_engine(alias))
    except (BackupError, InvalidEngine) as e:
        if _complaints.get((alias, failure)) != str(e):
            logger.warning("The engine '%s' %s: %s", alias, failure, e)
        _complaints[alias, failure] = str(e)
        return 0
    _complaints.pop((alias, failure), None)
    return found
