"""Installs the wheel into bare projects and uses them: ``python -m tests.packaging.matrix``.

Each cell of the matrix is a virtual environment, a ``django-admin startproject`` with the lines of
docs/projects.md, and ``probe.py`` in it: each app alone and both, with few extras and with many, on
the oldest and the newest Django and Python.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from tests.postgresql import find_server, new_database

ROOT = Path(__file__).parents[2]
PROBE = Path(__file__).with_name("probe.py")
UV = Path(sys.executable).with_name("uv")
OLDEST = (3, 11)
NEEDED_BY_DJANGO_6 = (3, 12)
APPS = {"calendar": "calendar_app", "backup": "backup_app"}
CELLS = [  # apps, further extras, Django, on the newest Python
    ("calendar", "", "5.2", False),
    ("calendar", "admin server", "6.0", True),
    ("backup", "", "6.0", True),
    ("backup", "admin postgresql", "5.2", False),
    ("calendar backup", "", "5.2", False),
    ("calendar backup", "admin server postgresql", "6.0", True),
]
WITH_SERVER = """
INSTALLED_APPS += ["corsheaders", "drf_spectacular_sidecar"]
MIDDLEWARE = [
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "corsheaders.middleware.CorsMiddleware",
    *MIDDLEWARE,
]
CORS_ALLOW_ALL_ORIGINS = True
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
"""


class Failed(Exception):
    """A step of a cell, whose output is the message."""


@dataclass
class Cell:
    apps: list[str]
    extras: list[str]
    django: str
    python: Path
    outcome: str = "passed"
    seconds: float = 0

    @property
    def row(self):
        extras = " + ".join(self.extras) or "-"
        python = ".".join(map(str, version_of(self.python)))
        took = f"{self.seconds:.0f} s"
        return " + ".join(self.apps), extras, self.django, python, self.outcome, took

    def try_out(self, folder: Path, wheel: Path):
        began = time.monotonic()
        try:
            python = self._install(folder, wheel)
            with self._database() as database:
                self._write_project(folder, python, database)
                run(folder / "bare", python, PROBE, *[APPS[app] for app in self.apps])
        except Failed as e:
            self.outcome = "FAILED"
            sys.stderr.write(f"\n{' '.join(self.row[:-1])}\n{e}\n")
        self.seconds = time.monotonic() - began

    def _install(self, folder, wheel):
        python = folder / "venv/bin/python"
        extras = ",".join([*self.apps, *self.extras])
        install = [UV, "pip", "install", "-q", "--no-config", "--python", python]
        locked = folder / "locked.txt"
        locked.write_text(locked_versions())
        run(folder, UV, "venv", "-q", "--no-config", "--python", self.python, folder / "venv")
        run(folder, *install, "-c", locked, f"{wheel}[{extras}]", f"Django=={self.django}.*")
        return python

    def _database(self):
        """Return a context with the settings of a new database; "" for the project's SQLite."""
        on_postgresql = "postgresql" in self.extras and find_server()
        return postgresql_settings() if on_postgresql else nullcontext("")

    def _write_project(self, folder, python, database):
        run(folder, python, "-m", "django", "startproject", "bare")
        settings, urls = [self._without_what_is_left_out(block) for block in documented_blocks()]
        with (folder / "bare/bare/settings.py").open("a") as file:
            file.write(settings.replace("/srv", str(folder / "machine")) + database)
            file.write(WITH_SERVER if "server" in self.extras else "")
        (folder / "bare/bare/urls.py").write_text(urls)

    def _without_what_is_left_out(self, block):
        out = [name for key, name in APPS.items() if key not in self.apps]
        out += ["[admin]"] * ("admin" not in self.extras)
        lines = block.splitlines(keepends=True)
        return "".join(line for line in lines if not any(name in line for name in out))


def main():
    if not find_server():
        say("PostgreSQL is not tried: it needs CATALOG_SERVER=postgres://….")
    oldest, newest = find_pythons()
    with tempfile.TemporaryDirectory(prefix="wheels-") as name:
        folder = Path(name)
        run(ROOT, sys.executable, "-m", "build", "-q", "-w", "--no-isolation", "-o", folder, ".")
        [wheel] = folder.glob("*.whl")
        cells = [
            Cell(apps.split(), extras.split(), django, newest if on_newest else oldest)
            for apps, extras, django, on_newest in CELLS
            if django < "6" or version_of(newest) >= NEEDED_BY_DJANGO_6
        ]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            for number, cell in enumerate(cells):
                (folder / str(number)).mkdir()
                pool.submit(cell.try_out, folder / str(number), wheel)
    print_table(cells)
    return any(cell.outcome != "passed" for cell in cells)


def find_pythons():
    """Return the oldest and the newest Python of this machine that the wheel is for."""
    home = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    found = [*home.glob("versions/3.*/bin/python3"), Path(sys.executable)]
    found += [Path(path) for minor in range(11, 14) if (path := shutil.which(f"python3.{minor}"))]
    versions = {version_of(path): path for path in found}
    fit = sorted(version for version in versions if version and OLDEST <= version < (3, 14))
    if len(fit) == 1:
        say(f"There is only Python {fit[0][0]}.{fit[0][1]} here: no other one is tried.")
    if fit[-1] < NEEDED_BY_DJANGO_6:
        say("Django 6.0 is not tried: it needs Python 3.12 or later.")
    return versions[fit[0]], versions[fit[-1]]


def version_of(python: Path):
    """Return major and minor version of a Python, or nothing when it does not run."""
    code = "import sys; print(*sys.version_info[:2])"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True)
    return tuple(map(int, done.stdout.split()))


def documented_blocks():
    """Return what docs/projects.md says to write into settings.py and into urls.py."""
    text = (ROOT / "docs/projects.md").read_text()
    return re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


@contextmanager
def postgresql_settings():
    """Yield the settings of a new database, which replaces the project's own."""
    with new_database() as address:
        url = urlsplit(address)
        database = {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": url.path[1:],
            "USER": url.username,
            "PASSWORD": url.password,
            "HOST": url.hostname,
            "PORT": url.port,
        }
        yield f"DATABASES = {{'default': {database}}}\n"


def locked_versions():
    """Return the versions of the lock but Django's, as constraints."""
    lock = (ROOT / "requirements.txt").read_text()
    pins = re.findall(r"^(?!django==)[\w.-]+==[\w.]+", lock, re.MULTILINE)
    return "\n".join(pins)


def run(folder, *command):
    done = subprocess.run(
        [*map(str, command)], cwd=folder, capture_output=True, text=True, env=clean_environment()
    )
    if done.returncode:
        raise Failed(done.stdout + done.stderr)


def clean_environment():
    """Return the environment without what would lead back to this repository's project."""
    theirs = {"DJANGO_SETTINGS_MODULE", "PYTHONPATH", "VIRTUAL_ENV"}
    return {key: value for key, value in os.environ.items() if key not in theirs}


def say(line):
    sys.stdout.write(f"{line}\n")


def print_table(cells):
    rows = [("apps", "extras", "Django", "Python", "outcome", "took")]
    rows += [cell.row for cell in cells]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        say("  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)))


if __name__ == "__main__":
    sys.exit(main())
