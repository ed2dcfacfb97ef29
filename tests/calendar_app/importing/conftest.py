import pytest

from ..support.factories import UserFactory


@pytest.fixture
def editor():
    return UserFactory(role="Editor", email="editor@example.org")
