"""Checks that need the project itself: ``python -m tests.lint``."""

import os
import subprocess
import sys
import tempfile

PRODUCTION = {
    "PRODUCTION": "true",
    "SECRET_KEY": "only-for-this-check-0123456789-abcdefghijklmnopqrstuvwxyz",
    "ALLOWED_HOSTS": "calendar.example.org",
    "DATABASE_URL": "",
    "ENV_FILE": os.devnull,
}
COMMANDS = (
    "makemigrations --check --dry-run",
    "check --deploy --fail-level WARNING",
    "spectacular --validate --fail-on-warn --file {folder}/schema.yml",
)


def main():
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, **PRODUCTION, "DATA_DIR": folder}
        results = [
            subprocess.run(  # noqa: S603 - our own commands
                [sys.executable, "manage.py", *command.format(folder=folder).split()],
                env=environment,
                check=False,
            ).returncode
            for command in COMMANDS
        ]
    return max(results)


if __name__ == "__main__":
    sys.exit(main())
