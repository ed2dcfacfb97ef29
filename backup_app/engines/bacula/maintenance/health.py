"""Finds what prevents Bacula from working with this service, before a job fails.

Each finding is a sentence that names the thing and says what to do.
"""

import datetime as dt
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator

from django.utils import timezone

from ....exceptions import BackupError, EngineError, InvalidEngine
from ....models import Client, Storage
from .. import names
from ..config import storage_daemons, validation
from ..director import status
from ..director.console import NotPermitted
from ..director.director import Director
from ..director.tls import TlsFailed
from ..extraction import confine, restore_to_host
from ..extraction.storage_config import StorageConfig
from ..names import Bacula
from . import certificates, console_rights

ENCODING = "SQL_ASCII"
# The tables that are read, whose rights also show whether the role may write.
TABLES = (
    "basefiles client file fileset job jobmedia log media path pathhierarchy"
    " pathvisibility pool storage version"
).split()
SETTINGS = """
SELECT current_user::text, current_database()::text, current_setting('server_encoding'),
    current_setting('transaction_read_only')
"""
RIGHTS = """
SELECT name, has_table_privilege(name, 'SELECT'),
    has_table_privilege(name, 'INSERT, UPDATE, DELETE, TRUNCATE')
FROM unnest(%s::text[]) AS name
"""


def find_faults(engine: Bacula) -> Iterator[str]:
    """Yield a sentence for each fault that can be detected."""
    yield from certificates.of_this_service(engine.tls)
    yield from _of_the_director(engine)
    yield from _of_the_catalog(engine)
    yield from _of_the_configuration(engine)
    yield from _of_downloads(engine)


# --- The Director ----------------------------------------------------------------------------


def _of_the_director(engine: Bacula) -> Iterator[str]:
    try:
        with engine.director() as director:
            yield from console_rights.missing(engine, director)
            header = status.header("".join(director.ask(".status dir header")))
            yield from _of_a_header(engine, header)
            yield from _of_exposure(director)
            yield from certificates.of_the_director(engine.tls, director.console)
            yield from _of_storages(engine, director)
            yield from _of_clients(engine, director)
    except NotPermitted:
        pass  # was told above
    except TlsFailed as e:
        yield str(e)
    except BackupError as e:
        yield (
            f"{e} Check that the Director is running, and that address, port, console and password"
            " are right."
        )


def _of_exposure(director: Director) -> Iterator[str]:
    if director.console.is_exposed:
        yield (
            f"{director.console.place} is on another host and is asked without TLS: enable TLS"
            " there, unless the network between is trusted, such as a VPN."
        )


def _of_a_header(engine: Bacula, header: dict[str, str]) -> Iterator[str]:
    name = header.get("name", "")
    if name != engine.director_name:
        yield (
            f"The Director calls itself '{name}', not '{engine.director_name}': set the option"
            " director to its name, which clients check."
        )
    yield from _of_a_clock(engine, header.get("started_epoch", ""), header.get("started", ""))


def _of_a_clock(engine: Bacula, seconds: str, local: str) -> Iterator[str]:
    if not seconds.isdecimal():
        return
    ours = f"{dt.datetime.fromtimestamp(int(seconds), engine.zone):%Y-%m-%d %H:%M:%S}"
    if local != ours:
        yield (
            f"The Director's clock showed {local} when it was {ours} in the zone '{engine.zone}':"
            " set the option time_zone to the zone of its host."
        )


def _of_storages(engine: Bacula, director: Director) -> Iterator[str]:
    known = director.names("storage")
    try:
        added = storage_daemons.read(engine.storages)
    except InvalidEngine as e:
        yield str(e)
        return
    for storage in Storage.objects.filter(zone__engine=engine.alias):
        name = names.of(engine, storage)
        if name not in known and (storage.is_adopted or name not in added):
            yield (
                f"The Director has no storage '{name}'{director.console.scope}, which the zone"
                f" '{storage.zone}' has: add it to the Director's configuration or to the file of"
                " the option storages."
            )


def _of_clients(engine: Bacula, director: Director) -> Iterator[str]:
    known = director.names("client")
    adopted = Client.objects.present().filter(zone__engine=engine.alias).exclude(engine_name="")
    for client in adopted:
        if client.engine_name not in known:
            yield (
                f"The Director has no client '{client.engine_name}'{director.console.scope}, which"
                f" '{client}' of {client.account} needs: restore it in the Director's configuration"
                " or delete it here."
            )


# --- The catalog -----------------------------------------------------------------------------


def _of_the_catalog(engine: Bacula) -> Iterator[str]:
    try:
        reader = engine.reader()
        ((user, database, encoding, is_read_only),) = reader.rows(SETTINGS)
        if encoding != ENCODING:
            yield (
                f"The catalog '{database}' is in {encoding}, which not every file name fits:"
                f" create it in {ENCODING}, as Bacula's script does."
            )
        rights = reader.rows(RIGHTS, [[*TABLES, *reader.schema.tables]])
    except BackupError as e:
        yield f"{e} Check '{engine.database}' in DATABASES."
        return
    hidden = [name for name, may_read, _ in rights if not may_read]
    if hidden:
        yield (
            f"The role '{user}' may not read {', '.join(hidden)} of the catalog '{database}':"
            f' GRANT SELECT ON ALL TABLES IN SCHEMA public TO "{user}".'
        )
    if any(may_write for *_, may_write in rights):
        kept = "" if is_read_only == "on" else ", and nothing prevents it"
        yield (
            f"The role '{user}' may write to the catalog '{database}'{kept}: give this service one"
            " that may only SELECT."
        )


# --- The configuration -----------------------------------------------------------------------


def _of_the_configuration(engine: Bacula) -> Iterator[str]:
    folder, ours = engine.config_dir, timezone.get_default_timezone()
    if engine.schedules and str(engine.zone) != str(ours):
        yield (
            f"The option schedules is set, but the Director's clock is that of '{engine.zone}' and"
            f" schedules are in '{ours}': this service goes on starting backups itself."
        )
    if folder is None:
        yield (
            "The option config_dir is not set, so this service adds nothing to the Director's"
            " configuration: no client, and no job that backs up, restores or verifies."
        )
        return
    if not folder.is_dir() or not os.access(folder, os.W_OK | os.X_OK):
        yield (
            f"The folder config_dir '{folder}' cannot be written to by this service: create it for"
            " the service's user and the Director's group."
        )
        return
    try:
        validation.require(engine, folder, {})
    except EngineError as e:
        yield str(e)


# --- Downloads -------------------------------------------------------------------------------


def _of_downloads(engine: Bacula) -> Iterator[str]:
    if engine.storage_config:
        yield from _of_bextract(engine)
    elif engine.spool_client:
        yield from _of_the_spool_client(engine)
    else:
        yield (
            "Neither of the options storage_config and spool_client is set: there are no downloads."
        )


def _of_bextract(engine: Bacula) -> Iterator[str]:
    program = engine.extract_program
    if not os.access(program, os.X_OK):
        yield f"The program '{program}', which makes downloads, cannot be run: install bacula-sd."
    try:
        folders = StorageConfig(engine.storage_config).folders
    except EngineError as e:
        yield f"{e} The option storage_config is the file of this host's storage daemon."
        return
    if not folders:
        yield f"'{engine.storage_config}' has no device whose volumes are files."
    for folder in folders:
        if not os.access(folder, os.R_OK | os.X_OK):
            yield (
                f"The volumes in '{folder}' cannot be read: add the service's user to the group"
                " that owns them."
            )
    yield from _of_confinement()


def _of_confinement() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-I", "-S", confine.__file__, folder, "/bin/true"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode != 0:
        yield (
            "bextract cannot be confined to its folder, so no downloads are made:"
            f" {done.stderr.strip()}. The service needs the right to create namespaces (unshare)."
        )


def _of_the_spool_client(engine: Bacula) -> Iterator[str]:
    try:
        with engine.director() as director:
            restore_to_host.require_harmless(director, engine.spool_client)
    except EngineError as e:
        yield f"{e} The option spool_client names it."
