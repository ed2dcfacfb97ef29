"""Command lines that are run on clients."""

import pytest

from backup_app.models import AuditEntry

from ....support.answering_engine import answering_engine
from ....support.api_client import refused
from ....support.factories import ClientFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("answering")]


class TestCommands:
    def test_an_allowed_line_is_run_in_words(self, api, account):
        client = ClientFactory(account=account, name="web1")

        response = api.post(f"/api/run/{client.ip}", {"cmd": " df  -h "})

        assert response.json() == {"result": "web1: df|-h\n"}

    @pytest.mark.parametrize(
        "line", ["df -h /", "df", "uptime; id", "UPTIME", "rm -rf /", "df '-h'"]
    )
    def test_another_is_forbidden_and_says_what_is_not(self, api, account, line):
        client = ClientFactory(account=account)

        assert refused(api.post(f"/api/run/{client.ip}", {"cmd": line}), 403) == (
            f"The command '{line}' is not allowed. "
            "Allowed: 'uptime', 'df -h', 'df -P', 'free -m', 'uname -a', 'hostname'."
        )

    @pytest.mark.parametrize("data", [{}, {"cmd": ""}, {"cmd": " "}, {"cmd": ["df", "-h"]}])
    def test_a_line_must_be_named(self, api, account, data):
        client = ClientFactory(account=account)

        assert api.post(f"/api/run/{client.ip}", data).status_code == 400

    def test_the_operator_says_what_is_allowed(self, api, account, settings):
        settings.BACKUP_COMMANDS = ["ls /srv"]
        client = ClientFactory(account=account)

        assert api.post(f"/api/run/{client.ip}", {"cmd": "ls /srv"}).status_code == 200
        assert api.post(f"/api/run/{client.ip}", {"cmd": "uptime"}).status_code == 403

    @pytest.mark.parametrize(
        ("options", "status"), [({"unreachable": True}, 503), ({"refuses": True}, 502)]
    )
    def test_an_engine_that_cannot_says_so(self, api, account, options, status):
        client = ClientFactory(account=account)
        with answering_engine(**options):
            assert api.post(f"/api/run/{client.ip}", {"cmd": "uptime"}).status_code == status

    def test_each_run_is_noted(self, api, account):
        client = ClientFactory(account=account)
        api.post(f"/api/run/{client.ip}", {"cmd": "uptime"})
        api.post(f"/api/run/{client.ip}", {"cmd": "id"})

        noted = AuditEntry.objects.order_by("pk").values_list("operation", "target", "outcome")
        assert list(noted) == [
            ("run", f"{client.ip} uptime", "done"),
            ("run", f"{client.ip} id", "refused"),
        ]
