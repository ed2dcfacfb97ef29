"""IP addresses as they are stored and compared."""

import ipaddress


def normalized(text):
    """Return an IP address as it is stored, or None for a text that is none."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    if getattr(address, "scope_id", None):
        return None  # names an interface of whoever asks
    return str(getattr(address, "ipv4_mapped", None) or address)


def network_of(address: str) -> str:
    """Return an IPv4 address as it is, and of an IPv6 one the network that one customer has."""
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return address[:45]
    ip = getattr(ip, "ipv4_mapped", None) or ip
    return str(ip if ip.version == 4 else ipaddress.ip_network((ip.packed, 64), strict=False))
