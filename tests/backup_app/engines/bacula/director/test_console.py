"""The console asks a real Director, and bears one that hangs, lies or goes away."""

import re
import socket
import threading
import time
from functools import partial

import pytest

from backup_app.engines.bacula.director import console as of_console
from backup_app.engines.bacula.director import protocol
from backup_app.engines.bacula.director.console import Console, NotPermitted, UnexpectedQuestion
from backup_app.exceptions import EngineError, EngineUnreachable

from ....support.machine.sshd import silent_port
from ..support.installation import free_ports
from ..support.middlemen import machine_that, packet, relayed


@pytest.fixture(scope="module", autouse=True)
def as_the_operator_has_it(installation):
    """Let the Director forget what the tests of other modules have configured."""
    installation.clear()
    installation.reload()


def console(installation, **changes):
    values = {
        "address": "127.0.0.1",
        "port": installation.ports["dir"],
        "name": "",
        "password": installation.passwords["dir"],
        "seconds": 5,
    }
    return Console(**values | changes)


def own_console(port, seconds=5):
    return Console("127.0.0.1", port, "", "password", seconds)


# --- Asking -------------------------------------------------------------------------------------


def test_a_command_is_answered(installation):
    with console(installation) as asked:
        assert asked.ask(".clients") == ["one-fd\n", "two-fd\n"]


def test_answers_belong_to_their_commands(installation):
    with console(installation) as asked:
        answers = [asked.ask(command) for command in [".jobs", ".pools", ".storage"] * 20]

    once = [["operator-backup\n", "operator-restore\n"], ["Default\n"], ["File1\n"]]
    assert answers == once * 20


def test_many_commands_take_no_time(installation, monkeypatch):
    def ask_often():
        with console(installation) as asked:
            begin = time.monotonic()
            for _ in range(25):
                asked.ask(".pools")
            return time.monotonic() - begin

    quick = ask_often()
    # Another option in its place, so that each acknowledgement waits for 40 ms.
    monkeypatch.setattr(socket, "TCP_QUICKACK", socket.TCP_NODELAY)
    assert quick < ask_often() / 2


def test_each_row_is_a_packet_whatever_is_in_it(installation):
    with console(installation) as asked:
        rows = asked.ask(".sql query=\"SELECT n, 'two' || chr(10) FROM generate_series(1, 2) n\"")

    assert rows == ["1\ttwo\n\t", "2\ttwo\n\t"]


def test_bytes_that_are_no_utf8_survive(installation):
    with console(installation) as asked:
        # A backslash is for the next character in a command.
        rows = asked.ask(".sql query=\"SELECT E'caf\\\\xe9 \\\\xc3\\\\xa9'\"")

    assert rows[0].encode(errors="surrogateescape") == b"caf\xe9 \xc3\xa9\t"


def test_a_command_may_be_longer_than_any_packet_that_bacula_sends(installation):
    text = "x" * 100_000

    with console(installation) as asked:
        assert asked.ask(f".sql query=\"SELECT length('{text}')\"") == ["100000\t"]


# --- Refusals -----------------------------------------------------------------------------------


def test_an_unknown_command_is_refused_in_the_directors_words(installation):
    with console(installation) as asked:
        with pytest.raises(EngineError, match="refused 'nosuch': nosuch: is an invalid command"):
            asked.ask("nosuch")

        assert asked.ask(".pools") == ["Default\n"]


def test_a_failed_command_is_refused_in_the_directors_words(installation):
    with (
        console(installation) as asked,
        pytest.raises(EngineError, match=r'Level "Bogus" not valid\. Job not run\.'),
    ):
        asked.ask("run job=operator-backup level=Bogus yes")


def test_a_question_is_a_refusal(installation):
    with (
        console(installation) as asked,
        pytest.raises(UnexpectedQuestion, match="Client resource nosuch does not exist") as refused,
    ):
        asked.ask(".status client=nosuch header")

    assert "Selection aborted, nothing done.\n" in refused.value.lines


def test_after_a_question_nothing_more_is_asked(installation):
    with console(installation) as asked:
        with pytest.raises(UnexpectedQuestion):
            asked.ask("delete client=nosuch yes")

        with pytest.raises(EngineUnreachable, match="is closed"):
            asked.ask(".pools")


@pytest.mark.parametrize("character", ["\n", "\r", "\0", "\x1b", "\x7f", "\ud800"])
def test_a_command_with_a_control_character_is_not_sent(installation, character):
    with console(installation) as asked:
        with pytest.raises(EngineError, match="must not contain the character"):
            asked.ask(f".pools{character}.clients")

        assert asked.ask(".pools") == ["Default\n"]


# --- Logging in ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"password": "wrong"}, "rejected the console's password: 1999 Authoriz"),
        ({"name": "nosuch"}, "1999 You are not"),
        ({"name": "a\nb"}, "is not a valid name of a console"),
    ],
)
def test_a_wrong_login_is_refused(installation, values, message):
    with pytest.raises(EngineError, match=message), console(installation, **values):
        pass


def test_a_named_console_may_what_the_operator_allows(installation):
    with console(installation, name="limited") as asked:
        assert asked.ask(".clients") == ["one-fd\n", "two-fd\n"]
        with pytest.raises(NotPermitted, match="The console 'limited' may not use 'run': add"):
            asked.ask("run job=operator-backup yes")


def test_a_director_that_does_not_know_the_password_is_refused():
    def lie(connection):
        connection.recv(100)
        connection.sendall(packet(b"auth cram-md5 <1.2@liar> ssl=0\n"))
        connection.recv(100)
        connection.sendall(packet(b"1000 OK auth\n"))
        connection.recv(100)
        connection.sendall(packet(b"AAAAAAAAAAAAAAAAAAAAAA\0"))

    with machine_that(lie) as port, pytest.raises(EngineError, match="did not prove that it knows"):
        own_console(port).__enter__()


def test_a_director_of_an_unknown_version_is_refused(installation):
    def newer(said):
        return re.sub(rb"(?<=Version: )[\d.]+", lambda found: b"99.9999"[: len(found[0])], said)

    director = partial(relayed, installation, newer)
    with machine_that(director) as port, pytest.raises(EngineError) as refused:
        console(installation, port=port).__enter__()

    assert re.fullmatch(
        rf"The Director at 127.0.0.1:{port} is of version 99\.9+: this service supports those of"
        " Bacula 9.6, 11, 13 and 15.",
        str(refused.value),
    )


# --- A Director that is not there, hangs or says too much ---------------------------------------


def test_a_port_where_nobody_listens_is_unreachable():
    (port,) = free_ports(1)

    with pytest.raises(EngineUnreachable, match=f"127.0.0.1:{port} cannot be reached"):
        own_console(port).__enter__()


def test_a_port_that_does_not_answer_times_out():
    with silent_port() as port, pytest.raises(EngineUnreachable, match=r"within 0\.3 seconds"):
        own_console(port, seconds=0.3).__enter__()


def test_slow_bytes_do_not_extend_the_timeout():
    def trickle(connection):
        for byte in packet(b"x" * 1000):
            connection.sendall(bytes([byte]))
            time.sleep(0.05)

    with machine_that(trickle) as port, pytest.raises(EngineUnreachable, match="did not answer"):
        own_console(port, seconds=0.5).__enter__()


def test_another_protocol_is_refused():
    def answer(connection):
        connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    with machine_that(answer) as port, pytest.raises(EngineError, match="more than 16777216 bytes"):
        own_console(port).__enter__()


def test_an_endless_answer_is_refused(installation, monkeypatch):
    monkeypatch.setattr(protocol, "MAX_ANSWER", 100_000)

    with console(installation) as asked, pytest.raises(EngineError, match="more than 100000 bytes"):
        asked.ask('.sql query="SELECT 1 FROM generate_series(1, 100000)"')


def test_a_hanging_director_times_out(installation):
    with console(installation) as asked, installation.director.stopped():
        with pytest.raises(EngineUnreachable, match=r"did not answer within 0\.3 seconds"):
            asked.ask("version", seconds=0.3)

        with pytest.raises(EngineUnreachable, match="is closed"):
            asked.ask("version")


def test_logging_in_to_a_hanging_director_times_out(installation):
    with (
        installation.director.stopped(),
        pytest.raises(EngineUnreachable, match=r"did not answer within 0\.3 seconds"),
    ):
        console(installation, seconds=0.3).__enter__()


def test_a_hanging_director_is_given_less_time_at_the_next_attempt(installation, monkeypatch):
    with console(installation):
        pass  # it is well
    monkeypatch.setattr(of_console, "SHORT_TIMEOUT", 0.2)
    with installation.director.stopped():
        with pytest.raises(EngineUnreachable, match=r"did not answer within 1 seconds"):
            console(installation, seconds=1).__enter__()
        with pytest.raises(EngineUnreachable, match=r"did not answer within 0\.2 seconds"):
            console(installation, seconds=1).__enter__()
    monkeypatch.setattr(of_console, "SHORT_TIMEOUT", 1)
    with console(installation, seconds=1) as asked:
        assert asked.ask("version")

    with (
        installation.director.stopped(),
        pytest.raises(EngineUnreachable, match=r"did not answer within 1\.5 seconds"),
    ):
        console(installation, seconds=1.5).__enter__()


def test_a_killed_director_drops_the_connection(installation):
    with console(installation) as asked:
        installation.director.kill()
        try:
            with pytest.raises(EngineUnreachable, match="dropped the connection"):
                asked.ask("version")
        finally:
            installation.director.start()


def test_a_director_killed_during_an_answer_drops_the_connection(installation):
    with console(installation) as asked:
        dying = threading.Timer(0.3, installation.director.kill)
        dying.start()
        try:
            with pytest.raises(EngineUnreachable, match="dropped the connection"):
                asked.ask('.sql query="SELECT pg_sleep(5)"')
        finally:
            dying.join()
            installation.director.start()


def test_a_closed_connection_is_unreachable(installation):
    with console(installation) as asked:
        pass

    with pytest.raises(EngineUnreachable, match="is closed"):
        asked.ask("version")
