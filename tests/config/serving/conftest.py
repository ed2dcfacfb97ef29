import pytest

from ..support.server import serving


@pytest.fixture(scope="session")
def service_behind_proxy(tmp_path_factory):
    """A service whose visitors' addresses a proxy tells; tests of it share the group "service"."""
    with serving(tmp_path_factory.mktemp("data"), BEHIND_PROXY="true") as service:
        yield service
