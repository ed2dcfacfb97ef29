"""A real SSH server on 127.0.0.1, with keys and a configuration of its own."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from tests.prerequisites import need, need_root
from tests.support.waiting import free_port

SSHD = "/usr/sbin/sshd"
CONFIG = """\
Port {port}
ListenAddress 127.0.0.1
HostKey {folder}/host_key
AuthorizedKeysFile {folder}/authorized_keys .ssh/authorized_keys
PidFile none
UsePAM no
StrictModes no
PermitRootLogin yes
Subsystem sftp internal-sftp
{extra}
"""


@dataclass
class Server:
    folder: Path
    port: int
    process: subprocess.Popen

    @property
    def host_key(self) -> str:
        """Type and key, as a client's ``host_key`` has them."""
        return " ".join((self.folder / "host_key.pub").read_text().split()[:2])

    def admit(self, public_key: str) -> None:
        """Let whoever has this key in, as root or any other user."""
        with (self.folder / "authorized_keys").open("a") as file:
            file.write(f"{public_key}\n")

    def sessions(self) -> list[int]:
        """Return the processes that serve the connections there are."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return [int(pid) for pid in children.read_text().split()]

    def cut(self) -> None:
        """End all connections at once, as a machine does that loses its power."""
        for pid in self.sessions():
            _kill_tree(pid)

    def log(self) -> str:
        return (self.folder / "log").read_text()


@contextlib.contextmanager
def serving(extra: str = ""):
    """Run a server until the block ends; ``extra`` are lines of its configuration."""
    need_root()
    need(Path(SSHD).exists(), "over SSH", "apt install openssh-server")
    Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="sshd-") as name:
        server = _start(Path(name), extra)
        try:
            _wait(server)
            yield server
        finally:
            server.cut()
            server.process.terminate()
            server.process.wait()


@contextlib.contextmanager
def local_user(password: str):
    """Make a user of this machine with a password, and yield its name and home folder."""
    need_root()
    need(shutil.which("useradd"), "over SSH", "apt install passwd")
    name = f"backup-{os.getpid()}-{time.monotonic_ns() % 10**6}"
    home = Path(tempfile.mkdtemp(prefix="home-"))
    add = ["useradd", "--no-create-home", "--home-dir", home, "--shell", "/bin/sh", name]
    _run(add)
    try:
        change = ["chpasswd", "--crypt-method", "SHA512"]
        _run(change, input=f"{name}:{password}\n", text=True)
        shutil.chown(home, name, name)
        yield name, home
    finally:
        _run(["userdel", name])
        shutil.rmtree(home)


@contextlib.contextmanager
def silent_port():
    """Listen on a port and answer nothing there; yield its number."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield listener.getsockname()[1]


def _start(folder, extra):
    make = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / "host_key"]
    _run(make)
    port = free_port()
    config = folder / "config"
    config.write_text(CONFIG.format(port=port, folder=folder, extra=extra))
    run = [SSHD, "-D", "-f", config, "-E", folder / "log"]
    return Server(folder, port, subprocess.Popen(run))


def _run(command, **options):
    subprocess.run(command, check=True, **options)


def _wait(server):
    while server.process.poll() is None:
        with contextlib.suppress(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", server.port), timeout=5).close()
            return
        time.sleep(0.02)
    raise RuntimeError(f"The SSH server did not start: {server.log()}")


def _kill_tree(pid):
    with contextlib.suppress(ProcessLookupError, FileNotFoundError):
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        os.kill(pid, signal.SIGKILL)
        for child in children:
            _kill_tree(int(child))
