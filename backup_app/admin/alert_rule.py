from django.contrib.admin import action, register
from django.db.models import Count
from django.utils.html import format_html, format_html_join

from ..accounts import staff
from ..alerts import deliveries, webhook
from ..models import AlertRule, Client
from ..models.alert import AlertEvent
from .forms.alert_rule import AlertRuleForm
from .look import ChoicesFilter, display
from .shared import bulk, columns
from .shared.owned import OwnedAdmin
from .shared.pages import ActionButtons


@register(AlertRule)
class AlertRuleAdmin(ActionButtons, OwnedAdmin):
    form = AlertRuleForm
    list_display = ["name", "whose", "channel", "place", "told", "problems", "enabled"]
    list_filter = [*OwnedAdmin.list_filter, ("channel", ChoicesFilter)]
    list_select_related = ["account"]
    search_fields = ["name", "target", "account__email"]
    autocomplete_fields = ["account", "clients"]
    actions = ["send_test", "renew_secret"]
    derived_fields = ["place", "key", "open_problems"]

    def get_queryset(self, request):
        rules = super().get_queryset(request)
        return rules.annotate(number=Count("states", distinct=True))

    def get_form(self, request, obj=None, **kwargs):
        form = super().get_form(request, obj, **kwargs)
        form.may_be_operators = request.user.has_perm(staff.SEES_ALL)
        return form

    def formfield_for_manytomany(self, db_field, request, **kwargs):
        kwargs["queryset"] = staff.visible(request.user, Client.objects.all())
        return super().formfield_for_manytomany(db_field, request, **kwargs)

    def get_fieldsets(self, request, obj=None):
        """Show URL and secret only to those who may change the rule, and who could replace them."""
        may_change = not obj or self.has_change_permission(request, obj)
        what = [("name", "enabled"), "account", "clients", "events", "summary"]
        where = ["channel", "target" if may_change else "place"]
        if obj and obj.secret and may_change:
            where.append("key")
        now = [("Now", {"fields": ["open_problems"]})] if obj else []
        return [(None, {"fields": what}), ("Where to", {"fields": where}), *now]

    def get_search_fields(self, request):
        """Search targets only for those who may see them: others could guess one by letters."""
        may_see = self.has_change_permission(request)
        return [name for name in self.search_fields if may_see or name != "target"]

    def actions_of(self, rule):
        return self.actions if rule.secret else ["send_test"]

    def save_model(self, request, obj, form, change):
        if obj.channel == AlertRule.Channel.WEBHOOK and not obj.secret:
            obj.secret = webhook.new_secret()
        super().save_model(request, obj, form, change)

    @action(description="Send a test", permissions=["change"])
    def send_test(self, request, queryset):
        bulk.run(self, request, queryset, "A test is on its way", deliveries.send_test)

    @action(description="Replace the secret", permissions=["change"])
    def renew_secret(self, request, queryset):
        webhooks = queryset.filter(channel=AlertRule.Channel.WEBHOOK)
        bulk.run(self, request, webhooks, "The secret was replaced", webhook.renew_secret)

    @display(description="account", ordering="account")
    def whose(self, rule):
        return rule.account or "all (operator's)"

    @display(description="target")
    def place(self, rule):
        return rule.place

    @display(description="tells")
    def told(self, rule):
        events = [AlertEvent(event).label for event in rule.events if event in AlertEvent]
        told = ["everything"] if len(events) == len(AlertEvent) else events
        summary = [f"{rule.summary} summary"] if rule.summary else []
        return ", ".join([*told, *summary])

    @display(description="problems", ordering="number")
    def problems(self, rule):
        return rule.number

    @display(description="secret")
    def key(self, rule):
        return format_html('<code class="wrapped">{}</code>', rule.secret)

    @display(description="problems that it knows of")
    def open_problems(self, rule):
        states = rule.states.select_related("client", "storage", "backup")
        lines = [
            (state.get_event_display(), _subject(state), columns.age(state.since))
            for state in states
        ]
        return format_html_join("", "<div>{}: {}, {}</div>", lines) or "none"


def _subject(state):
    return columns.link(state.backup) or columns.link(state.client) or columns.link(state.storage)
