"""TLS with certificates on the console: with a real Director, and with whoever pretends to be one.

In the middle of a connection is somebody who hears and changes what both say.
"""

import re
import secrets
import ssl
from functools import partial

import pytest

from backup_app.engines.bacula.director.console import Console
from backup_app.engines.bacula.director.login import LoginRejected
from backup_app.engines.bacula.director.tls import Tls, TlsFailed
from backup_app.exceptions import EngineUnreachable, InvalidEngine

from ..support import release
from ..support.certificates import Authority
from ..support.middlemen import machine_that, packet, relayed

NEED = re.compile(rb"((?:tlspsk|ssl)=)\d+")
HELLO = "1000 OK: 10002 test-dir Version: 15.0.3 (20 March 2020)"
BEFORE_TLS = 1 if release.VERSION else 3  # packets of the Director


@pytest.fixture
def console(installation):
    """A function that returns a console of the Director, at any port, with files for TLS."""

    def make(who, *, port=None, password=None, seconds=5, policy="", name="", **files):
        files = {option: str(installation.folder / file) for option, file in files.items()}
        place = "127.0.0.1", port or installation.ports["dir"]
        safety = Tls(policy, name=name, **files)
        return Console(*place, who, password or installation.passwords["dir"], seconds, safety)

    return make


# --- With the Director ----------------------------------------------------------------------------


def test_a_console_is_encrypted_by_the_directors_certificate(installation, console):
    heard = bytearray()

    def hear(said):
        heard.extend(said)
        return said

    with (
        machine_that(partial(relayed, installation, hear, heard=hear)) as port,
        console("encrypted", port=port, ca="authority.pem") as asked,
    ):
        assert asked.ask(".clients") == ["one-fd\n", "two-fd\n"]

    assert b"Hello encrypted" in heard
    assert b"1000 OK:" not in heard
    assert b".clients" not in heard
    assert b"one-fd" not in heard


def test_long_commands_and_answers_are_encrypted(console):
    text = "x" * 100_000

    with console("encrypted", ca="authority.pem") as asked:
        assert asked.ask(f".sql query=\"SELECT length('{text}'), '{text}'\"") == [
            f"100000\t{text}\t"
        ]


def test_the_directors_certificate_may_have_another_name(console):
    with console("encrypted", ca="authority.pem", name="director.test") as asked:
        assert asked.ask(".pools") == ["Default\n"]


def test_a_director_that_offers_tls_is_always_asked_for_it(console):
    with console("offering", ca="authority.pem") as asked:
        assert asked.is_encrypted


def test_a_director_that_verifies_consoles_is_shown_a_certificate(console):
    own = {"certificate": "console.pem", "key": "console.key"}

    with console("mutual", ca="authority.pem", **own) as asked:
        assert asked.ask(".pools") == ["Default\n"]


@pytest.mark.parametrize(
    ("who", "files", "words"),
    [
        ("encrypted", {}, "requires TLS with certificates: set the option tls_ca"),
        ("", {"ca": "authority.pem"}, "offers no TLS with certificates, which the option tls_ca"),
        ("offering", {"policy": "required"}, "offers (no )?TLS .*the option tls_ca"),
        ("expired", {"ca": "authority.pem"}, "is not trusted: certificate has expired."),
        ("encrypted", {"ca": "other.pem"}, "is not trusted: self-signed certificate"),
        ("encrypted", {"ca": "authority.pem", "name": "other.test"}, "not valid for 'other.test'"),
        ("encrypted", {"ca": "none.pem"}, "tls_ca is '.*/none.pem', which cannot be read: No such"),
        ("encrypted", {"ca": "authority.key"}, "authority.key', which has no certificate."),
        ("mutual", {"ca": "authority.pem"}, "certificate required; set the options tls_certif"),
        (
            "mutual",
            {"ca": "authority.pem", "certificate": "stranger.pem", "key": "stranger.key"},
            "do not agree on TLS: .*; its own messages may say why",
        ),
        (
            "mutual",
            {"ca": "authority.pem", "certificate": "console.pem", "key": "stranger.key"},
            "console.pem' with '.*stranger.key', which has no certificate with its key",
        ),
    ],
)
def test_without_the_right_certificates_there_is_no_connection(
    installation, console, who, files, words
):
    Authority(installation.folder, "other")

    with pytest.raises(TlsFailed, match=words) as refused, console(who, **files):
        pass

    assert refused.value.status == 502
    assert installation.passwords["dir"] not in str(refused.value)


def test_a_wrong_password_is_told_with_tls_as_well(console):
    with (
        pytest.raises(LoginRejected, match="rejected the console's password: 1999 Auth"),
        console("encrypted", ca="authority.pem", password="wrong"),
    ):
        pass


def test_a_key_with_a_passphrase_is_refused_and_not_asked_for(installation, console):
    key = "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMAA=\n-----END ENCRYPTED PRIVATE KEY-----\n"
    (installation.folder / "secret.key").write_text(key)
    own = {"certificate": "console.pem", "key": "secret.key"}

    with (
        pytest.raises(TlsFailed, match="with its key, unencrypted"),
        console("mutual", ca="authority.pem", **own),
    ):
        pass


# --- Attacks ------------------------------------------------------------------------------------


@pytest.mark.parametrize("files", [{"ca": "authority.pem"}, {"policy": "required"}])
def test_nobody_in_the_middle_turns_tls_off(installation, console, files):
    sent = bytearray()

    def strip(said):
        return NEED.sub(rb"\g<1>0", said)

    def hear(said):
        sent.extend(said)
        return strip(said)

    with (
        machine_that(partial(relayed, installation, strip, heard=hear)) as port,
        pytest.raises(TlsFailed, match="offers no TLS"),
        console("encrypted", port=port, **files),
    ):
        pass

    assert re.fullmatch(rb"....Hello encrypted calling 0 tlspsk=\d+\n", sent, re.DOTALL)


def test_what_is_said_before_tls_does_not_count_as_said_with_it(installation, console):
    packets = []

    def inject(said):
        packets.append(said)
        return said + packet(HELLO.encode()) * (len(packets) == BEFORE_TLS)

    with (
        machine_that(partial(relayed, installation, inject)) as port,
        pytest.raises(TlsFailed, match="sent something between the request for TLS and it"),
        console("encrypted", port=port, ca="authority.pem"),
    ):
        pass


def test_what_is_changed_within_tls_ends_the_connection(installation, console):
    spoil = []

    def change(said):
        return said[:-1] + bytes([said[-1] ^ 1]) if spoil else said

    with (
        machine_that(partial(relayed, installation, change)) as port,
        console("encrypted", port=port, ca="authority.pem") as asked,
    ):
        spoil.append(True)
        with pytest.raises(TlsFailed, match="do not agree on TLS: decryption failed"):
            asked.ask(".pools")

        with pytest.raises(EngineUnreachable, match="is closed"):
            asked.ask(".pools")


def test_tls_that_hangs_times_out(installation, console):
    def hang(connection):
        connection.recv(100)
        connection.sendall(packet(b"starttls tlspsk=2\n"))
        while connection.recv(1000):
            pass

    with (
        machine_that(hang) as port,
        pytest.raises(EngineUnreachable, match=r"did not answer within 0\.3 seconds"),
        console("encrypted", port=port, ca="authority.pem", seconds=0.3),
    ):
        pass


def test_tls_that_is_answered_by_something_else_is_refused(installation, console):
    def answer(connection):
        connection.recv(100)
        connection.sendall(packet(b"starttls tlspsk=2\n"))
        connection.recv(1000)
        connection.sendall(packet(HELLO.encode()) * 2)

    with (
        machine_that(answer) as port,
        pytest.raises(TlsFailed, match="do not agree on TLS: "),
        console("encrypted", port=port, ca="authority.pem"),
    ):
        pass


def test_the_end_of_tls_is_told(installation, console):
    """A Director that misses it logs an attack."""
    files = installation.folder / "director.pem", installation.folder / "director.key"
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*files)
    heard = []

    def reject(connection):
        connection.recv(100)
        connection.sendall(packet(b"starttls tlspsk=2\n"))
        with context.wrap_socket(
            connection, server_side=True, suppress_ragged_eofs=False
        ) as encrypted:
            encrypted.sendall(packet(b"1999 You are not authorized.\n"))
            heard.append(encrypted.recv(100))

    with (
        machine_that(reject) as port,
        pytest.raises(LoginRejected, match="rejected the console: 1999 You are not authorized"),
        console("encrypted", port=port, ca="authority.pem"),
    ):
        pass

    assert heard == [b""]


def test_tls_that_was_not_asked_for_is_refused(console):
    def ask(connection):
        connection.recv(100)
        connection.sendall(packet(b"starttls tlspsk=2\n"))

    with (
        machine_that(ask) as port,
        pytest.raises(TlsFailed, match="requires TLS with certificates: set the option tls_ca"),
        console("", port=port),
    ):
        pass


# --- Options ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"policy": "always"}, "The option tls is 'always': use 'required' or 'optional'."),
        ({"ca": "a", "key": "k"}, "The option tls_key is set, but tls_certificate is not."),
        ({"certificate": "c"}, "The option tls_certificate is set, but tls_ca is not."),
        ({"name": "n"}, "The option tls_name is set, but tls_ca is not."),
    ],
)
def test_options_that_contradict_each_other_are_refused(options, sentence):
    with pytest.raises(InvalidEngine) as refused:
        Tls(**options)

    assert str(refused.value) == sentence


@pytest.mark.parametrize(
    ("options", "is_local", "is_required"),
    [
        ({}, True, False),
        ({}, False, True),
        ({"policy": "optional"}, False, False),
        ({"policy": "required"}, True, True),
        ({"policy": "optional", "ca": secrets.token_hex(4)}, True, True),
    ],
)
def test_what_leaves_this_host_is_encrypted_unless_that_is_optional(options, is_local, is_required):
    assert Tls(**options).is_required(is_local=is_local) == is_required
