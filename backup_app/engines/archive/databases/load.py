"""Loading dumps from backups into databases."""

from ....conf import conf
from ....exceptions import EngineError, EngineUnreachable, WrongState
from ....models import Client, Entry
from ...base import Outcome, Run, Selection
from ...shared.job_parts import parent_of
from ..catalog import extents
from ..catalog.view import View
from ..integrity import comparison
from ..transport.process import Process, time_limit
from .dump_content import Content
from .registry import server_of
from .safety_dump import safety_dump
from .server import DatabaseServer

MAX_BYTES = 100_000  # of the output of a query that returns a single row


def require_database(client: Client, kind: str, name: str) -> None:
    """Raise WrongState unless the client's server of this kind has the database.

    Also if credentials for it are missing. Raises EngineError and EngineUnreachable if the
    server's tool fails for another reason.
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

    No statement is executed before the whole dump was checked and the current database saved.
    Raises EngineError with the tool's message.
    """
    wanted = run.job.request["database"]
    name, kind = wanted["database"], wanted["kind"]
    [(entry_id, path)] = dump.files
    view = View(parent_of(run.job))
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


def _feed(run: Run, process: Process, server: DatabaseServer, content: Content) -> bool:
    """Write a dump to a process; return False if it stops reading, to show its message."""
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
