"""Values as several of the admin's lists and pages show them."""

from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.timesince import timesince

from ...lib import formatting
from ...services.reports.protection import Standing

STATUS_COLOURS = {
    "queued": "info",
    "running": "info",
    "canceling": "warning",
    "completed": "success",
    "warnings": "warning",
    "failed": "danger",
    "canceled": "warning",
}
STANDING_COLOURS = {
    Standing.NEVER: "danger",
    Standing.OVERDUE: "danger",
    Standing.FAILING: "warning",
    Standing.PROTECTED: "success",
}
LINK = '<a href="{}" class="text-primary-600 underline dark:text-primary-400">{}</a>'


def size(number):
    """Return a number of bytes in human-readable form, None for None."""
    return None if number is None else formatting.size(number)


def age(moment):
    """Return how long ago a moment was, in its largest unit; None for None."""
    if moment is None:
        return None
    passed = timesince(moment, timezone.now(), depth=1)
    return f"{passed} ago"


def link(record, text=None):
    """Return a link to the page of a record of this app, None for None."""
    if record is None:
        return None
    address = reverse(f"admin:backup_app_{record._meta.model_name}_change", args=[record.pk])
    return format_html(LINK, address, text or record)


def duration(started, ended):
    """Return how long something took or has taken so far, as 1:02:03; None if it never began."""
    if started is None:
        return None
    return clock(((ended or timezone.now()) - started).total_seconds())


def clock(seconds):
    """Return seconds as 1:02:03."""
    seconds = int(seconds)
    return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
