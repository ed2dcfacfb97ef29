from django.contrib.admin import action, register
from django.db.models import OuterRef, Subquery
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from unfold.contrib.filters.admin import ChoicesDropdownFilter
from unfold.decorators import display

from .. import host_keys, jobs
from ..forms import ClientForm
from ..models import Client, Job
from . import bulk, columns
from .filters import DeletedFilter, RelatedFilter
from .owned import OwnedAdmin


@register(Client)
class ClientAdmin(OwnedAdmin):
    form = ClientForm
    list_display = [
        "name",
        "ip",
        "account",
        "zone",
        "system",
        "connection",
        "schedule",
        "last_good",
        "age",
    ]
    list_filter = [
        DeletedFilter,
        *OwnedAdmin.list_filter,
        ("zone", RelatedFilter),
        ("system", ChoicesDropdownFilter),
        ("connection", ChoicesDropdownFilter),
    ]
    list_select_related = ["account", "zone"]
    search_fields = ["name", "ip", "internal_ip", "account__email"]
    autocomplete_fields = ["account", "zone", "pool", "fileset"]
    actions = ["back_up", "back_up_fully"]
    derived_fields = ["fingerprints", "jobs_link", "created", "deleted"]
    fieldsets = [
        (
            None,
            {
                "fields": [
                    ("account", "name"),
                    ("ip", "internal_ip"),
                    ("fileset", "pool"),
                    ("zone", "schedule"),
                    "jobs_link",
                    ("created", "deleted"),
                ]
            },
        ),
        (
            "Connection",
            {
                "classes": ["tab"],
                "fields": [
                    ("system", "connection"),
                    ("ssh_user", "ssh_port"),
                    "host_key",
                    "fingerprints",
                ],
            },
        ),
    ]

    def get_queryset(self, request):
        good = Job.objects.backups().good().filter(client=OuterRef("pk")).order_by("-id")
        clients = super().get_queryset(request).select_related("zone", "pool", "fileset", "account")
        return clients.annotate(last_good=Subquery(good.values("ended")[:1]))

    def get_search_results(self, request, queryset, search_term):
        if request.resolver_match.url_name == "autocomplete":
            queryset = queryset.present()
        return super().get_search_results(request, queryset, search_term)

    def has_delete_permission(self, request, obj=None):
        """Clients are only marked as deleted, and from the list."""
        return obj is None and super().has_delete_permission(request)

    # Actions

    def get_actions(self, request):
        actions = super().get_actions(request)
        actions.pop("delete_selected", None)
        return actions

    @action(description="Back up now", permissions=["change"])
    def back_up(self, request, queryset):
        self._start(request, queryset, "Incremental")

    @action(description="Back up now, fully", permissions=["change"])
    def back_up_fully(self, request, queryset):
        self._start(request, queryset, "Full")

    def _start(self, request, queryset, level):
        related = queryset.select_related("fileset", "pool__storage__zone")
        by = request.user.get_username()
        start = lambda client: jobs.start_backup(client, level=level, by=by)  # noqa: E731
        bulk.run(self, request, related, "Backup started", start)

    # Columns

    @display(description="last good backup", ordering="last_good")
    def last_good(self, client):
        return client.last_good

    @display(description="age", ordering="-last_good")
    def age(self, client):
        return columns.age(client.last_good)

    @display(description="fingerprints")
    def fingerprints(self, client):
        lines = host_keys.fingerprints(client.host_key)
        return format_html_join("", "<div><code>{}</code></div>", ((line,) for line in lines))

    @display(description="jobs")
    def jobs_link(self, client):
        address = reverse("admin:backup_app_job_changelist")
        return format_html(columns.LINK, f"{address}?client__id__exact={client.pk}", "Show them")
