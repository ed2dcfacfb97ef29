"""The machines of clients, this one and others over SSH, and the operator's commands on them."""

import math
import os
import shlex
import threading
from collections.abc import Sequence
from pathlib import Path
from subprocess import DEVNULL
from typing import Protocol

from ....conf import conf
from ....exceptions import EngineError, EngineUnreachable
from ....lib.paths import is_in, shown
from ....models import Client
from ...shared.command_output import command_output
from ...values import Tick, no_tick
from .process import Argv, Input, Process, time_limit
from .server_key import keys_folder, private_key
from .ssh import address, ssh

ANSWER_SECONDS = 10  # for the programs of a client that has let us in
MAX_VERSIONS = 10_000  # bytes that they print of themselves
PROGRAMS = {"tar": b"GNU tar", "find": b"GNU findutils"}


class Machine(Protocol):
    """Starts programs on a client; ``local`` is true for this machine."""

    local: bool

    def start(self, argv: Argv, *, stdin: Input = DEVNULL, tick: Tick = no_tick) -> Process:
        """Start a program, without a shell; ``stdin`` is PIPE or an open file."""

    def require_allowed(self, path: bytes) -> None:
        """Raise EngineError unless the operator allows backups of this absolute path."""


def machine_for(client: Client, patience: float | None = None) -> "LocalMachine | SshMachine":
    """Return the machine of a client; raises EngineError if this engine does not support it.

    ``patience`` is how many seconds it may take to let us in instead of SSH_CONNECT_SECONDS.
    """
    if client.system != "unix":
        raise EngineError(f"Client '{client}' runs {client.system}, which has no GNU tar.")
    if client.connection == "local":
        return LocalMachine()
    if client.connection == "ssh":
        return SshMachine(client, patience)
    raise EngineError(
        f"Client '{client}' is connected by '{client.connection}', which this engine does not"
        " support."
    )


def require_connection(client: Client) -> None:
    """Raise EngineError unless a client answers and has GNU tar and find, which read it."""
    seconds = conf.SSH_CONNECT_SECONDS + ANSWER_SECONDS
    slow = EngineUnreachable(f"Client '{client}' did not answer within {seconds} seconds.")
    versions = ["sh", "-c", "tar --version; find --version; true"]
    with machine_for(client).start(versions, tick=time_limit(seconds, slow)) as process:
        printed = _read(process, MAX_VERSIONS)
        process.check()
    for program, name in PROGRAMS.items():
        if name not in printed:
            raise EngineError(f"Client '{client}' has no {name.decode()}: install it as {program}.")


def run_command(client: Client, command: Sequence[str]) -> str:
    """Run a command on a client, without a shell; see ``Engine.run_command``."""
    line = " ".join(command)
    seconds = conf.COMMAND_SECONDS
    slow = EngineError(f"'{line}' took longer than {seconds} seconds on client '{client}'.")
    with machine_for(client).start(command, tick=time_limit(seconds, slow)) as process:
        printed = _read(process, conf.COMMAND_MAX_BYTES + 1)
        # A command that prints without end never exits, so output beyond the limit is not awaited.
        if len(printed) <= conf.COMMAND_MAX_BYTES and (code := process.close()):
            raise EngineError(
                f"'{line}' failed on client '{client}' ({code}). {process.complaint()}".rstrip()
            )
    return command_output(printed)


def _read(process: Process, limit: int) -> bytes:
    printed = b""
    while len(printed) < limit and (block := process.read(limit - len(printed))):
        printed += block
    return printed


class LocalMachine:
    """This machine, below the folders in BACKUP_LOCAL_ROOTS."""

    local = True

    def start(self, argv: Argv, *, stdin: Input = DEVNULL, tick: Tick = no_tick) -> Process:
        return Process(argv, stdin=stdin, tick=tick)

    def require_allowed(self, path: bytes) -> None:
        real = os.path.realpath(path)
        roots = [os.path.realpath(os.fsencode(root)) for root in conf.local_roots]
        if not any(is_in(real, root) for root in roots):
            raise outside_roots(path)


class SshMachine:
    """Another machine, over ssh with a pinned host key and the server's own key."""

    local = False

    def __init__(self, client: Client, patience: float | None = None):
        if not client.host_key.strip():
            raise EngineError(
                f"Client '{client}' has no pinned SSH host key: {pin_command(client)}."
            )
        self.client = client
        self.patience = patience
        self.address = address(client)

    def start(self, argv: Argv, *, stdin: Input = DEVNULL, tick: Tick = no_tick) -> Process:
        command = b" ".join(quote(arg) for arg in ("env", "LC_ALL=C.UTF-8", *argv))
        return Process(
            [*self._ssh(), command],
            stdin=stdin,
            tick=tick,
            unreachable=f"Client '{self.client}' cannot be reached at {self.address}.",
        )

    def require_allowed(self, path: bytes) -> None:
        """Allow everything: the whole machine belongs to the account."""

    def _ssh(self) -> list[str]:
        return ssh(
            self.client,
            known_hosts=self._known_hosts(),
            alias=self._alias,
            BatchMode="yes",
            StrictHostKeyChecking="yes",
            IdentityFile=private_key(),
            IdentitiesOnly="yes",
            IdentityAgent="none",
            ConnectTimeout=math.ceil(self.patience or conf.SSH_CONNECT_SECONDS),
            ServerAliveInterval=15,
            ServerAliveCountMax=4,
        )

    @property
    def _alias(self) -> str:
        return f"client-{self.client.pk}"

    def _known_hosts(self) -> Path:
        path = keys_folder() / f"known_hosts-{self.client.pk}"
        keys = self.client.host_key.splitlines()
        text = "".join(f"{self._alias} {key.strip()}\n" for key in keys if key.strip())
        if not path.exists() or path.read_text() != text:
            temporary = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident()}")
            temporary.write_text(text)
            temporary.replace(path)
        return path


def outside_roots(path: bytes) -> EngineError:
    """Return the refusal of a path that the operator has not opened to backups."""
    return EngineError(
        f"'{shown(path)}' is not below a folder that may be backed up and restored on this machine"
        " (BACKUP_LOCAL_ROOTS)."
    )


def quote(argument: str | bytes) -> bytes:
    """Return an argument as one word of a POSIX shell's command line."""
    # A path may contain any byte, and surrogateescape takes each unchanged through shlex.
    return os.fsencode(shlex.quote(os.fsdecode(argument)))


def pin_command(client: Client) -> str:
    """Return the command by which the operator pins the client's host key."""
    # The name is the account's: it must be neither an option nor more than one word.
    name = " ".join(client.name.split())
    end = "-- " if name.startswith("-") else ""
    return f"manage.py pin_host_key {end}{shlex.quote(name)}"
