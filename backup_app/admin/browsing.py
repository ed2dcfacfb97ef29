"""A page to browse the folders of a backup and restore a selection from it."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import parse_qs, urlencode

from django.contrib import messages
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse

from ..engines import get_engine
from ..exceptions import BackupError, InvalidEngine
from ..jobs import control
from ..lib import paths
from ..lib.formatting import format_timestamp
from .forms.restore import RestoreForm
from .look import CHECKBOX_CLASSES, TEMPLATES
from .shared import columns

PAGE_SIZE = 200  # entries of a folder
ICONS = {"directory": "folder", "symlink": "link", "hardlink": "file_copy", "file": "draft"}


@dataclass
class Browser:
    """One folder of a backup, for one request to the admin."""

    admin: Any
    request: Any
    job: Any

    def respond(self):
        if self.request.method != "POST":
            return self._show(RestoreForm())
        form = RestoreForm(self.request.POST)
        if not (self.may_restore and form.is_valid()):
            return self._show(form)
        return self._restore(form)

    @cached_property
    def path(self):
        """The folder's path as bytes, since file names need not be UTF-8."""
        query = parse_qs(self.request.META["QUERY_STRING"], errors="surrogateescape")
        return query.get("path", ["/"])[-1].encode(errors="surrogateescape")

    @property
    def may_restore(self):
        return self.admin.has_operate_permission(self.request)

    def _restore(self, form):
        data = form.cleaned_data
        path = data["path"].encode()
        by = self.request.user.get_username()
        try:
            selection = get_engine(self.job.engine).select_ids(
                self.job, data["nodes"], data["files"]
            )
            job = control.start_restore(self.job, self.job.client, selection, path=path, by=by)
        except (BackupError, InvalidEngine) as e:
            self.admin.message_user(self.request, str(e), messages.ERROR)
            return self._show(form)
        self.admin.log_change(self.request, self.job, f"Restore {job.pk} started.")
        self.admin.message_user(self.request, f"Restore {job.pk} started.", messages.SUCCESS)
        return redirect("admin:backup_app_job_change", job.pk)

    def _show(self, form):
        number = self.request.GET.get("p", "")
        page = int(number) if number.isascii() and number.isdecimal() and len(number) < 9 else 0
        try:
            listing = get_engine(self.job.engine).list_folder(
                self.job, self.path, offset=page * PAGE_SIZE, limit=PAGE_SIZE
            )
        except (BackupError, InvalidEngine) as e:
            self.admin.message_user(self.request, str(e), messages.ERROR)
            return redirect("admin:backup_app_job_change", self.job.pk)
        context = self._frame() | self._folder(listing, page) | {"form": form}
        return TemplateResponse(self.request, f"{TEMPLATES}/browse.html", context)

    def _frame(self):
        return {
            **self.admin.admin_site.each_context(self.request),
            "title": f"Backup {self.job.pk} of {self.job.client}",
            "media": self.admin.media,
            "opts": self.admin.opts,
            "original": self.job,
            "may_restore": self.may_restore,
            "checkbox": " ".join(CHECKBOX_CLASSES),
        }

    def _folder(self, listing, page):
        last = max(0, listing.total - 1) // PAGE_SIZE
        return {
            "node_id": listing.node_id,
            "is_chosen": self._is_chosen("nodes", listing.node_id),
            "crumbs": self._crumbs(listing.path),
            "rows": [self._row(file) for file in listing.files],
            "total": listing.total,
            "headers": ["Name", "Size", "Changed", "Mode", "Owner"],
            "previous": self._address(listing.path, page - 1) if page else None,
            "next": self._address(listing.path, page + 1) if page < last else None,
        }

    def _crumbs(self, path):
        steps = [step for step in path.split(b"/") if step]
        above = [b"/" + b"/".join(steps[:depth]) for depth in range(len(steps) + 1)]
        names = [b"/", *steps]
        return [
            {"name": paths.shown(name), "address": self._address(folder)}
            for name, folder in zip(names, above, strict=True)
        ]

    def _row(self, file):
        is_folder = file.node_id is not None
        field, number = ("nodes", file.node_id) if is_folder else ("files", file.file_id)
        return {
            "name": paths.shown(file.name),
            "address": self._address(file.path) if is_folder else None,
            "icon": ICONS.get(file.type, "settings_input_component"),
            "type": file.type,
            "field": field,
            "id": number,
            "is_chosen": self._is_chosen(field, number),
            "target": paths.shown(file.target) if file.target else "",
            "size": columns.size(file.size) if file.type == "file" else "",
            "changed": format_timestamp(file.mtime),
            "mode": f"{file.mode:04o}",
            "owner": f"{file.owner}:{file.group}",
        }

    def _is_chosen(self, field, number):
        """Whether it was checked, in a form that is shown again with its errors."""
        return str(number) in self.request.POST.getlist(field)

    def _address(self, path, page=0):
        query = {"path": path} | ({"p": page} if page else {})
        place = reverse("admin:backup_app_job_browse", args=[self.job.pk])
        return f"{place}?{urlencode(query)}"
