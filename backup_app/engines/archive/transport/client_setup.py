"""The configuration of clients, as a script to paste."""

import shlex

from ....exceptions import WrongState
from ....models import Client
from ...values import ClientConfig, System
from .machines import pin_command
from .server_key import fingerprint, public_key

SYSTEMS = [
    System("unix", "Unix with GNU tar and find", "This machine, and others over SSH with a key.")
]
LOCAL = """\
# '{name}' is the backup server itself: nothing is needed on it.
# Its operator lists the folders that may be backed up in BACKUP_LOCAL_ROOTS.
"""

REMOTE = """\
# Backup of '{name}' ({ip}): run this on it as {user}, once.

# GNU tar and find read its files, over SSH.
#   Debian, Ubuntu:  apt-get install openssh-server tar findutils
#   Red Hat, SUSE:   dnf install openssh-server tar findutils
{packages}
# The backup server logs in with this key, which may run commands and nothing else.
{key_script}
# The backup server talks to this machine only if it shows the host key that was pinned.
# Compare before you pin:
#   here:                  ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub
#   on the backup server:  {pin_command}
{pinned}
"""

# The empty line before the key keeps it apart from a last line without a line feed.
KEY_SCRIPT = """\
(
    umask 077
    mkdir -p ~/.ssh
    touch ~/.ssh/authorized_keys
    chmod go-w ~/.ssh ~/.ssh/authorized_keys
    grep -q '^[^#]*{key}' ~/.ssh/authorized_keys ||
        printf '\\n%s\\n' {line} >> ~/.ssh/authorized_keys
)
"""

TOOLS = """\
# These tools dump its databases. They run on the backup server instead if its operator puts a
# login there, as mode 0600 files in BACKUP_CREDENTIALS_DIR/{client}/:
"""
TOOLS_OF = {
    "mysql": "mariadb-dump and mariadb, or mysqldump and mysql; mysql.cnf with [client]",
    "postgresql": "pg_dump and psql; pg_service.conf with [client], and pgpass",
}


def client_config(client: Client) -> ClientConfig:
    """Return the commands that prepare a client; raises WrongState for another system than Unix."""
    if client.system != client.System.UNIX:
        raise WrongState(
            f"Client '{client}' is a {client.system} machine: this engine backs up unix machines"
            " only, over SSH."
        )
    make = _local if client.connection == client.Connection.LOCAL else _remote
    return ClientConfig(file_name="backup-client.sh", config=make(client))


def key_script() -> str:
    """Return an idempotent script that authorizes the server's key for the user who runs it."""
    line = f"restrict {public_key()}"
    return KEY_SCRIPT.format(key=line.split()[2], line=shlex.quote(line))


def _local(client: Client) -> str:
    return LOCAL.format(name=_one_line(client.name))


def _remote(client: Client) -> str:
    name = _one_line(client.name)
    return REMOTE.format(
        name=name,
        ip=client.ip,
        user=_one_line(client.ssh_user),
        packages=_packages(client),
        key_script=key_script(),
        pin_command=pin_command(client),
        pinned=_pinned(client),
    )


def _one_line(text: str) -> str:
    """Keep a name inside its comment: after a line break it would be executed."""
    return " ".join(text.split())


def _packages(client: Client) -> str:
    kinds = sorted({database["kind"] for database in client.fileset.databases})
    if not kinds:
        return ""
    lines = "".join(f"#   {TOOLS_OF[kind]}\n" for kind in kinds)
    return f"\n{TOOLS.format(client=client.pk)}{lines}"


def _pinned(client: Client) -> str:
    keys = client.host_key.splitlines()
    if not keys:
        return "# None is pinned yet."
    return "\n".join(f"# Pinned: {key.split()[0]} {fingerprint(key)}" for key in keys)
