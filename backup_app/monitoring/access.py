"""Who may read the metrics: whoever has the token or, without one, this machine itself."""

import ipaddress

from django.http.request import split_domain_port
from django.utils.crypto import constant_time_compare

from ..conf import conf

# A proxy on this machine makes every request come from here; it adds some of these.
FORWARDED = {
    "HTTP_FORWARDED",
    "HTTP_VIA",
    "HTTP_X_FORWARDED_FOR",
    "HTTP_X_FORWARDED_HOST",
    "HTTP_X_FORWARDED_PROTO",
    "HTTP_X_REAL_IP",
}


def refusal(request):
    """Return a sentence that says why a request may not read the metrics; "" if it may."""
    if conf.METRICS_TOKEN:
        return "" if _has_token(request) else "The metrics need the right bearer token."
    if _is_from_here(request):
        return ""
    return "Without BACKUP_METRICS_TOKEN only this machine itself may read the metrics."


def _has_token(request):
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    return scheme.lower() == "bearer" and constant_time_compare(token, conf.METRICS_TOKEN)


def _is_from_here(request):
    """Return whether a request came from this machine, and through no proxy.

    A proxy that adds no header may pass on the name that was asked for, which is another one. One
    that does neither cannot be told from a program here: the operator then has to set a token.
    """
    if conf.is_behind_proxy or FORWARDED & request.META.keys():
        return False
    host, _ = split_domain_port(request.get_host())
    names_here = host == "localhost" or _is_loopback(host.strip("[]"))
    return names_here and _is_loopback(request.META.get("REMOTE_ADDR", ""))


def _is_loopback(address):
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False
