"""A throwaway Bacula: a Director, a storage daemon, two file daemons and a catalog.

All is below one folder, on ports of its own and with a database of its own; nothing of the
machine's Bacula is read or written but its programs.
"""

import os
import re
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from tests.prerequisites import need, need_bacula

from . import configs, release
from .certificates import Authority
from .daemon import Daemon
from .waking import Waking

GUIDE = Path(__file__).parents[5] / "docs" / "bacula.md"
_reserved: list[socket.socket] = []
# CATALOG_SERVER names the PostgreSQL for catalogs, with a role that may make databases and roles.
_server = urlsplit(os.environ.get("CATALOG_SERVER", "postgres://postgres@127.0.0.1:5432"))
SERVER = {
    "host": _server.hostname,
    "port": str(_server.port or 5432),
    "user": _server.username,
    "password": _server.password or "",
}


def require() -> None:
    """Go on only where a Bacula can be started."""
    programs = [release.DIRECTOR, release.STORAGE, release.CLIENT, release.CONSOLE]
    # Only root can back up any folder.
    is_there = all(Path(each).exists() for each in [*programs, release.TABLES])
    need(is_there or not release.VERSION, f"of Bacula {release.VERSION}", release.REMEDY)
    need_bacula(os.geteuid() == 0 and is_there)
    need_bacula(sql("SELECT 1", check=False).returncode == 0)


def sql(*statements, database="postgres", check=True):
    """Run statements with psql; its output is text, a row a line, fields divided by tabs."""
    command = ["psql", "--no-psqlrc", "--quiet", "-At", "--field-separator=\t"]
    command += ["--set=ON_ERROR_STOP=1", f"--dbname={database}"]
    command += [f"--command={each}" for each in statements]
    return subprocess.run(command, capture_output=True, text=True, check=check, env=_environment())


@dataclass
class Machine:
    """A client that the operator has already in the configuration."""

    name: str
    address: str
    port: int
    password: str
    daemon: Daemon


class Installation:
    """What there is of it: ``director``, ``storage``, ``one`` and ``two`` (clients).

    ``conf_d`` is included by the Director for what the engine writes, ``operator_d`` for what a
    test has the operator write; call ``reload`` after that. ``own`` is the folder that the
    operator's job ``operator-backup`` backs up. ``sd_config`` is the file for bextract.
    ``prefix`` is another for each test, so that what two tests make never has the same name.
    """

    director_name = "test-dir"
    prefix = "bk-"

    def __init__(self, folder: Path, addresses=None, within=None, server=None):
        """``addresses`` and ``within`` are by "dir", "sd", "one", "two"; see ``Daemon``.

        ``server`` is "host" and "port" by which the Director reaches its catalog.
        """
        self.folder = folder
        self._server = SERVER | (server or {})
        self.addresses = addresses or dict.fromkeys(("dir", "sd", "one", "two"), "127.0.0.1")
        self._within = within or {}
        self.ports = dict(zip(self.addresses, free_ports(4), strict=True))
        self.passwords = {name: secrets.token_urlsafe(24) for name in self.addresses}
        self.database = f"bacula-test-{os.getpid()}-{secrets.token_hex(4)}"
        self.conf_d, self.operator_d = folder / "conf.d", folder / "operator.d"
        self.own, self.volumes = folder / "own", folder / "volumes"
        self.dir_config, self.sd_config = folder / "bacula-dir.conf", folder / "bacula-sd.conf"
        self.console_config = folder / "bconsole.conf"
        self.director = self._daemon(release.DIRECTOR, "dir", self.dir_config)
        self.storage = self._daemon(release.STORAGE, "sd", self.sd_config)
        self.one, self.two = self._machine("one"), self._machine("two")
        self._waking = Waking(self.director)

    # --- Starting and stopping ---------------------------------------------------------------

    def start(self) -> None:
        for name in ("work", "conf.d", "operator.d", "own", "volumes", "restored"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        self._write_configs()
        make_catalog(self.database)
        for daemon in self.daemons:
            daemon.start()
        self._waking.start()

    def stop(self) -> None:
        """Kill all daemons and drop the catalog; nothing of it is needed any more."""
        if self._waking.is_alive():
            self._waking.end()
        for daemon in self.daemons:
            daemon.kill()
        drop_catalog(self.database)

    @property
    def daemons(self):
        return [self.storage, self.one.daemon, self.two.daemon, self.director]

    # --- What the engine is told --------------------------------------------------------------

    @property
    def catalog(self) -> dict:
        """The catalog as a database of Django's."""
        return as_setting(self.database)

    def options(self, **changes) -> dict:
        """Return OPTIONS of a BaculaEngine for this installation."""
        return {
            "address": self.addresses["dir"],
            "port": self.ports["dir"],
            "director": self.director_name,
            "password": self.passwords["dir"],
            "catalog": "bacula",
            "config_dir": str(self.conf_d),
            "director_config": str(self.dir_config),
            "director_program": release.DIRECTOR,
            "storage_config": str(self.sd_config),
            "extract_program": release.EXTRACT,
            "prefix": self.prefix,
            "answer_seconds": 10,
            "away_seconds": 15,
        } | changes

    # --- What tests do beside the engine -------------------------------------------------------

    def bconsole(self, command: str) -> str:
        """Return what the operator's own console prints for a command."""
        done = subprocess.run(
            [release.CONSOLE, "-n", "-c", self.console_config],
            input=f"@echo off\n{command}\nquit\n",
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
        return done.stdout

    def clear(self) -> bool:
        """Empty what a test has backed up and told the Director; say whether it was told any."""
        own = {f"{machine.name}.conf" for machine in (self.one, self.two)}
        told = [file for file in self.conf_d.rglob("*") if file.is_file()]
        told += [file for file in self.operator_d.iterdir() if file.name not in own]
        for file in told:
            file.unlink()
        shutil.rmtree(self.own)
        self.own.mkdir()
        return bool(told)

    def reload(self) -> None:
        subprocess.run([release.DIRECTOR, "-t", "-c", self.dir_config], check=True)
        self.bconsole("reload")

    def query(self, statement: str) -> list[list[str]]:
        """Return rows of the catalog as another process sees them."""
        done = sql(statement, database=self.database)
        return [line.split("\t") for line in done.stdout.splitlines()]

    def wait(self, job_id: int, seconds=60) -> str:
        """Return the status letter by which a job of Bacula's ends."""
        deadline = time.monotonic() + seconds
        status = f"SELECT jobstatus FROM job WHERE jobid = {int(job_id)}"  # noqa: S608
        while (found := self.query(status)) == [] or found[0][0] not in "TWEefAID":
            assert time.monotonic() < deadline, f"job {job_id} has not ended: {found}"
            time.sleep(0.05)
        return found[0][0]

    # --- Making it ------------------------------------------------------------------------------

    def _daemon(self, program, name, config):
        return Daemon(program, config, self.ports[name], self._within.get(name, ()))

    def _machine(self, name):
        daemon = self._daemon(release.CLIENT, name, self.folder / f"{name}-fd.conf")
        address, port = self.addresses[name], self.ports[name]
        return Machine(f"{name}-fd", address, port, self.passwords[name], daemon)

    def _write_configs(self):
        own = {"folder": self.folder, "director": self.director_name}
        plugins = {"plugins": release.LIBRARIES}
        self.dir_config.write_text(configs.DIRECTOR.format(**own, **self._director_values()))
        self.sd_config.write_text(self._storage_text(own))
        self.console_config.write_text(configs.CONSOLE.format(**own, **self._values("dir")))
        for machine, name in ((self.one, "one"), (self.two, "two")):
            values = {"name": machine.name, **self._values(name)}
            machine.daemon.config.write_text(configs.FILE_DAEMON.format(**own, **plugins, **values))
            text = configs.CLIENT.format(**values)
            (self.operator_d / f"{machine.name}.conf").write_text(text)

    def _values(self, name):
        return {
            "address": self.addresses[name],
            "port": self.ports[name],
            "password": self.passwords[name],
        }

    def _consoles(self):
        """Return consoles with TLS, whose certificates are made."""
        authority = Authority(self.folder, "authority")
        authority.sign("director", alternatives="IP:127.0.0.1,DNS:director.test")
        authority.sign("expired", days=-1, alternatives="IP:127.0.0.1")
        authority.sign("console")
        authority.sign("stranger")
        usual = {"required": "yes", "verified": "no", "certificate": "director", "more": ""}
        allowed = '\n  TLS Allowed CN = "console"'
        consoles = {
            "encrypted": {},
            "offering": {"required": "no"},
            "expired": {"certificate": "expired"},
            "mutual": {"verified": "yes", "more": allowed},
        }
        own = {"folder": self.folder, "password": self.passwords["dir"]}
        texts = [
            configs.TLS_CONSOLE.format(name=name, **own, **usual | values)
            for name, values in consoles.items()
        ]
        texts += [configs.PSK_CONSOLE.format(**own)] if release.VERSION else []
        return "".join([*texts, guide_console(own["password"])])

    def _director_values(self):
        server = {f"db_{key}": value for key, value in self._server.items()}
        storage = {f"sd_{key}": value for key, value in self._values("sd").items()}
        own = {"database": self.database, "consoles": self._consoles()}
        return {**own, **self._values("dir"), **server, **storage}

    def _storage_text(self, own):
        devices = [configs.DEVICE.format(number=n, folder=self.folder) for n in range(3)]
        return configs.STORAGE.format(devices="".join(devices), **own, **self._values("sd"))


def guide_console(password: str) -> str:
    """Return the console with which the guide says that all works."""
    found = re.search(r"^    Console \{.*?^    \}\n", GUIDE.read_text(), re.MULTILINE | re.DOTALL)
    return found[0].replace("of-the-console", password)


def make_catalog(database: str) -> None:
    """Make an empty catalog, as Debian's packages do."""
    drop_left_over()
    _create(database)
    apply(release.TABLES, database)


def _create(database):
    like = "TEMPLATE template0 ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C'"
    name = f'DATABASE "{database}"'
    # What a crash of the server loses is of no interest here.
    unsafe = f"ALTER {name} SET synchronous_commit = off"
    sql(f"CREATE {name} {like}", f"ALTER {name} SET datestyle = 'ISO, YMD'", unsafe)


def apply(script: Path, database: str) -> None:
    """Run the statements of a file."""
    command = ["psql", "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1"]
    command += [f"--file={script}", f"--dbname={database}"]
    subprocess.run(command, env=_environment(), capture_output=True, check=True)


def copy_catalog(database: str, name: str) -> None:
    """Copy a catalog that is in use."""
    _create(name)
    with tempfile.NamedTemporaryFile() as dump:
        command = ["pg_dump", "--no-owner", f"--file={dump.name}", f"--dbname={database}"]
        subprocess.run(command, env=_environment(), check=True)
        apply(Path(dump.name), name)


def drop_catalog(database: str) -> None:
    sql(f'DROP DATABASE IF EXISTS "{database}" WITH (FORCE)')


def drop_left_over() -> None:
    """Drop this role's catalogs of processes of this machine that ended without a word."""
    unused = """
        SELECT datname FROM pg_database WHERE datname LIKE 'bacula-test-%'
        AND pg_get_userbyid(datdba) = current_user
        AND NOT EXISTS (SELECT FROM pg_stat_activity a WHERE a.datname = pg_database.datname)"""
    for name in sql(unused).stdout.splitlines():
        pid = name.split("-")[2]
        if not Path(f"/proc/{pid}").exists():
            drop_catalog(name)


def as_setting(database: str) -> dict:
    """Return a catalog as a database of Django's."""
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": database,
        "HOST": SERVER["host"],
        "PORT": SERVER["port"],
        "USER": SERVER["user"],
        "PASSWORD": SERVER["password"],
    }


def free_ports(count: int) -> list[int]:
    """Return ports that nobody else gets while this process lives; no two are the same."""
    return [_reserved_port() for _ in range(count)]


def _reserved_port():
    # Bound, but not listening: a daemon that sets SO_REUSEADDR, as Bacula's do, can have the port,
    # while the system gives it to no connection and no other test, also as long as none runs there.
    reserved = socket.socket()
    reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    reserved.bind(("127.0.0.1", 0))
    _reserved.append(reserved)
    return reserved.getsockname()[1]


def _environment():
    return os.environ | {f"PG{key.upper()}": value for key, value in SERVER.items()}
