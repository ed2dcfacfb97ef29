"""The resources that a Director gets from us, as Bacula reads them."""

from types import SimpleNamespace

import pytest

from backup_app.engines.bacula.config import resources
from backup_app.exceptions import EngineError
from backup_app.models import Client

from ..support import release
from ..support.parsing import parse

USES = {
    "client": "reader-client",
    "fileset": "reader-fileset",
    "pool": "reader-pool",
    "storage": "reader-storage",
    "messages": "Reader",
}
CENTURY = 36_500 * 24 * 3600


def one(text, tmp_path):
    (read,) = parse(text, tmp_path).values()
    return read


def make_client(**values):
    return Client(**{"ip": "192.0.2.7", "connection": "agent"} | values)


def test_a_client_is_never_pruned_by_bacula(tmp_path):
    text = resources.client("web1", make_client(), password="se\\cret", catalog="MyCatalog")

    assert one(text, tmp_path) == {
        "Name": "web1",
        "Address": "192.0.2.7",
        "FdPort": 9102,
        "Catalog": "MyCatalog",
        "Password": "se\\cret",
        "AutoPrune": False,
        "FileRetention": CENTURY,
        "JobRetention": CENTURY,
        "MaximumConcurrentJobs": 10,
    }


def test_a_client_is_reached_by_its_internal_address():
    client = make_client(internal_ip="2001:db8::7")

    assert resources.address(client) == "2001:db8::7"
    assert resources.address(make_client()) == "192.0.2.7"


def test_an_agent_is_reached_at_its_own_port():
    text = resources.client("web1", make_client(agent_port=9110), password="x", catalog="C")

    assert "FD Port = 9110\n" in text


def test_each_job_of_a_pool_has_volumes_of_its_own(tmp_path):
    read = one(resources.pool("bk-pool-2"), tmp_path)

    assert read["LabelFormat"] == "bk-pool-2-"
    assert read["MaximumVolumeJobs"] == 1
    assert read["ActionOnPurge"] == "Truncate"


def test_a_pool_is_never_pruned_by_bacula(tmp_path):
    read = one(resources.pool("bk-pool-2"), tmp_path)

    assert read["AutoPrune"] is False
    assert read["VolumeRetention"] == read["JobRetention"] == read["FileRetention"] == CENTURY


def test_a_storage_is_what_the_operator_wrote(tmp_path):
    values = {
        "address": "sd.example.org",
        "port": 9203,
        "password": 'a"b',
        "device": "Changer 1",
        "media_type": "File 1",
        "autochanger": True,
        "maximum_concurrent_jobs": 4,
    }

    read = one(resources.storage("disk", values), tmp_path)

    assert read == {
        "Name": "disk",
        "Address": "sd.example.org",
        "SdPort": 9203,
        "Password": 'a"b',
        "Device": ["Changer 1"],
        "MediaType": "File 1",
        "MaximumConcurrentJobs": 4,
        "Autochanger": "disk",
    }


def test_a_backup_job_remembers_what_was_deleted_and_does_not_begin_again(tmp_path):
    read = one(resources.backup_job("bk-backup-7", make_client(), **USES), tmp_path)

    assert read["Type"] == "Backup"
    assert read["Accurate"] is True
    assert read["AllowDuplicateJobs"] is False
    assert read["RescheduleIncompleteJobs"] is False
    assert read["MaximumConcurrentJobs"] == 1
    assert (read["Client"], read["Fileset"]) == ("reader-client", "reader-fileset")
    assert (read["Pool"], read["Storage"]) == ("reader-pool", ["reader-storage"])


def test_a_restore_that_is_told_no_place_replaces_nothing(tmp_path):
    read = one(resources.restore_job("bk-restore-7", **USES), tmp_path)

    assert read["Type"] == "Restore"
    assert read["Where"] == "/var/lib/bacula/restored"


def test_a_verification_reads_volumes(tmp_path):
    read = one(resources.verify_job("bk-verify-7", **USES), tmp_path)

    assert (read["Type"], read["Level"]) == ("Verify", "VolumeToCatalog")


def test_a_command_runs_on_the_client_before_nothing_is_verified(tmp_path):
    read = one(resources.command_job("bk-command-7-x", ["df", "-h"], **USES), tmp_path)

    (script,) = read["Runscript"]
    assert read["Type"] == "Verify"
    assert script["Command"] == "df -h"
    assert script == {"Command": "df -h"} | script


def test_a_job_of_what_has_no_name_in_bacula_is_refused():
    with pytest.raises(EngineError):
        resources.backup_job("bk-backup-7", make_client(), **USES | {"client": 'web1" } Job {'})


def test_a_value_with_a_line_break_is_refused():
    client = SimpleNamespace(ip="192.0.2.7\n}", internal_ip="", agent_port=9102)

    with pytest.raises(EngineError):
        resources.client("web1", client, password="x", catalog="MyCatalog")


def test_logs_go_to_the_catalog_and_nowhere_else(tmp_path):
    read = one(resources.messages("bk-messages"), tmp_path)

    (destination,) = read["Destinations"]
    assert destination["Type"] == "Catalog"
    # The printer of 15 leaves it out.
    assert release.VERSION == "15" or "!Saved" in destination["MsgTypes"]
