"""Uploads that a page previews: kept in its form, signed, so that no file is left behind.

Neither can a forged form name a file of the server.
"""

import codecs
import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from hashlib import blake2b

from django.core.cache import cache
from django.core.signing import BadSignature, TimestampSigner

# Django accepts no form with more than 2.5 MB beside its files.
MOST = 2_000_000
MOST_OF_TABLE = 20_000_000  # unpacked
BYTE_ORDER_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
SECONDS = 24 * 60 * 60


class KeptError(Exception):
    """An upload cannot be read or kept, or is kept no more; the message is a sentence."""


def packed(content, purpose):
    """Return content as text that the next form may send back. Raises KeptError."""
    text = urlsafe_b64encode(zlib.compress(content)).decode()
    if len(text) > MOST:
        raise KeptError("The file is too large to be shown before it is imported.")
    return TimestampSigner(salt=purpose).sign(text)


def unpacked(text, purpose):
    """Return the content that was packed for the same purpose. Raises KeptError."""
    try:
        # Only what was signed is unpacked: it was within the limit before.
        signed = TimestampSigner(salt=purpose).unsign(text, max_age=SECONDS)
    except BadSignature as e:
        raise KeptError("The preview is out of date. Choose the file again.") from e
    return zlib.decompress(urlsafe_b64decode(signed))


def text_of(content):
    """Return the text of a table, whichever program has saved it. Raises KeptError."""
    if len(content) > MOST_OF_TABLE:
        raise KeptError(f"The file is larger than {MOST_OF_TABLE // 10**6} MB.")
    is_utf16 = content.startswith(BYTE_ORDER_MARKS)
    for encoding in ["utf-16"] if is_utf16 else ["utf-8-sig", "cp1252"]:
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise KeptError("The file is not text. Save the table as “CSV UTF-8”.")


class KeptTable:
    """What import-export takes for a file on the server; its ``name`` is the content, packed."""

    PURPOSE = "calendar_app_table"

    def __init__(self, name="", encoding=None, read_mode="r"):
        self.name, self.is_text = name, "b" not in read_mode
        self.content, self.problem = b"", None

    def save(self, data):
        self.content = data
        try:
            self.name = packed(data, self.PURPOSE)
        except KeptError as e:
            self.problem = e  # for ``read``, whose errors the form shows

    def read(self):
        """Return what was saved or, once, what a form has sent back. Raises KeptError."""
        if self.problem:
            raise self.problem
        content = self.content or self._sent_back()
        return text_of(content) if self.is_text else content

    def _sent_back(self):
        content = unpacked(self.name, self.PURPOSE)
        key = f"{self.PURPOSE}:{blake2b(self.name.encode(), digest_size=16).hexdigest()}"
        if not cache.add(key, True, SECONDS):
            raise KeptError("The file was imported from this preview before. Choose it again.")
        return content

    def remove(self):
        """Do nothing: there is no file."""
