import pytest

from ..support.factories import UserFactory


@pytest.fixture
def user(client, request):
    """A user who is logged in to the admin: an Editor, or in the group that the test names."""
    user = UserFactory(role=getattr(request, "param", "Editor"), is_staff=True)
    client.force_login(user)
    return user
