"""The rules that a model states itself, as errors of this service."""

from django.core.exceptions import ValidationError
from django.db.models import Model

from ...exceptions import Invalid


def require_valid(record: Model) -> None:
    """Raise Invalid for a value of a new record that its fields or constraints refuse."""
    try:
        record.full_clean()
    except ValidationError as e:
        raise Invalid(
            {name: _sentences(record, name, errors) for name, errors in e.error_dict.items()}
        ) from e


def _sentences(record: Model, name: str, errors: list[ValidationError]) -> list[str]:
    words = [sentence for error in errors for sentence in error.messages]
    value = getattr(record, name, None)
    return [f"'{value}': {each}" if isinstance(value, str) else each for each in words]
