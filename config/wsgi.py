"""The application that a WSGI server runs."""

import os

from django.core.wsgi import get_wsgi_application

from config.serving.requests import in_utf8

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
application = in_utf8(get_wsgi_application())
