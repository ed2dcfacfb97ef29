from contextlib import suppress
from copy import copy

from django.core.exceptions import ValidationError as ModelError
from django.db import transaction
from rest_framework import serializers

from ...exceptions import CalendarError
from ...services.revision import writing
from .relations import found


class RecordSerializer(serializers.Serializer):
    """Writes a record of ``model``. A refusal names everything that is wrong with the input."""

    def save(self, **kwargs):
        with writing():
            return super().save(**kwargs)

    def blank(self):
        """Return a new, unsaved record."""
        return self.model()

    def fill(self, record, data, errors):
        """Set the fields of record that data names, and check them together.

        Raises ValidationError with what is wrong, and with errors, those of other fields.
        """
        errors = dict(errors)
        try:
            self.apply(record, data)
        except serializers.ValidationError as e:
            errors |= e.detail
        try:
            record.clean()
        except ModelError as e:
            errors |= e.message_dict
        if errors:
            raise serializers.ValidationError(errors)

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
        """Return the errors that saving the other fields of data would raise."""
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
