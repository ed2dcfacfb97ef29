"""The files that records are exported to and imported from."""

import json

from import_export.formats.base_formats import CSV, JSON
from tablib import Dataset

# What a spreadsheet takes for the beginning of a formula (OWASP, "CSV Injection").
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


class CsvTable(CSV):
    """CSV whose texts a spreadsheet runs nothing of: an apostrophe stands before such a one."""

    def export_data(self, dataset, **kwargs):
        return super().export_data(_converted(dataset, _escaped), **kwargs)

    def create_dataset(self, in_stream, **kwargs):
        return _converted(super().create_dataset(in_stream, **kwargs), _unescaped)


class JsonTable(JSON):
    """A JSON list of objects with the same names."""

    def create_dataset(self, in_stream, **kwargs):
        rows = json.loads(in_stream)
        headers = list(rows[0]) if rows else []
        if any(row.keys() != set(headers) for row in rows):
            raise ValueError("The objects have different names.")
        return Dataset(*([row[name] for name in headers] for row in rows), headers=headers)


def _converted(dataset, convert):
    return Dataset(*([convert(cell) for cell in row] for row in dataset), headers=dataset.headers)


def _escaped(cell):
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA_STARTS) else cell


def _unescaped(cell):
    is_escaped = (
        isinstance(cell, str) and cell.startswith("'") and cell[1:].startswith(FORMULA_STARTS)
    )
    return cell[1:] if is_escaped else cell
