import json
from urllib.parse import urlsplit

from django.contrib import messages
from django.contrib.admin import RelatedOnlyFieldListFilter, action, register
from django.utils.html import format_html

from .. import permissions
from ..models import Event, Webhook, WebhookDelivery
from ..webhooks import deliveries
from .forms.webhook import WebhookForm
from .history.log import Logged
from .look import ModelAdmin, display

COLOURS = {"waiting": "info", "delivered": "success", "failed": "danger"}


class SeesWhatIsTold:
    """Only who may read all events sees what is told of events that the public may not see."""

    def get_queryset(self, request):
        found = super().get_queryset(request)
        if permissions.may_edit_others(request.user, Event):
            return found
        return found.filter(sees_all=False)


@register(Webhook)
class WebhookAdmin(SeesWhatIsTold, Logged, ModelAdmin):
    form = WebhookForm
    list_display = ["name", "place", "told", "sees_all", "is_active"]
    list_filter = ["is_active"]
    search_fields = ["name", "url"]
    actions = ["replace_secret"]
    readonly_fields = ["place", "key"]

    def get_form(self, request, obj=None, change=False, **kwargs):
        form = super().get_form(request, obj, change, **kwargs)
        form.may_see_all = permissions.may_edit_others(request.user, Event)
        return form

    def get_fieldsets(self, request, obj=None):
        """Show URL and secret only to those who may change the webhook, and could replace them."""
        may_change = not obj or self.has_change_permission(request, obj)
        where, key = ("url", ["key"] if obj else []) if may_change else ("place", [])
        return [(None, {"fields": ["name", where, "types", "sees_all", "is_active", *key]})]

    def get_search_fields(self, request):
        """Search URLs only for those who may see them: others could guess one by letters."""
        may_see = self.has_change_permission(request)
        return [name for name in self.search_fields if may_see or name != "url"]

    def save_model(self, request, obj, form, change):
        obj.secret = obj.secret or deliveries.new_secret()
        super().save_model(request, obj, form, change)

    @action(description="Replace the secret", permissions=["change"])
    def replace_secret(self, request, queryset):
        for webhook in queryset:
            deliveries.replace_secret(webhook)
            self.log_change(request, webhook, "Replaced the secret.")
        self.message_user(request, f"Secrets replaced: {len(queryset)}.", messages.SUCCESS)

    @display(description="URL")
    def place(self, webhook):
        """Return where a webhook leads without its path, which is often a password."""
        parts = urlsplit(webhook.url)
        return f"{parts.scheme}://{parts.netloc}/…"

    @display(description="sent when")
    def told(self, webhook):
        return ", ".join(kind.removeprefix("event.") for kind in webhook.types)

    @display(description="secret")
    def key(self, webhook):
        return format_html('<code class="webhook-secret">{}</code>', webhook.secret)


@register(WebhookDelivery)
class WebhookDeliveryAdmin(SeesWhatIsTold, ModelAdmin):
    list_display = ["created", "webhook", "type", "event_id", "state", "attempts", "outcome"]
    list_filter = ["status", "type", ("webhook", RelatedOnlyFieldListFilter)]
    list_select_related = ["webhook"]
    search_fields = ["=event_id", "=message_id"]
    date_hierarchy = "created"
    list_per_page = 50
    show_full_result_count = False
    actions = ["send_again"]
    fields = [
        ("webhook", "message_id"),
        ("type", "event_id"),
        ("status", "attempts"),
        "outcome",
        ("created", "next_attempt", "delivered"),
        "content",
    ]
    readonly_fields = ["content", "message_id"]

    def has_add_permission(self, request):
        return False

    has_delete_permission = has_change_permission = lambda self, request, obj=None: False

    def has_send_permission(self, request):
        return request.user.has_perm("calendar_app.change_webhook")

    @action(description="Send again", permissions=["send"])
    def send_again(self, request, queryset):
        sent = 0
        for delivery in queryset:
            if why := deliveries.refusal(delivery):
                self.message_user(request, f"“{delivery}” is not sent: {why}", messages.ERROR)
            else:
                deliveries.send_again(delivery)
                sent += 1
        self.message_user(request, f"Sent again: {sent}.", messages.SUCCESS)

    @display(description="status", ordering="status", label=COLOURS)
    def state(self, delivery):
        return delivery.status, delivery.get_status_display()

    @display(description="content")
    def content(self, delivery):
        body = json.loads(delivery.body)
        text = json.dumps(body, indent=2, ensure_ascii=False)
        return format_html('<pre class="webhook-content">{}</pre>', text)
