"""Priorities and bandwidth limits of clients: read, refused, and only where an engine has them."""

import pytest
from django.urls import reverse

from backup_app.exceptions import Invalid, WrongState
from backup_app.models import Client
from backup_app.services import clients

from ...support.admin_pages import change, done, errors
from ...support.answering_engine import AnsweringEngine, answering_engine
from ...support.factories import ClientFactory, StorageFactory

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def engine(monkeypatch):
    """An engine that has limits."""
    monkeypatch.setattr(AnsweringEngine, "connections", ("agent",))
    monkeypatch.setattr(AnsweringEngine, "supports_limits", True)
    with answering_engine():
        yield AnsweringEngine


@pytest.fixture
def save(account):
    StorageFactory()
    new = {"ip": "192.0.2.1", "system": "unix"}
    return lambda **values: clients.save(account, "web1", **new | values)


@pytest.fixture
def machine(account):
    limits = {"priority": 20, "bandwidth_limit": 5000}
    return ClientFactory(account=account, ip="192.0.2.2", connection="agent", **limits)


def form_of(machine):
    """Return what the form of a client sends when nothing is changed in it."""
    names = ["name", "ip", "system", "connection", "ssh_user", "ssh_port", "agent_port"]
    related = {name: getattr(machine, f"{name}_id") for name in ("zone", "pool", "fileset")}
    same = {name: getattr(machine, name) for name in names}
    return same | related | {"priority": 20, "bandwidth_limit": "5 kB"}


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ({"priority": 10, "bandwidth_limit": 1000}, (10, 1000)),
        ({"priority": " 100 ", "bandwidth_limit": "1.5 MB"}, (100, 1_500_000)),
        ({"priority": "", "bandwidth_limit": ""}, (None, None)),
        ({}, (None, None)),
    ],
)
def test_they_are_stored_as_numbers(save, given, stored):
    made = Client.objects.get(pk=save(**given).pk)

    assert (made.priority, made.bandwidth_limit) == stored


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("priority", 9, "9 is less than 10."),
        ("priority", "101", "101 is more than 100."),
        ("priority", "-1", "-1 is less than 10."),
        ("priority", "high", "“high” value must be an integer."),
        ("priority", "1" * 5000, None),
        ("bandwidth_limit", 999, "999 bytes per second is less than 1 kB."),
        ("bandwidth_limit", "0", "0 bytes per second is less than 1 kB."),
        ("bandwidth_limit", "fast", "'fast' is not a size, such as 500 GB, 1.5 TiB or a number"),
        ("bandwidth_limit", "9999999 PB", "'9999999 PB' is more than"),
    ],
)
def test_a_wrong_one_is_refused(save, name, value, sentence):
    with pytest.raises(Invalid) as refusal:
        save(**{name: value})

    ((said, *more),) = refusal.value.fields.values()
    assert (list(refusal.value.fields), more) == ([name], [])
    assert said.startswith(sentence or "“111")
    assert not Client.objects.exists()


def test_an_engine_without_them_is_said(save, engine, monkeypatch, machine):
    monkeypatch.setattr(engine, "supports_limits", False)
    refusal = "has no priorities and bandwidth limits of clients: leave both empty."

    with pytest.raises(WrongState, match=refusal):
        save(priority=20)
    with pytest.raises(WrongState, match=refusal):
        clients.save(machine.account, machine.name, system="unix")
    both = {"priority": None, "bandwidth_limit": None}
    clients.save(machine.account, machine.name, system="unix", **both)


class TestForm:
    def test_a_limit_is_shown_and_entered_in_readable_units(self, client, staff, machine):
        address = reverse("admin:backup_app_client_change", args=[machine.pk])
        assert 'value="5 kB"' in client.get(address).content.decode()

        done(change(client, machine, form_of(machine) | {"bandwidth_limit": "2 MB"}))

        machine.refresh_from_db()
        assert (machine.priority, machine.bandwidth_limit) == (20, 2_000_000)

    def test_that_of_an_adopted_client_is_ours(self, client, staff, machine):
        machine.engine_name = "web1-fd"
        machine.save()

        done(change(client, machine, form_of(machine) | {"priority": 30, "bandwidth_limit": ""}))

        machine.refresh_from_db()
        assert (machine.priority, machine.bandwidth_limit) == (30, None)

    def test_wrong_ones_are_refused_at_their_fields(self, client, staff, machine):
        wrong = {"priority": 5, "bandwidth_limit": "500"}

        assert errors(change(client, machine, form_of(machine) | wrong)) == {
            "priority": ["5 is less than 10."],
            "bandwidth_limit": ["500 bytes per second is less than 1 kB."],
        }
