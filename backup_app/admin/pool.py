from django.contrib.admin import register
from django.db.models import Sum

from ..models import Pool
from .forms.pool import PoolForm
from .look import display
from .shared import columns
from .shared.filters import RelatedFilter
from .shared.owned import OwnedAdmin


@register(Pool)
class PoolAdmin(OwnedAdmin):
    form = PoolForm
    list_display = ["name", "account", "storage", "retention_days", "keep_full", "used", "quota"]
    list_filter = [*OwnedAdmin.list_filter, ("storage", RelatedFilter)]
    list_select_related = ["account", "storage"]
    search_fields = ["name", "account__email"]
    autocomplete_fields = ["account", "storage"]
    derived_fields = ["used"]
    fields = [
        ("account", "name"),
        "storage",
        ("retention_days", "keep_full"),
        ("quota_bytes", "used"),
    ]

    def get_queryset(self, request):
        return super().get_queryset(request).annotate(stored=Sum("jobs__stored_bytes", default=0))

    @display(description="used", ordering="stored")
    def used(self, pool):
        return columns.size(getattr(pool, "stored", 0))

    @display(description="quota", ordering="quota_bytes")
    def quota(self, pool):
        return columns.size(pool.quota_bytes)
