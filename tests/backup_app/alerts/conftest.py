import pytest

from backup_app.alerts import webhook
from backup_app.models import AlertRule

from ..support.receivers import http_receiver, mail_server


@pytest.fixture
def mailbox(settings):
    """The mailbox of a mail server on this machine, to which Django sends."""
    with mail_server(settings) as mailbox:
        yield mailbox


@pytest.fixture
def receiver(settings):
    """An HTTP server on this machine, to which webhooks may be sent."""
    settings.BACKUP_WEBHOOK_NETWORKS = "127.0.0.1"
    with http_receiver() as receiver:
        yield receiver


@pytest.fixture
def mail_rule(db):
    """The operator's rule: all events of all accounts, by mail."""
    return AlertRule.objects.create(name="on call", target="ops@example.org")


@pytest.fixture
def hook_rule(db, receiver):
    secret = webhook.new_secret()
    return AlertRule.objects.create(
        name="chat", channel="webhook", target=receiver.url, secret=secret
    )
