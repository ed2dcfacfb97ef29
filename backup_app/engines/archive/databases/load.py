"""Loading dumps of databases from backups."""

from ....conf import conf
from ....exceptions import EngineError, EngineUnreachable, WrongState
from ....models import Entry
from ...base import Outcome, Run, Selection
from ..catalog import extents
from ..catalog.view import View
from ..integrity import comparison
from ..transport.process import time_limit
from .dump_content import Content
from .registry import server_of
from .safety_dump import safety_dump
from .server import DatabaseServer

MAX_BYTES = 100_000  # of what a tool prints that is asked whether a database is there


def require_database(client, kind: str, name: str) -> None:
    """Raise WrongState unless the client's server of this kind has the database.

    And without the operator's credentials for those of this machine. Raises EngineError and
    EngineUnreachable when the server's own tool cannot tell.
    """
    server, seconds = server_of(client, kind), conf.COMMAND_SECONDS
    if server.missing_credentials:
        raise WrongState(server.missing_credentials)
    slow = EngineUnreachable(f"No answer from {server} within {seconds} seconds.")
    with server.start_probe(name, time_limit(seconds, slow)) as process:
        process.read_all(MAX_BYTES)
        if code := process.close():
            server.refuse(name, server.load_tools, code, process.complaint())


def load_database(run: Run, dump: Selection) -> Outcome:
    """Load a dump into the client's database that ``run.job.request["database"]`` names.

    No statement is executed before the whole dump has proved undamaged, nor before the database
    as it is has been saved. Raises EngineError with the tool's words.
    """
    wanted = run.job.request["database"]
    name, kind = wanted["database"], wanted["kind"]
    [(entry_id, path)] = dump.files
    view = View(run.job.parent)
    comparison.require_same(view, [path], extents.named(view, [entry_id]), run.tick)
    content = Content(Entry.objects.get(pk=entry_id))
    server = server_of(run.job.client, kind)
    run.expect(content.size)
    content.check(run.tick)
    require_database(run.job.client, kind, name)
    with safety_dump(run, server, name):
        _load(run, server, name, content)
    run.info(f"Loaded the database '{name}' of {server}: {content.size} bytes.")
    return Outcome(files=1, bytes=content.size)


def _load(run: Run, server: DatabaseServer, name: str, content: Content) -> None:
    with server.start_load(name, run.tick) as process:
        whole = _feed(run, process, server, content)
        if code := process.close():
            server.refuse(name, server.load_tools, code, process.complaint())
        if not whole:
            raise EngineError(
                f"The tool of {server} stopped before the end of the dump of database '{name}'. "
                f"{process.complaint()}".rstrip()
            )


def _feed(run, process, server, content) -> bool:
    """Write a dump to a process; False when that no longer reads, and has a reason to tell."""
    done = 0
    for block in server.statements(content.blocks()):
        try:
            process.write(block)
        except EngineError:
            return False
        done += len(block)
        run.tick(size=min(done, content.size))
    process.end_input()
    run.tick(size=content.size)
    return True
