"""Priorities and bandwidth limits of clients, where the engine of their zone has them."""

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import ValidationError

from ...engines import get_engine
from ...exceptions import Invalid, WrongState
from ...lib import sizes
from ...models import Client, Zone

LIMITS = ("priority", "bandwidth_limit")


def cleaned(values: Mapping[str, Any]) -> dict[str, int | None]:
    """Return those of a client's values that are limits, as numbers, None for none.

    They may be texts, such as ``5 MB``. Raises Invalid.
    """
    numbers: dict[str, int | None] = {}
    wrong: dict[str, list[str]] = {}
    for name in [name for name in LIMITS if name in values]:
        try:
            numbers[name] = _number(name, values[name])
        except ValidationError as e:
            wrong[name] = e.messages
        except ValueError as e:
            wrong[name] = [str(e)]
    if wrong:
        raise Invalid(wrong)
    return numbers


def require_possible(zone: Zone, client: Client | None, values: Mapping[str, Any]) -> None:
    """Raise WrongState if a client that is to get these values has a limit its engine has not."""
    after = {name: values.get(name, getattr(client, name, None)) for name in LIMITS}
    if any(after.values()) and not get_engine(zone.engine).supports_limits:
        raise WrongState(
            f"The engine of zone '{zone.name}' has no priorities and bandwidth limits of clients: "
            "leave both empty."
        )


def _number(name: str, value: Any) -> int | None:
    if value in (None, ""):
        return None
    if name == "bandwidth_limit" and isinstance(value, str):
        value = sizes.parse(value)
    (field,) = [field for field in Client._meta.fields if field.name == name]
    number: int = field.clean(value, None)
    return number
