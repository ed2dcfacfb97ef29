"""TLS by a key, the password of the console: with a Director 15, by Python 3.13 and without it."""

import ssl
import sys
from functools import partial

import pytest

from backup_app.engines.bacula.director.console import Console
from backup_app.engines.bacula.director.tls import Tls, TlsFailed

from ..support import release
from ..support.middlemen import machine_that, packet, relayed
from ..support.newer_python import ask

pytestmark = pytest.mark.skipif(not release.VERSION, reason="on Bacula 15 (BACULA=15)")
without_psk = pytest.mark.skipif(sys.version_info >= (3, 13), reason="without PSK (Python 3.11)")


@pytest.fixture
def asked(installation):
    """A function that returns what the Director, at any port, answers to Python 3.13."""

    def ask_it(who="", *, port=None, password=None, policy=""):
        place = "127.0.0.1", port or installation.ports["dir"]
        login = who, password or installation.passwords["dir"], 5
        return ask((*place, *login), Tls(policy), ".clients")

    return ask_it


@pytest.mark.parametrize("who", ["", "keyed"])
def test_a_console_is_encrypted_by_its_password(installation, asked, who):
    heard = bytearray()

    def hear(said):
        heard.extend(said)
        return said

    with machine_that(partial(relayed, installation, hear, heard=hear)) as port:
        answer = asked(who, port=port)

    assert answer == {"said": ["one-fd\n", "two-fd\n"], "is_encrypted": True}
    assert b"starttls tlspsk=" in heard
    assert b"1000 OK" not in heard
    assert b"auth cram-md5" not in heard
    assert b"one-fd" not in heard


def test_another_password_is_rejected(asked):
    answer = asked("keyed", password="wrong")

    assert answer["error"] == "TlsFailed"
    assert answer["message"].endswith("the console's password seems to be another one there.")


def test_nobody_in_the_middle_turns_it_off(installation, asked):
    sent = bytearray()

    def strip(said):
        sent.extend(said)
        return said.replace(b"tlspsk=200", b"tlspsk=000")

    director = partial(relayed, installation, bytes, heard=strip)
    with machine_that(director) as port:
        answer = asked(port=port, policy="required")

    assert answer["error"] == "TlsFailed"
    assert "offers no TLS. If the network between is trusted" in answer["message"]
    assert sent[4:] == b"Hello *UserAgent* calling 0 tlspsk=200\n"


def test_a_certificate_is_no_key(installation, asked):
    """Of whoever has no key, and has one that is signed."""
    said = []

    def pretend(connection):
        connection.recv(100)
        connection.sendall(packet(b"starttls tlspsk=200\n"))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(
            installation.folder / "director.pem", installation.folder / "director.key"
        )
        with context.wrap_socket(connection, server_side=True) as encrypted:
            encrypted.sendall(packet(b"auth cram-md5 <1.2@liar> ssl=0\n"))
            said.append(encrypted.recv(100))

    with machine_that(pretend) as port:
        answer = asked(port=port)

    assert answer["error"] == "TlsFailed"
    assert "has a certificate that is not trusted" in answer["message"]
    assert said == []


@without_psk
@pytest.mark.parametrize(
    ("who", "policy", "words"),
    [
        (
            "keyed",
            "",
            "It seems to require TLS: with a key .PSK. it needs Python 3.13",
        ),
        (
            "",
            "required",
            "offers no TLS that can be used: with a key .PSK. it needs",
        ),
    ],
)
def test_an_earlier_python_says_what_it_needs(installation, who, policy, words):
    login = who, installation.passwords["dir"], 5

    with (
        pytest.raises(TlsFailed, match=words),
        Console("127.0.0.1", installation.ports["dir"], *login, Tls(policy)),
    ):
        pass


@without_psk
def test_an_earlier_python_goes_without_where_the_director_lets_it(installation):
    with Console(
        "127.0.0.1", installation.ports["dir"], "", installation.passwords["dir"], 5
    ) as console:
        assert console.ask(".clients") == ["one-fd\n", "two-fd\n"]
        assert not console.is_encrypted
