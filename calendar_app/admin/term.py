from django.contrib import messages
from django.contrib.admin import register
from django.contrib.admin.views.main import ORDER_VAR
from django.shortcuts import redirect

from .. import permissions
from ..exceptions import CalendarError
from ..models import Category, Event, Tag
from ..services import terms
from .forms.term import CategoryForm, TagForm
from .history.views import Histories
from .look import ModelAdmin, NumberRangeFilter, display
from .shared.columns import ApiLink
from .shared.filters import RelatedFilter
from .shared.prose import ProsePages
from .transfer import Transfers

INDENT = "\N{EM SPACE}"


class TermAdmin(Histories, ApiLink, ProsePages, Transfers, ModelAdmin):
    list_filter = [("count", NumberRangeFilter)]
    list_filter_submit = True
    list_per_page = 100
    show_full_result_count = False
    search_fields = ["name", "slug", "description"]
    prepopulated_fields = {"slug": ["name"]}
    readonly_fields = ["count", "api_link"]

    def has_view_permission(self, request, obj=None):
        # Terms are public, and authors of events choose among them.
        return super().has_view_permission(request, obj) or permissions.may_write(
            request.user, Event
        )

    def save_model(self, request, obj, form, change):
        terms.save(obj)

    def delete_model(self, request, obj):
        terms.delete(obj)

    def delete_queryset(self, request, queryset):
        terms.delete(*queryset)

    def get_deleted_objects(self, objs, request):
        # Events only lose the term; naming them would read them all.
        names = [str(obj) for obj in objs]
        protected = [
            f"{child}, which would move up one level, where its name is taken"
            for child in terms.name_conflicts(objs)
        ]
        return names, {self.opts.verbose_name_plural: len(names)}, set(), protected

    def changeform_view(self, request, *args, **kwargs):
        return self._show_conflict(request, super().changeform_view, *args, **kwargs)

    def delete_view(self, request, *args, **kwargs):
        return self._show_conflict(request, super().delete_view, *args, **kwargs)

    def changelist_view(self, request, *args, **kwargs):
        return self._show_conflict(request, super().changelist_view, *args, **kwargs)

    def _show_conflict(self, request, view, *args, **kwargs):
        """Call view; show an error if a concurrent write has taken a name in the meantime."""
        try:
            return view(request, *args, **kwargs)
        except CalendarError as e:
            self.message_user(request, e.message, messages.ERROR)
            return redirect(request.get_full_path())


def show_as_tree(changelist):
    """Put each category below its parent, unless the list is sorted by a column."""
    if ORDER_VAR in changelist.params:
        return
    levels = terms.outline()
    found = set(changelist.queryset.values_list("pk", flat=True))
    in_order = [pk for pk in levels if pk in found]
    if changelist.multi_page and not changelist.show_all:
        first = (changelist.page_num - 1) * changelist.list_per_page
        in_order = in_order[first : first + changelist.list_per_page]
    records = changelist.queryset.in_bulk(in_order)
    changelist.result_list = [records[pk] for pk in in_order]
    for category in changelist.result_list:
        category.level = levels[category.pk]


@register(Category)
class CategoryAdmin(TermAdmin):
    form = CategoryForm
    collection = "categories"
    list_display = ["indented_name", "slug", "parent", "count", "api_link"]
    list_filter = [("parent", RelatedFilter), *TermAdmin.list_filter]
    list_select_related = ["parent"]
    autocomplete_fields = ["parent"]
    fields = ["name", "parent", "slug", "description", "count", "api_link"]

    def get_changelist_instance(self, request):
        changelist = super().get_changelist_instance(request)
        show_as_tree(changelist)
        return changelist

    @display(description="name", ordering="name")
    def indented_name(self, category):
        return f"{INDENT * getattr(category, 'level', 0)}{category.name}"


@register(Tag)
class TagAdmin(TermAdmin):
    form = TagForm
    collection = "tags"
    list_display = ["name", "slug", "count", "api_link"]
    fields = ["name", "slug", "description", "count", "api_link"]
