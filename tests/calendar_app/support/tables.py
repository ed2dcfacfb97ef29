"""Exports and imports of the lists of the admin, by a client that is logged in."""

import csv
import io
import json

from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

CSV, JSON = "0", "1"


def url(model, page):
    return reverse(f"admin:calendar_app_{model._meta.model_name}_{page}")


def exported(client, model, form=CSV, **query):
    """Return the rows of an export of the list that query filters."""
    address = f"{url(model, 'export')}?{'&'.join(f'{k}={v}' for k, v in query.items())}"
    response = client.post(address, {"format": form, "resource": ""})
    assert response.status_code == 200, response
    text = response.content.decode()
    return json.loads(text) if form == JSON else list(csv.DictReader(io.StringIO(text)))


def table(rows, form=CSV):
    """Return a file of rows."""
    if form == JSON:
        return SimpleUploadedFile("a.json", json.dumps(rows).encode())
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return SimpleUploadedFile("a.csv", out.getvalue().encode())


def preview(client, model, rows, form=CSV):
    """Upload rows and return what the page says would become of them."""
    file = rows if isinstance(rows, SimpleUploadedFile) else table(rows, form)
    sent = {"import_file": file, "format": form, "resource": ""}
    response = client.post(url(model, "import"), sent)
    assert response.status_code == 200
    return response.context


def imported(client, model, rows, form=CSV):
    """Upload rows, which must be accepted, and confirm them."""
    return confirm(client, model, preview(client, model, rows, form))


def confirm(client, model, context):
    """Send back the page of a preview whose rows are all accepted."""
    assert "confirm_form" in context, errors(context)
    initial = context["confirm_form"].initial
    return client.post(url(model, "process_import"), initial, follow=True)


def errors(context):
    """Return the errors of the first row that is refused, by column."""
    result = context["result"]
    assert not result.row_errors(), result.row_errors()[0][1][0].traceback
    return result.invalid_rows[0].error_dict
