"""Priorities and bandwidth limits of clients, as a real Director and its file daemons keep them."""

import os
import time

from backup_app.engines import get_engine
from backup_app.engines.bacula import names
from backup_app.engines.bacula.config import provisioning
from tests.support.waiting import wait_for

from ..support.file_daemons import agent
from ..support.installation import free_ports
from ..support.jobs import fill_slowly

LIMIT, SIZE = 500_000, 1_500_000


def begin(client):
    """Begin a full backup of a client; return its JobId."""
    engine = get_engine()
    uses = client.fileset, client.pool, client.pool.storage
    found = provisioning.prepare_backup(engine, client, *uses)
    with engine.director() as director:
        return director.run(**found, level="Full", comment="test")


def catalog_status(bacula, job_id):
    return bacula.query(f"SELECT jobstatus FROM job WHERE jobid = {job_id}")[0][0]  # noqa: S608


def status(director, job_id):
    """Return the letter that the Director has for a job which has not ended."""
    blocks = "".join(director.ask(".status dir running")).split("\n\n")
    (block,) = [block.splitlines() for block in blocks if f"jobid={job_id}\n" in block]
    return next(line.partition("=")[2] for line in block if line.startswith("status="))


def test_the_director_has_the_limits_of_a_clients_backups(bacula, bacula_client):
    client = bacula_client(priority=20, bandwidth_limit=LIMIT)
    engine = get_engine()
    provisioning.prepare(engine, "restore", client)

    def shown(kind):
        return bacula.bconsole(f"show job={names.for_client(engine, kind, client)}")

    assert " Priority=20 " in shown("backup")
    assert f"MaximumBandwidth={LIMIT}\n" in shown("backup")
    assert " Priority=10 " in shown("restore")
    client.priority = client.bandwidth_limit = None
    provisioning.prepare(engine, "restore", client)
    assert " Priority=10 " in shown("backup")
    assert "Bandwidth" not in shown("backup")


def test_a_client_sends_no_faster_than_its_limit(bacula, bacula_client, own, tmp_path):
    (own / "large").write_bytes(os.urandom(SIZE))
    limits = {"bandwidth_limit": LIMIT, "ip": "127.0.0.1", "agent_port": free_ports(1)[0]}
    client = bacula_client(own, engine_name="", **limits)
    # Bacula does not limit what goes over TLS.
    with agent(client, tmp_path / "agent", tls=False):
        began = time.monotonic()
        assert bacula.wait(begin(client)) == "T"

    assert time.monotonic() - began > SIZE / LIMIT


def test_a_backup_waits_for_those_with_a_smaller_priority_alone(
    bacula, bacula_client, own, director
):
    fill_slowly(own)
    first = bacula_client(own, priority=20)
    here = {"machine": bacula.two, "pool": first.pool}
    last = bacula_client(bacula.conf_d, priority=30, ip="127.0.0.2", **here)
    urgent = bacula_client(bacula.conf_d, ip="127.0.0.3", **here)
    slow = begin(first)
    wait_for(lambda: catalog_status(bacula, slow) == "R")

    late, quick = begin(last), begin(urgent)

    assert bacula.wait(quick) == "T"
    assert catalog_status(bacula, slow) == "R"
    assert status(director, late) == "p"
    director.cancel(slow)
    assert bacula.wait(late) == "T"
