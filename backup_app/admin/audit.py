from django.contrib.admin import register

from ..models import AuditEntry
from .look import ChoicesFilter, TextFilter, display
from .shared.base import BackupAdmin, ReadOnly
from .shared.filters import RelatedFilter

COLOURS = {"done": "success", "refused": "warning", "wrong login": "danger"}


@register(AuditEntry)
class AuditEntryAdmin(ReadOnly, BackupAdmin):
    account_field = "account"
    list_display = [
        "time", "login", "account", "operation", "target", "outcome_label", "count", "address"
    ]  # fmt: skip
    list_filter = [
        ("outcome", ChoicesFilter),
        ("account", RelatedFilter),
        ("operation", TextFilter),
        ("address", TextFilter),
    ]
    list_select_related = ["account"]
    date_hierarchy = "time"
    search_fields = ["login", "target", "detail"]
    fields = [
        "time",
        ("login", "account"),
        ("operation", "target"),
        ("outcome", "detail"),
        ("address", "count"),
    ]

    @display(description="outcome", ordering="outcome", label=COLOURS)
    def outcome_label(self, entry):
        return entry.outcome, entry.get_outcome_display()
