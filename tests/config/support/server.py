"""A service of a test's own, as an operator starts it: web server and worker."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from types import SimpleNamespace

import urllib3

from tests.support.migrated import copy_migrated
from tests.support.waiting import free_port, wait_for

HTTP = urllib3.PoolManager(retries=False, timeout=60)  # a busy machine makes no test fail


@contextmanager
def serving(folder, **variables):
    """Yield a service with its data in a folder, stopped as by Ctrl-C in the end."""
    port = free_port()
    if "DATABASE_URL" not in variables:
        copy_migrated(folder)
    variables = {
        "PATH": os.environ["PATH"],
        "DATA_DIR": str(folder),
        "ENV_FILE": os.devnull,
        "PORT": str(port),
        **variables,
    }
    # A file: a pipe that nobody reads is full after 64 KB, and then the service waits.
    log = tempfile.TemporaryFile("w+")  # noqa: SIM115 - closed below
    process = subprocess.Popen(
        [sys.executable, "manage.py", "serve", "--setup", "--with-parent", "--web-workers=1"],
        env=variables,
        stdout=log,
        stderr=subprocess.STDOUT,
        text=True,
    )
    base = variables.get("BASE_PATH")
    root = f"http://127.0.0.1:{port}/" + (f"{base}/" if base else "")
    service = SimpleNamespace(root=root, port=port, folder=folder, process=process, log=log)
    try:
        wait_for(lambda: is_ready(service), 120)
        yield service
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(60)
        service.output = written(log)
        log.close()
    assert process.returncode == 0, service.output
    assert not is_listening("127.0.0.1", port)
    assert "Traceback" not in service.output


def written(log):
    log.seek(0)
    return log.read()


def is_ready(service):
    assert service.process.poll() is None, written(service.log)
    try:
        return get(service, "readyz").status == 200
    except urllib3.exceptions.HTTPError:
        return False


def is_listening(host, port):
    with socket.socket() as probe:
        return probe.connect_ex((host, port)) == 0


def get(service, path, **headers):
    url = path if path.startswith("http") else service.root + path
    return HTTP.request("GET", url, headers=headers, redirect=False)
