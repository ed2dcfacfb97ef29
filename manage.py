#!/usr/bin/env python
"""Run one of the project's commands: ``manage.py help`` lists them."""

import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line
from django.db import OperationalError


def main():
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    try:
        execute_from_command_line(sys.argv)
    except (ImproperlyConfigured, OperationalError) as e:
        if "--traceback" in sys.argv:
            raise
        sys.exit(f"Error: {sentence(e)}")
    except KeyboardInterrupt:
        sys.exit(130)  # as a shell calls an end by Ctrl-C


def sentence(error):
    """Return what an operator can do something about, without the way it came up."""
    text = str(error).strip()
    return f"The database cannot be used: {text}" if isinstance(error, OperationalError) else text


if __name__ == "__main__":
    main()
