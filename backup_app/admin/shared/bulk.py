"""Doing one thing to many records, and saying what came of it."""

from django.contrib import messages

from ...exceptions import BackupError, InvalidEngine

NAMED = 10  # how many refusals a message names


def run(admin, request, queryset, done, verb):
    """Call a verb with each record; messages say how many were done, and what was refused.

    ``done`` says what was done, as in "Backup started".
    """
    count, refused = 0, []
    for record in queryset:
        try:
            verb(record)
        except (BackupError, InvalidEngine) as e:
            refused.append(str(e))
            continue
        admin.log_change(request, record, f"{done}.")
        count += 1
    if count:
        admin.message_user(request, f"{done}: {_number(admin, count)}.", messages.SUCCESS)
    if refused:
        admin.message_user(request, _listed(refused), messages.ERROR)


def _number(admin, count):
    name = admin.opts.verbose_name if count == 1 else admin.opts.verbose_name_plural
    return f"{count} {name}"


def _listed(sentences):
    more = len(sentences) - NAMED
    ending = [f"And {more} more."] if more > 0 else []
    return " ".join([*sentences[:NAMED], *ending])
