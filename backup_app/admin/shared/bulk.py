"""Actions on many records, and the messages that report them."""

from django.contrib import messages

from ...exceptions import BackupError, InvalidEngine

NAMED = 10  # how many errors a message lists


def run(admin, request, queryset, done, function):
    """Call a function with each record; messages count the successes and list the errors.

    ``done`` is the past tense for the messages, such as "Backup started".
    """
    count, errors = 0, []
    for record in queryset:
        try:
            function(record)
        except (BackupError, InvalidEngine) as e:
            errors.append(str(e))
            continue
        admin.log_change(request, record, f"{done}.")
        count += 1
    if count:
        admin.message_user(request, f"{done}: {_number(admin, count)}.", messages.SUCCESS)
    if errors:
        admin.message_user(request, _listed(errors), messages.ERROR)


def _number(admin, count):
    name = admin.opts.verbose_name if count == 1 else admin.opts.verbose_name_plural
    return f"{count} {name}"


def _listed(sentences):
    more = len(sentences) - NAMED
    ending = [f"And {more} more."] if more > 0 else []
    return " ".join([*sentences[:NAMED], *ending])
