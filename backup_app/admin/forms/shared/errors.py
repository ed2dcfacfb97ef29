"""Errors of the services, as errors of a form."""

from contextlib import contextmanager

from ....exceptions import BackupError


@contextmanager
def service_errors(form, other=None, **fields):
    """Turn a BackupError into errors of the form, each at the field that it is about.

    ``fields`` maps parameters to fields of another name, as ``password="new_password"``; other
    errors go to the field ``other``, or above the form.
    """
    try:
        yield
    except BackupError as e:
        for name, sentences in (e.fields or {None: [e.message]}).items():
            field = fields.get(name, name)
            form.add_error(field if field in form.fields else other, sentences)
