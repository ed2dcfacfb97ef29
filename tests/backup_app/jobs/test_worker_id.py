import subprocess
import sys

from backup_app.jobs.worker_id import is_gone, this_worker


def test_this_process_is_not_gone():
    assert not is_gone(this_worker())
    assert not is_gone(this_worker("upkeep"))


def test_roles_tell_parts_of_a_process_apart():
    assert this_worker("upkeep") == f"{this_worker()}:upkeep"


def test_a_process_that_ended_is_gone():
    code = "from backup_app.jobs.worker_id import this_worker; print(this_worker())"
    name = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert is_gone(name.stdout.strip())


def test_a_process_number_that_is_used_again_is_another_process():
    host, pid, _ = this_worker().split(":")

    assert is_gone(f"{host}:{pid}:1")


def test_of_another_host_nothing_is_known():
    _, pid, started = this_worker().split(":")

    assert not is_gone(f"elsewhere:{pid}:{started}1")


def test_a_name_of_another_kind_is_not_gone():
    assert not is_gone("")
    assert not is_gone("me")
