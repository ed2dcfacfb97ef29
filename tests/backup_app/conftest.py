import pytest
from django.contrib.auth.models import User

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
