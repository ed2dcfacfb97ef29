"""Certificates for a Director and its consoles, made by openssl in milliseconds."""

import subprocess
from pathlib import Path

NEW_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
DAYS, NAMES = 30, "DNS:none.test"


class Authority:
    """Signs certificates, in a folder: ``file`` is its own."""

    def __init__(self, folder: Path, name: str, *, days: int = DAYS, alternatives: str = NAMES):
        self._folder = folder
        self.file, self._key = folder / f"{name}.pem", folder / f"{name}.key"
        own = ["-x509", *NEW_KEY, "-subj", f"/CN={name}", "-days", str(days)]
        own += ["-addext", f"subjectAltName={alternatives}"]
        _openssl("req", *own, "-keyout", self._key, "-out", self.file)

    def sign(self, name: str, *, days: int = DAYS, alternatives: str = NAMES) -> None:
        """Make the files NAME.pem and NAME.key; with ``days`` below 0 it has expired."""
        made = self._folder / name
        request, extensions = made.with_suffix(".csr"), made.with_suffix(".ext")
        extensions.write_text(f"subjectAltName={alternatives}\n")
        _openssl("req", *NEW_KEY, "-subj", f"/CN={name}", "-keyout", f"{made}.key", "-out", request)
        signed = ["-req", "-in", request, "-CA", self.file, "-CAkey", self._key, "-CAcreateserial"]
        _openssl("x509", *signed, "-days", str(days), "-extfile", extensions, "-out", f"{made}.pem")


def _openssl(*words: object) -> None:
    subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True)
