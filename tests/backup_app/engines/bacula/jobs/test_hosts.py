"""Backups over a network in which hosts, their cables and their daemons are lost.

Each job ends in the right status, in time, and says why in its log. The service is on this machine,
and the Director, the storage daemon and two clients on hosts of their own.
"""

import os
import re
import secrets
import socket
import time

import pytest

from backup_app.engines import get_engine
from backup_app.engines.bacula.director.protocol import Wire
from backup_app.engines.bacula.director.tls import TlsFailed
from backup_app.jobs import execute
from backup_app.models import Job

from ....support.factories import JobFactory
from ..conftest import ENGINE
from ..support.installation import SERVER, Installation, require
from ..support.jobs import log_text
from ..support.network import Network
from ..support.relay import Relay

pytestmark = pytest.mark.xdist_group("hosts")  # they share a network
HOSTS = ("dir", "sd", "one", "two")
SLOW = "8mbit"  # by which the large file takes 20 seconds
AWAY_SECONDS = 6
MB = 1_000_000
ENDED = set(Job.Status.values) - {"queued", "running", "canceling"}


@pytest.fixture(scope="module")
def network():
    require()
    made = Network(*HOSTS)
    try:
        made.start()
        yield made
    finally:
        made.stop()


@pytest.fixture(scope="module")
def hosts(network, hide, tmp_path_factory):
    """A Bacula whose daemons are on the hosts of the network."""
    relay = Relay(network.own_address, (SERVER["host"], int(SERVER["port"])))
    relay.start()
    made = Installation(
        tmp_path_factory.mktemp("hosts"),
        addresses=network.addresses,
        within={host: network.within(host) for host in HOSTS},
        server={"host": network.own_address, "port": relay.port},
    )
    try:
        made.start()
        hide("hosts", made.catalog)
        yield made
    finally:
        made.stop()
        relay.stop()


@pytest.fixture
def bacula(hosts, db, settings):
    """The engine of the hosts; it cannot read the volumes, which are on another one."""
    for daemon in hosts.daemons:
        if not daemon.is_running:
            daemon.start()
    hosts.prefix = f"t{secrets.token_hex(4)}-"
    options = hosts.options(
        catalog="hosts",
        storage_config="",
        answer_seconds=2,
        away_seconds=AWAY_SECONDS,
        tls="optional",
    )
    settings.BACKUP_ENGINES = {"default": {"BACKEND": ENGINE, "OPTIONS": options}}
    return hosts


@pytest.fixture
def tree(tmp_path):
    """A folder with a small file."""
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "small").write_text("content")
    return tmp_path / "tree"


@pytest.fixture
def large_tree(tree):
    """The same with a file that keeps a slow host busy for long."""
    (tree / "large").write_bytes(os.urandom(20 * MB))
    return tree


def begin(client, **fields):
    """Begin a job, a full backup unless told, and return it."""
    job = JobFactory(client=client, **fields)
    execute.run(job.pk)
    return job


def follow(*jobs, until=lambda job: job.status in ENDED, seconds):
    """Look after jobs until a condition is true for each of them; fail when that takes longer."""
    deadline = time.monotonic() + seconds
    waiting = list(jobs)
    while waiting:
        assert time.monotonic() < deadline, [(job.status, log_text(job)) for job in waiting]
        for job in waiting:
            execute.resume(job.pk)
            job.refresh_from_db()
        waiting = [job for job in waiting if not until(job)]
        time.sleep(0.1)


def is_in_the_middle(job):
    assert job.status not in ENDED, log_text(job)
    return job.bytes_done > 0


def waits(job):
    """Say whether a job has found the Director away."""
    assert job.status not in ENDED, log_text(job)
    return "The job waits" in log_text(job)


def test_a_connection_to_another_host_is_encrypted_unless_told(bacula, settings):
    with get_engine().director() as director:
        assert director.version()
    exposed = "is on another host and is asked without TLS: enable TLS there, unless"
    assert any(exposed in fault for fault in get_engine().faults())

    del settings.BACKUP_ENGINES["default"]["OPTIONS"]["tls"]

    with pytest.raises(TlsFailed, match="offers no TLS"), get_engine().director() as director:
        director.version()
    (fault, *_) = get_engine().faults()
    assert fault.endswith("is trusted, set the option tls to 'optional'.")


def test_an_address_of_this_host_is_no_other_host(network):
    with socket.create_server((network.own_address, 0)) as listener:
        wire = Wire(*listener.getsockname(), "The listener", 5)

        assert wire.is_local
        wire.close()


def test_clients_are_backed_up_and_restored_to_one_another(bacula, bacula_client, tree, tmp_path):
    one, two = bacula_client(tree), bacula_client(tree, machine=bacula.two)
    backup, other = begin(one), begin(two)
    follow(backup, other, seconds=30)
    assert [backup.status, other.status] == ["completed", "completed"], log_text(backup)
    chosen = get_engine().select_paths(backup, [os.fsencode(tree / "small")])

    restore = begin(
        two,
        type="restore",
        parent=backup,
        request={
            "nodes": [],
            "files": [number for number, _ in chosen.files],
            "path": str(tmp_path / "restored"),
        },
    )
    follow(restore, seconds=30)

    assert restore.status == "completed", log_text(restore)
    restored = tmp_path / "restored" / str(tree).lstrip("/") / "small"
    assert restored.read_text() == "content"
    assert get_engine().reader().job(restore.engine_job_id).client == "two-fd"


def test_a_client_that_is_cut_off_fails_its_backup(bacula, bacula_client, network, large_tree):
    job = begin(bacula_client(large_tree))
    with network.slow("one", SLOW):
        follow(job, until=is_in_the_middle, seconds=20)

        with network.without("one"):
            follow(job, seconds=30)

    assert job.status == "failed"
    assert re.match("Network error (with|reading from) FD.* ERR=Connection timed out", job.message)
    assert job.message in log_text(job)


def test_a_client_that_is_not_there_fails_its_backup_and_takes_the_next(
    bacula, bacula_client, network, tree
):
    client = bacula_client(tree, machine=bacula.two)
    with network.without("two"):
        job = begin(client)
        follow(job, seconds=180)  # as 15 sometimes takes
    assert job.status == "failed"
    assert "Unable to connect to Client: two-fd" in job.message

    later = begin(client)
    follow(later, seconds=30)

    assert later.status == "completed", log_text(later)


def test_a_storage_that_is_lost_fails_the_backup_and_takes_the_next(
    bacula, bacula_client, network, large_tree
):
    client = bacula_client(large_tree)
    job = begin(client)
    with network.slow("one", SLOW):
        follow(job, until=is_in_the_middle, seconds=20)
        bacula.storage.kill()
        follow(job, seconds=40)
    assert job.status == "failed"
    assert "Network send error to SD" in job.message
    assert "Director's connection to SD for this Job was lost" in log_text(job)

    bacula.storage.start()
    later = begin(client)
    follow(later, seconds=30)

    assert later.status == "completed", log_text(later)


def test_a_backup_goes_on_while_the_director_hangs(bacula, bacula_client, network, large_tree):
    job = begin(bacula_client(large_tree))
    with network.slow("one", SLOW):
        follow(job, until=is_in_the_middle, seconds=20)
        with bacula.director.stopped():
            follow(job, until=waits, seconds=10)

    follow(job, seconds=30)

    assert job.status == "completed", log_text(job)
    assert "The Director can be reached again." in log_text(job)


def test_a_director_that_is_killed_fails_what_it_ran(bacula, bacula_client, network, large_tree):
    client = bacula_client(large_tree)
    job = begin(client)
    with network.slow("one", SLOW):
        follow(job, until=is_in_the_middle, seconds=20)
        bacula.director.kill()
        follow(job, until=waits, seconds=10)
        bacula.director.start()
        follow(job, seconds=30)
    assert job.status == "failed"
    assert "as after a crash of the Director" in job.message

    later = begin(client)
    follow(later, seconds=40)

    assert later.status == "completed", log_text(later)


def test_jobs_fail_when_the_director_stays_unreachable(bacula, bacula_client, network, large_tree):
    job = begin(bacula_client(large_tree))
    with network.slow("one", SLOW):
        follow(job, until=is_in_the_middle, seconds=20)
        bacula.director.kill()
        follow(job, seconds=20)

    assert job.status == "failed"
    assert "cannot be reached: Connection refused" in job.message
