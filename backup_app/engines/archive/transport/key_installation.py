"""Installs the server's key on a client, with a password that is used once and never stored."""

import contextlib
import os
import shlex
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

from ....conf import conf
from ....exceptions import EngineError, EngineUnreachable, WrongState
from ....models import Client
from ...values import Tick
from .client_setup import key_script
from .host_keys import pin, pinned_keys
from .machines import machine_for
from .process import Process, time_limit
from .server_key import keys_folder
from .ssh import address, ssh

SECONDS = 20  # for the whole login, as a request waits for it
ALIAS = "client"
MAX_PASSWORD = 1000  # characters; twice that in UTF-8 fits into a pipe, which takes 64 KiB
PROMPTS = 2  # ssh tries the methods "password" and "keyboard-interactive", and each may ask

# Answers a password prompt and nothing else. Shell builtins pass the password from the pipe to ssh,
# so that no list of processes shows it in an argument or the environment.
ASKPASS = """\
#!/bin/sh
case $1 in
*assword*) IFS= read -r answer < {pipe} && printf '%s\\n' "$answer" ;;
*) exit 1 ;;
esac
"""


def install_key(client: Client, password: str) -> None:
    """Log in to the client with the password of its SSH user, and authorize the server's key.

    The client's host key is pinned, unless one is: then it must be that one. Raises WrongState
    unless the operator enabled this, EngineError if the client refuses, and EngineUnreachable if
    it does not answer.
    """
    _require_possible(client, password)
    slow = EngineUnreachable(f"Client '{client}' did not answer within {SECONDS} seconds.")
    limit = time_limit(SECONDS, slow)
    with _login_folder(client, password) as folder:
        _log_in(client, folder, limit)
        pin(client, _seen_keys(folder))
    _require_login(client, limit)


def _require_possible(client: Client, password: str) -> None:
    if not conf.INSTALL_KEYS:
        raise WrongState("Installing keys by password is turned off (BACKUP_INSTALL_KEYS).")
    if client.system != "unix" or client.connection != "ssh":
        raise WrongState(f"Client '{client}' is not backed up over SSH and needs no key.")
    if not password.isprintable() or not 1 <= len(password) <= MAX_PASSWORD:
        raise EngineError(
            f"A password is 1 to {MAX_PASSWORD} characters long, without line breaks and tabs."
        )


@contextlib.contextmanager
def _login_folder(client: Client, password: str) -> Iterator[Path]:
    """Make a private folder with the files that ssh needs for one login."""
    with tempfile.TemporaryDirectory(dir=keys_folder(), prefix="login-") as name:
        folder = Path(name)
        known = "".join(f"{ALIAS} {key}\n" for key in pinned_keys(client))
        (folder / "known_hosts").write_text(known)
        askpass = folder / "askpass"
        askpass.write_text(ASKPASS.format(pipe=shlex.quote(str(folder / "pipe"))))
        askpass.chmod(0o700)
        with _pipe(folder / "pipe", f"{password}\n" * PROMPTS):
            yield folder


@contextlib.contextmanager
def _pipe(path: Path, text: str) -> Iterator[None]:
    """Hold a text in a named pipe: in the kernel's memory, and in no file."""
    os.mkfifo(path, 0o600)
    # Both ends are open, so that writing does not block and the text is kept until it is read.
    end = os.open(path, os.O_RDWR | os.O_NONBLOCK)
    try:
        os.write(end, text.encode())
        yield
    finally:
        os.close(end)


def _log_in(client: Client, folder: Path, limit: Tick) -> None:
    command = shlex.join(["sh", "-ec", key_script()])
    with Process(_ssh(client, folder, command), tick=limit) as process:
        if process.close():
            _refuse(client, process.complaint())


def _ssh(client: Client, folder: Path, command: str) -> list[str]:
    # OpenSSH before 8.4 asks the program only without a terminal and with DISPLAY set.
    asking = [f"SSH_ASKPASS={folder / 'askpass'}", "SSH_ASKPASS_REQUIRE=force", "DISPLAY=:0"]
    login = ssh(
        client,
        known_hosts=folder / "known_hosts",
        alias=ALIAS,
        StrictHostKeyChecking="yes" if pinned_keys(client) else "accept-new",
        HashKnownHosts="no",
        PubkeyAuthentication="no",
        PreferredAuthentications="password,keyboard-interactive",
        NumberOfPasswordPrompts=1,
    )
    return ["env", *asking, *login, command]


def _refuse(client: Client, words: str) -> NoReturn:
    """Raise the error that ssh's message means."""
    place = f"Client '{client}' at {address(client)}"
    if "Host key verification failed" in words:
        other = "a host key other than the pinned one, so the password was not sent"
        raise EngineError(f"{place} presents {other}.")
    if "Permission denied" in words:
        raise EngineError(
            f"{place} rejected the password of '{client.ssh_user}': it is wrong, or its SSH server"
            " does not allow this user to log in by password."
        )
    if any(hint in words for hint in ("connect to host", "Connection closed", "timed out")):
        raise EngineUnreachable(f"{place} cannot be reached. {words}")
    raise EngineError(f"{place} did not accept the key. {words}".rstrip())


def _seen_keys(folder: Path) -> list[str]:
    lines = (folder / "known_hosts").read_text().splitlines()
    return [" ".join(line.split()[1:3]) for line in lines]


def _require_login(client: Client, limit: Tick) -> None:
    """Log in with the key, since a server may look for its users' keys elsewhere."""
    try:
        with machine_for(client).start(["true"], tick=limit) as process:
            process.check()
    except EngineUnreachable as e:
        if "Permission denied" not in e.message:
            raise
        raise EngineError(
            f"Client '{client}' has the key in ~/.ssh/authorized_keys of '{client.ssh_user}', but"
            " its SSH server rejects it: see AuthorizedKeysFile, PubkeyAuthentication and"
            " PermitRootLogin there."
        ) from e
