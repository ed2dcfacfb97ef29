"""Running one of the operator's command lines on a client.

Bacula runs it before a job that does nothing else, without a shell, and writes what it prints to
the job's log.
"""

import logging
import re
import time
from collections.abc import Callable, Sequence

from ....conf import conf
from ....exceptions import EngineError, EngineUnreachable
from ....models import Client
from ...shared.command_output import command_output
from .. import names
from ..catalog.connection import text
from ..catalog.job_log import Line, reason
from ..config import provisioning
from ..director.director import Director
from ..names import Bacula

BEGIN_SECONDS = 20  # until Bacula has the file daemon begin; it looks for jobs every two seconds
END_SECONDS = 5  # until a job that was canceled has ended
FORGOTTEN_SECONDS = 3600  # far more than any run takes, after which its process is dead
POLL_SECONDS = 0.1
KILL_SECONDS = 5  # by which the client's own limit comes before ours
PIECE = 499  # bytes of output in one line of the log; a longer line goes on in the next
LIMIT = "timeout"  # of GNU coreutils, busybox and the BSDs
TOO_LONG = 124  # its exit code when it ended the program
NOT_STARTED = (126, 127)  # its exit codes when it could not start the program
MISSING = 200  # and above: a file daemon's codes when it could not start the program
MAX_QUOTED = 2000  # characters of its output in an error message
BEGUN = "shell command: run ClientBeforeJob "
PRINTED = b"ClientBeforeJob: "
ENDED = re.compile(r"Runscript: ClientBeforeJob returned non-zero status=(\d+)\. ERR=(.*)")
LOG = f"""
SELECT logid, {text("logtext")} FROM log WHERE jobid = %s AND logid > %s ORDER BY logid
"""  # noqa: S608 - made of constants

logger = logging.getLogger(__name__)


class NoProgramError(EngineError):
    """A client does not have a program, or may not run it."""


def run_command(engine: Bacula, client: Client, command: Sequence[str]) -> str:
    """Return the output of a command line on a client; it is not run by a shell.

    More than BACKUP_COMMAND_MAX_BYTES are cut off, and the last line says so. Raises EngineError
    with the command's own words when it fails, or when it takes longer than
    BACKUP_COMMAND_SECONDS, and EngineUnreachable when the client does not begin.
    """
    words = bacula_words(client, command)
    with engine.director() as director:
        job = provisioning.prepare_command(engine, client, words)
        name = names.of(engine, client)
        number = director.run(job, client=name, comment=f"{engine.prefix}command")
        try:
            return _Command(engine, client, command, words[0], number).output()
        finally:
            _clean(engine, director, job, number)


def bacula_words(client: Client, command: Sequence[str]) -> list[str]:
    """Return the words of a command as they stand in a RunScript; raises EngineError.

    A unix machine ends it by itself: a job of Bacula's can be canceled, but not its program.
    """
    for word in command:
        if word.startswith(("'", '"')):
            raise EngineError(
                f"Bacula cannot run '{' '.join(command)}': {word} starts with a quotation mark."
            )
    limit = [LIMIT, str(conf.COMMAND_SECONDS)]
    words = [*limit, *command] if client.system == client.System.UNIX else command
    return [word.replace("%", "%%") for word in words]


class _Command:
    """A command line that a job of Bacula's runs."""

    def __init__(
        self, engine: Bacula, client: Client, command: Sequence[str], program: str, number: int
    ) -> None:
        self.catalog = engine.reader()
        self.client, self.line, self.program = client, " ".join(command), program
        self.number = number
        self.printed, self.last = bytearray(), 0
        self.lines: list[Line] = []

    def output(self) -> str:
        """Return its output, once it has ended; raises EngineError."""
        self._wait(self._has_begun, BEGIN_SECONDS, self._not_begun())
        self._wait(self._has_ended, conf.COMMAND_SECONDS + KILL_SECONDS, self._slow())
        if len(self.printed) > conf.COMMAND_MAX_BYTES:
            return command_output(bytes(self.printed))
        row = self.catalog.job(self.number)
        self._read()  # what was logged since the last poll
        if row is None or not row.is_good:
            raise self._failure()
        return command_output(bytes(self.printed))

    def _wait(self, condition: Callable[[], bool], seconds: float, error: EngineError) -> None:
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                raise error
            time.sleep(POLL_SECONDS)

    def _has_begun(self) -> bool:
        ended = self._is_over()
        self._read()
        return ended or any(line.words.startswith(BEGUN) for line in self.lines)

    def _has_ended(self) -> bool:
        ended = self._is_over()
        self._read()
        return ended or len(self.printed) > conf.COMMAND_MAX_BYTES

    def _is_over(self) -> bool:
        row = self.catalog.job(self.number)
        return row is None or row.has_ended

    def _read(self) -> None:
        """Read new lines of the log."""
        begin = f" JobId {self.number}: ".encode() + PRINTED
        for number, words in self.catalog.rows(LOG, [self.number, self.last]):
            self.last = number
            _, is_output, piece = bytes(words).partition(begin)
            if is_output:
                self._add(piece.removesuffix(b"\n"))
            else:
                self.lines.append(Line.read(bytes(words).decode(errors="replace")))

    def _add(self, piece: bytes) -> None:
        self.printed += piece
        if len(piece) != PIECE:
            self.printed += b"\n"

    # --- Why it has no output ---------------------------------------------------------------

    def _failure(self) -> EngineError:
        found = next(filter(None, (ENDED.search(line.words) for line in self.lines)), None)
        if found is None:
            words = reason(self.lines) or "Its file daemon gave no reason."
            return EngineUnreachable(f"Client '{self.client}' did not run '{self.line}'. {words}")
        code = int(found[1])
        if code == TOO_LONG:
            return self._slow()
        failed = f"'{self.line}' failed on client '{self.client}' ({code})."
        if code >= MISSING and not self.printed:
            return NoProgramError(f"{failed} It cannot start '{self.program}': {found[2]}.")
        kind = NoProgramError if code in NOT_STARTED else EngineError
        said = self.printed.decode(errors="replace").strip()[-MAX_QUOTED:]
        return kind(f"{failed} {said}".rstrip())

    def _slow(self) -> EngineError:
        return EngineError(
            f"'{self.line}' took longer than {conf.COMMAND_SECONDS} seconds "
            f"on client '{self.client}'."
        )

    def _not_begun(self) -> EngineError:
        return EngineUnreachable(
            f"Client '{self.client}' did not start '{self.line}' within {BEGIN_SECONDS} seconds."
        )


def _clean(engine: Bacula, director: Director, job: str, number: int) -> None:
    """Leave nothing of a run, which has no volume; what cannot be removed now, a later one does."""
    try:
        for each in (number, *_forgotten(engine, job)):
            _remove(engine, director, each)
    except EngineError as e:
        logger.warning("Job %s of Bacula, which ran a command, was not removed: %s", number, e)


def _forgotten(engine: Bacula, job: str) -> list[int]:
    """Return runs of a command that were not removed, because their processes died."""
    condition = "WHERE j.name = %s AND j.jobtdate < %s ORDER BY j.jobid LIMIT 10"
    before = int(time.time()) - FORGOTTEN_SECONDS - conf.COMMAND_SECONDS
    rows = engine.reader().jobs(condition, [job, before])
    return [row.job_id for row in rows if row.has_ended]


def _remove(engine: Bacula, director: Director, number: int) -> None:
    deadline = time.monotonic() + END_SECONDS
    while (row := engine.reader().job(number)) and not row.has_ended:
        if time.monotonic() > deadline:
            return
        # The Director waits for the answer of the client, which may hang.
        director.cancel(number, seconds=END_SECONDS)
        time.sleep(POLL_SECONDS)
    director.delete_job(number)
