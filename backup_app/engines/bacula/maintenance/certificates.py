"""Finds what is wrong with the certificates of the console's connection, before it fails."""

import datetime as dt
import stat
from collections.abc import Iterator
from pathlib import Path

from django.utils import timezone

from ..director import certificate
from ..director.console import Console
from ..director.tls import Tls, TlsFailed

SOON = dt.timedelta(days=14)


def of_this_service(tls: Tls) -> Iterator[str]:
    """Yield what is wrong with this service's own certificate and its key, if it has any."""
    if not tls.certificate:
        return
    try:
        tls.context(b"")
    except TlsFailed:
        return  # whoever connects tells it
    key = tls.key or tls.certificate
    if Path(key).stat().st_mode & stat.S_IROTH:
        yield f"Every user of this host can read the key in '{key}': chmod o-r {key}."
    found = certificate.all_in(Path(tls.certificate).read_text(errors="replace"))
    expires = min((each.expires for each in found), default=None)
    yield from _expiring(
        f"The certificate in '{tls.certificate}', the option tls_certificate,",
        expires,
        "put a new one there, signed by an authority that the Director trusts",
    )


def of_the_director(tls: Tls, console: Console) -> Iterator[str]:
    """Yield whether the certificate of an open console, or its authority's, expires soon."""
    if console.certificate is None:
        return
    theirs = certificate.decoded(console.certificate)
    yield from _expiring(
        "The Director's certificate",
        theirs.expires,
        "put a new one into the file of its TLS Certificate, and have it reload its configuration",
    )
    trusted = map(certificate.decoded, tls.context(b"").get_ca_certs(binary_form=True))
    # The one that replaces another has the same name.
    signers = [each for each in trusted if each.subject == theirs.issuer != theirs.subject]
    expires = max((each.expires for each in signers), default=None)
    yield from _expiring(
        f"The authority in '{tls.ca}', which signed the Director's certificate,",
        expires,
        "add a new one to that file, and have it sign the Director's certificate",
    )


def _expiring(subject: str, expires: dt.datetime | None, remedy: str) -> Iterator[str]:
    now = timezone.now()
    if expires and expires < now + SOON:
        verb = "expires" if expires > now else "expired"
        yield f"{subject} {verb} on {expires:%Y-%m-%d at %H:%M} UTC: {remedy}."
