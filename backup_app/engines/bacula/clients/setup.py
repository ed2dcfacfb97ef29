"""The configuration of a client's file daemon."""

from ....models import Client, Fileset
from ...values import ClientConfig, System
from .. import names
from ..config import resources
from ..config.passwords import client_password
from ..config.resources import Unquoted, resource
from ..names import Bacula, in_config
from . import databases

FILE = "bacula-fd.conf"
SYSTEMS = [
    System(
        "unix", "Unix with Bacula's file daemon", "An agent on it that the Director connects to."
    ),
    System("windows", "Windows with Bacula's file daemon", "The Director connects to it."),
]
FOLDERS = {
    "unix": {
        "Working Directory": "/var/lib/bacula",
        "Pid Directory": "/run/bacula",
        "Plugin Directory": "/usr/lib/bacula",
    },
    "windows": {
        "Working Directory": "C:\\Program Files\\Bacula\\working",
        "Pid Directory": "C:\\Program Files\\Bacula\\working",
        "Plugin Directory": "C:\\Program Files\\Bacula\\plugins",
    },
}
ADOPTED = """\
# '{name}' is the client '{known}' of the Director '{director}': its operator has set it up there,
# and nothing has to be changed on it. Its file daemon listens on port {port} of {address}, and its
# {file} has the Director's name and the password that the Director's configuration has for it.
"""
UNIX = """\
# Backup of '{name}' ({address}): this is its bacula-fd.conf.
#
#   Debian, Ubuntu:   apt-get install bacula-fd
#   Red Hat, SUSE:    dnf install bacula-client
# Save this as /etc/bacula/bacula-fd.conf, readable by root alone, and restart the file daemon:
#   chown root: /etc/bacula/bacula-fd.conf && chmod 600 /etc/bacula/bacula-fd.conf
#   systemctl enable bacula-fd && systemctl restart bacula-fd
"""
WINDOWS = """\
# Backup of '{name}' ({address}): this is its bacula-fd.conf.
#
# Install Bacula's client for Windows from https://www.bacula.org, the file daemon alone. Save this
# as C:\\Program Files\\Bacula\\bacula-fd.conf, and as an administrator restart the file daemon:
#   net stop bacula-fd & net start bacula-fd
"""
PORTS = """\
# The Director '{director}' connects to port {port} of this machine, and this machine to the storage
# daemons, which listen on port 9103 unless their operator says otherwise.

"""
SCRIPT = """
# Databases are dumped and loaded by a script, which has to be on it as root's own {program}.
# Below is its text, each line behind '#: '. Once all of this is in {file},
# this puts it there:
#   sed -n 's/^#: \\{{0,1\\}}//p' {file} > {program}
#   chmod 755 {program}
#
"""
SAVED = "/etc/bacula/bacula-fd.conf"
SAVED_ADOPTED = "/root/bacula-fd.txt"  # beside the operator's own file


def client_config(engine: Bacula, client: Client) -> ClientConfig:
    """Return the configuration of a client's file daemon, ready to paste.

    Of an adopted client, whose operator has it, say what it consists of.
    """
    known = names.of(engine, client)
    values = {
        "name": _one_line(client.name),
        "known": known,
        "director": engine.director_name,
        "address": resources.address(client),
        "port": client.agent_port,
        "file": FILE,
    }
    is_unix = client.system == client.System.UNIX
    if client.is_adopted:
        text, file = ADOPTED.format(**values), SAVED_ADOPTED
    else:
        head = ((UNIX if is_unix else WINDOWS) + PORTS).format(**values)
        text, file = head + _daemon(engine, client, known), SAVED
    return ClientConfig(FILE, text + (_script(engine, file) if _has_databases(client) else ""))


def _has_databases(client: Client) -> bool:
    """Return whether dumps of the account's databases may be made on a client, or loaded there."""
    is_unix = client.system == client.System.UNIX
    return is_unix and Fileset.objects.filter(account=client.account).exclude(databases=[]).exists()


def _script(engine: Bacula, file: str) -> str:
    lines = (f"#: {line}".rstrip() for line in databases.script().splitlines())
    head = SCRIPT.format(program=engine.database_program, file=file)
    return head + "\n".join(lines) + "\n"


def _daemon(engine: Bacula, client: Client, name: str) -> str:
    daemon = {
        "Name": name,
        "FD Port": client.agent_port,
        **FOLDERS[client.system],
        "Maximum Concurrent Jobs": 20,
    }
    director = {"Name": engine.director_name, "Password": client_password(engine, name)}
    everything = f"{in_config(engine.director_name)} = all, !skipped, !restored"
    messages = {"Name": "Standard", "Director": Unquoted(everything)}
    return "\n".join(
        (
            resource("FileDaemon", daemon),
            resource("Director", director),
            resource("Messages", messages),
        )
    )


def _one_line(text: str) -> str:
    """Keep a name inside its comment."""
    return " ".join(text.split())
