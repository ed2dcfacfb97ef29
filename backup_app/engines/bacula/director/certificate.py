"""X.509 certificates, as far as ``ssl`` does not tell of them: it decodes only other sides' own."""

import datetime as dt
import re
import ssl
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

PEM = re.compile("-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----", re.DOTALL)
VERSION = 0xA0  # the tag of the first field, which those of version 1 do not have
SHORT = 0x17  # the tag of a time whose year has two digits
LONG_SIZE = 0x80  # in the byte of a size: how many bytes follow with the size itself


@dataclass(frozen=True)
class Certificate:
    """Whose a certificate is, who signed it, and when it expires; names are as they are encoded."""

    subject: bytes
    issuer: bytes
    expires: dt.datetime


def decoded(der: bytes) -> Certificate:
    """Return a certificate that ``ssl`` has accepted."""
    ((_, signed),) = _fields(der)
    _, content = next(_fields(signed))
    fields = [value for tag, value in _fields(content) if tag != VERSION]
    _serial, _algorithm, issuer, validity, subject = islice(fields, 5)
    _, (tag, end) = _fields(validity)
    text = full_year(end.decode()) if tag == SHORT else end.decode()
    expires = dt.datetime.strptime(text, "%Y%m%d%H%M%SZ").replace(tzinfo=dt.UTC)
    return Certificate(subject, issuer, expires)


def all_in(pem: str) -> list[Certificate]:
    """Return the certificates in a text, which may contain keys and remarks as well."""
    return [decoded(ssl.PEM_cert_to_DER_cert(found)) for found in PEM.findall(pem)]


def full_year(text: str) -> str:
    """Return a time whose year had two digits, of 1950 to 2049, with four."""
    return f"{'19' if text >= '5' else '20'}{text}"


def _fields(der: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the tags and values of a sequence's fields."""
    while der:
        tag, size, start = der[0], der[1], 2
        if size & LONG_SIZE:
            start += size - LONG_SIZE
            size = int.from_bytes(der[2:start])
        yield tag, der[start : start + size]
        der = der[start + size :]
