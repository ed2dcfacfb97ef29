"""Names in Bacula, and quoting for its commands and its configuration.

Adopted things keep their names. What this service adds has a name of the engine's prefix, a kind
and a number.
"""

import os
import re
from collections.abc import Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, TypeAlias

from ...exceptions import EngineError
from ...models import Client, Fileset, Pool, Storage

if TYPE_CHECKING:
    # For annotations of what the engine is passed to: these modules lie below it.
    from .engine import BaculaEngine

    Bacula: TypeAlias = BaculaEngine
else:
    Bacula = object

MAX_NAME = 127  # name
MAX_TEXT = 4096  # bytes of any other text in the configuration
NAME = re.compile(rf"[A-Za-z0-9:._ -]{{1,{MAX_NAME}}}")
CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def of(engine: Bacula, record: Client | Fileset | Pool | Storage) -> str:
    """Return the name of a client, fileset, pool or storage."""
    if record.engine_name:
        return record.engine_name
    if isinstance(record, Storage):
        return record.name  # as the operator's file has it
    return f"{engine.prefix}{record._meta.model_name}-{record.pk}"


def for_client(engine: Bacula, kind: str, client: Client) -> str:
    """Return the name of something that we add for a client, also an adopted one.

    Its ``client`` file, ``schedule`` or one of its jobs: ``backup``, ``restore`` or ``verify``.
    """
    return f"{engine.prefix}{kind}-{client.pk}"


def storage_file(engine: Bacula, storage: Storage) -> str:
    """Return the name of the file of a storage, which has no prefix itself."""
    return f"{engine.prefix}storage-{storage.name}"


def command_job(engine: Bacula, words: Sequence[str]) -> str:
    """Return the name of the job that runs a command line, on whatever client it is told to."""
    digest = blake2b("\0".join(words).encode(), digest_size=6).hexdigest()
    return f"{engine.prefix}command-{digest}"


def placeholder(engine: Bacula) -> str:
    """Return the name of the client, pool and storage of jobs that are always told another client.

    They do not exist: if Bacula does not find what a command names, it uses the job's own.
    """
    return f"{engine.prefix}nobody"


def messages(engine: Bacula) -> str:
    """Return the name of the resource that sends the logs of our jobs to the catalog."""
    return f"{engine.prefix}messages"


def nothing(engine: Bacula) -> str:
    """Return the name of the fileset without files, for jobs that back up none."""
    return f"{engine.prefix}nothing"


def word(text: str) -> str:
    """Return the name of a resource or a volume; raises EngineError for an invalid one."""
    if not NAME.fullmatch(text):
        raise EngineError(
            f"{text!r} is not a valid name in Bacula: it needs 1 to {MAX_NAME} ASCII letters, "
            "digits, spaces and ':', '.', '-' and '_'."
        )
    return text


def quoted(text: str) -> str:
    """Return a text quoted for a command; raises EngineError if it could end the quotation."""
    _require_plain(text)
    if '"' in text or "\\" in text:
        raise EngineError(
            f"{text!r} cannot be part of a command: it contains a '\"' or a backslash."
        )
    return f'"{text}"'


def quoted_name(text: str) -> str:
    """Return the name of a resource or a volume quoted for a command; raises EngineError."""
    return quoted(word(text))


def in_config(text: str) -> str:
    """Return a text quoted for the configuration; raises EngineError.

    Inside quotation marks only the backslash and the mark itself are special: ``@`` includes no
    file there. Bacula would drop a line break silently.
    """
    _require_plain(text)
    if len(os.fsencode(text)) > MAX_TEXT:
        raise EngineError(
            f"{text[:100]!r}… cannot be passed to Bacula: it has more than {MAX_TEXT} bytes."
        )
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _require_plain(text: str) -> None:
    if CONTROL.search(text):
        raise EngineError(f"{text!r} cannot be passed to Bacula: it contains a control character.")
    try:
        os.fsencode(text)
    except UnicodeEncodeError as e:
        raise EngineError(f"{text!r} cannot be passed to Bacula: it is not text.") from e
