"""Command lines that Bacula runs on clients."""

import signal
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connections

from backup_app.engines import get_engine
from backup_app.engines.bacula.clients import commands
from backup_app.exceptions import EngineError, EngineUnreachable

from ....support.api_client import client_of

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def client(bacula_client):
    return bacula_client(name="web1")


def run(client, *words):
    return get_engine().run_command(client, words)


def refusal_of(client, *words, error=EngineError):
    with pytest.raises(error) as refusal:
        run(client, *words)
    assert type(refusal.value) is error
    return refusal.value.message


def jobs_left(bacula):
    return bacula.query(f"SELECT jobid FROM job WHERE comment LIKE '{bacula.prefix}%'")  # noqa: S608


class TestOutput:
    def test_it_is_what_the_client_prints(self, client, tmp_path):
        text = "a  b\n\n  größer\t100%s %d \n" + "long line " * 300 + "\n" + "ü" * 700 + "\nend\n"
        (tmp_path / "text").write_text(text)

        assert run(client, "cat", str(tmp_path / "text")) == text

    @pytest.mark.parametrize("length", [498, 499, 500, 998, 999])
    def test_lines_of_every_length_are_whole(self, client, tmp_path, length):
        (tmp_path / "text").write_text("x" * length + "\ny\n")

        assert run(client, "cat", str(tmp_path / "text")) == "x" * length + "\ny\n"

    def test_it_is_cut_off(self, client, settings, bacula):
        settings.BACKUP_COMMAND_MAX_BYTES = 1000

        printed = run(client, "seq", "1", "100000")

        assert printed == "".join(f"{n}\n" for n in range(1, 1000))[:1000] + (
            "\n(cut off after 1000 bytes)\n"
        )
        assert jobs_left(bacula) == []

    def test_endless_output_is_cut_off(self, client, settings):
        settings.BACKUP_COMMAND_MAX_BYTES = 1000

        assert run(client, "yes").endswith("\n(cut off after 1000 bytes)\n")

    def test_nothing_of_it_is_left(self, client, bacula):
        run(client, "uname")

        assert jobs_left(bacula) == []

    def test_no_shell_reads_the_words(self, client, tmp_path):
        words = [f";touch {tmp_path}/1", f"$(touch {tmp_path}/2)", "`id`", "|", "&", ">", "*", "$?"]
        words = " ".join(words).split()

        assert run(client, "echo", *words) == " ".join(words) + "\n"
        assert list(tmp_path.iterdir()) == []

    def test_bacula_puts_nothing_in_their_place(self, client):
        assert run(client, "echo", "%c", "%%", "%j", "100%", "${HOME}") == "%c %% %j 100% ${HOME}\n"

    @pytest.mark.parametrize("word", ["'a'", '"a', "'"])
    def test_words_that_bacula_would_unite_are_refused(self, client, word):
        assert refusal_of(client, "echo", word, "b") == (
            f"Bacula cannot run 'echo {word} b': {word} starts with a quotation mark."
        )

    def test_operation_8_has_it(self, client, settings):
        settings.BACKUP_COMMANDS = ["echo some  words"]

        answer = client_of(client.account).post(f"/api/run/{client.ip}", {"cmd": "echo some words"})

        assert answer.json() == {"result": "some words\n"}


class TestFailures:
    def test_its_words_and_its_code_are_told(self, client):
        said = refusal_of(client, "ls", "/nosuch/folder")

        assert said.startswith("'ls /nosuch/folder' failed on client 'web1' (2). ls: ")
        assert said.endswith("No such file or directory")

    def test_a_missing_program_is_named(self, client):
        said = refusal_of(client, "nosuchprogram", "x", error=commands.NoProgramError)

        assert said.startswith("'nosuchprogram x' failed on client 'web1' (127). ")

    def test_a_machine_without_timeout_is_told(self, client, monkeypatch):
        monkeypatch.setattr(commands, "LIMIT", "nosuchtimeout")

        said = refusal_of(client, "uname", error=commands.NoProgramError)

        assert said == (
            "'uname' failed on client 'web1' (208). "
            "It cannot start 'nosuchtimeout': No such file or directory."
        )

    def test_one_that_takes_too_long_is_ended_on_the_client(self, client, settings, bacula):
        settings.BACKUP_COMMAND_SECONDS = 1

        said = refusal_of(client, "sleep", "667.25")

        assert said == "'sleep 667.25' took longer than 1 seconds on client 'web1'."
        assert jobs_left(bacula) == []
        assert "sleep 667.25" not in run(client, "ps", "-eo", "args")

    def test_a_client_without_a_file_daemon_is_unreachable(self, client, bacula):
        bacula.one.daemon.stop()

        said = refusal_of(client, "uname", error=EngineUnreachable)

        assert said.startswith("Client 'web1' did not run 'uname'. Unable to connect to Client")
        assert jobs_left(bacula) == []

    def test_one_that_does_not_begin_is_unreachable(self, client, bacula, monkeypatch):
        monkeypatch.setattr(commands, "BEGIN_SECONDS", 0)

        said = refusal_of(client, "uname", error=EngineUnreachable)

        assert said == "Client 'web1' did not start 'uname' within 0 seconds."
        assert jobs_left(bacula) == []

    def test_one_that_hangs_is_unreachable(self, client, bacula, monkeypatch):
        monkeypatch.setattr(commands, "BEGIN_SECONDS", 2)
        daemon = bacula.one.daemon.process
        daemon.send_signal(signal.SIGSTOP)
        try:
            said = refusal_of(client, "uname", error=EngineUnreachable)
        finally:
            daemon.send_signal(signal.SIGCONT)

        assert said == "Client 'web1' did not start 'uname' within 2 seconds."


def test_a_run_that_nobody_removed_goes_with_a_later_one(client, bacula, monkeypatch):
    monkeypatch.setattr(commands, "_clean", lambda *arguments: None)
    run(client, "uname")
    monkeypatch.undo()
    [left] = jobs_left(bacula)

    run(client, "uname")
    assert jobs_left(bacula) == [left]

    bacula.query(f"UPDATE job SET jobtdate = jobtdate - 7200 WHERE jobid = {left[0]}")  # noqa: S608
    run(client, "uname")
    assert jobs_left(bacula) == []


def test_several_at_once_get_their_own_output(client):
    def run_and_close(number):
        try:
            return run(client, "seq", number, number)
        finally:
            connections.close_all()

    run(client, "seq", "1", "1")
    with ThreadPoolExecutor(4) as threads:
        printed = list(threads.map(run_and_close, "1234"))

    assert printed == ["1\n", "2\n", "3\n", "4\n"]
