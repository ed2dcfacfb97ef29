from django.contrib.admin import register
from django.db.models import Count, Q
from django.utils.html import format_html_join

from ..models import Fileset
from ..services.rules.locked_fields import locked_fields
from .forms.fileset import FilesetForm
from .look import display
from .shared.owned import OwnedAdmin

ADOPTED_FIELDS = [
    ("account", "name"),
    "folders",
    "excluded",
    ("engine_name", "verify"),
    "schedule",
]


@register(Fileset)
class FilesetAdmin(OwnedAdmin):
    form = FilesetForm
    list_display = ["name", "account", "content", "number_of_clients", "schedule", "verify"]
    list_select_related = ["account"]
    search_fields = ["name", "account__email"]
    fields = [
        ("account", "name"),
        "include",
        "exclude",
        "databases",
        ("one_filesystem", "verify"),
        ("compression", "schedule"),
    ]

    def get_fields(self, request, obj=None):
        """Show the content of an adopted fileset as far as its engine reports it."""
        return ADOPTED_FIELDS if obj and obj.is_adopted else self.fields

    def get_readonly_fields(self, request, obj=None):
        shown = ["folders", "excluded", "engine_name"] if locked_fields(obj) else []
        return [*super().get_readonly_fields(request, obj), *shown]

    def get_queryset(self, request):
        present = Count("clients", filter=Q(clients__deleted=None))
        return super().get_queryset(request).annotate(client_count=present)

    @display(description="folders and files")
    def folders(self, fileset):
        return _lines(each["path"] for each in fileset.include)

    @display(description="excluded")
    def excluded(self, fileset):
        return _lines(fileset.exclude)

    @display(description="folders, files and databases")
    def content(self, fileset):
        paths = [each["path"] for each in fileset.include]
        content = paths + [f"{each['kind']} {each['name']}" for each in fileset.databases]
        more = f" and {len(content) - 3} more" if len(content) > 3 else ""
        return ", ".join(content[:3]) + more

    @display(description="clients", ordering="client_count")
    def number_of_clients(self, fileset):
        return fileset.client_count


def _lines(texts):
    return format_html_join("", "<div><code>{}</code></div>", ((text,) for text in texts))
