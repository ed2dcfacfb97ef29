"""New clients from a table, such as one that a spreadsheet has saved as CSV."""

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from ..engines import get_engine
from ..exceptions import BackupError, Invalid, InvalidEngine
from ..models import Client, Fileset, Pool, Zone
from . import clients
from .rules.limits import LIMITS

REQUIRED = ("name", "ip")
OPTIONAL = ("internal_ip", "system", "zone", "pool", "fileset", "schedule", *LIMITS)
COLUMNS = (*REQUIRED, *OPTIONAL)
Known = dict[str, dict[str, Any]]  # records by their kind and name


@dataclass
class Line:
    """A line of a table: the client that it makes, or why it makes none."""

    number: int
    name: str
    ip: str
    client: Client | None = None
    problem: str = ""


@dataclass
class Onboarding:
    """What became of a table, line by line."""

    lines: list[Line] = field(default_factory=list)
    is_stored: bool = False
    faults: list[str] = field(default_factory=list)  # of engines that could not be told

    @property
    def created(self) -> list[Client]:
        return [line.client for line in self.lines if line.client]

    @property
    def problems(self) -> list[str]:
        """A sentence for each line that is wrong."""
        return [f"Line {line.number}: {line.problem}" for line in self.lines if line.problem]


def onboard(
    account: Any, lines: Iterable[str], *, skip_bad: bool = False, dry_run: bool = False
) -> Onboarding:
    """Create the clients of a table, and tell each engine of all of its new ones at once.

    Nothing is stored with ``dry_run``, nor, without ``skip_bad``, if a line is wrong. Raises
    Invalid for a table whose columns are wrong.
    """
    found = Onboarding()
    with transaction.atomic():
        known = _by_name(account)
        for number, row in _rows(lines):
            found.lines.append(_made(account, number, row, known))
        found.is_stored = not dry_run and (skip_bad or not found.problems)
        transaction.set_rollback(not found.is_stored)
    if found.is_stored:
        found.faults = list(_told({client.zone.engine for client in found.created}))
    return found


def _rows(lines: Iterable[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the number of the line and the values, by column, of each client."""
    try:
        header, *rest = [line.replace("\0", "�") for line in lines] or [""]
        reader = csv.reader([header, *rest], delimiter=";" if ";" in header else ",", strict=True)
        columns = [name.strip().lower() for name in next(reader, [])]
        _require_columns(columns)
        for values in reader:
            if any(value.strip() for value in values):
                yield reader.line_num, _row(reader.line_num, columns, values)
    except csv.Error as e:
        raise Invalid({"file": [f"The file is not CSV: {e}."]}) from e


def _require_columns(columns: list[str]) -> None:
    wrong = [f"Column '{name}' is unknown." for name in columns if name not in COLUMNS]
    wrong += [f"Column '{name}' is missing." for name in REQUIRED if name not in columns]
    if len(set(columns)) < len(columns):
        wrong.append("A column is there twice.")
    if wrong:
        raise Invalid({"file": [*wrong, f"Columns are {', '.join(COLUMNS)}."]})


def _row(number: int, columns: list[str], values: list[str]) -> dict[str, str]:
    if len(values) > len(columns):
        extra = values[len(columns)]
        raise Invalid({"file": [f"Line {number}: '{extra}' is in no column."]})
    filled = zip(columns, values, strict=False)
    return {name: value.strip() for name, value in filled if value.strip()}


def _by_name(account: Any) -> Known:
    """Return what lines may name: an account's pools and filesets, and all zones."""
    records: dict[str, QuerySet[Any]] = {
        "pool": Pool.objects.filter(account=account).select_related("storage__zone"),
        "fileset": Fileset.objects.filter(account=account),
        "zone": Zone.objects.all(),
    }
    return {kind: {each.name: each for each in found} for kind, found in records.items()}


def _made(account: Any, number: int, row: dict[str, str], known: Known) -> Line:
    line = Line(number, row.get("name", ""), row.get("ip", ""))
    try:
        with transaction.atomic():
            line.client = _created(account, row, known)
    except (BackupError, InvalidEngine) as e:
        line.problem = str(e)
    return line


def _created(account: Any, row: dict[str, str], known: Known) -> Client:
    name = row.pop("name", "")
    _require_fitting({"name": name, "schedule": row.get("schedule", "")})
    if not name:
        raise Invalid({"name": [f"The client with the address '{row.get('ip', '')}' has no name."]})
    if Client.objects.present().filter(account=account, name=name).exists():
        raise Invalid({"name": [f"The account already has a client named '{name}'."]})
    values: dict[str, Any] = dict(row)
    for kind in known.keys() & row.keys():
        if row[kind] not in known[kind]:
            raise Invalid({kind: [f"There is no {kind} '{row[kind]}'."]})
        values[kind] = known[kind][row[kind]]
    return clients.save(account, name, **{"system": Client.System.UNIX} | values)


def _require_fitting(values: dict[str, str]) -> None:
    for name, value in values.items():
        longest = getattr(Client._meta.get_field(name), "max_length", 0)
        if len(value) > longest:
            sentence = f"'{value[:40]}…' is longer than the {longest} characters of a {name}."
            raise Invalid({name: [sentence]})


def _told(aliases: set[str]) -> Iterator[str]:
    for alias in sorted(aliases):
        try:
            get_engine(alias).add_clients()
        except BackupError as e:
            yield f"The engine '{alias}' has not been told of its new clients yet: {e}"
