"""The space of storages, of which some do not answer."""

import threading
from dataclasses import dataclass
from typing import ClassVar

import pytest
from django.test import override_settings

from backup_app.monitoring import storages
from backup_app.services.reports import storage_space

from ..support.answering_engine import AnsweringEngine, answering_engine
from ..support.factories import JobFactory, StorageFactory, ZoneFactory

pytestmark = pytest.mark.django_db
LABELS = "disk", "north"


@dataclass
class HangingEngine(AnsweringEngine):
    """Tells the space of a storage only once it is told to."""

    asked: ClassVar[list] = []
    may_answer: ClassVar = threading.Event()

    def disk_usage(self, storage):
        self.asked.append(storage.name)
        self.may_answer.wait(60)
        return 1000, 100


HANGING = {"default": {"BACKEND": f"{__name__}.HangingEngine"}}


def found():
    """Return the value of each metric of the only storage."""
    return {
        family.name.removeprefix("backup_storage_"): sample.value
        for family in storages.families()
        for sample in family.samples
        if tuple(sample.labels.values()) == LABELS
    }


@pytest.mark.parametrize(
    ("capacity", "disk", "expected"),
    [
        (None, (1000, 400), {"capacity_bytes": 1000, "free_bytes": 400}),
        (600, (1000, 200), {"capacity_bytes": 600, "free_bytes": 200}),
        (300, (1000, 400), {"capacity_bytes": 300, "free_bytes": 50}),
        (300, None, {"capacity_bytes": 300, "free_bytes": 50}),
        (None, None, {}),
    ],
)
def test_they_are_as_the_api_tells_them(storage, capacity, disk, expected):
    storage.capacity = capacity
    storage.save()
    JobFactory(client__pool__storage=storage, status="completed", stored_bytes=250)

    with answering_engine(disk=disk):
        assert found() == {**expected, "stored_bytes": 250, "responsive": 1}


@pytest.mark.parametrize("options", [{"unreachable": True}, {"refuses": True}])
def test_one_whose_engine_fails_is_unknown(storage, options):
    with answering_engine(**options):
        assert found() == {"stored_bytes": 0, "responsive": 1}


def test_one_without_an_engine_is_unknown(storage):
    storage.zone.engine = "gone"
    storage.zone.save()

    assert found() == {"stored_bytes": 0, "responsive": 1}


def test_one_that_hangs_is_told_so_and_asked_only_once(storage, monkeypatch):
    monkeypatch.setattr(storage_space, "TIMEOUT", 0.2)
    StorageFactory(name="other", zone=ZoneFactory(name="south", engine="quick"))
    quick = {"BACKEND": f"{AnsweringEngine.__module__}.AnsweringEngine"}

    with override_settings(BACKUP_ENGINES=HANGING | {"quick": quick}):
        assert found() == found() == {"stored_bytes": 0, "responsive": 0}
        assert HangingEngine.asked == ["disk"]
        [reader] = storage_space._unanswered.values()
        HangingEngine.may_answer.set()
        reader.join(60)
        assert found()["free_bytes"] == 100
    assert storage_space._unanswered == {}
