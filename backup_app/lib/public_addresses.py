"""Tells public IP addresses from those of private networks and of this machine."""

import ipaddress
import queue
import socket
import threading
from collections.abc import Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

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


def is_allowed(address: str, networks: Sequence[IPv4Network | IPv6Network]) -> bool:
    """Return whether an IP address is public or in one of the networks."""
    ip = _unwrapped(ipaddress.ip_address(address))
    return any(ip in network for network in networks) or _is_public(ip)


def addresses_of(host: str, seconds: float) -> list[str]:
    """Return the IP addresses of a host, best first; none if the lookup takes longer."""
    # The system's resolver has no time limit, so it runs in a thread, to be abandoned.
    answers: queue.SimpleQueue[list[str]] = queue.SimpleQueue()
    threading.Thread(target=lambda: answers.put(_look_up(host)), daemon=True).start()
    try:
        return answers.get(timeout=max(0, seconds))
    except queue.Empty:
        return []


def _is_public(ip: IPv4Address | IPv6Address) -> bool:
    if ip.version == 6 and ip not in UNICAST_V6:
        return False
    return ip.is_global and not ip.is_multicast and not any(ip in network for network in REFUSED)


def _unwrapped(ip: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """Return the IPv4 address inside ip, mapped (RFC 4291 2.5.5.2) or by NAT64; else ip."""
    if isinstance(ip, IPv4Address):
        return ip
    if ip in NAT64:
        return IPv4Address(int(ip) & 0xFFFFFFFF)
    return ip.ipv4_mapped or ip


def _look_up(host: str) -> list[str]:
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return []
    return list(dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in found))
