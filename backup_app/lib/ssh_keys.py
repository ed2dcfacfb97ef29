"""Public host keys of SSH servers: lines of a type and a key."""

import base64
import binascii
import hashlib

from django.core.exceptions import ValidationError


def validate(text: str) -> None:
    """Raise ValidationError unless each line is a key's type and the key."""
    for line in text.splitlines():
        if line.strip() and _blob(line) is None:
            raise ValidationError(
                f"'{line.strip()}' is not a public key as ssh-keyscan prints it, without the host."
            )


def fingerprints(text: str) -> list[str]:
    """Return type and SHA-256 fingerprint of each key, as ``ssh-keygen -l`` shows it."""
    blobs = [(line.split()[0], _blob(line)) for line in text.splitlines() if line.strip()]
    return [f"{kind} {_fingerprint(blob)}" for kind, blob in blobs if blob is not None]


def _blob(line: str) -> bytes | None:
    """Return the bytes of a key (RFC 4253, 6.6), which begin with its type; None if they do not."""
    kind, _, rest = line.strip().partition(" ")
    try:
        blob = base64.b64decode(rest.split()[0], validate=True)
    except (IndexError, ValueError, binascii.Error):
        return None
    name = kind.encode()
    return blob if blob.startswith(len(name).to_bytes(4, "big") + name) else None


def _fingerprint(blob: bytes) -> str:
    digest = base64.b64encode(hashlib.sha256(blob).digest()).decode()
    return f"SHA256:{digest.rstrip('=')}"
