"""An engine that answers for its machines at once, for tests of what asks it."""

from dataclasses import dataclass
from typing import ClassVar

from django.test import override_settings

from backup_app.engines.base import Engine
from backup_app.engines.values import ClientConfig, System
from backup_app.exceptions import EngineError, EngineUnreachable

NAME = "tests.backup_app.support.answering_engine.AnsweringEngine"


def answering_engine(**options):
    """Return settings by which the default engine is an AnsweringEngine."""
    return override_settings(BACKUP_ENGINES={"default": {"BACKEND": NAME, "OPTIONS": options}})


@dataclass
class AnsweringEngine(Engine):
    """Knows unix and, if told, windows; ``unreachable`` and ``refuses`` fail as they say."""

    windows: bool = False
    unreachable: bool = False
    refuses: bool = False
    disk: tuple[int, int] | None = None
    supports_commands = True
    supports_key_installation = True
    installed: ClassVar[list] = []  # (client, password) of each key that was installed

    def systems(self):
        known = [System("unix", "Unix", "GNU tar")]
        return [*known, System("windows", "Windows")] if self.windows else known

    def client_config(self, client):
        self._work()
        return ClientConfig("setup.sh", f"# {client.name}\n")

    def install_key(self, client, password):
        self._work()
        self.installed.append((client.name, password))

    def run_command(self, client, command):
        self._work()
        return f"{client.name}: {'|'.join(command)}\n"

    def disk_usage(self, storage):
        self._work()
        return self.disk

    def _work(self):
        if self.unreachable:
            raise EngineUnreachable("The engine is away.")
        if self.refuses:
            raise EngineError("The engine says no.")
