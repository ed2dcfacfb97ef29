"""Pages and buttons of one record, besides its form."""

from functools import partial, wraps

from django.contrib import messages
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponseNotAllowed
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import path

from ...exceptions import BackupError, InvalidEngine


class RecordPages:
    """Serves each of ``record_pages``, methods of (request, record), at ``<id>/<name>/``.

    Several classes that one inherits from may each have some.
    """

    def get_urls(self):
        views = [
            path(
                f"<path:object_id>/{name.replace('_', '-')}/",
                self.admin_site.admin_view(partial(self._answer, name)),
                name=f"{self.opts.app_label}_{self.opts.model_name}_{name}",
            )
            for base in type(self).__mro__
            for name in vars(base).get("record_pages", [])
        ]
        return [*views, *super().get_urls()]

    def _answer(self, name, request, object_id):
        record = self.get_object(request, unquote(object_id))
        if record is None:
            raise Http404
        return getattr(self, name)(request, record)

    def to_record(self, record):
        """Return a redirect to the page of a record."""
        return redirect(f"admin:{self.opts.app_label}_{self.opts.model_name}_change", record.pk)

    def page(self, request, record, template, **context):
        """Return a page of a record, in the frame of the admin."""
        frame = self.admin_site.each_context(request)
        frame |= {"opts": self.opts, "original": record, "media": self.media}
        return TemplateResponse(request, template, frame | context)


def needs(permission):
    """Refuse the method of a page to who lacks the admin's ``has_…_permission`` for the record."""

    def decorate(method):
        @wraps(method)
        def checked(self, request, record):
            if not getattr(self, f"has_{permission}_permission")(request, record):
                raise PermissionDenied
            return method(self, request, record)

        return checked

    return decorate


def button(permission):
    """Make a method, which returns what it has done as a sentence, what a button does.

    The sentence, or the error of a service, is shown on the page of the record.
    """

    def decorate(method):
        @needs(permission)
        @wraps(method)
        def pressed(self, request, record):
            if request.method != "POST":
                return HttpResponseNotAllowed(["POST"])
            try:
                sentence = method(self, request, record)
            except (BackupError, InvalidEngine) as e:
                self.message_user(request, str(e), messages.ERROR)
            else:
                self.log_change(request, record, sentence)
                self.message_user(request, sentence, messages.SUCCESS)
            return self.to_record(record)

        return pressed

    return decorate


class ActionButtons(RecordPages):
    """Offers what the list does with records as buttons on the page of each."""

    change_form_outer_before_template = "backup_app/admin/action_buttons.html"
    record_pages = ["act"]

    def actions_of(self, record):
        """Return the names of the actions that a record has buttons for."""
        return self.actions

    def render_change_form(self, request, context, *args, obj=None, **options):
        if obj:
            context["action_buttons"] = self._allowed(request, obj)
            context["action_address"] = f"admin:{self.opts.app_label}_{self.opts.model_name}_act"
        return super().render_change_form(request, context, *args, obj=obj, **options)

    def act(self, request, record):
        """Do the action whose button was pressed, and lead back to the record."""
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        name = request.POST.get("action")
        if name not in self._allowed(request, record):
            raise PermissionDenied
        function, *_ = self.get_actions(request)[name]
        function(self, request, self.get_queryset(request).filter(pk=record.pk))
        return self.to_record(record)

    def _allowed(self, request, record):
        actions = self.get_actions(request)
        return {name: actions[name][2] for name in self.actions_of(record) if name in actions}
