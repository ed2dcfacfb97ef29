#!/usr/bin/env python
"""Run one of the project's commands: ``manage.py help`` lists them."""

import os
import sys

from django import get_version
from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line
from django.db import DatabaseError


def main():
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    try:
        if sys.argv[1:] == ["--version"]:
            print_version()
        else:
            execute_from_command_line(sys.argv)
    except (ImproperlyConfigured, DatabaseError) as e:
        told = sentence(e)
        if told is None or "--traceback" in sys.argv:
            raise
        sys.exit(f"Error: {told}")
    except KeyboardInterrupt:
        sys.exit(130)  # the exit code of a shell after Ctrl-C


def print_version():
    from django.conf import settings

    sys.stdout.write(f"Calendar and backup {settings.VERSION} (Django {get_version()})\n")


def sentence(error):
    """Return a sentence for the operator; None for an error that is a bug."""
    if isinstance(error, ImproperlyConfigured):
        return str(error)
    from config.site import database_errors

    return database_errors.sentence(error)


if __name__ == "__main__":
    main()
