import socket
import threading

import pytest

from calendar_app.lib.public_addresses import addresses_of, is_public, network_of


@pytest.mark.parametrize(
    "address", ["8.8.8.8", "93.184.216.34", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"]
)
def test_public(address):
    assert is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        "0.0.0.0",  # noqa: S104 an address to refuse, none to bind to
        "10.1.2.3",
        "100.64.0.1",
        "127.0.0.1",
        "127.255.255.254",
        "168.63.129.16",
        "169.254.169.254",
        "172.16.0.1",
        "192.0.0.192",
        "192.0.2.1",
        "192.168.1.1",
        "198.18.0.1",
        "224.0.0.1",
        "239.255.255.250",
        "240.0.0.1",
        "255.255.255.255",
    ],
)
def test_not_public_nor_in_any_disguise(address):
    mapped, nat64 = f"::ffff:{address}", f"64:ff9b::{address}"

    assert [is_public(form) for form in (address, mapped, nat64)] == [False, False, False]


@pytest.mark.parametrize(
    "address",
    [
        "::",
        "::1",
        "::127.0.0.1",  # IPv4-compatible
        "64:ff9b:1::7f00:1",  # local NAT64
        "2001:0:4136:e378:8000:63bf:3fff:fdd2",  # Teredo
        "2001:db8::1",
        "2002:7f00:1::",  # 6to4 of 127.0.0.1
        "2002:808:808::",
        "3fff::1",
        "fc00::1",
        "fd00:ec2::254",
        "fe80::1",
        "fe80::1%eth0",
        "fec0::1",
        "ff02::1",
        "ff0e::1",
    ],
)
def test_not_public_in_version_6(address):
    assert not is_public(address)


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "127.1", "0177.0.0.1", "0x7f.0.0.1", "2130706433", "localhost"]
)
def test_every_spelling_of_this_machine_is_seen_through(host):
    assert not any(map(is_public, addresses_of(host, 5)))
    assert "127.0.0.1" in addresses_of(host, 5)


def test_a_name_that_nobody_has_is_no_address():
    assert addresses_of("nobody.invalid", 20) == []
    assert addresses_of("a" * 64 + ".test", 5) == []


def test_a_slow_name_service_is_not_waited_for(monkeypatch):
    told = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *args, **kwargs: told.wait(60) and [])

    assert addresses_of("slow.test", 0.1) == []
    assert not told.is_set()
    told.set()


@pytest.mark.parametrize(("address", "text"), [("", ""), ("unix:" + "x" * 50, "unix:" + "x" * 40)])
def test_any_other_text_counts_as_a_network(address, text):
    assert network_of(address) == text
