"""The base of the admin of events, venues and organizers."""

import datetime as dt

from django.contrib import messages
from django.contrib.admin import action
from django.contrib.admin.options import IS_POPUP_VAR
from django.db.models import URLField
from django.shortcuts import redirect

from .. import permissions
from ..api.representations import Urls
from ..api.serializers.fields import whole_number
from ..models import Status
from ..models.fields import WallTimeField
from ..services import posts
from ..services.revision import writing
from .forms.custom_fields import RowsField, RowsWidget
from .forms.moments import MomentField, MomentInput
from .look import FORM_TEMPLATE, TEMPLATES, ModelAdmin, URLInput, page_action
from .shared import bulk
from .shared.columns import ApiLink, StatusColumn, Thumbnail, UtcTimes
from .shared.filters import StatusFilter
from .shared.prose import ProsePages
from .transfer import Transfers

# Nearer to the years 1 and 9999, local time may be outside what a datetime can hold.
HAVE_LOCAL_TIME = dt.datetime(1, 1, 3, tzinfo=dt.UTC), dt.datetime(9999, 12, 29, tzinfo=dt.UTC)
RECORD = ["api_link", "published_utc", "changed_utc", "source_id"]


FORMFIELDS = {
    WallTimeField: {"form_class": MomentField, "widget": MomentInput},
    URLField: {"widget": URLInput, "assume_scheme": "https"},
}


def tab(title, *fields):
    """Return a fieldset that Unfold shows as a tab."""
    return title, {"classes": ["tab"], "fields": fields}


class PostAdmin(ApiLink, ProsePages, StatusColumn, Thumbnail, UtcTimes, Transfers, ModelAdmin):
    """Applies the API's rules for who may see, edit, publish and trash a record."""

    formfield_overrides = FORMFIELDS
    list_filter = [StatusFilter]
    list_filter_submit = True
    list_select_related = ["author", "image"]
    list_per_page = 50
    show_full_result_count = False
    actions = ["publish", "trash", "restore"]
    actions_detail = ["view_in_api"]
    autocomplete_fields = ["image"]
    derived_fields = ["thumbnail", *RECORD]
    delete_confirmation_template = f"{TEMPLATES}/delete_confirmation.html"

    # Who may do what

    def get_queryset(self, request):
        """Return what the user may read in full, and their own trash, which they may restore."""
        if permissions.may_edit_others(request.user, self.model):
            return self.model.objects.all()
        trash = self.model.objects.filter(status=Status.TRASH, author=request.user)
        return self.model.objects.disclosed_to(request.user) | trash

    def has_view_permission(self, request, obj=None):
        if obj is None or obj.is_trashed:
            return super().has_view_permission(request, obj)
        return permissions.may_read(request.user, obj)

    def has_change_permission(self, request, obj=None):
        if obj is None:
            return super().has_change_permission(request)
        return not obj.is_trashed and permissions.may_edit(request.user, obj)

    def has_delete_permission(self, request, obj=None):
        if obj is None:
            return super().has_delete_permission(request)
        if obj.is_trashed:
            return request.user.is_superuser
        return permissions.may_delete(request.user, obj)

    def has_publish_permission(self, request):
        return permissions.may_publish(request.user, self.model)

    # The list

    def get_changelist_instance(self, request):
        changelist = super().get_changelist_instance(request)
        # The rows are fetched already: only the date hierarchy is made from this queryset.
        within = {f"{self.date_hierarchy}__range": HAVE_LOCAL_TIME}
        changelist.queryset = changelist.queryset.filter(**within)
        return changelist

    # The form

    change_form_template = "calendar_app/admin/record_form.html"

    def render_change_form(self, request, context, *args, **kwargs):
        context["usual_form"] = FORM_TEMPLATE
        return super().render_change_form(request, context, *args, **kwargs)

    def view_on_site(self, post):
        if post.status == Status.PUBLISH:
            return Urls("").page(post)
        return None

    def get_form(self, request, obj=None, change=False, **kwargs):
        form = super().get_form(request, obj, change, **kwargs)
        form.user = request.user
        return form

    def formfield_for_dbfield(self, db_field, request, **kwargs):
        if db_field.name == "custom_fields":
            kwargs |= {"form_class": RowsField, "widget": RowsWidget}
        return super().formfield_for_dbfield(db_field, request, **kwargs)

    def get_changeform_initial_data(self, request):
        """Return what the address of a new record gives, without IDs that are none."""
        given = super().get_changeform_initial_data(request)
        links = {field.name for field in self.opts.fields if field.many_to_one}
        wrong = {name for name in links & given.keys() if whole_number(given[name]) is None}
        given = {name: value for name, value in given.items() if name not in wrong}
        return {"author": request.user.pk, **given}

    def get_readonly_fields(self, request, obj=None):
        if permissions.may_edit_others(request.user, self.model):
            return self.derived_fields
        return ["author", *self.derived_fields]

    def get_search_results(self, request, queryset, search_term):
        if request.resolver_match.url_name == "autocomplete":
            queryset = queryset.untrashed()
        return super().get_search_results(request, queryset, search_term)

    # Saving

    def save_model(self, request, obj, form, change):
        self.set_author_and_status(request, obj, is_new=not change)
        posts.save(obj)

    def set_author_and_status(self, request, post, *, is_new):
        """Set the status that the user may set, telling them which, and a new record's author."""
        if is_new:
            post.author = post.author or request.user
        wanted = post.status
        posts.settle_status(post, request.user)
        if post.status != wanted:
            self.message_user(request, f"Saved as: {post.get_status_display()}.", messages.INFO)

    def delete_model(self, request, obj):
        if obj.is_trashed:
            with writing():
                obj.delete()
            self.message_user(request, f"“{obj}” was deleted permanently.", messages.SUCCESS)
        else:
            posts.trash(obj)
            self.message_user(request, f"“{obj}” was moved to the trash.", messages.SUCCESS)

    def response_delete(self, request, obj_display, obj_id):
        if IS_POPUP_VAR in request.POST:
            return super().response_delete(request, obj_display, obj_id)
        return redirect(f"admin:calendar_app_{self.opts.model_name}_changelist")

    def get_deleted_objects(self, objs, request):
        # Nothing else is deleted: records that link to it are only unlinked.
        return [str(obj) for obj in objs], {self.opts.verbose_name_plural: len(objs)}, set(), []

    # Actions

    def get_actions(self, request):
        actions = super().get_actions(request)
        actions.pop("delete_selected", None)
        return actions

    @action(description="Publish", permissions=["publish"])
    def publish(self, request, queryset):
        bulk.run(self, request, queryset, bulk.PUBLISH)

    @action(description="Move to the trash", permissions=["delete"])
    def trash(self, request, queryset):
        bulk.run(self, request, queryset, bulk.TRASH)

    @action(description="Restore from the trash", permissions=["change"])
    def restore(self, request, queryset):
        bulk.run(self, request, queryset, bulk.RESTORE)

    @page_action(description="View in the API", url_path="api", icon="data_object")
    def view_in_api(self, request, object_id):
        return redirect(Urls.of(request).rest(self.collection, object_id))
