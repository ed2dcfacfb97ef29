"""Engines make and read backups; they are declared in ``BACKUP_ENGINES``, as caches in ``CACHES``.

``base`` is the contract, ``values`` what passes through it, ``shared`` what engines have in common.
The rest of the app imports these; an engine itself is only named by its own commands.
"""

from django.utils.module_loading import import_string

from ..conf import conf
from ..exceptions import InvalidEngine
from .base import Engine


def get_engine(alias: str = "default") -> Engine:
    """Return a new engine for an alias of ``BACKUP_ENGINES``; raises InvalidEngine."""
    try:
        params = conf.engines[alias]
        engine_class = import_string(params["BACKEND"])
        engine: Engine = engine_class(**params.get("OPTIONS", {}))
    except KeyError as e:
        raise InvalidEngine(f"BACKUP_ENGINES[{alias!r}] is missing {e}.") from e
    except ImportError as e:
        raise InvalidEngine(f"The engine {alias!r} could not be loaded: {e}.") from e
    except TypeError as e:
        raise InvalidEngine(f"The OPTIONS of the engine {alias!r} do not fit: {e}.") from e
    engine.alias = alias
    return engine


def resuming_engines() -> list[str]:
    """Return the aliases of the engines whose jobs continue without a worker (``resumes``)."""
    return [alias for alias in conf.engines if _resumes(alias)]


def _resumes(alias: str) -> bool:
    try:
        return get_engine(alias).resumes
    except InvalidEngine:
        return False  # the system checks report it
