"""What a job needs the Director knows before the job is started."""

import hashlib
import threading
from base64 import b64encode
from contextlib import suppress

import pytest
from django.db import connection

from backup_app.engines import get_engine
from backup_app.engines.bacula import names
from backup_app.engines.bacula.config import provisioning
from backup_app.engines.bacula.director.director import CatalogSelection
from backup_app.engines.bacula.engine import BaculaEngine
from backup_app.exceptions import EngineError, EngineUnreachable, InvalidEngine, WrongState
from tests.support.waiting import wait_for

from ....support.factories import ClientFactory, FilesetFactory, PoolFactory, StorageFactory
from ..support.file_daemons import agent
from ..support.installation import free_ports


@pytest.fixture
def engine(bacula):
    return get_engine()


@pytest.fixture
def our_client(bacula, bacula_client, tmp_path):
    """A client that the Director does not know yet, and whose file daemon runs."""
    client = bacula_client(engine_name="", agent_port=free_ports(1)[0], ip="127.0.0.1")
    with agent(client, tmp_path / "agent"):
        yield client


def prepare(engine, client, **other):
    uses = {"fileset": client.fileset, "pool": client.pool, "storage": client.pool.storage}
    return provisioning.prepare_backup(engine, client, **uses | other)


def run(engine, bacula, job, client, **words):
    with engine.director() as director:
        job_id = director.run(job, client=client, comment="test", **words)
    return job_id, bacula.wait(job_id)


def column(bacula, name, where):
    return [row[0] for row in bacula.query(f"SELECT {name} FROM {where}")]  # noqa: S608


def log(bacula, job_id):
    return column(bacula, "logtext", f"log WHERE jobid = {job_id}")


def test_a_client_that_was_there_is_backed_up_by_a_job_of_ours(bacula, bacula_client, engine, own):
    client = bacula_client(own)

    found = prepare(engine, client)

    assert found["client"] == "one-fd"
    assert found["storage"] == "File1"
    assert not [file for file in bacula.conf_d.glob("*.conf") if "Client {" in file.read_text()]
    job_id, status = run(engine, bacula, found["job"], found["client"], level="Full")
    assert status == "T"
    wait_for(lambda: any("Termination: " in line for line in log(bacula, job_id)))
    in_pool = f"media JOIN pool USING (poolid) WHERE name = '{found['pool']}'"
    (volume,) = column(bacula, "volumename", in_pool)
    assert volume.startswith(f"{found['pool']}-")


def test_a_client_that_is_configured_as_told_is_backed_up(bacula, our_client, engine, own):

    found = prepare(engine, our_client)

    assert found["client"] == names.of(engine, our_client)
    assert run(engine, bacula, found["job"], found["client"], level="Full")[1] == "T"


def test_a_backup_has_the_sha256_of_each_file(bacula, bacula_client, engine, own):
    found = prepare(engine, bacula_client(own / "first"))

    job_id, _ = run(engine, bacula, found["job"], found["client"], level="Full")

    (stored,) = column(bacula, "md5", f"file WHERE jobid = {job_id}")
    digest = hashlib.sha256(b"content of the first").digest()
    # In Bacula's own base64, without what would fill it up.
    assert stored == b64encode(digest).decode().rstrip("=")


def test_a_backup_may_use_another_fileset_and_pool(bacula, bacula_client, engine):
    client = bacula_client()
    other = FilesetFactory(include=[{"path": "/nonexistent"}])
    pool = PoolFactory(storage=client.pool.storage)

    found = prepare(engine, client, fileset=other, pool=pool)

    assert found["fileset"] == names.of(engine, other)
    with engine.director() as director:
        director.require("fileset", found["fileset"])
        director.require("pool", found["pool"])
        defaults = director.defaults("job", found["job"])
    assert defaults["fileset"] == names.of(engine, client.fileset)
    assert defaults["pool"] == names.of(engine, client.pool)


def test_what_was_adopted_is_used_as_it_is(bacula, bacula_client, engine):
    client = bacula_client()
    client.fileset.engine_name, client.pool.engine_name = "operator-files", "Default"
    client.fileset.save()
    client.pool.save()

    found = prepare(engine, client)

    assert (found["fileset"], found["pool"]) == ("operator-files", "Default")
    with engine.director() as director:
        assert director.defaults("job", found["job"])["fileset"] == "operator-files"
    assert not list(bacula.conf_d.glob("*-fileset-*"))
    assert not list(bacula.conf_d.glob("*-pool-*"))


def test_a_job_that_is_prepared_needs_no_director(bacula, our_client, engine):
    prepare(engine, our_client)
    bacula.director.kill()

    prepare(engine, our_client)


def test_a_fileset_that_is_changed_is_changed_for_the_director(bacula, bacula_client, engine):
    client = bacula_client()
    name = prepare(engine, client)["fileset"]
    client.fileset.exclude = ["*.tmp"]

    prepare(engine, client)

    assert 'Wild = "*.tmp"' in (bacula.conf_d / f"{name}.conf").read_text()


def test_a_command_runs_on_a_client_and_takes_no_volume(bacula, our_client, engine):
    job = provisioning.prepare_command(engine, our_client, ["echo", "hello", "world"])

    job_id, status = run(engine, bacula, job, names.of(engine, our_client))

    assert status == "T"
    this = f"jobid = {job_id}"
    assert any("ClientBeforeJob: hello world" in line for line in log(bacula, job_id))
    assert column(bacula, "volumename", f"media JOIN jobmedia USING (mediaid) WHERE {this}") == []
    assert column(bacula, "type", f"job WHERE {this}") == ["V"]


def test_a_command_of_a_client_that_is_not_found_runs_nowhere(bacula, our_client, engine):
    """As when it has just been taken out of the configuration: Bacula takes the job's own."""
    job = provisioning.prepare_command(engine, our_client, ["true"])

    with engine.director() as director:
        assert director.defaults("job", job)["client"] == names.placeholder(engine)
        assert director.defaults("client", names.placeholder(engine))["fdport"] == "9"


def test_clients_share_the_job_of_a_command(bacula, bacula_client, our_client, engine):
    first = provisioning.prepare_command(engine, our_client, ["true"])

    assert provisioning.prepare_command(engine, bacula_client(ip="127.0.0.2"), ["true"]) == first


def test_all_clients_come_with_the_first(bacula, bacula_client, engine):
    first = bacula_client(machine=bacula.one)
    second = bacula_client(machine=bacula.two, ip="127.0.0.2")
    elsewhere = ClientFactory(pool__storage__zone__engine="other")

    prepare(engine, first)

    with engine.director() as director:
        jobs = director.ask(".jobs")
    assert names.for_client(engine, "backup", second) in {line.strip() for line in jobs}
    assert not (bacula.conf_d / f"{names.for_client(engine, 'client', elsewhere)}.conf").exists()


def test_a_client_is_prepared_though_another_one_is_wrong(bacula, bacula_client, engine):
    """Its name is none that Bacula takes, and no client of the Director has it."""
    first = bacula_client(machine=bacula.one)
    bacula_client(engine_name="a/b", ip="127.0.0.2", pool=first.pool, fileset=first.fileset)
    bacula_client(engine_name="gone-fd", ip="127.0.0.3", pool=first.pool, fileset=first.fileset)

    found = prepare(engine, first)

    with engine.director() as director:
        assert director.defaults("job", found["job"])["client"] == "one-fd"


def test_a_command_that_fails_fails_its_job(bacula, our_client, engine):
    job = provisioning.prepare_command(engine, our_client, ["false"])

    job_id, status = run(engine, bacula, job, names.of(engine, our_client))

    assert status == "f"
    assert any("returned non-zero status=1" in line for line in log(bacula, job_id))


def test_a_command_runs_without_a_storage_daemon(bacula, our_client, engine):
    job = provisioning.prepare_command(engine, our_client, ["true"])
    bacula.storage.kill()

    assert run(engine, bacula, job, names.of(engine, our_client))[1] == "T"


def test_a_backup_is_verified(bacula, our_client, engine, own):
    found = prepare(engine, our_client)
    backup, _ = run(engine, bacula, found["job"], found["client"], level="Full")

    job = provisioning.prepare(engine, "verify", our_client)

    assert run(engine, bacula, job, found["client"], jobid=backup)[1] == "T"


def test_a_client_of_another_engine_is_backed_up_verified_and_restored(
    bacula, bacula_client, bacula_zone, engine, tmp_path, own
):
    """As one whose backups went here once, or that is told another pool for once."""
    elsewhere = PoolFactory(storage__zone__engine="other")
    here = PoolFactory(account=elsewhere.account, storage=bacula_zone.storages.get())
    client = bacula_client(pool=elsewhere)

    found = prepare(engine, client, pool=here, storage=here.storage)
    words = {"level": "Full", "pool": found["pool"], "storage": found["storage"]}
    backup, status = run(engine, bacula, found["job"], found["client"], **words)
    assert status == "T"
    job = provisioning.prepare(engine, "verify", client)
    storage = {"storage": found["storage"]}
    assert run(engine, bacula, job, found["client"], jobid=backup, **storage)[1] == "T"

    files = [int(number) for number in column(bacula, "fileid", f"file WHERE jobid = {backup}")]
    with engine.director() as director:
        restore = director.restore(
            CatalogSelection(jobs=[backup], files=files),
            job=provisioning.prepare(engine, "restore", client),
            source=found["client"],
            client=found["client"],
            where=str(tmp_path / "restored"),
            comment="test",
        )
    assert bacula.wait(restore) == "T"
    restored = tmp_path / "restored" / own.relative_to("/") / "first"
    assert restored.read_text() == "content of the first"


def test_there_is_a_job_to_restore_to_each_client(bacula, our_client, engine):
    job = provisioning.prepare(engine, "restore", our_client)

    with engine.director() as director:
        assert director.defaults("job", job)["client"] == names.of(engine, our_client)


def test_a_client_that_is_forgotten_leaves_nothing(bacula, our_client, engine):
    found = prepare(engine, our_client)
    provisioning.prepare(engine, "restore", our_client)
    provisioning.prepare_command(engine, our_client, ["true"])
    run(engine, bacula, found["job"], found["client"], level="Full")

    provisioning.forget_client(engine, our_client)

    assert found["client"] not in column(bacula, "name", "client")
    with engine.director() as director:
        assert found["client"] not in director.names("client")
        assert found["job"] not in director.names("job")
    left = {file.name.removeprefix(bacula.prefix) for file in bacula.conf_d.glob("*.conf")}
    assert {name.partition("-")[0] for name in left} == {
        "fileset",
        "pool",
        "common.conf",
        "nobody.conf",
        "command",
    }


def test_a_forgotten_client_that_was_there_stays(bacula, bacula_client, engine):
    client = bacula_client()
    found = prepare(engine, client)
    run(engine, bacula, found["job"], found["client"], level="Full")

    provisioning.forget_client(engine, client)

    assert "one-fd" in column(bacula, "name", "client")
    with engine.director() as director:
        assert "one-fd" in director.names("client")
        assert found["job"] not in director.names("job")


def test_a_client_that_nobody_knew_may_be_forgotten(bacula_client, engine):
    provisioning.forget_client(engine, bacula_client(engine_name=""))


def test_storages_of_the_operators_file_are_added(bacula, bacula_client, tmp_path):
    file = tmp_path / "storages.toml"
    file.write_text('[disk2]\naddress = "127.0.0.1"\npassword = "x"\ndevice = "Dev"\n')
    engine = BaculaEngine(**bacula.options(storages=str(file)))
    client = bacula_client()
    storage = StorageFactory(name="disk2", zone=client.zone)

    found = prepare(engine, client, storage=storage)

    assert found["storage"] == "disk2"
    with engine.director() as director:
        assert director.defaults("storage", "disk2")["address"] == "127.0.0.1"


def test_a_wrong_file_of_storages_is_a_fault_of_the_settings(bacula, bacula_client, tmp_path):
    file = tmp_path / "storages.toml"
    file.write_text("[disk2]\n")
    engine = BaculaEngine(**bacula.options(storages=str(file)))
    client = bacula_client()

    with pytest.raises(InvalidEngine):
        prepare(engine, client, storage=StorageFactory(name="disk2", zone=client.zone))


def test_many_are_prepared_at_once(bacula, bacula_client, engine):
    client = bacula_client()
    filesets = FilesetFactory.create_batch(3)
    prepare(engine, client)
    wrong = []

    def work(fileset):
        try:
            prepare(get_engine(), client, fileset=fileset)
        except EngineError as e:
            wrong.append(e)
        finally:
            connection.close()

    threads = [threading.Thread(target=work, args=[fileset]) for fileset in filesets]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert wrong == []
    with engine.director() as director:
        known = director.names("fileset")
    assert known >= {names.of(engine, each) for each in filesets}


def test_an_unreachable_director_is_reported(bacula, our_client, engine):
    bacula.director.kill()

    with pytest.raises(EngineUnreachable):
        prepare(engine, our_client)


def test_without_a_configuration_folder_nothing_is_added(bacula, bacula_client):
    engine = BaculaEngine(**bacula.options(config_dir=""))
    client = bacula_client()

    with pytest.raises(WrongState):
        prepare(engine, client)

    provisioning.forget_client(engine, client)


def test_too_many_reloads_are_reported(bacula, bacula_client, engine):
    """It has room for 32 that jobs still use."""
    client = bacula_client()
    job = provisioning.prepare_command(engine, client, ["sleep", "100"])
    with engine.director() as director:
        job_id = director.run(job, client="one-fd", comment="test")
        for _ in range(40):
            with suppress(EngineError):  # Bacula 15 refuses those
                director.ask("reload")
    other = FilesetFactory(account=client.account)

    with pytest.raises(EngineError) as refusal:
        prepare(engine, client, fileset=other)

    assert "While a job runs it accepts at most 32 reloads." in refusal.value.message
    with engine.director() as director:
        director.cancel(job_id)
    bacula.wait(job_id)
    assert prepare(engine, client, fileset=other)["fileset"] == names.of(engine, other)
