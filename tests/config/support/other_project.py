"""Another project with both apps, whose defaults for views are not ours.

``python -m tests.config.support.other_project AllowAny db.sqlite3`` prints what anonymous requests
get there, from a database with all tables.
"""

import json
import sys

import django
from django.conf import settings
from django.urls import include, path
from django.utils.functional import classproperty

REQUESTS = [
    ("GET", "/calendar/events/v1"),
    ("GET", "/calendar/events/v1/events"),
    ("GET", "/calendar/events/v1/tags"),
    ("POST", "/calendar/events/v1/events"),
    ("POST", "/calendar/events/v1/tags"),
    ("POST", "/calendar/events/v1/images"),
    ("DELETE", "/calendar/events/v1/venues/1"),
    ("GET", "/event/nothing/"),
    ("POST", "/api/servers"),
    ("GET", "/api/status/1"),
    ("POST", "/api/nothing"),
]


class Routes:
    @classproperty
    def urlpatterns(self):  # is only importable once there are settings
        return [
            path("calendar/events/v1", include("calendar_app.urls")),
            path("", include("calendar_app.pages.urls")),
            path("api/", include("backup_app.urls")),
        ]


def main(permission, database):
    settings.configure(
        SECRET_KEY="other",
        ALLOWED_HOSTS=["testserver"],
        USE_TZ=True,
        STATIC_URL="static/",
        INSTALLED_APPS=[
            "calendar_app",
            "backup_app",
            "rest_framework",
            "django_filters",
            "drf_spectacular",
            "django_tasks",
            "django_tasks_db",
            "import_export",
            "unfold",
            "django.contrib.admin",
            "django.contrib.auth",
            "django.contrib.contenttypes",
            "django.contrib.sessions",
            "django.contrib.messages",
            "django.contrib.staticfiles",
        ],
        MIDDLEWARE=[
            "django.contrib.sessions.middleware.SessionMiddleware",
            "django.contrib.auth.middleware.AuthenticationMiddleware",
            "django.contrib.messages.middleware.MessageMiddleware",
            *(
                ["django.contrib.auth.middleware.LoginRequiredMiddleware"]
                * (permission != "AllowAny")
            ),
        ],
        TEMPLATES=[
            {"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}
        ],
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": database}},
        TASKS={"default": {"BACKEND": "django_tasks_db.DatabaseBackend", "QUEUES": []}},
        REST_FRAMEWORK={
            "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
            "DEFAULT_PERMISSION_CLASSES": [f"rest_framework.permissions.{permission}"],
        },
    )
    django.setup()
    settings.ROOT_URLCONF = Routes

    from django.test import Client

    client = Client(raise_request_exception=False)
    answers = {f"{m} {where}": client.generic(m, where).status_code for m, where in REQUESTS}
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
