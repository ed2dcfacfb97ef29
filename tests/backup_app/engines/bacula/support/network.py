"""A network of hosts with addresses of their own, on this machine: namespaces at a bridge."""

import contextlib
import ipaddress
import os
import re
import secrets
import shutil
import subprocess
from pathlib import Path

from tests.prerequisites import need

TAG = re.compile(r"bt(\d+)(-\w+)?")
# How soon a host that has gone without a word is given up, once Bacula's ``Heartbeat Interval`` is
# over: the system's own values make it a quarter of an hour.
GIVING_UP = {
    "tcp_keepalive_intvl": 1,
    "tcp_keepalive_probes": 2,
    "tcp_retries2": 3,
    "tcp_syn_retries": 2,
}
PROGRAMS = {"ip": "iproute2", "tc": "iproute2", "sysctl": "procps"}
SHAPE = ["burst", "32kb", "latency", "50ms"]


class Network:
    """``addresses`` by host. This machine itself is at the bridge as ``own_address``."""

    def __init__(self, *hosts: str):
        self.tag = f"bt{os.getpid()}"
        self.hosts = hosts
        # Anywhere that is for private use, so that two at once hardly meet.
        first = ipaddress.ip_address("10.128.0.0") + 256 * secrets.randbelow(2**14)
        self.own_address, *others = (str(first + number) for number in range(1, len(hosts) + 2))
        self.addresses = dict(zip(hosts, others, strict=True))

    def start(self) -> None:
        """Make it; the test is skipped where that is not possible."""
        for program, package in PROGRAMS.items():
            need(shutil.which(program), "of hosts", f"apt install {package}")
        remove_left_over()
        made = _ip("link", "add", self.tag, "type", "bridge", check=False)
        need(made.returncode == 0, "of hosts", "as root, where networks can be made")
        _ip("address", "add", f"{self.own_address}/24", "dev", self.tag)
        _ip("link", "set", self.tag, "up")
        for host in self.hosts:
            self._add(host)

    def stop(self) -> None:
        for host in self.hosts:
            _ip("netns", "delete", self.namespace(host), check=False)
        _ip("link", "delete", self.tag, check=False)

    def namespace(self, host: str) -> str:
        return f"{self.tag}-{host}"

    def within(self, host: str) -> list[str]:
        """Return what is put before a command to run it on a host."""
        return ["ip", "netns", "exec", self.namespace(host)]

    @contextlib.contextmanager
    def without(self, host: str):
        """Let a host's cable be out until the block ends: nobody is told, packets are lost."""
        _ip("link", "set", self.namespace(host), "down")
        try:
            yield
        finally:
            _ip("link", "set", self.namespace(host), "up")

    @contextlib.contextmanager
    def slow(self, host: str, rate: str):
        """Let a host send no more than such as "16mbit" until the block ends."""
        at = ["-n", self.namespace(host), "qdisc"]
        _run("tc", *at, "add", "dev", "eth0", "root", "tbf", "rate", rate, *SHAPE)
        try:
            yield
        finally:
            _run("tc", *at, "delete", "dev", "eth0", "root")

    def _add(self, host):
        name = self.namespace(host)
        _ip("netns", "add", name)
        _ip("link", "add", name, "type", "veth", "peer", "name", "eth0", "netns", name)
        _ip("link", "set", name, "master", self.tag, "up")
        _ip("-n", name, "address", "add", f"{self.addresses[host]}/24", "dev", "eth0")
        for link in ("lo", "eth0"):
            _ip("-n", name, "link", "set", link, "up")
        values = [f"net.ipv4.{key}={value}" for key, value in GIVING_UP.items()]
        _run(*self.within(host), "sysctl", "-qw", *values)


def remove_left_over() -> None:
    """Remove the networks of processes that ended without a word."""
    listed = _ip("-o", "link", "show", "type", "bridge").stdout + _ip("netns", "list").stdout
    for pid in {found[1] for found in TAG.finditer(listed)}:
        if not Path(f"/proc/{pid}").exists():
            tag = f"bt{pid}"
            for found in re.findall(rf"\b{tag}-\w+", listed):
                _ip("netns", "delete", found, check=False)
            _ip("link", "delete", tag, check=False)


def _ip(*words, check=True):
    return _run("ip", *words, check=check)


def _run(*command, check=True):
    return subprocess.run(command, capture_output=True, text=True, check=check)
