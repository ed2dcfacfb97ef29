"""Checks that need the project itself: ``python -m tests.lint``."""

import ast
import os
import subprocess
import sys
import tempfile
from pathlib import Path

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
    "settings_page --check",
    "spectacular --validate --fail-on-warn --file {folder}/schema.yml",
)


MOST_LINES = 40  # of a test; a longer one has a comment above it that says why


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
    return max(*results, *map(report_long_tests, Path("tests").rglob("test_*.py")))


def report_long_tests(path: Path) -> bool:
    """Print each test of a module that is too long and does not say why; return whether any is."""
    text = path.read_text()
    lines = text.splitlines()
    long = [
        node
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef)
        and node.name.startswith("test_")
        and node.end_lineno - node.lineno >= MOST_LINES
        and not lines[first_line(node) - 2].lstrip().startswith("#")
    ]
    for node in long:
        sys.stderr.write(f"{path}:{node.lineno}: {node.name} has more than {MOST_LINES} lines.\n")
    return bool(long)


def first_line(node: ast.FunctionDef) -> int:
    return min([node.lineno, *(each.lineno for each in node.decorator_list)])


if __name__ == "__main__":
    sys.exit(main())
