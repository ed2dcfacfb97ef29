from django.contrib.admin import register
from django.db.models import Count, Q

from ..accounts import subusers
from ..models import Client, Grant, Subuser
from .forms.subuser import SubuserForm
from .look import InlineFormSet, TabularInline, display
from .shared.owned import OwnedAdmin


class GrantFormSet(InlineFormSet):
    def save_new(self, form, commit=True):
        return subusers.grant(self.instance, form.cleaned_data["client"])


class GrantInline(TabularInline):
    """The clients of the account that a subuser may see."""

    model = Grant
    formset = GrantFormSet
    verbose_name, verbose_name_plural = "client", "clients"
    fields = ["client", "created"]
    readonly_fields = ["created"]
    extra = 0
    hide_title = True

    def get_queryset(self, request):
        return super().get_queryset(request).select_related("client", "subuser")

    def get_formset(self, request, obj=None, **kwargs):
        request.account_of_subuser = obj.account_id
        return super().get_formset(request, obj, **kwargs)

    def formfield_for_foreignkey(self, db_field, request, **kwargs):
        own = Client.objects.present().filter(account=request.account_of_subuser)
        return super().formfield_for_foreignkey(db_field, request, queryset=own, **kwargs)

    def has_change_permission(self, request, obj=None):
        return False


@register(Subuser)
class SubuserAdmin(OwnedAdmin):
    form = SubuserForm
    list_display = ["login", "full_name", "email", "account", "granted", "bmr", "can_log_in"]
    list_filter = [*OwnedAdmin.list_filter, "bmr"]
    list_select_related = ["account"]
    search_fields = ["login", "first_name", "last_name", "email"]
    derived_fields = ["created", "can_log_in"]
    inlines = [GrantInline]
    fields = [
        ("account", "login"),
        ("first_name", "last_name"),
        ("email", "bmr"),
        "new_password",
        ("can_log_in", "created"),
    ]

    def get_queryset(self, request):
        present = Count("clients", filter=Q(clients__deleted=None))
        return super().get_queryset(request).annotate(client_count=present)

    def save_model(self, request, obj, form, change):
        super().save_model(request, obj, form, change)
        if password := form.cleaned_data["new_password"]:
            subusers.set_password(obj, password)

    def get_inlines(self, request, obj):
        return self.inlines if obj else []

    @display(description="name", ordering="last_name")
    def full_name(self, subuser):
        return f"{subuser.first_name} {subuser.last_name}"

    @display(description="clients", ordering="client_count")
    def granted(self, subuser):
        return subuser.client_count

    @display(description="can log in", boolean=True)
    def can_log_in(self, subuser):
        return bool(subuser.password)
