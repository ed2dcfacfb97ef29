"""What a verb refuses, as the errors of a form."""

from contextlib import contextmanager

from ...exceptions import BackupError


@contextmanager
def refusals(form, other=None, **fields):
    """Turn a refusal into errors of the form, each beside the field that it is about.

    ``fields`` says which field stands for a parameter of another name, as ``password="new"``; what
    is about none stands beside the field ``other``, or above them all.
    """
    try:
        yield
    except BackupError as e:
        for name, sentences in (e.fields or {None: [e.message]}).items():
            field = fields.get(name, name)
            form.add_error(field if field in form.fields else other, sentences)
