"""What a verb refuses, as the errors of a form."""

from contextlib import contextmanager

from ..exceptions import BackupError


@contextmanager
def refusals(form, *names):
    """Turn a refusal into errors of the form, beside the fields that it names.

    What names no field of the form stands beside the field ``names`` gives, or above them all.
    """
    try:
        yield
    except BackupError as e:
        other = names[0] if names else None
        for name, sentences in (e.fields or {other: [e.message]}).items():
            form.add_error(name if name in form.fields else other, sentences)
