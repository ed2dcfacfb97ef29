"""Letting the server's key in to a client, with a password that is used once."""

import contextlib
import os
import shlex
import tempfile
from pathlib import Path

from ....conf import conf
from ....exceptions import EngineError, EngineUnreachable, WrongState
from .client_setup import key_script
from .host_keys import pin, pinned_keys
from .machines import machine_for
from .process import Process, time_limit
from .server_key import keys_folder
from .ssh import address, ssh

SECONDS = 20
ALIAS = "client"
MAX_PASSWORD = 1000
PROMPTS = 2  # an SSH server may ask for a password in two ways, and ssh tries both

# It answers nothing but a password's prompt. The password goes from the pipe to ssh through the
# shell's own commands, so it is in no argument and no environment.
ASKPASS = """\
#!/bin/sh
case $1 in
*assword*) IFS= read -r answer < {pipe} && printf '%s\\n' "$answer" ;;
*) exit 1 ;;
esac
"""


def install_key(client, password: str) -> None:
    """Log in to the client once with the password of its SSH user, and let our key in.

    The host key that is seen gets pinned, unless one is: then it must be that one. Raises
    WrongState where the operator has not turned this on, EngineError where the client refuses and
    EngineUnreachable where it does not answer. The password is nowhere afterwards.
    """
    _require_possible(client, password)
    slow = EngineUnreachable(f"Client '{client}' did not answer within {SECONDS} seconds.")
    limit = time_limit(SECONDS, slow)
    with _login_folder(client, password) as folder:
        _log_in(client, folder, limit)
        pin(client, _seen_keys(folder))
    _require_let_in(client, limit)


def _require_possible(client, password):
    if not conf.INSTALL_KEYS:
        raise WrongState("Passwords of clients are not used here: BACKUP_INSTALL_KEYS is off.")
    if client.system != "unix" or client.connection != "ssh":
        raise WrongState(f"Client '{client}' is not backed up over SSH, and needs no key.")
    if not password.isprintable() or not 1 <= len(password) <= MAX_PASSWORD:
        raise EngineError(
            f"A password is 1 to {MAX_PASSWORD} characters long, without line breaks and tabs."
        )


@contextlib.contextmanager
def _login_folder(client, password):
    """Make a folder that only we can enter, with what ssh needs for one login."""
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
def _pipe(path, text):
    """Hold a text in a named pipe, in the kernel's memory and in no file, until it is read."""
    os.mkfifo(path, 0o600)
    # Open for both ends, so that writing waits for nobody and nothing is lost in between.
    end = os.open(path, os.O_RDWR | os.O_NONBLOCK)
    try:
        os.write(end, text.encode())
        yield
    finally:
        os.close(end)


def _log_in(client, folder, limit):
    command = shlex.join(["sh", "-ec", key_script()])
    with Process(_ssh(client, folder, command), tick=limit) as process:
        if process.close():
            _refuse(client, process.complaint())


def _ssh(client, folder, command):
    # Without a terminal and with DISPLAY set, also an ssh before 8.4 asks the program.
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


def _refuse(client, words):
    """Raise what ssh's words mean."""
    place = f"Client '{client}' at {address(client)}"
    if "Host key verification failed" in words:
        raise EngineError(
            f"{place} shows another host key than the one that is pinned; it was not logged in to."
        )
    if "Permission denied" in words:
        raise EngineError(
            f"{place} did not accept the password of '{client.ssh_user}': it is wrong, or the SSH "
            "server there allows this user no login by password."
        )
    if any(hint in words for hint in ("connect to host", "Connection closed", "timed out")):
        raise EngineUnreachable(f"{place} cannot be reached. {words}")
    raise EngineError(f"{place} did not take the key. {words}".rstrip())


def _seen_keys(folder):
    lines = (folder / "known_hosts").read_text().splitlines()
    return [" ".join(line.split()[1:3]) for line in lines]


def _require_let_in(client, limit):
    """Log in with the key, since a server may look for its users' keys elsewhere."""
    try:
        with machine_for(client).start(["true"], tick=limit) as process:
            process.check()
    except EngineUnreachable as e:
        if "Permission denied" not in e.message:
            raise
        raise EngineError(
            f"Client '{client}' has the key in ~/.ssh/authorized_keys of '{client.ssh_user}', and "
            "its SSH server does not let it in: look for AuthorizedKeysFile, PubkeyAuthentication "
            "and PermitRootLogin there."
        ) from e
