"""docs/bacula.md performed: the host that it is about, and the commands that stand there.

What Debian's packages would have made is made below a folder; every path, port and address of the
guide is replaced by one there. Commands run in bash, those of this service in the tests' process.
"""

import os
import re
import shlex
import subprocess
from pathlib import Path

from backup_app.models import Client, Job

from ....support.commands import command
from . import release
from .daemon import Daemon
from .installation import SERVER, drop_catalog, free_ports, make_catalog, sql
from .jobs import finish

PAGE = (Path(__file__).parents[5] / "docs/bacula.md").read_text()
DEFAULTS = Path(f"{release.FOLDER}/usr/share/bacula-common/defconfig")  # of Debian's packages
PLACES = re.compile(
    r"(?<![\w.])/(?:etc/(?:bacula|calendar)|srv|var/lib/bacula|var/lib/calendar|run/bacula)\b"
)
HEREDOC = re.compile(r"<<'(\w+)'$")
CALL = re.compile(r"(?:(\w+)=\$\()?api (.*?)(?: \| tr -dc 0-9\))?$")
# Who runs what as whom, and what is installed already, is not of interest here.
PROGRAMS = """
set -eu -o pipefail
apt-get() {{ :; }}
chown() {{ :; }}
usermod() {{ :; }}
install() {{ local kept=(); while [ $# -gt 0 ]; do
    case $1 in -o|-g) shift 2;; *) kept+=("$1"); shift;; esac; done
    command install "${{kept[@]}}"; }}
systemctl() {{ echo "$@" >> {root}/systemctl; }}
runuser() {{ shift 5; psql --no-psqlrc -h {host} -p {port} -U {user} -d '{database}' "$@"; }}
bconsole() {{ command {console} -n -c {root}/etc/bacula/bconsole.conf; }}
bacula-dir() {{ command {director} "$@"; }}
bacula-sd() {{ command {storage} "$@"; }}
"""


class Text:
    """A chapter of the guide: paragraphs, and blocks of what is typed or written to files."""

    def __init__(self, title):
        chapter = re.split(r"^##+ ", PAGE.partition(f"# {title}\n")[2], flags=re.MULTILINE)[0]
        found = re.findall(r"(?:^ {4}.*\n|^\n(?= {4}))+", chapter, re.MULTILINE)
        self.blocks = [re.sub(r"^ {4}", "", block, flags=re.MULTILINE).strip() for block in found]

    def block(self, start):
        """Return the only block that begins so."""
        (found,) = [block for block in self.blocks if block.startswith(start)]
        return found


class Host:
    """The host ``backup1`` of the guide, which is also the client ``web1``."""

    def __init__(self, root: Path, api):
        self.root, self.api = root, api
        self.database = f"bacula-test-{os.getpid()}-guide"
        self.role = f"reader_{os.getpid()}"
        ports = free_ports(3)
        self.ports = dict(zip(("9101", "9102", "9103"), map(str, ports), strict=True))
        programs = (release.DIRECTOR, "dir"), (release.CLIENT, "fd"), (release.STORAGE, "sd")
        self.daemons = {
            f"bacula-{name}": Daemon(program, root / f"etc/bacula/bacula-{name}.conf", port)
            for (program, name), port in zip(programs, ports, strict=True)
        }
        self.daemons["bacula-director"] = self.daemons["bacula-dir"]
        self.server = f"{SERVER['host']}:{SERVER['port']}"
        # What is elsewhere than by default.
        self.settings = {
            "BACULA_PORT": self.ports["9101"],
            "BACULA_DIRECTOR_CONFIG": str(root / "etc/bacula/bacula-dir.conf"),
            "BACULA_DIRECTOR_PROGRAM": release.DIRECTOR,
            "BACULA_EXTRACT_PROGRAM": release.EXTRACT,
        }
        self.variables: dict[str, str] = {}
        self.functions = ""

    def install(self):
        """Make what Debian's packages make: the catalog, and the files of daemons."""
        for name in ("etc/bacula/scripts", "srv", "var/lib/bacula", "run/bacula"):
            (self.root / name).mkdir(parents=True)
        make_catalog(self.database)
        server = f'DB Address = "{SERVER["host"]}"; DB Port = {SERVER["port"]}'
        values = {
            "@debian_basename@": "backup1",
            "XXX_DBNAME_XXX": self.database,
            "XXX_DBUSER_XXX": SERVER["user"],
            "XXX_DBPASSWORD_XXX": SERVER["password"],
            'dbuser = "': f'{server}; dbuser = "',
            "XXX_DIRPASSWORD_XXX": "of-the-console",
            "localhost": "127.0.0.1",
            "nonexistant": "nonexistent",  # as 15 has it
            "/nonexistent/path/to/file/archive/dir": "/srv/volumes",
        }
        for name in ("bacula-dir", "bacula-sd", "bacula-fd", "bconsole"):
            text = (DEFAULTS / f"{name}.conf").read_text()
            for old, new in values.items():
                text = text.replace(old, new)
            self.write(f"/etc/bacula/{name}.conf", text)

    def remove(self):
        for daemon in self.daemons.values():
            daemon.kill()
        sql(f'DROP OWNED BY "{self.role}"', database=self.database, check=False)
        drop_catalog(self.database)
        sql(f'DROP ROLE IF EXISTS "{self.role}"')

    def path(self, name) -> Path:
        return self.root / name.lstrip("/")

    def here(self, text):
        """Return a text of the guide with the paths, ports, addresses and names of this host."""
        text = PLACES.sub(lambda found: f"{self.root}{found[0]}", text)
        for old, new in self.ports.items():
            text = re.sub(rf"\b{old}\b", new, text)
        text = re.sub(r"\b192\.0\.2\.10?\b", "127.0.0.1", text)
        return text.replace("bacula_reader", self.role)

    def write(self, path, text):
        self.path(path).write_text(self.here(text))

    def query(self, statement):
        return sql(statement, database=self.database).stdout.splitlines()

    # --- Commands --------------------------------------------------------------------------------

    def perform(self, block):
        """Run the commands of a block."""
        lines = iter(block.splitlines())
        for line in lines:
            if found := HEREDOC.search(line):
                for more in lines:
                    line += f"\n{more}"
                    if more == found[1]:
                        break
            self.run(line)

    def run(self, line):
        first = line.split()[0]
        if re.match(r"\w+\(\) \{", line):
            self.functions += f"{self.here(line)}\n"
        elif first == "manage":
            self._manage(shlex.split(line)[1:])
        elif first == "finish":
            job = Job.objects.get(pk=self._filled(line.split()[1]))
            assert finish(job).status == "completed"
        elif found := CALL.fullmatch(line):
            self._call(*found.groups())
        else:
            self._bash(line)

    def _manage(self, words):
        if words[0] == "check":
            return  # Django does not know this catalog: the test asks the engine instead
        ran = command(*map(self.here, words))
        assert ran.error is None, f"{words}: {ran.error} {ran.err}"

    def _call(self, variable, call):
        address, *words = shlex.split(self._filled(self.here(call)))
        form = "&".join(word for word in words if word not in ("-d", "-X", "POST"))  # as curl does
        kind = "application/x-www-form-urlencoded"
        answer = self.api.post(f"/api/{address}", form, content_type=kind)
        assert answer.status_code == 200, f"{call}: {answer.content}"
        if variable:
            self.variables[variable] = re.sub(r"\D", "", answer.content.decode())
        self.answer = answer.json()

    def _filled(self, text):
        return re.sub(r"\$(\w+)", lambda found: self.variables[found[1]], text)

    def _bash(self, text):
        programs = PROGRAMS.format(
            root=self.root,
            **SERVER,
            database=self.database,
            console=release.CONSOLE,
            director=release.DIRECTOR,
            storage=release.STORAGE,
        )
        script = f"{programs}{self.functions}{self.here(text)}\n"
        done = subprocess.run(["bash", "-c", script], cwd=self.root, capture_output=True, text=True)
        assert done.returncode == 0, f"{text}: {done.stdout} {done.stderr}"
        self._restart()

    def _restart(self):
        asked = self.root / "systemctl"
        for line in asked.read_text().splitlines() if asked.exists() else ():
            verb, *names = line.split()
            for name in names if verb == "restart" else ():
                if name in self.daemons:
                    self.daemons[name].restart()
        asked.unlink(missing_ok=True)


def agents_port(client_ip, port):
    """Set the port of a client's file daemon, which the guide calls a field in the admin."""
    Client.objects.filter(ip=client_ip).update(agent_port=port)
