"""IP addresses as they are stored and compared."""

import ipaddress


def normalized(text: str) -> str | None:
    """Return an IP address as it is stored, or None for a text that is not one."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    if getattr(address, "scope_id", None):
        return None  # "%eth0" is an interface of the machine that sent it
    return str(getattr(address, "ipv4_mapped", None) or address)


def network_of(address: str) -> str:
    """Return an IPv4 address as it is, and the /64 of an IPv6 one: providers assign no less."""
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return address[:45]
    ip = getattr(ip, "ipv4_mapped", None) or ip
    return str(ip if ip.version == 4 else ipaddress.ip_network((ip.packed, 64), strict=False))
