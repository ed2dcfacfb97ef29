import pytest
from django_tasks_db.models import DBTaskResult

from calendar_app.models import Webhook
from calendar_app.webhooks import deliveries


@pytest.fixture
def make_webhook(db, published_site):
    """A function that makes a webhook at the site, which answers with 204."""
    published_site.page("/hook", status=204)

    def make(**fields):
        defaults = {"name": "Mirror", "url": published_site.url("/hook?token=hidden")}
        return Webhook.objects.create(**defaults | {"secret": deliveries.new_secret()} | fields)

    return make


@pytest.fixture
def work(db):
    """A function that runs the tasks of webhooks that are due, as the worker does."""

    def work(*, at_most=20):
        for _ in range(at_most):
            job = DBTaskResult.objects.ready().filter(task_path__contains="webhooks").first()
            if job is None:
                return
            job.claim("tests")
            job.task.call(*job.args_kwargs["args"])
            job.set_successful(None)

    return work
