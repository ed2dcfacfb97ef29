from backup_app.jobs import worker_id
from backup_app.jobs.worker_id import is_gone, this_worker


def test_this_process_is_not_gone():
    assert not is_gone(this_worker())
    assert not is_gone(this_worker("upkeep"))


def test_roles_tell_parts_of_a_process_apart():
    assert this_worker("upkeep") == f"{this_worker()}:upkeep"


def test_a_process_that_ended_is_gone(dead):
    assert is_gone(dead)


def test_a_process_number_that_is_used_again_is_another_process():
    host, pid, _ = this_worker().split(":")

    assert is_gone(f"{host}:{pid}:1")


def test_of_another_host_nothing_is_known():
    _, pid, started = this_worker().split(":")

    assert not is_gone(f"elsewhere:{pid}:{started}1")


def test_a_name_of_another_kind_is_not_gone():
    assert not is_gone("")
    assert not is_gone("me")


def test_without_proc_a_number_tells_a_process(monkeypatch, tmp_path, dead):
    monkeypatch.setattr(worker_id, "PROC", tmp_path)
    host, pid, _ = this_worker().split(":")
    ended = dead.split(":")[1]

    assert "/" not in host
    assert not is_gone(f"{host}:{pid}:0")
    assert not is_gone(f"{host}:1:0")
    assert is_gone(f"{host}:{ended}:0")
