"""The console of a Director: one command, one answer."""

import copy
import re
import time
from enum import IntEnum

from ....exceptions import EngineError, EngineUnreachable
from .login import Login
from .protocol import Wire
from .tls import Tls

DEFAULT = "*UserAgent*"  # the name of the default console
CONTROL = re.compile(r"[\x00-\x1f\x7f]")
NAME = re.compile(r"[\w*.:-]+", re.ASCII)
UNKNOWN = ": is an invalid command."  # or one that the console may not use
CATALOG_AWAY = "Could not open catalog database"
SHORT_TIMEOUT = 2  # seconds for a login, which normally takes 20 ms
RETRY_AFTER = 60  # seconds for which a Director that did not answer gets only SHORT_TIMEOUT

# Directors that did not answer a login. Until then each login waits only SHORT_TIMEOUT seconds, so
# that requests and upkeep of other engines do not queue up behind a Director that hangs.
_retry_at: dict[tuple[str, int], float] = {}


class Signal(IntEnum):
    """Signals that replace a packet's length, as far as they are used here (bsock.h)."""

    END = -1
    SELECT = -11
    ASK_INPUT = -12
    FAILED = -14
    OK = -15
    PROMPT = -18
    ASK_SELECT = -19
    ERROR = -21
    ASK_YES_NO = -24
    WAITS_SUB = -27
    WAITS = -28


ENDS = {Signal.PROMPT, Signal.END}
QUESTIONS = {
    Signal.SELECT,
    Signal.ASK_INPUT,
    Signal.ASK_SELECT,
    Signal.ASK_YES_NO,
}
WAITS = {Signal.WAITS_SUB, Signal.WAITS}  # the Director waits for our answer to a question


class UnexpectedQuestion(EngineError):
    """The Director asked a question about a command; ``lines`` is what it printed before."""

    def __init__(self, message: str, lines: list[str]) -> None:
        super().__init__(message)
        self.lines = lines


class NotPermitted(EngineError):
    """The console's CommandACL does not have a command."""

    def __init__(self, console: str, command: str) -> None:
        verb = command.split()[0]
        super().__init__(
            f"The console '{console}' may not use '{verb}': add this to its CommandACL."
        )


class Console:
    """A logged in connection, as a context manager. ``name`` is "" for the default console.

    ``seconds`` is how long the log-in and each command may take. Text is UTF-8, in which other
    bytes are surrogates (as ``os.fsdecode`` has them), so that no name is changed.
    """

    def __init__(
        self,
        address: str,
        port: int,
        name: str,
        password: str,
        seconds: float,
        safety: Tls = Tls(),  # noqa: B008 - is frozen
    ) -> None:
        self.address, self.port, self.seconds = address, port, seconds
        self.name = name or DEFAULT
        self.place = f"The Director at {address}:{port}"
        self._password, self._tls = password, safety
        self._wire: Wire | None = None

    def __enter__(self) -> "Console":
        self.open()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    @property
    def is_open(self) -> bool:
        return self._wire is not None and self._wire.is_open

    @property
    def scope(self) -> str:
        """What completes "The Director has no client 'x'": "" where nothing can be hidden."""
        return "" if self.name == DEFAULT else f" that the console '{self.name}' may use"

    @property
    def is_encrypted(self) -> bool:
        return self._wire is not None and self._wire.is_encrypted

    @property
    def certificate(self) -> bytes | None:
        """The Director's, if the connection is open and encrypted by one."""
        return self._wire.certificate if self._wire else None

    @property
    def is_exposed(self) -> bool:
        """Whether others on the network can read what is said."""
        return self._wire is not None and not (self.is_encrypted or self._wire.is_local)

    def open(self) -> None:
        """Connect and log in, unless that is done.

        A Director that did not answer a moment ago is given less time, until it does.
        """
        if self.is_open:
            return
        if not NAME.fullmatch(self.name):
            raise EngineError(f"'{self.name}' is not a valid name of a console.")
        place = self.address, self.port
        was_silent = _retry_at.get(place, 0) > time.monotonic()
        try:
            self._connect(min(SHORT_TIMEOUT, self.seconds) if was_silent else self.seconds)
        except EngineUnreachable:
            _retry_at[place] = time.monotonic() + RETRY_AFTER
            raise
        _retry_at.pop(place, None)

    def _connect(self, seconds: float) -> None:
        try:
            self._wire = Wire(self.address, self.port, self.place, seconds)
            Login(self._wire, self.address, self.name, self._password, self._tls).run()
            self.ask(".api 2", seconds=seconds)
        except BaseException:
            self.close()
            raise

    def another(self) -> "Console":
        """Return a second connection, for a command on which the Director may hang."""
        twin = copy.copy(self)
        twin._wire = None
        return twin

    def close(self) -> None:
        if self._wire is not None:
            self._wire.close()
            self._wire = None

    def ask(self, command: str, *, seconds: float | None = None) -> list[str]:
        """Return the packets of the answer to a command; for many of those each is a row.

        Raises EngineError with the Director's message for what it refuses, NotPermitted for what
        the console may not use, UnexpectedQuestion if it asks something instead, and
        EngineUnreachable without an answer in time or while the Director's catalog is unreachable.
        After a question and a timeout the connection is closed.
        """
        if self._wire is None or not self.is_open:
            raise EngineUnreachable(f"The connection to {self.place} is closed.")
        packet = _encoded(command)
        self._wire.allow(seconds or self.seconds)
        self._wire.send(packet)
        return self._answer(self._wire, command)

    def _answer(self, wire: Wire, command: str) -> list[str]:
        lines: list[str] = []
        refusal: list[str] = []
        failed = is_error = asked = False
        while (packet := wire.receive()) not in ENDS:
            if isinstance(packet, bytes):
                (refusal if is_error else lines).append(packet.decode(errors="surrogateescape"))
            elif packet in WAITS:
                wire.send(b".")  # cancels the question
            is_error = packet == Signal.ERROR
            failed = failed or packet in (Signal.FAILED, Signal.ERROR)
            asked = asked or packet in QUESTIONS | WAITS
        if asked:
            self.close()  # further output could still belong to the question
            raise UnexpectedQuestion(
                _said(refusal or lines, f"did not understand '{_start(command)}'"), lines
            )
        if failed:
            said = _said(refusal or lines, f"refused '{_start(command)}'")
            if UNKNOWN in said and self.name != DEFAULT:
                raise NotPermitted(self.name, command)
            raise EngineUnreachable(said) if CATALOG_AWAY in said else EngineError(said)
        return lines


def _encoded(command: str) -> bytes:
    if found := CONTROL.search(command):
        raise EngineError(f"A command must not contain the character {found[0]!r}.")
    try:
        return command.encode(errors="surrogateescape")
    except UnicodeEncodeError as e:
        raise EngineError(f"A command must not contain the character {e.object[e.start]!r}.") from e


def _start(command: str) -> str:
    """Return the start of a command, for messages: the rest may be long."""
    return command if len(command) <= 100 else f"{command[:100]}…"


def _said(lines: list[str], otherwise: str) -> str:
    words = " ".join(" ".join(lines).split())[:1000]
    printable = CONTROL.sub("?", words.encode(errors="replace").decode())
    return f"The Director {otherwise}: {printable}" if words else f"The Director {otherwise}."
