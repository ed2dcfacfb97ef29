"""Which hosts lead to the public internet: the addresses of a host, and what they are good for."""

import ipaddress
import queue
import socket
import threading

UNICAST_V6 = ipaddress.ip_network("2000::/3")  # all that is routed on the internet, RFC 4291 2.4
NAT64 = ipaddress.ip_network("64:ff9b::/96")  # RFC 6052: the last 32 bits are an IPv4 address
# Not public, though a Python of before 3.11.10 or the IANA registry counts them as global.
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
    """Say whether an IP address is one of the public internet, also through IPv4 in IPv6."""
    ip = _unwrapped(ipaddress.ip_address(address))
    if ip.version == 6 and ip not in UNICAST_V6:
        return False
    return ip.is_global and not ip.is_multicast and not any(ip in network for network in REFUSED)


def network_of(address: str) -> str:
    """Return an IPv4 address as it is, and of an IPv6 one the network that one customer has.

    Of another text it returns what fits into a column for either.
    """
    try:
        ip = _unwrapped(ipaddress.ip_address(address))
    except ValueError:
        return address[:45]
    return str(ip if ip.version == 4 else ipaddress.ip_network((ip.packed, 64), strict=False))


def _unwrapped(ip):
    """Return the IPv4 address that ip stands for, mapped (RFC 4291 2.5.5.2) or by NAT64, or ip."""
    if ip.version == 4:
        return ip
    if ip in NAT64:
        return ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
    return ip.ipv4_mapped or ip


def addresses_of(host: str, seconds: float) -> list[str]:
    """Return the IP addresses of host, best first; none when none is found in that time."""
    # The system's resolver knows no time limit, so it is left behind in a thread of its own.
    answers: queue.SimpleQueue[list[str]] = queue.SimpleQueue()
    threading.Thread(target=lambda: answers.put(_look_up(host)), daemon=True).start()
    try:
        return answers.get(timeout=max(0, seconds))
    except queue.Empty:
        return []


def _look_up(host):
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return []
    return list(dict.fromkeys(sockaddr[0] for *_, sockaddr in found))
