from django.contrib.admin import register

from ..lib.formatting import format_time
from ..models import Mailbox
from .forms.mailbox import MailboxForm
from .look import display
from .shared import columns
from .shared.base import BackupAdmin
from .shared.filters import RelatedFilter


@register(Mailbox)
class MailboxAdmin(BackupAdmin):
    form = MailboxForm
    account_field = "client__account"
    list_display = ["mailbox", "client", "pst_file", "kilobytes", "changed", "store_path"]
    list_filter = [("client", RelatedFilter)]
    list_select_related = ["client"]
    search_fields = ["mailbox", "client__name"]
    autocomplete_fields = ["client"]
    readonly_fields = ["pst_file", "kilobytes", "changed", "found_in"]
    fieldsets = [
        (None, {"fields": ["mailbox", "client", "store_path"]}),
        (
            "Newest PST file",
            {"fields": ["pst_file", ("kilobytes", "changed"), "found_in"]},
        ),
    ]

    def get_queryset(self, request):
        return super().get_queryset(request).select_related("client", "job")

    @display(description="PST file", ordering="pst_path")
    def pst_file(self, mailbox):
        return mailbox.pst_path or None

    @display(description="changed", ordering="pst_mtime")
    def changed(self, mailbox):
        return format_time(mailbox.pst_mtime)

    @display(description="size", ordering="pst_size")
    def kilobytes(self, mailbox):
        return columns.size(mailbox.pst_size)

    @display(description="found in")
    def found_in(self, mailbox):
        return columns.link(mailbox.job)
