import pytest
from django.contrib.auth.models import User
from django.db import transaction

# So that what they assert is shown in full, as it is in test files.
pytest.register_assert_rewrite(
    *(
        f"tests.backup_app.contract_{name}"
        for name in ("backups", "browsing", "restores", "setting")
    )
)


@pytest.fixture
def staff(client):
    """A superuser, logged in to the admin."""
    user = User.objects.create_superuser("staff@example.org")
    client.force_login(user)
    return user


@pytest.fixture(scope="module")
def world(django_db_setup, django_db_blocker):
    """The parties of ``world.py``, made once: each test takes back what it did."""
    from .world import make_world  # once there are settings

    with django_db_blocker.unblock(), transaction.atomic():
        yield make_world()
        transaction.set_rollback(True)
