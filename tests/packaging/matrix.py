"""Installs the wheel into bare projects and uses them: ``python -m tests.packaging.matrix``.

Each cell of the matrix is a virtual environment, a ``django-admin startproject`` with the lines of
the README, and ``probe.py`` in it. Every two values stand together in a cell, where they can.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROBE = Path(__file__).with_name("probe.py")
UV = Path(sys.executable).with_name("uv")
OLDEST = (3, 11)
NEEDED_BY_DJANGO_6 = (3, 12)
APPS = {"calendar": "calendar_app", "backup": "backup_app"}
CELLS = [  # apps, with the extra [admin], Django, on the newest Python
    ("calendar", False, "5.2", False),
    ("calendar", True, "6.0", True),
    ("calendar", True, "5.2", True),
    ("backup", False, "6.0", True),
    ("backup", True, "5.2", False),
    ("calendar backup", False, "5.2", False),
    ("calendar backup", False, "6.0", True),
    ("calendar backup", True, "6.0", True),
]


class Failed(Exception):
    """A step of a cell, whose output is the message."""


@dataclass
class Cell:
    apps: list[str]
    with_admin: bool
    django: str
    python: Path
    outcome: str = "passed"
    seconds: float = 0

    @property
    def row(self):
        extras = "admin" if self.with_admin else "-"
        python = ".".join(map(str, version_of(self.python)))
        took = f"{self.seconds:.0f} s"
        return " + ".join(self.apps), extras, self.django, python, self.outcome, took

    def try_out(self, folder: Path, wheel: Path):
        began = time.monotonic()
        try:
            python = self._install(folder, wheel)
            self._write_project(folder, python)
            run(folder / "bare", python, PROBE, *[APPS[app] for app in self.apps])
        except Failed as e:
            self.outcome = "FAILED"
            sys.stderr.write(f"\n{' '.join(self.row[:-1])}\n{e}\n")
        self.seconds = time.monotonic() - began

    def _install(self, folder, wheel):
        python = folder / "venv/bin/python"
        extras = ",".join([*self.apps, *(["admin"] * self.with_admin)])
        install = [UV, "pip", "install", "-q", "--no-config", "--python", python]
        locked = folder / "locked.txt"
        locked.write_text(locked_versions())
        run(folder, UV, "venv", "-q", "--no-config", "--python", self.python, folder / "venv")
        run(folder, *install, "-c", locked, f"{wheel}[{extras}]", f"Django=={self.django}.*")
        return python

    def _write_project(self, folder, python):
        run(folder, python, "-m", "django", "startproject", "bare")
        settings, urls = [self._without_what_is_left_out(block) for block in readme_blocks()]
        with (folder / "bare/bare/settings.py").open("a") as file:
            file.write(settings.replace("/srv", str(folder / "machine")))
        (folder / "bare/bare/urls.py").write_text(urls)

    def _without_what_is_left_out(self, block):
        out = [name for key, name in APPS.items() if key not in self.apps]
        out += ["[admin]"] * (not self.with_admin)
        lines = block.splitlines(keepends=True)
        return "".join(line for line in lines if not any(name in line for name in out))


def main():
    oldest, newest = find_pythons()
    with tempfile.TemporaryDirectory(prefix="wheels-") as name:
        folder = Path(name)
        run(ROOT, sys.executable, "-m", "build", "-q", "-w", "--no-isolation", "-o", folder, ".")
        [wheel] = folder.glob("*.whl")
        cells = [
            Cell(apps.split(), with_admin, django, newest if on_newest else oldest)
            for apps, with_admin, django, on_newest in CELLS
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


def readme_blocks():
    """Return what the README says to write into settings.py and into urls.py."""
    text = (ROOT / "README.md").read_text()
    chapter = text.partition("\n## In a project of your own\n")[2].partition("\n## ")[0]
    return re.findall(r"^```python\n(.*?)^```$", chapter, re.MULTILINE | re.DOTALL)


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
