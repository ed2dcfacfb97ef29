"""Each command explains itself, those of the apps report as JSON too, and show their progress."""

import json
import os
import pty
import re
import shlex
import subprocess
import sys

import pytest
from django.core.management import call_command, get_commands, load_command_class

from backup_app.management import terminal
from calendar_app.management import output

APPS = {"backup_app", "calendar_app", "config"}
COMMANDS = sorted(name for name, app in get_commands().items() if app in APPS)
SILENT = {"backup_upkeep"} | {name for name in COMMANDS if get_commands()[name] == "config"}
ENDLESS = {"serve", "worker"}  # until Ctrl-C
EPILOG = re.compile(r"\nexamples:\n((?:  .+\n)+)\nexit codes:\n((?:  \d+ +.+\.\n)+)$")


@pytest.mark.parametrize("name", COMMANDS)
class TestHelp:
    def test_it_has_examples_and_exit_codes(self, name):
        command = load_command_class(get_commands()[name], name)

        text = command.create_parser("./manage.py", name).format_help()

        examples, codes = EPILOG.search(text).groups()
        assert command.help.endswith(".")
        assert all(line.startswith(f"  manage.py {name}") for line in examples.splitlines())
        expected = ["0", "1", "2"] if name in ENDLESS else ["0", "1", "2", "130"]
        assert [line.split()[0] for line in codes.splitlines()] == expected
        assert ("--format {text,json}" in text) == (name not in SILENT)

    def test_its_examples_are_accepted(self, name):
        command = load_command_class(get_commands()[name], name)
        parser = command.create_parser("manage.py", name)

        for example in command.examples:
            parser.parse_args(shlex.split(example)[1:])


def test_a_wrong_argument_is_the_exit_code_2():
    done = subprocess.run(
        [sys.executable, "manage.py", "recount_terms", "--format=xml"],
        env={"PATH": os.environ["PATH"], "DATA_DIR": os.environ["DATA_DIR"]},
        capture_output=True,
        text=True,
    )

    assert done.returncode == 2
    assert "argument --format: invalid choice: 'xml'" in done.stderr


@pytest.mark.django_db
class TestReports:
    """Of the calendar's commands; those of backups have tests of their own."""

    def answer(self, capsys, *words):
        call_command(*words, "--format=json")
        return json.loads(capsys.readouterr().out)

    def test_what_was_made_is_counted(self, capsys):
        assert self.answer(capsys, "generate_events", "2") == {"events": 2}
        assert self.answer(capsys, "recount_terms") == {"corrected": 0}
        assert self.answer(capsys, "seed_demo")["created"]["venues"] > 1

    def test_what_is_exported_and_imported_is_counted(self, capsys, tmp_path, admin_user):
        call_command("generate_events", "2", "--seed=5")
        capsys.readouterr()
        file = str(tmp_path / "all.ics")

        exported = self.answer(capsys, "export_ics", f"--output={file}")
        imported = self.answer(capsys, "import_ics", file, "--dry-run", "--horizon=3660")

        assert exported == {"events": 2, "output": file}
        assert imported["imported"]["events"] == {"new": 2}
        assert (imported["problems"], imported["dry_run"]) == ([], True)

    def test_a_calendar_on_standard_output_leaves_no_place_for_json(self):
        with pytest.raises(Exception, match="--format json needs --output"):
            call_command("export_ics", "--format=json")


class TestProgress:
    """Of 3 things, on a terminal and in a pipe."""

    def show_both(self):
        assert list(terminal.watched("abc", "Jobs")) == ["a", "b", "c"]
        with output.progress("Events", 3) as show:
            for done in (1, 2, 3):
                show(done, 3)

    def test_a_pipe_gets_plain_lines_now_and_then(self, capsys, monkeypatch):
        self.show_both()
        assert capsys.readouterr().err == ""

        for module in (terminal, output):
            monkeypatch.setattr(module, "EVERY", 0)
        self.show_both()
        lines = capsys.readouterr().err.splitlines()
        assert lines[:3] == ["Jobs: 1", "Jobs: 2", "Jobs: 3"]
        assert lines[3:] == ["Events: 1 of 3", "Events: 2 of 3", "Events: 3 of 3"]

    def read(self, terminal):
        try:
            return os.read(terminal, 10_000)
        except OSError:  # nobody writes to it any more
            return b""

    def test_a_terminal_gets_bars(self, monkeypatch):
        ours, theirs = pty.openpty()
        monkeypatch.setenv("TERM", "xterm")
        with open(theirs, "w") as screen:  # noqa: PTH123 - is no path
            monkeypatch.setattr(sys, "stderr", screen)
            self.show_both()
        shown = b"".join(iter(lambda: self.read(ours), b"")).decode()
        os.close(ours)

        assert re.search(r"Jobs .*3.*0:00:00", shown)
        assert re.search(r"Events .*━━━.*3/3", shown)
