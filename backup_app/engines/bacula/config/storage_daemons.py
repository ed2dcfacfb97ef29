"""The operator's file with the storage daemons that this service is to add to a Director."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ....exceptions import EngineError, InvalidEngine
from ..names import in_config, word

DEFAULTS: dict[str, Any] = {
    "address": "",
    "port": 9103,
    "password": "",
    "device": "",
    "media_type": "File",
    "autochanger": False,
    "maximum_concurrent_jobs": 10,
}
NEEDED = ("address", "password", "device")
MAX_NUMBER = 65535  # of a port; no other number needs more


def read(file: Path | None) -> dict[str, dict[str, Any]]:
    """Return the storages in the operator's file by name; none without the option storages.

    Of each there is what ``DEFAULTS`` has; ``address``, ``password`` and ``device`` are needed.
    Raises InvalidEngine for a file that cannot be used.
    """
    if file is None:
        return {}
    try:
        tables = tomllib.loads(file.read_text())
    except OSError as e:
        raise InvalidEngine(f"The file storages '{file}' cannot be read: {e.strerror}.") from e
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as e:
        raise InvalidEngine(f"The file storages '{file}' is not valid TOML: {e}.") from e
    return {
        name: _cleaned(name, table, f"the file storages '{file}'") for name, table in tables.items()
    }


def _cleaned(name: str, table: Any, place: str) -> dict[str, Any]:
    if not isinstance(table, Mapping):
        raise InvalidEngine(f"'{name}' in {place} is not a table: storages are written as [name].")
    values: dict[str, Any] = {**DEFAULTS, **table}
    for key, value in values.items():
        if key not in DEFAULTS:
            known = ", ".join(DEFAULTS)
            raise InvalidEngine(f"Storage '{name}' in {place} has '{key}': there are {known}.")
        _require_kind(name, key, value, place)
    try:
        word(name)
        for key in ("address", "password", "device", "media_type"):
            in_config(values[key])
    except EngineError as e:
        raise InvalidEngine(f"Storage '{name}' in {place} cannot be used. {e}") from e
    return values


def _require_kind(name: str, key: str, value: Any, place: str) -> None:
    kind = type(DEFAULTS[key])
    if type(value) is not kind or (kind is int and not 1 <= value <= MAX_NUMBER):
        what = {str: "a text", bool: "true or false", int: f"a number from 1 to {MAX_NUMBER}"}[kind]
        raise InvalidEngine(f"'{key}' of storage '{name}' in {place} is not {what}.")
    if key in NEEDED and not value:
        raise InvalidEngine(f"Storage '{name}' in {place} needs '{key}'.")
