"""Looks up the addresses of hosts, and tells public addresses from private ones."""

import ipaddress
import queue
import socket
import threading
from ipaddress import IPv4Address, IPv6Address

UNICAST_V6 = ipaddress.ip_network("2000::/3")  # all that is routed on the internet, RFC 4291 2.4
NAT64 = ipaddress.ip_network("64:ff9b::/96")  # RFC 6052: the last 32 bits are an IPv4 address
# Not public, although Python before 3.11.10 or the IANA registry counts them as global.
REFUSED = [
    ipaddress.ip_network(network)
    for network in (
        "192.0.0.0/24",  # protocol assignments, RFC 6890
        "192.88.99.0/24",  # 6to4 relays, RFC 7526
        "168.63.129.16/32",  # the host agent that answers the virtual machines of Azure
        "2001::/23",  # protocol assignments, among them Teredo (RFC 4380)
        "2002::/16",  # 6to4: an IPv4 address in disguise, RFC 3056
        "3fff::/20",  # documentation, RFC 9637
    )
]


def is_public(address: str) -> bool:
    """Return whether an IP address, or the IPv4 address inside an IPv6 one, is public."""
    ip = _unwrapped(ipaddress.ip_address(address))
    if ip.version == 6 and ip not in UNICAST_V6:
        return False
    return ip.is_global and not ip.is_multicast and not any(ip in network for network in REFUSED)


def network_of(address: str) -> str:
    """Return an IPv4 address as it is, and the /64 network of an IPv6 address.

    A provider gives each customer at least a /64, so single addresses do not tell customers apart.
    Any other text is returned as far as it fits into a column for addresses (45 characters).
    """
    try:
        ip = _unwrapped(ipaddress.ip_address(address))
    except ValueError:
        return address[:45]
    return str(ip if ip.version == 4 else ipaddress.ip_network((ip.packed, 64), strict=False))


def _unwrapped(ip: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """Return the IPv4 address inside ip, mapped (RFC 4291 2.5.5.2) or by NAT64; else ip."""
    if ip.version == 4:
        return ip
    if ip in NAT64:
        return IPv4Address(int(ip) & 0xFFFFFFFF)
    return ip.ipv4_mapped or ip


def addresses_of(host: str, seconds: float) -> list[str]:
    """Return the IP addresses of host, best first; an empty list if the lookup takes longer."""
    # The system's resolver has no timeout, so it runs in a thread, to be abandoned.
    if seconds <= 0:
        return []
    answers: queue.SimpleQueue[list[str]] = queue.SimpleQueue()
    threading.Thread(target=lambda: answers.put(_look_up(host)), daemon=True).start()
    try:
        return answers.get(timeout=seconds)
    except queue.Empty:
        return []


def _look_up(host: str) -> list[str]:
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return []
    return list(dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in found))
