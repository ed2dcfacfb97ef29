"""Whether the Director reaches a client."""

import pytest

from backup_app.engines import get_engine
from backup_app.exceptions import EngineError, EngineUnreachable

pytestmark = pytest.mark.django_db


def test_a_client_that_runs_is_reached(bacula, bacula_client):
    get_engine().require_connection(bacula_client())


def test_a_client_that_does_not_run_is_not(bacula, bacula_client, settings):
    client = bacula_client(machine=bacula.two, ip="127.0.0.2")
    settings.BACKUP_ENGINES["default"]["OPTIONS"] = bacula.options(answer_seconds=2)
    bacula.two.daemon.stop()

    with pytest.raises(EngineUnreachable, match="Client 'two-fd' did not answer the Director"):
        get_engine().require_connection(client)


def test_a_client_whose_daemon_expects_another_password_is_not(bacula, bacula_client, operator):
    text = (bacula.operator_d / "two-fd.conf").read_text().replace("two-fd", "stranger-fd")
    operator(text.replace(bacula.two.password, "another password"))

    with pytest.raises(EngineError, match="stranger-fd"):
        get_engine().require_connection(bacula_client(engine_name="stranger-fd"))


def test_nobody_else_is_asked_for_a_client_that_the_director_does_not_have(bacula, bacula_client):
    with pytest.raises(EngineError, match="The Director has no client 'nosuch-fd'") as refused:
        get_engine().require_connection(bacula_client(engine_name="nosuch-fd"))

    assert not isinstance(refused.value, EngineUnreachable)
