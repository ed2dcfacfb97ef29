"""A project of `django-admin startproject` with both apps; the optional packages do not import."""

import atexit
import shutil
import sys
import tempfile

OPTIONAL = {"import_export", "psycopg", "redis", "tablib", "unfold"}


class Absent:
    """Fails to import the optional packages, as where they are not installed."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] in OPTIONAL:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


sys.meta_path.insert(0, Absent)

SECRET_KEY = "plain"
ALLOWED_HOSTS = ["*"]
ROOT_URLCONF = "tests.plain.urls"
INSTALLED_APPS = [
    "calendar_app",
    "backup_app",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "django_filters",
    "drf_spectacular",
    "django_tasks",
    "django_tasks_db",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]
# Files: in memory, threads would refuse each other's writes at once instead of waiting.
FOLDER = tempfile.mkdtemp(prefix="plain-")
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": f"{FOLDER}/db.sqlite3",
        "TEST": {"NAME": f"{FOLDER}/test.sqlite3"},
    }
}
# The worker of a test beats no longer than it works.
BACKUP_UPKEEP_IN_WORKERS = False
TASKS = {"default": {"BACKEND": "django_tasks_db.DatabaseBackend", "QUEUES": []}}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
USE_TZ = True
TIME_ZONE = "UTC"
STATIC_URL = "static/"
MEDIA_ROOT = f"{FOLDER}/media"
MEDIA_URL = "media/"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "CommonPasswordValidator")
]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
REST_FRAMEWORK = {"DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema"}
