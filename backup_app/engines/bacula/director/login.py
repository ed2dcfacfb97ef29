"""Logging in to a Director: TLS, and each side shows the other that it knows the password."""

import base64
import hashlib
import hmac
import re
import secrets
import socket
import time

from ....exceptions import EngineError
from ..catalog import schema
from . import tls
from .protocol import Wire
from .tls import Tls, TlsFailed

CHALLENGE = re.compile(rb"auth cram-md5c? (<[^<> ]+>) ssl=(\d)")
START_TLS = re.compile(rb"starttls tlspsk=(\d{1,3})\s*")
RELEASE = re.compile(rb"Version: (\S+)")
PSK_NEEDS = (
    f"with a key (PSK) it needs Python {tls.NEEDED} or later, with certificates the option tls_ca"
)


class LoginRejected(EngineError):
    """The Director does not accept the console's name or password."""


class Login:
    """Logs a console in on a new connection; ``run`` does so, once.

    Since Bacula 11 TLS comes first, up to 9.6 after the passwords.
    """

    def __init__(self, wire: Wire, address: str, name: str, password: str, safety: Tls) -> None:
        self._wire, self._address, self._name, self._tls = wire, address, name, safety
        self._key = hashlib.md5(password.encode(), usedforsecurity=False).hexdigest().encode()
        self._need = safety.need(is_local=wire.is_local)

    def run(self) -> None:
        """Raises LoginRejected, TlsFailed, or EngineError for a Director that is not one."""
        # With a number other than 0 it would compress what it sends.
        self._wire.send(f"Hello {self._name} calling 0 tlspsk={self._need}\n".encode())
        said = _text(self._wire.receive())
        if found := START_TLS.fullmatch(said):
            self._start_tls(int(found[1]))
            said = _text(self._wire.receive())
        challenge, offer = self._challenge(said)
        is_late = not self._wire.is_encrypted and self._uses_late_tls(offer)
        self._exchange_proofs(challenge)
        if is_late:
            self._start_tls(offer)
        self._require_supported(self._greeting())

    # --- TLS ----------------------------------------------------------------------------------

    def _start_tls(self, offer: int) -> None:
        if not self._tls.accepts(offer):
            raise self._refusal(offer)
        self._wire.start_tls(self._tls.context(self._key), self._tls.name or self._address)

    def _uses_late_tls(self, offer: int) -> bool:
        """Return whether TLS follows; raises TlsFailed if it must, and does not."""
        if self._tls.ca and offer:
            return True
        if offer == tls.REQUIRED or self._tls.is_required(is_local=self._wire.is_local):
            raise self._refusal(offer)
        return False

    def _refusal(self, offer: int) -> TlsFailed:
        """Return why there is no TLS, and what to do."""
        place = self._wire.place
        if self._tls.ca:
            return TlsFailed(
                f"{place} offers no TLS with certificates, which the option tls_ca requires."
            )
        if offer % tls.PSK:
            verb = "requires" if offer % tls.PSK == tls.REQUIRED else "offers"
            return TlsFailed(
                f"{place} {verb} TLS with certificates: set the option tls_ca to the file of the"
                " authority that signed its own."
            )
        also = "" if tls.can_psk() else f" that can be used: {PSK_NEEDS}"
        return TlsFailed(
            f"{place} offers no TLS{also}. If the network between is trusted, set the option tls to"
            " 'optional'."
        )

    # --- Passwords ------------------------------------------------------------------------------

    def _challenge(self, said: bytes) -> tuple[bytes, int]:
        found = CHALLENGE.match(said)
        if found is None:
            raise LoginRejected(f"{self._wire.place} rejected the console: {_printable(said)}")
        return found[1], int(found[2])

    def _exchange_proofs(self, challenge: bytes) -> None:
        wire = self._wire
        wire.send(self._proof(challenge))
        self._expect(b"1000 OK auth", "the console's password")
        ours = f"<{secrets.randbits(31)}.{int(time.time())}@{socket.gethostname()}>".encode()
        wire.send(b"auth cram-md5c %b ssl=%d\n" % (ours, self._need % tls.PSK))
        proof = _text(wire.receive()).rstrip(b"\0=")
        if not hmac.compare_digest(proof, self._proof(ours)):
            raise EngineError(f"{wire.place} did not prove that it knows the console's password.")
        wire.send(b"1000 OK auth\n")

    def _proof(self, challenge: bytes) -> bytes:
        digest = hmac.digest(self._key, challenge, "md5")
        return base64.b64encode(digest).rstrip(b"=")

    def _greeting(self) -> bytes:
        try:
            return self._expect(b"1000 OK:", "the console")
        except LoginRejected as e:
            if self._wire.is_encrypted or tls.can_psk():
                raise
            # The password was right: what else is there that it could want?
            raise TlsFailed(f"{e} It seems to require TLS: {PSK_NEEDS}.") from e

    def _expect(self, start: bytes, offer: str) -> bytes:
        said = _text(self._wire.receive())
        if not said.startswith(start):
            raise LoginRejected(f"{self._wire.place} rejected {offer}: {_printable(said)}")
        return said

    def _require_supported(self, greeting: bytes) -> None:
        found = RELEASE.search(greeting)
        release = _printable(found[1] if found else greeting)
        if not schema.is_supported(release):
            raise EngineError(
                f"{self._wire.place} is of version {release}: this service supports those of Bacula"
                f" {schema.SUPPORTED}."
            )


def _text(packet: bytes | int) -> bytes:
    return packet if isinstance(packet, bytes) else f"signal {packet}".encode()


def _printable(said: bytes) -> str:
    return said.decode("ascii", "replace").strip()[:200]
