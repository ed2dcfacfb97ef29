"""The formats of tables: CSV as spreadsheets write and read it, and JSON."""

import csv
import json

from import_export.formats.base_formats import CSV, JSON
from tablib import Dataset
from tablib.exceptions import InvalidDimensions

from .headings import named
from .kept import KeptError

MAX_ROWS = 1000  # an import blocks all other writers; the commands take larger files
SEPARATORS = ",;\t"
# Spreadsheets run texts that begin like this as formulas (OWASP, "CSV Injection").
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


class CsvTable(CSV):
    """CSV that is safe in a spreadsheet: texts that it would run get an apostrophe in front."""

    def export_data(self, dataset, **kwargs):
        return super().export_data(_converted(dataset, _escaped), **kwargs)

    def create_dataset(self, in_stream, **kwargs):
        """Return the rows that have anything, of cells parted by commas, semicolons or tabs."""
        first_line = in_stream.partition("\n")[0]
        separator = max(SEPARATORS, key=first_line.count)
        try:
            table = super().create_dataset(in_stream, delimiter=separator, **kwargs)
        except InvalidDimensions as e:
            raise KeptError("A row has more cells than the first one, which names them.") from e
        except csv.Error as e:
            raise KeptError(f"The file is not a table in CSV: {e}.") from e
        table.headers = [named(header) for header in table.headers or ()]
        return _checked(_converted(table, _unescaped))


class JsonTable(JSON):
    """A JSON list of objects that all have the same keys."""

    def create_dataset(self, in_stream, **kwargs):
        rows = json.loads(in_stream)
        headers = list(rows[0]) if rows else []
        if any(row.keys() != set(headers) for row in rows):
            raise ValueError("The objects do not all have the same keys.")
        return _checked(
            Dataset(*([row[name] for name in headers] for row in rows), headers=headers)
        )


FORMATS = [CsvTable, JsonTable]


def _checked(table):
    """Return a table that can be imported. Raises KeptError."""
    names = table.headers or []
    if twice := {name for name in names if names.count(name) > 1}:
        raise KeptError(f"The first row names the column '{min(twice)}' twice.")
    if len(table) > MAX_ROWS:
        raise KeptError(f"The file has {len(table)} rows; {MAX_ROWS} are accepted.")
    return table


def _converted(table, convert):
    rows = ([convert(cell) for cell in row] for row in table if any(cell != "" for cell in row))
    return Dataset(*rows, headers=table.headers)


def _escaped(cell):
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA_STARTS) else cell


def _unescaped(cell):
    is_escaped = (
        isinstance(cell, str) and cell.startswith("'") and cell[1:].startswith(FORMULA_STARTS)
    )
    return cell[1:] if is_escaped else cell
