"""What ``manage.py check`` finds wrong with the token."""

import sys

import pytest

from backup_app import checks

TOKEN = "lighthouse-and-twelve-boats"


@pytest.fixture
def found(settings):
    def check(token):
        settings.BACKUP_METRICS_TOKEN = token
        return checks.check_settings()

    return check


@pytest.mark.parametrize("token", ["", "a" * 20, "aB0-._~+/aB0-._~+/aB0==", TOKEN])
def test_a_token_may_be_what_a_header_carries(found, token):
    assert found(token) == []


@pytest.mark.parametrize(
    "token", ["a" * 19, f"{TOKEN} boats", f"{TOKEN}é", f"{TOKEN}\n", f"={TOKEN}"]
)
def test_another_token_is_found_and_not_shown(found, token):
    [error] = found(token)

    assert (error.id, token in error.msg) == ("backup_app.E013", False)
    assert error.hint


def test_a_token_without_the_package_is_found(found, monkeypatch):
    monkeypatch.setitem(sys.modules, "prometheus_client", None)

    assert [error.id for error in found(TOKEN)] == ["backup_app.E014"]
    assert found("") == []
