"""Requests to URLs of users: what is refused, and to which address they go."""

import socket
from ipaddress import ip_network

import pytest

from backup_app.lib import posting
from backup_app.lib.posting import PostError, Target

from ..support.receivers import http_receiver

pytestmark = pytest.mark.attack
PRIVATE = [
    "127.0.0.1",
    "127.1",
    "0.0.0.0",  # noqa: S104 - an address to refuse
    "10.0.0.5",
    "172.16.1.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "168.63.129.16",
    "224.0.0.1",
    "2130706433",
    "0x7f000001",
    "[::1]",
    "[::]",
    "[fe80::1%25eth0]",
    "[fc00::1]",
    "[::ffff:10.0.0.5]",
    "[64:ff9b::a00:5]",
    "[2002:a00:5::]",
    "localhost",
]


def posted(url, **options):
    return posting.post(url, b"{}", {}, **{"seconds": 5, **options})


@pytest.fixture
def names(monkeypatch):
    """What the resolver answers, by host, one list after the other; then it knows no such host."""
    answers, real = {}, socket.getaddrinfo

    def look_up(host, port, *args, **options):
        if host not in answers:
            return real(host, port, *args, flags=socket.AI_NUMERICHOST)
        found = answers[host].pop(0)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, port)) for each in found]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    return answers


@pytest.mark.parametrize("host", PRIVATE)
def test_private_addresses_are_refused(host):
    with pytest.raises(PostError, match=r"not public|cannot be found"):
        posted(f"http://{host}/")


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("file:///etc/passwd", "must be absolute and begin with http"),
        ("gopher://example.org/", "must be absolute and begin with http"),
        ("/alerts", "must be absolute and begin with http"),
        ("http://", "must be absolute and begin with http"),
        ("http://user:secret@example.org/", "must not contain a user name"),
        ("http://exam ple.org/", "is not a valid host name"),
        ("http://example.org:99999/", "The URL is invalid"),
        ("http://[::1/", "The URL is invalid"),
    ],
)
def test_what_is_no_web_address_is_refused(url, sentence):
    with pytest.raises(PostError, match=sentence):
        Target.parse(url)


def test_a_name_that_has_a_private_address_beside_a_public_one_is_refused(names):
    names["example.org"] = [["93.184.216.34", "10.0.0.5"]]

    with pytest.raises(PostError, match=r"'example.org' leads to an address that is not public"):
        posted("https://example.org/")


def test_the_ports_of_other_protocols_are_refused(names):
    names["example.org"] = [["93.184.216.34"]]

    with pytest.raises(PostError, match=r"Port 25 of 'example.org' belongs to another protocol"):
        posting.check("http://example.org:25/")


def test_a_name_is_looked_up_once_so_that_it_cannot_change(names):
    with http_receiver() as receiver:
        names["hook.example"] = [["127.0.0.1"]]  # a second lookup would fail
        url = f"http://hook.example:{receiver.server_port}/"
        networks = [ip_network("127.0.0.0/8")]

        assert posted(url, networks=networks) == 204

        [(_, headers, _)] = receiver.requests
        assert headers["Host"] == f"hook.example:{receiver.server_port}"


def test_no_redirect_is_followed():
    with http_receiver() as receiver:
        receiver.answers.append((307, {"Location": receiver.url}))
        networks = [ip_network("127.0.0.1")]

        assert posted(receiver.url, networks=networks) == 307
        assert len(receiver.requests) == 1


def test_a_proxy_of_the_environment_is_not_used(monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    with http_receiver() as receiver:
        assert posted(receiver.url, networks=[ip_network("127.0.0.1")]) == 204
