"""Root's password, which is used once and kept nowhere."""

import logging

import pytest
from django.apps import apps
from django.core.serializers import serialize

from backup_app.models import AuditEntry, Client

from ....support.answering_engine import AnsweringEngine, answering_engine
from ....support.factories import ClientFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("answering")]
PASSWORD = "hunter2-secret-of-root"


class TestPassword:
    @pytest.fixture
    def sent(self, api, storage):
        data = {"name": "web1", "IP": "192.0.2.1", "password": PASSWORD}
        return lambda: api.post("/api/genconfig/unix", data)

    def test_it_is_not_used_unless_the_operator_allows_it(self, sent):
        assert sent().json()["key_installed"] is False
        assert AnsweringEngine.installed == []

    def test_it_installs_the_key(self, sent, settings):
        settings.BACKUP_INSTALL_KEYS = True

        assert sent().json()["key_installed"] is True
        assert AnsweringEngine.installed == [("web1", PASSWORD)]

    def test_nothing_is_installed_without_one(self, api, storage, settings):
        settings.BACKUP_INSTALL_KEYS = True
        data = {"name": "web1", "IP": "192.0.2.1", "password": ""}

        assert api.post("/api/genconfig/unix", data).json()["key_installed"] is False

    def test_this_machine_needs_no_key(self, api, account, settings):
        settings.BACKUP_INSTALL_KEYS = True
        ClientFactory(account=account, name="web1", connection="local")
        data = {"name": "web1", "password": PASSWORD}

        assert api.post("/api/genconfig/unix", data).json()["key_installed"] is False

    @pytest.mark.parametrize(
        ("options", "status"), [({"unreachable": True}, 503), ({"refuses": True}, 502)]
    )
    def test_a_client_that_rejects_the_password_is_kept_and_audited(
        self, sent, settings, options, status
    ):
        settings.BACKUP_INSTALL_KEYS = True
        with answering_engine(**options):
            response = sent()

        assert response.status_code == status
        assert Client.objects.get().name == "web1"
        noted = AuditEntry.objects.get()
        assert (noted.operation, noted.outcome) == ("generate_config", "refused")
        assert noted.detail == response.json()["error"]

    def test_password_attempts_on_clients_are_limited(self, sent, api, settings):
        settings.BACKUP_INSTALL_KEYS = True
        with answering_engine(refuses=True):
            guesses = [sent().status_code for _ in range(11)]

        assert guesses == [502] * 10 + [429]
        assert 1 <= int(sent().headers["Retry-After"]) <= 60
        without = api.post("/api/genconfig/unix", {"name": "web1"})
        assert without.status_code == 200

    @pytest.mark.parametrize("install", [True, False])
    @pytest.mark.parametrize("options", [{}, {"refuses": True}])
    def test_the_password_is_stored_and_logged_nowhere(
        self, sent, settings, caplog, install, options
    ):
        settings.BACKUP_INSTALL_KEYS = install
        caplog.set_level(logging.DEBUG)
        caplog.set_level(logging.INFO, "django.db.backends")
        with answering_engine(**options):
            response = sent()

        models = [model for model in apps.get_models() if model._meta.managed]
        rows = "".join(serialize("json", model._base_manager.all()) for model in models)
        assert "web1" in rows
        assert PASSWORD not in rows
        assert PASSWORD not in response.content.decode()
        assert PASSWORD not in caplog.text
