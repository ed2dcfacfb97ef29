"""The settings, by Django's system checks."""

from collections.abc import Iterator

from django.core import checks

from .finding import Finding, failed, ok


def examine() -> Iterator[Finding]:
    """Yield what the system checks of the whole project find; those of databases are topics."""
    found = [each for each in checks.run_checks() if _counts(each)]
    for message in found:
        yield failed(str(message.msg), message.hint or "", message.id or "")
    if not found:
        yield ok("All system checks pass.")


def _counts(message: checks.CheckMessage) -> bool:
    return message.level >= checks.WARNING and not message.is_silenced()
