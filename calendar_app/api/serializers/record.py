from contextlib import suppress
from copy import copy

from django.core.exceptions import ValidationError as ModelError
from django.db import transaction
from rest_framework import serializers

from ...exceptions import CalendarError, RecordNotFound
from ...services.revision import is_current, writing
from .relations import found


class RecordSerializer(serializers.Serializer):
    """Validates what a client wrote about a record of ``model``, and stores it with one verb.

    A ValidationError names everything that is wrong with the input.
    """

    def get_fields(self):
        """Return copies of the declared fields, which DRF would construct anew: that takes most of
        the time of validating a small record.
        """
        return {name: copy(field) for name, field in self._declared_fields.items()}

    def save(self):
        """Return the record as it was stored; nothing is stored when this raises an error.

        It holds the lock of all writers, so that no other request changes what the input names
        between the lookup and the verb.
        """
        with writing(precise=True):  # it writes by verbs only, each of which says what it changes
            record = self.target()
            return self.write(record, *found(self, self.validated_data))

    def target(self):
        """Return the record to write: a new one, or the stored one as it is behind the lock."""
        if self.instance is None:
            return self.blank()
        if is_current(self.instance):
            return self.instance
        # Another request has written since the view read it.
        stored = self.model.objects.filter(pk=self.instance.pk).first()
        if stored is None:
            raise RecordNotFound(self.model._meta.model_name, self.instance.pk)
        return stored

    def blank(self):
        """Return a new, unsaved record."""
        return self.model()

    def write(self, record, data, errors):
        """Set data, whose names were looked up with these errors, on record and store it."""
        self.fill(record, data, errors)
        self.store(record, data)
        return record

    def fill(self, record, data, errors):
        """Set the fields of record that data names, and validate the record as a whole.

        Raises ValidationError with all errors, among them those given.
        """
        errors = dict(errors)
        names = {field.source: name for name, field in self.fields.items()}
        try:
            self.apply(record, dict(data))
        except serializers.ValidationError as e:
            errors |= e.detail
        try:
            record.clean()
        except ModelError as e:
            errors |= {names.get(name, name): found for name, found in e.message_dict.items()}
        if errors:
            raise serializers.ValidationError(errors)

    def store(self, record, data):
        """Store record: the verb. Data also has what is not a field of the record: its links."""
        raise NotImplementedError

    def apply(self, record, data):
        """Set the fields of record that data names."""
        for name, value in data.items():
            setattr(record, name, value)

    def run_validation(self, data=serializers.empty):
        try:
            return super().run_validation(data)
        except serializers.ValidationError as e:
            raise serializers.ValidationError(
                {**e.detail, **self._also_wrong(data, e.detail)}
            ) from e

    def _also_wrong(self, data, wrong):
        """Return the errors that saving the other fields of data would raise.

        So that clients learn of all errors at once. The save of a copy is rolled back.
        """
        given = data if isinstance(data, dict) else {}
        rest = {name: value for name, value in given.items() if name not in wrong}
        twin = type(self)(copy(self.instance), data=rest, partial=True, context=self.context)
        try:
            with suppress(CalendarError), transaction.atomic(), writing():
                twin.is_valid(raise_exception=True)
                twin.fill(twin.instance or twin.blank(), *found(twin, twin.validated_data))
                transaction.set_rollback(True)
        except serializers.ValidationError as e:
            return e.detail
        return {}
