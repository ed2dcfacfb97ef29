"""TLS on the Director's console: by certificates, or by a key that both sides have (PSK).

Bacula 11 and later offer PSK by themselves; the key is the console's password, as a hash.
"""

import ssl
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from ....exceptions import EngineError, InvalidEngine

POLICIES = "", "required", "optional"
IDENTITY = "Client_identity"  # Bacula sends it, and does not look at it
# Up to TLS 1.2, which Bacula offers where its OpenSSL is older than 1.1.1.
PSK_CIPHER = "PSK-AES256-CBC-SHA"
HINTS = {
    "decrypt error": "the console's password seems to be another one there",
    "certificate expired": "replace that of the option tls_certificate",
    "certificate required": "set the options tls_certificate and tls_key",
}
NEEDED = "3.13"  # the first Python whose ssl has PSK

# How much a side needs of each, as Bacula's daemons tell each other: certificates in the units, PSK
# in the hundreds.
NONE, OFFERED, REQUIRED = 0, 1, 2
PSK = 100


class TlsFailed(EngineError):
    """A connection is not as safe as it must be, and is not used."""


@dataclass(frozen=True)
class Tls:
    """How a connection is encrypted.

    ``policy``: ``required`` refuses a Director that offers no TLS, ``optional`` does not; without
    either that depends on whether the connection leaves this host.
    ``ca``: a file with certificates of authorities, one of which must have signed the Director's;
    TLS is then required. ``certificate``, ``key``: this service's own, if the Director wants one.
    ``name``: which name the Director's certificate has, if not its address.
    """

    policy: str = ""
    ca: str = ""
    certificate: str = ""
    key: str = ""
    name: str = ""

    def __post_init__(self) -> None:
        if self.policy not in POLICIES:
            raise InvalidEngine(f"The option tls is '{self.policy}': use 'required' or 'optional'.")
        if self.key and not self.certificate:
            raise InvalidEngine("The option tls_key is set, but tls_certificate is not.")
        for option in ("certificate", "name"):
            if getattr(self, option) and not self.ca:
                raise InvalidEngine(f"The option tls_{option} is set, but tls_ca is not.")

    def is_required(self, *, is_local: bool) -> bool:
        """Return whether a connection must be encrypted; ``is_local``: it does not leave the host.

        What the Director requires itself does not count here.
        """
        return bool(self.ca) or self.policy == "required" or not (self.policy or is_local)

    def need(self, *, is_local: bool) -> int:
        """Return what to tell the Director that is needed, in its numbers."""
        how_much = REQUIRED if self.is_required(is_local=is_local) else OFFERED
        if self.ca:
            return how_much
        return how_much * PSK if can_psk() else NONE

    def accepts(self, offer: int) -> bool:
        """Return whether what a Director offers, in its numbers, can be done."""
        return bool(offer % PSK) if self.ca else can_psk() and offer >= PSK

    def context(self, key: bytes) -> ssl.SSLContext:
        """Return the context for a connection; ``key`` is the one for PSK.

        Raises TlsFailed for a file that is missing or wrong.
        """
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        if not self.ca:
            _use_psk(context, key)
            return context
        with _reading("tls_ca", self.ca, "has no certificate"):
            context.load_verify_locations(self.ca)
        if self.certificate:
            files = "' with '".join(filter(None, (self.certificate, self.key)))
            fault = "has no certificate with its key, unencrypted"
            with _reading("tls_certificate", files, fault):
                # A passphrase would be asked for on the terminal.
                context.load_cert_chain(self.certificate, self.key or None, lambda: "")
        return context


def can_psk() -> bool:
    """Return whether this Python's ssl has PSK."""
    return sys.version_info >= (3, 13) and ssl.HAS_PSK


def failure(place: str, error: ssl.SSLError) -> TlsFailed:
    """Return what to raise for a failed handshake, or for what followed it."""
    if isinstance(error, ssl.SSLCertVerificationError):
        why = error.verify_message.rstrip(".")
        if "mismatch" in why:
            why += "; the option tls_name names another"
        return TlsFailed(f"{place} has a certificate that is not trusted: {why}.")
    reason = (error.reason or str(error)).replace("_", " ").lower().split("alert ")[-1]
    hint = HINTS.get(reason, "its own messages may say why")
    return TlsFailed(f"{place} and this service do not agree on TLS: {reason}; {hint}.")


def _use_psk(context: ssl.SSLContext, key: bytes) -> None:
    # A certificate is required all the same, and none is trusted: whoever does not have the key and
    # offers a certificate instead is refused. With the key there are no certificates.
    context.check_hostname = False
    context.set_ciphers(PSK_CIPHER)
    if sys.version_info >= (3, 13):
        context.set_psk_client_callback(lambda hint: (IDENTITY, key))


@contextmanager
def _reading(option: str, file: str, fault: str) -> Iterator[None]:
    try:
        yield
    except ssl.SSLError as e:  # whose words help nobody
        raise TlsFailed(f"The option {option} is '{file}', which {fault}.") from e
    except OSError as e:
        raise TlsFailed(
            f"The option {option} is '{file}', which cannot be read: {e.strerror}."
        ) from e
