"""Examples of an OpenAPI description: recorded from real answers, and compared with them since.

``RECORD=1 pytest tests/…/test_examples.py`` writes them anew.
"""

import json
import os
from urllib.parse import urlencode

import requests
import schemathesis
from django.core.management.color import no_style
from django.db import connection


class Recorder:
    """Sends requests to the operations of an OpenAPI document and keeps what is answered.

    ``examples`` is {operation ID: {"request": body, status: body}}; refusals, which look alike for
    all operations, are kept in one place.
    """

    def __init__(self, document):
        self.schema = schemathesis.openapi.from_dict(document)
        self.examples = {}

    def ask(
        self,
        client,
        operation_id,
        *,
        status=200,
        query=None,
        body=None,
        form="json",
        headers=None,
        **names,
    ):
        """Return the answer to a request, which must have this status and the described shape."""
        operation = self.schema.find_operation_by_id(operation_id)
        address = operation.path.format(**names)
        if query:
            address += f"?{urlencode(query)}"
        encoding = {"content_type": form} if "/" in form else {"format": form}
        answer = getattr(client, operation.method)(address, body, headers=headers, **encoding)
        assert answer.status_code == status, answer.content
        require_described(operation, answer)
        kept = self.examples.setdefault("refusals" if status >= 400 else operation_id, {})
        if body and form == "json" and status < 300:
            kept["request"] = body
        kept[str(status)] = answer.json()
        return answer.json()

    def require_same(self, path):
        """Compare the examples with those of a file, or write it when RECORD is set."""
        if os.environ.get("RECORD"):
            path.write_text(json.dumps(self.examples, indent=1, ensure_ascii=False) + "\n")
        kept = json.loads(path.read_text())
        assert kept == self.examples, "The answers have changed: record them anew with RECORD=1."


def require_described(operation, answer):
    sent = requests.Request("GET", "http://testserver/").prepare()
    operation.validate_response(
        schemathesis.Response(
            status_code=answer.status_code,
            headers={name.lower(): [value] for name, value in answer.items()},
            content=answer.content,
            request=sent,
            elapsed=0,
            verify=False,
        )
    )


def count_ids_from_one(*prefixes):
    """Let the next record of each table with one of these prefixes get the ID 1."""
    sequences = connection.introspection.sequence_list()
    begun_anew = [found for found in sequences if found["table"].startswith(prefixes)]
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_by_name_sql(no_style(), begun_anew):
            cursor.execute(statement)
