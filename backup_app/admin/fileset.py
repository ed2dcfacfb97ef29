from django.contrib.admin import register
from django.db.models import Count, Q
from unfold.decorators import display

from ..forms import FilesetForm
from ..models import Fileset
from .owned import OwnedAdmin


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

    def get_queryset(self, request):
        present = Count("clients", filter=Q(clients__deleted=None))
        return super().get_queryset(request).annotate(client_count=present)

    @display(description="folders, files and databases")
    def content(self, fileset):
        paths = [each["path"] for each in fileset.include]
        all_of_it = paths + [f"{each['kind']} {each['name']}" for each in fileset.databases]
        more = f" and {len(all_of_it) - 3} more" if len(all_of_it) > 3 else ""
        return ", ".join(all_of_it[:3]) + more

    @display(description="clients", ordering="client_count")
    def number_of_clients(self, fileset):
        return fileset.client_count
