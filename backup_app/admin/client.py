from django.contrib.admin import action, register
from django.urls import reverse
from django.utils.html import format_html, format_html_join

from ..accounts import staff
from ..jobs import control
from ..lib import ssh_keys
from ..models import Client
from ..services import clients
from ..services.reports import protection
from .forms.client import ClientForm
from .look import ChoicesFilter, DropdownFilter, display
from .pages.client import ClientPage
from .pages.client_table import ClientTablePage
from .shared import bulk, columns
from .shared.filters import DeletedFilter, RelatedFilter
from .shared.owned import OwnedAdmin


class StandingFilter(DropdownFilter):
    """Clients by how well they are protected, as the start page counts them."""

    title = "protection"
    parameter_name = "protection"
    all_option = ["", "All"]

    def lookups(self, request, model_admin):
        return protection.Standing.choices

    def queryset(self, request, queryset):
        if self.value() not in protection.Standing.values:
            return queryset
        found = protection.by_standing(queryset)[protection.Standing(self.value())]
        return queryset.filter(pk__in=[client.pk for client in found])


@register(Client)
class ClientAdmin(ClientPage, ClientTablePage, OwnedAdmin):
    form = ClientForm
    list_display = [
        "name",
        "ip",
        "account",
        "zone",
        "schedule",
        "newest",
        "last_good_backup",
        "age",
    ]
    list_filter = [
        DeletedFilter,
        StandingFilter,
        *OwnedAdmin.list_filter,
        ("zone", RelatedFilter),
        ("system", ChoicesFilter),
        ("connection", ChoicesFilter),
    ]
    search_fields = ["name", "ip", "internal_ip", "account__email"]
    autocomplete_fields = ["account", "zone", "pool", "fileset"]
    actions = ["back_up", "back_up_fully", "mark_deleted", "undelete"]
    derived_fields = ["fingerprints", "protected", "jobs_link", "created", "deleted"]
    fieldsets = [
        (
            None,
            {
                "fields": [
                    ("account", "name"),
                    ("ip", "internal_ip"),
                    ("fileset", "pool"),
                    ("zone", "jobs_link"),
                    "schedule",
                    ("protected", "created"),
                    "deleted",
                ]
            },
        ),
        (
            "Connection",
            {
                "fields": [
                    ("system", "connection"),
                    ("ssh_user", "ssh_port"),
                    "agent_port",
                    ("priority", "bandwidth_limit"),
                    "host_key",
                    "fingerprints",
                ],
            },
        ),
    ]

    def get_queryset(self, request):
        related = "zone", "pool", "fileset", "account"
        clients = super().get_queryset(request).select_related(*related)
        return protection.with_standing(protection.with_backups(clients))

    def get_form(self, request, obj=None, **kwargs):
        form = super().get_form(request, obj, **kwargs)
        form.may_be_this_machine = request.user.has_perm(staff.SEES_ALL)
        return form

    def get_search_results(self, request, queryset, search_term):
        if request.resolver_match.url_name == "autocomplete":
            queryset = queryset.present()
        return super().get_search_results(request, queryset, search_term)

    def has_delete_permission(self, request, obj=None):
        """Clients are only marked as deleted, by an action of the list."""
        return obj is None and super().has_delete_permission(request)

    def has_change_permission(self, request, obj=None):
        """A deleted client is read-only until it is undeleted."""
        is_there = obj is None or obj.deleted is None
        return is_there and super().has_change_permission(request, obj)

    # Actions

    def get_actions(self, request):
        actions = super().get_actions(request)
        actions.pop("delete_selected", None)
        return actions

    @action(description="Back up now", permissions=["change"])
    def back_up(self, request, queryset):
        self._start(request, queryset, "Incremental")

    @action(description="Back up now (full)", permissions=["change"])
    def back_up_fully(self, request, queryset):
        self._start(request, queryset, "Full")

    def _start(self, request, queryset, level):
        related = queryset.select_related("fileset", "pool__storage__zone")
        by = request.user.get_username()
        start = lambda client: control.start_backup(client, level=level, by=by)  # noqa: E731
        bulk.run(self, request, related, "Backup started", start)

    @action(description="Delete", permissions=["delete"])
    def mark_deleted(self, request, queryset):
        bulk.run(self, request, queryset, "Deleted", clients.delete)

    @action(description="Undelete", permissions=["delete"])
    def undelete(self, request, queryset):
        bulk.run(self, request, queryset, "Undeleted", clients.restore)

    # Columns

    @display(description="last good backup", ordering="last_backup")
    def last_good_backup(self, client):
        return client.last_backup

    @display(description="age", ordering="-last_backup", label=columns.STANDING_COLOURS)
    def age(self, client):
        return protection.standing(client), columns.age(client.last_backup) or "none"

    @display(description="newest", ordering="last_status", label=columns.STATUS_COLOURS)
    def newest(self, client):
        return client.last_status

    @display(description="protected")
    def protected(self, client):
        return columns.size(client.protected_bytes)

    @display(description="fingerprints")
    def fingerprints(self, client):
        lines = ssh_keys.fingerprints(client.host_key)
        return format_html_join("", "<div><code>{}</code></div>", ((line,) for line in lines))

    @display(description="jobs")
    def jobs_link(self, client):
        if not client.pk:
            return None
        address = reverse("admin:backup_app_job_changelist")
        return format_html(columns.LINK, f"{address}?client__id__exact={client.pk}", "Show jobs")
