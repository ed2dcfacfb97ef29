from django import forms

from ... import permissions
from ...api.serializers import EventSerializer
from ...conf import conf
from ...models import Event, Organizer, Venue
from ...services import links, series
from ...services.series import Scope
from ...values import time_zones
from ...values.html import decoded, plain_text
from ...values.recurrence import RuleError
from ..look import PasswordInput, RadioSelect, TextInput
from ..repeating.earlier import times_at
from ..repeating.forms import RuleForm, plan, require_rights
from .moments import ZoneInput, in_words
from .post import PostForm

DATES = {"start_date", "end_date", "timezone", "scope"}  # what the dates of a rule depend on


class EventForm(PostForm):
    """An event; its password can be set and is never shown.

    ``repeats`` is the form of its rule, which is shown below the fields. Of a valid form, ``rule``
    is the new one, if any, and ``dates`` are those that it makes, with what becomes of each. The
    ``earlier`` rule of its series, if given, is shown instead of the present one.
    """

    earlier = None
    serializer = EventSerializer
    new_password = forms.CharField(
        label="Password",
        required=False,
        strip=False,
        max_length=255,
        widget=PasswordInput({"autocomplete": "new-password"}),
        help_text="Visitors need it to read the event. Leave empty to keep the current one.",
    )
    scope = forms.ChoiceField(
        label="Change",
        choices=Scope.choices,
        initial=Scope.ONE,
        required=False,
        widget=RadioSelect,
        help_text="The event repeats. What was changed in one event alone stays as it is there.",
    )
    new_venue = forms.CharField(
        required=False,
        max_length=255,
        widget=TextInput,
        help_text="The name of a venue that is not in the list below yet.",
    )
    new_organizer = forms.CharField(
        required=False,
        max_length=255,
        widget=TextInput,
        help_text="The name of an organizer that is not in the list below yet.",
    )
    clear_password = forms.BooleanField(label="Remove the password", required=False)

    class Meta:
        widgets = {"title": TextInput, "timezone": ZoneInput}

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.repeats = RuleForm(self.instance, self.data if self.is_bound else None, self.earlier)
        self.rule, self.dates = None, []
        if self.earlier and not self.is_bound:
            self.initial |= {"scope": Scope.ALL, **times_at(self.instance, self.earlier)}
        if not self.instance.series_id:
            del self.fields["scope"]
        for name in self.fields.keys() & {"start_date", "end_date"}:
            self.fields[name].zone = self._given_zone()
        if "parent" in self.fields:
            visible, own = Event.objects.visible_to(self.user), self.instance.parent_id
            self.fields["parent"].queryset = visible | Event.objects.filter(pk=own)

    def clean_new_venue(self):
        return self._named(Venue, "new_venue")

    def clean_new_organizer(self):
        return self._named(Organizer, "new_organizer")

    def _named(self, model, field):
        """Return a name for a new record, or the record that has it already."""
        name = plain_text(decoded(self.cleaned_data[field]))
        known = links.by_name(model, name, self.user) if name else None
        if name and known is None and not permissions.may_write(self.user, model):
            raise forms.ValidationError(f"You may not make a new {model._meta.verbose_name}.")
        return known or name

    def _given_zone(self):
        """Return the zone in which dates are typed; the site's where it is none."""
        try:
            return time_zones.get(self.data.get(self.add_prefix("timezone")) or conf.zone_name)
        except time_zones.ZoneError:
            return conf.zone

    def clean_start_date(self):
        start = self.cleaned_data["start_date"]
        if "end_date" in self.fields:
            self.fields["end_date"].began = start
        return start

    def clean_timezone(self):
        name = self.cleaned_data["timezone"]
        try:
            return name and time_zones.canonical(name)
        except time_zones.ZoneError as e:
            raise forms.ValidationError(in_words(e)) from e

    def _update_errors(self, errors):
        """Word the model's error about the times for a form, which has no names of parameters."""
        if "end_date" in getattr(errors, "error_dict", {}):
            sentence = "The end is before the start."
            errors = forms.ValidationError(
                {**errors.error_dict, "start_date": sentence, "end_date": sentence}
            )
        super()._update_errors(errors)

    def clean_scope(self):
        return Scope(self.cleaned_data["scope"] or Scope.ONE)

    def _post_clean(self):
        super()._post_clean()
        if not DATES & self.errors.keys():
            self._plan(self.cleaned_data.get("scope", Scope.ONE))

    def _plan(self, scope):
        """Find out what the rule, or a new time for several events, does to the dates."""
        try:
            if self.repeats.is_given:
                self._plan_rule(scope)
            elif scope != Scope.ONE:
                require_rights(self.user, self.instance, scope)
                series.planned(self.instance, scope, None)
        except RuleError as e:
            self.add_error("scope" if self.rule is None else None, str(e))

    def _plan_rule(self, scope):
        if not self.repeats.is_valid():
            for name, errors in self.repeats.errors.items():
                label = self.repeats[name].label
                self.add_error(None, [f"Repeats, {label.lower()}: {each}" for each in errors])
            return
        self.rule = self.repeats.rule()
        if self.instance.series_id and scope == Scope.ONE:
            raise RuleError(
                "A rule concerns more than this event: choose above whether to change the "
                "following ones too, or all."
            )
        require_rights(self.user, self.instance, scope)
        self.dates = plan(self.instance, scope, self.rule)
        self.changed_data.append(RuleForm.prefix)

    def save(self, commit=True):
        password = self.cleaned_data["new_password"]
        if password or self.cleaned_data["clear_password"]:
            self.instance.set_password(password)
        return super().save(commit)
