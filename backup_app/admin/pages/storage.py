"""The page of a storage that lists its volumes, as the engine's catalog has them."""

from django.core.paginator import Paginator
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.html import format_html

from ...engines import get_engine
from ...exceptions import BackupError, InvalidEngine
from ..look import display
from ..shared import columns
from ..shared.pages import RecordPages, needs
from ..shared.paths import asked_number

PER_PAGE = 50
# By Bacula's status of a volume: what it means, and its colour.
STATES = {
    "Append": ("appendable", "success"),
    "Full": ("full", "info"),
    "Used": ("used", "info"),
    "Error": ("error", "danger"),
    "Purged": ("purged, can be used again", "warning"),
    "Recycle": ("can be used again", "warning"),
    "Read-Only": ("read-only", "info"),
    "Archive": ("archived", "info"),
    "Disabled": ("disabled", "warning"),
    "Cleaning": ("cleaning tape", "info"),
}


class StoragePage(RecordPages):
    """A storage's page of volumes, which nothing can be changed on, and the link to it."""

    record_pages = ["volumes"]

    @needs("view")
    def volumes(self, request, storage):
        number = max(asked_number(request.GET.get("p", "")), 1)
        try:
            engine = get_engine(storage.zone.engine)
            found = engine.list_volumes(storage, (number - 1) * PER_PAGE, PER_PAGE)
            free = engine.free_space(storage)
        except (BackupError, InvalidEngine) as e:
            self.message_user(request, str(e), "error")
            return self.to_record(storage)
        if number > 1 and not found.volumes:
            return redirect(request.path)
        context = {
            "title": f"Volumes of {storage}",
            "rows": [_row(each) for each in found.volumes],
            "total": found.total,
            "free": free,
            "page": Paginator(range(found.total), PER_PAGE).get_page(number),
        }
        return self.page(request, storage, "backup_app/admin/volumes.html", **context)

    @display(description="volumes")
    def volumes_link(self, storage):
        if not storage.pk or not _has_volumes(storage):
            return None
        address = reverse("admin:backup_app_storage_volumes", args=[storage.pk])
        return format_html(columns.LINK, address, "Show volumes")


def _has_volumes(storage):
    try:
        return get_engine(storage.zone.engine).supports_volumes
    except InvalidEngine:
        return False


def _row(volume):
    words, colour = STATES.get(volume.status, (volume.status.lower(), "info"))
    return {"volume": volume, "state": words, "colour": colour}
