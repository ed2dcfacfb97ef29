"""The script that clients dump and load their databases with, run by hand."""

import os
import subprocess
from pathlib import Path
from shlex import quote

from backup_app.engines import bacula

SCRIPT = Path(bacula.__file__).parent / "clients" / "backup-databases.sh"
LOAD = "/dev/null/load-database"


class Script:
    """The script, with folders of its own in place of those of the machine."""

    def __init__(self, folder: Path):
        self.config, self.state, self.programs = (
            folder / name for name in ("config", "state", "programs")
        )
        self.programs.mkdir()

    def run(self, *words, given=b"", shell="sh"):
        """Run the script; return its CompletedProcess with ``stderr`` as text."""
        return self._done([shell, SCRIPT, *words], given)

    def run_as_bacula(self, *words, where, given):
        """Run the script as bpipe does: by a line for the shell that ends with a comment."""
        line = f"sh {quote(str(SCRIPT))} {' '.join(words)}; exit $? # {where}"
        return self._done(["/bin/sh", "-c", line], given)

    def dump(self, kind, name) -> bytes:
        done = self.run("dump", kind, name)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def replace_program(self, name, text):
        """Let the script find another program in place of a tool of the server."""
        program = self.programs / name
        program.write_text(f"#!/bin/sh\n{text}\n")
        program.chmod(0o755)

    def as_program(self) -> str:
        """Return a program that is the script with these folders, whoever starts it."""
        program = self.programs / "backup-databases"
        variables = f"BACKUP_DATABASES_CONFIG={self.config} BACKUP_DATABASES_STATE={self.state}"
        self.replace_program(program.name, f'{variables} exec sh {quote(str(SCRIPT))} "$@"')
        return str(program)

    @property
    def kept(self):
        """The dumps of what was there before an import."""
        return sorted(self.state.glob("*.sql")) if self.state.exists() else []

    def environment(self):
        return os.environ | {
            "BACKUP_DATABASES_CONFIG": str(self.config),
            "BACKUP_DATABASES_STATE": str(self.state),
            "PATH": f"{self.programs}:{os.environ['PATH']}",
        }

    def _done(self, command, given):
        done = subprocess.run(
            command, input=given, capture_output=True, env=self.environment(), timeout=60
        )
        done.stderr = done.stderr.decode()
        return done
