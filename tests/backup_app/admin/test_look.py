"""How the pages of the admin look, wide and narrow, light and dark; all can use them."""

import pytest

from ..support.factories import ClientFactory, JobFactory

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_list_of_jobs(viewer):
    client = ClientFactory(name="web1", account=viewer.user)
    for status in ["completed", "warnings", "failed"]:
        JobFactory(client=client, status=status)

    viewer.open("/admin/backup_app/job/")

    viewer.inspect("jobs")
