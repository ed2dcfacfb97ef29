"""The embedded engine, each of whose methods hands on to the module that does the work."""

from collections.abc import Sequence

from ...exceptions import InvalidEngine
from ..base import ClientConfig, Engine, Outcome, Run
from . import backup, commands, configuring, installing

MiB = 1024 * 1024


class ArchiveEngine(Engine):
    """Backs up with the client's own GNU tar and find, into ``.tar.zst`` volumes in folders.

    OPTIONS: ``frame_bytes`` of tar go into each frame of a volume, which is what reading one file
    costs at least; ``compression`` is zstd's level where a fileset has none; ``threads`` compress
    at once, 0 for as many as there are processors.
    """

    name = "archive"
    supports_databases = True
    supports_commands = True
    supports_key_installation = True

    def __init__(self, *, frame_bytes: int = 4 * MiB, compression: int = 3, threads: int = 0):
        if not 64 * 1024 <= frame_bytes <= 64 * MiB:
            raise InvalidEngine(f"frame_bytes is {frame_bytes}, not from 64 KiB to 64 MiB.")
        if not 1 <= compression <= 19:
            raise InvalidEngine(f"compression is {compression}, not from 1 to 19.")
        self.frame_bytes = frame_bytes
        self.compression = compression
        self.threads = threads

    # --- Doing jobs ------------------------------------------------------------------------

    def backup(self, run: Run) -> Outcome:
        return backup.back_up(self, run)

    def discard(self, job) -> None:
        backup.discard(job)

    # --- Clients ---------------------------------------------------------------------------

    def client_config(self, client) -> ClientConfig:
        return configuring.client_config(client)

    def install_key(self, client, password: str) -> None:
        installing.install_key(client, password)

    def run_command(self, client, command: Sequence[str]) -> str:
        return commands.run_command(client, command)
