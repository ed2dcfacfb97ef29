"""The console of a Director: one command, one answer."""

import base64
import copy
import hashlib
import hmac
import re
import secrets
import socket
import time
from enum import IntEnum

from ....exceptions import EngineError, EngineUnreachable
from ..catalog import schema
from .protocol import Wire

DEFAULT = "*UserAgent*"  # the name of the default console
CHALLENGE = re.compile(rb"auth cram-md5c? (<[^<> ]+>) ssl=(\d)")
RELEASE = re.compile(rb"Version: (\S+)")
CONTROL = re.compile(r"[\x00-\x1f\x7f]")
NAME = re.compile(r"[\w*.:-]+", re.ASCII)
TLS_REQUIRED = b"2"
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


class LoginRejected(EngineError):
    """The Director does not accept the console's name or password."""


class Console:
    """A logged in connection, as a context manager. ``name`` is "" for the default console.

    ``seconds`` is how long the log-in and each command may take. Text is UTF-8, in which other
    bytes are surrogates (as ``os.fsdecode`` has them), so that no name is changed.
    """

    def __init__(self, address: str, port: int, name: str, password: str, seconds: float) -> None:
        self.address, self.port, self.seconds = address, port, seconds
        self.name = name or DEFAULT
        self.place = f"The Director at {address}:{port}"
        self._key = hashlib.md5(password.encode(), usedforsecurity=False).hexdigest().encode()
        self._wire: Wire | None = None

    def __enter__(self) -> "Console":
        self.open()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    @property
    def is_open(self) -> bool:
        return self._wire is not None and self._wire.is_open

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
            self._log_in(self._wire)
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

        Raises EngineError with the Director's message for what it refuses, UnexpectedQuestion if it
        asks something instead, and EngineUnreachable without an answer in time or while the
        Director's catalog is unreachable. After a question and a timeout the connection is closed.
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
            raise EngineUnreachable(said) if CATALOG_AWAY in said else EngineError(said)
        return lines

    # --- Logging in: each side shows the other that it knows the password -------------------------

    def _log_in(self, wire: Wire) -> None:
        wire.send(f"Hello {self.name} calling\n".encode())
        challenge = self._challenge(wire)
        wire.send(self._proof(challenge))
        self._expect(wire, b"1000 OK auth", "the console's password")
        ours = f"<{secrets.randbits(31)}.{int(time.time())}@{socket.gethostname()}>".encode()
        wire.send(b"auth cram-md5c " + ours + b" ssl=0\n")
        proof = _text(wire.receive()).rstrip(b"\0=")
        if not hmac.compare_digest(proof, self._proof(ours)):
            raise EngineError(f"{self.place} did not prove that it knows the console's password.")
        wire.send(b"1000 OK auth\n")
        self._require_supported(self._expect(wire, b"1000 OK:", "the console"))

    def _require_supported(self, greeting: bytes) -> None:
        found = RELEASE.search(greeting)
        release = _printable(found[1] if found else greeting)
        if not schema.is_supported(release):
            raise EngineError(
                f"{self.place} is of version {release}: this service supports those of Bacula"
                f" {schema.SUPPORTED}."
            )

    def _challenge(self, wire: Wire) -> bytes:
        said = _text(wire.receive())
        found = CHALLENGE.match(said)
        if found is None:
            raise LoginRejected(f"{self.place} rejected the console: {_printable(said)}")
        if found[2] == TLS_REQUIRED:
            raise EngineError(f"{self.place} requires TLS, which this service does not support.")
        return found[1]

    def _proof(self, challenge: bytes) -> bytes:
        digest = hmac.digest(self._key, challenge, "md5")
        return base64.b64encode(digest).rstrip(b"=")

    def _expect(self, wire: Wire, start: bytes, offer: str) -> bytes:
        said = _text(wire.receive())
        if not said.startswith(start):
            raise LoginRejected(f"{self.place} rejected {offer}: {_printable(said)}")
        return said


def _text(packet: bytes | int) -> bytes:
    return packet if isinstance(packet, bytes) else f"signal {packet}".encode()


def _printable(said: bytes) -> str:
    return said.decode("ascii", "replace").strip()[:200]


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
