import json

from django.contrib.admin import action, register
from django.utils.dateparse import parse_datetime
from django.utils.html import format_html, format_html_join

from ..alerts import deliveries
from ..lib.formatting import format_time
from ..models import AlertDelivery
from .look import ChoicesFilter, badge, display
from .shared import bulk
from .shared.base import BackupAdmin, ReadOnly
from .shared.filters import RelatedFilter
from .shared.pages import ActionButtons

COLOURS = {"waiting": "info", "sent": "success", "given up": "danger"}


@register(AlertDelivery)
class AlertDeliveryAdmin(ActionButtons, ReadOnly, BackupAdmin):
    account_field = "rule__account"
    list_display = ["created", "title", "rule", "event", "status_label", "tries", "outcome"]
    list_display_links = ["title"]
    list_filter = [("status", ChoicesFilter), ("rule", RelatedFilter)]
    list_select_related = ["rule"]
    date_hierarchy = "created"
    search_fields = ["title", "rule__name"]
    actions = ["send_again"]
    readonly_fields = ["badge", "log", "content", "message_id"]

    def get_queryset(self, request):
        return super().get_queryset(request).select_related("rule")

    def get_fields(self, request, obj=None):
        """Tell when the next attempt is due only if there is one."""
        due = ["due"] if obj and obj.status == AlertDelivery.Status.WAITING else []
        return [
            "title",
            ("rule", "event"),
            ("badge", "tries"),
            ("created", "sent"),
            (*due, "message_id"),
            "log",
            "content",
        ]

    def has_operate_permission(self, request):
        """Users who may change deliveries may send them again; nobody edits their records."""
        return request.user.has_perm("backup_app.change_alertdelivery")

    @action(description="Send again", permissions=["operate"])
    def send_again(self, request, queryset):
        bulk.run(self, request, queryset, "Sent again", deliveries.send_again)

    @display(description="status", ordering="status", label=COLOURS)
    def status_label(self, delivery):
        return delivery.status, delivery.get_status_display()

    @display(description="status")
    def badge(self, delivery):
        return badge(delivery.get_status_display(), COLOURS[delivery.status])

    @display(description="outcome")
    def outcome(self, delivery):
        return delivery.attempts[-1]["outcome"] if delivery.attempts else None

    @display(description="log")
    def log(self, delivery):
        attempts = delivery.attempts
        lines = [(format_time(parse_datetime(each["time"])), each["outcome"]) for each in attempts]
        return format_html_join("", "<div>{} {}</div>", lines) or None

    @display(description="content")
    def content(self, delivery):
        text = json.dumps(delivery.body, indent=2, ensure_ascii=False)
        return format_html('<pre class="wrapped">{}</pre>', text)
