import socket
from datetime import timedelta

import pytest
from django.core.management import CommandError
from django.db.migrations.recorder import MigrationRecorder
from django.db.utils import ConnectionHandler
from django.utils import timezone

from backup_app.jobs import readiness
from backup_app.models import Worker
from config.environment import services
from config.serving import health
from tests.backup_app.support.factories import ClientFactory


@pytest.fixture
def worker():
    return Worker.objects.create(name="one", process="here")


def ready(client):
    response = client.get("/readyz")
    return response.status_code, response.json()


def test_a_process_that_answers_is_alive(client):
    response = client.get("/healthz")

    assert response.status_code == 200
    assert response.json() == {"status": "ok"}
    assert "no-store" in response["Cache-Control"]


@pytest.mark.django_db
def test_all_is_ready(client, worker):
    assert ready(client) == (200, {"status": "ok", "checks": dict.fromkeys(health.CHECKS, "ok")})


@pytest.mark.django_db
def test_a_worker_without_heartbeat_is_reported(client, worker):
    Worker.objects.update(seen=timezone.now() - timedelta(minutes=1))

    status, body = ready(client)

    assert (status, body["checks"]["worker"]) == (503, "No background worker is running.")


@pytest.mark.django_db
def test_an_unapplied_migration_is_reported(client, worker):
    MigrationRecorder.Migration.objects.filter(app="config", name="0001_initial").delete()

    status, body = ready(client)

    assert status == 503
    assert body == {
        "status": "unavailable",
        "checks": {
            "database": "ok",
            "migrations": "1 migrations are not applied, config.0001_initial among them.",
            "worker": "ok",
            "backups": "ok",
        },
    }
    with pytest.raises(CommandError, match=r"config\.0001_initial .* migrate"):
        health.require_migrations()


@pytest.mark.django_db
def test_obstacles_to_backups_are_reported(client, worker):
    machine = ClientFactory()
    readiness.note_faults()

    status, body = ready(client)

    storage = machine.pool.storage
    assert (status, body["checks"]["backups"]) == (
        503,
        f"On {socket.gethostname()}: The storage '{storage}' has no folder '/nonexistent'.",
    )


@pytest.mark.django_db
def test_readiness_takes_few_queries(client, worker, django_assert_max_num_queries):
    ready(client)

    with django_assert_max_num_queries(5):
        ready(client)


@pytest.mark.django_db
def test_a_database_that_does_not_answer_is_reported(client, worker, monkeypatch, tmp_path):
    away = services.database("postgres://127.0.0.1:1/none", tmp_path)
    monkeypatch.setattr(health, "connection", ConnectionHandler({"default": away})["default"])

    status, body = ready(client)

    assert (status, body["status"]) == (503, "unavailable")
    assert body["checks"]["database"] == "The database does not answer."
    assert client.get("/healthz").status_code == 200


def test_probes_need_no_https(client, settings):
    settings.SECURE_SSL_REDIRECT = True

    assert client.get("/healthz").status_code == 200
    assert client.get("/").status_code == 301
