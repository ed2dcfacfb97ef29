"""A page to browse the folders of a backup and select what to restore or download."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import parse_qs

from django.contrib import messages
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse

from ..engines import get_engine
from ..exceptions import BackupError, InvalidEngine
from ..lib import paths
from ..lib.formatting import format_timestamp
from ..services.files import finding
from ..services.files.selected_downloads import KINDS
from .forms.restore import SelectionForm
from .shared import columns
from .shared.paths import asked_number, asked_path, query, steps
from .shared.selection import KeptSelection

PAGE_SIZE = 200  # entries of a folder


@dataclass
class Browser:
    """One folder of a backup, for one request to the admin."""

    admin: Any
    request: Any
    job: Any

    def respond(self):
        if "deepest" in self.request.GET:
            return self._open_deepest()
        if self.request.method == "POST" and self.may_restore:
            return self._select()
        return self._show()

    @cached_property
    def path(self):
        return asked_path(self.request)

    @cached_property
    def kept(self):
        return KeptSelection(self.request, self.job)

    @property
    def may_restore(self):
        return self.admin.has_operate_permission(self.request)

    def _open_deepest(self):
        try:
            path = finding.deepest_common_folder(self.job)
        except (BackupError, InvalidEngine) as e:
            return self._refuse(e)
        return redirect(self._address(path))

    def _select(self):
        """Keep what is checked, then go where the pressed button leads."""
        form = SelectionForm(self.request.POST)
        sent = self.request.POST
        if not form.is_valid():
            for errors in form.errors.values():
                self.admin.message_user(self.request, " ".join(errors), messages.ERROR)
            return self._show()
        try:
            self.kept.update(form.shown, form.chosen)
            if "clear" in sent:
                self.kept.replace()
            if "plan" in sent or "download" in sent:
                self.kept.selection()
        except (BackupError, InvalidEngine) as e:
            self.admin.message_user(self.request, str(e), messages.ERROR)
            return self._show()
        return self._follow(sent)

    def _follow(self, sent):
        if "plan" in sent:
            return redirect("admin:backup_app_job_plan", self.job.pk)
        if "download" in sent:
            place = reverse("admin:backup_app_job_selected", args=[self.job.pk])
            return redirect(f"{place}?{query(kind=sent['download'])}")
        wanted = parse_qs(sent.get("to", ""), errors="surrogateescape")
        path = wanted.get("path", [""])[-1].encode(errors="surrogateescape") or self.path
        return redirect(self._address(path, asked_number(wanted.get("p", ["0"])[-1])))

    def _refuse(self, error):
        self.admin.message_user(self.request, str(error), messages.ERROR)
        return redirect("admin:backup_app_job_change", self.job.pk)

    def _show(self):
        page = asked_number(self.request.GET.get("p", ""))
        try:
            listing = get_engine(self.job.engine).list_folder(
                self.job, self.path, offset=page * PAGE_SIZE, limit=PAGE_SIZE
            )
        except (BackupError, InvalidEngine) as e:
            return self._refuse(e)
        context = self._frame() | self._folder(listing, page)
        return TemplateResponse(self.request, "backup_app/admin/browse.html", context)

    def _frame(self):
        return {
            **self.admin.admin_site.each_context(self.request),
            "title": f"Backup {self.job.pk} of {self.job.client}",
            "media": self.admin.media,
            "opts": self.admin.opts,
            "original": self.job,
            "may_restore": self.may_restore,
            "selected": len(self.kept),
            "kinds": KINDS,
        }

    def _folder(self, listing, page):
        last = max(0, listing.total - 1) // PAGE_SIZE
        return {
            "node_id": listing.node_id,
            "is_chosen": self._is_chosen("nodes", listing.node_id),
            "crumbs": [
                {"name": name, "address": self._address(path), "query": query(path=path)}
                for name, path in steps(listing.path)
            ],
            "rows": [self._row(file) for file in listing.files],
            "total": listing.total,
            "previous": self._page(listing.path, page - 1) if page else None,
            "next": self._page(listing.path, page + 1) if page < last else None,
        }

    def _row(self, file):
        is_folder = file.node_id is not None
        field, number = ("nodes", file.node_id) if is_folder else ("files", file.file_id)
        versions = reverse("admin:backup_app_client_versions", args=[self.job.client_id])
        return {
            "name": paths.shown(file.name),
            "address": self._address(file.path) if is_folder else None,
            "query": query(path=file.path),
            "versions": f"{versions}?{query(path=file.path)}",
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
        return self.kept.has(field, number)

    def _page(self, path, number):
        return {"address": self._address(path, number), "query": query(path=path, p=number)}

    def _address(self, path, page=0):
        place = reverse("admin:backup_app_job_browse", args=[self.job.pk])
        return f"{place}?{query(path=path, p=page or None)}"
