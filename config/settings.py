"""Settings of the project, read from the environment and from ``.env`` beside manage.py.

Safe when nothing is set; docs/settings.md lists the variables. A wrong value stops the start with a
sentence that names the variable.
"""

import tomllib
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

from backup_app import conf as backup_conf
from calendar_app import conf as calendar_conf
from config.environment import bacula, data_folder, replicas, services
from config.environment.variables import load, wrong

BASE_DIR = Path(__file__).resolve().parent.parent
VERSION = tomllib.loads((BASE_DIR / "pyproject.toml").read_text())["project"]["version"]
env = load(BASE_DIR / ".env")

# --- What this installation is ---------------------------------------------------------------

DATA_DIR = data_folder.folder(BASE_DIR / env.text("DATA_DIR", "var"))
PRODUCTION = env.boolean("PRODUCTION")
DEBUG = env.boolean("DEBUG")
SECRET_KEY = env.text("SECRET_KEY")
ALLOWED_HOSTS = env.names("ALLOWED_HOSTS")
if PRODUCTION and DEBUG:
    raise wrong("DEBUG", "true", "must not be set in production: errors show settings")
if PRODUCTION and not SECRET_KEY:
    raise ImproperlyConfigured(
        "SECRET_KEY is not set. Production needs its own key, the same on every host."
    )
if PRODUCTION and not ALLOWED_HOSTS:
    raise ImproperlyConfigured(
        "ALLOWED_HOSTS is not set. Production needs the host names that it serves."
    )
if SECRET_KEY and (len(SECRET_KEY) < 50 or len(set(SECRET_KEY)) < 5):
    raise ImproperlyConfigured("SECRET_KEY is too weak: use 50 random characters or more.")
SECRET_KEY = SECRET_KEY or data_folder.secret_key(DATA_DIR / "secret.key")
ALLOWED_HOSTS = ALLOWED_HOSTS or [".localhost", "127.0.0.1", "[::1]"]

# The path that everything is mounted below, "" or such as "apps/".
BASE_PATH = env.base_path("BASE_PATH")
ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"

# --- Applications ----------------------------------------------------------------------------

INSTALLED_APPS = [
    "config",
    "calendar_app",
    "backup_app",
    "unfold",
    "unfold.contrib.filters",
    "unfold.contrib.forms",
    "unfold.contrib.import_export",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "corsheaders",
    "rest_framework",
    "django_filters",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "import_export",
    "django_tasks",
    "django_tasks_db",
]
MIDDLEWARE = [
    "config.serving.access_log.with_request_id",
    "config.serving.headers.with_policies",
    "config.serving.requests.without_nul_cookies",
    "corsheaders.middleware.CorsMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    # Every page needs a login, unless its view says that it is public.
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "config.site.errors.ThrottledMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
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
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- Services --------------------------------------------------------------------------------

DATABASES = {
    "default": services.database(env.text("DATABASE_URL"), DATA_DIR / data_folder.DATABASE)
}
DATABASE_REPLICAS: list[str] = []  # the aliases of read replicas
DATABASE_ROUTERS: list[str] = []
CACHES = {"default": services.cache(env.text("CACHE_URL"))}
# Backups run for hours, so nothing else stands in their queue.
QUEUES = ["default", "backups"]
TASKS = {"default": {"BACKEND": "django_tasks_db.DatabaseBackend", "QUEUES": QUEUES}}
globals().update(services.mail(env.text("EMAIL_URL")))
DEFAULT_FROM_EMAIL = SERVER_EMAIL = env.text("DEFAULT_FROM_EMAIL", "calendar@localhost")

USE_TZ = True
TIME_ZONE = env.zone("TIME_ZONE", "UTC")
USE_I18N = False
FORMAT_MODULE_PATH = "config.formats"

# --- Files -----------------------------------------------------------------------------------

STATIC_URL = f"/{BASE_PATH}static/"
ICON = f"{STATIC_URL}calendar_app/icon.svg"
WHITENOISE_USE_FINDERS = True  # serves the apps' files where they are: nothing to collect
WHITENOISE_AUTOREFRESH = DEBUG
MEDIA_URL = f"/{BASE_PATH}media/"
MEDIA_ROOT = DATA_DIR / data_folder.MEDIA
FILE_UPLOAD_PERMISSIONS = 0o600  # this service alone serves them
FILE_UPLOAD_DIRECTORY_PERMISSIONS = 0o700

# --- Accounts and browsers -------------------------------------------------------------------

AUTHENTICATION_BACKENDS = ["config.logins.authentication.SlowedBackend"]
PASSWORD_HASHERS = [
    "config.logins.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
LOGIN_URL = "admin:login"
LOGIN_REDIRECT_URL = "admin:index"
CSRF_TRUSTED_ORIGINS = env.origins("CSRF_TRUSTED_ORIGINS")
CSRF_FAILURE_VIEW = "config.site.errors.csrf_failure"
SESSION_COOKIE_PATH = CSRF_COOKIE_PATH = f"/{BASE_PATH}"

HTTPS = env.boolean("HTTPS", PRODUCTION)
SECURE_SSL_REDIRECT = SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SECURE_REDIRECT_EXEMPT = [rf"^{BASE_PATH}(healthz|readyz)$"]  # probes speak plain HTTP
SECURE_HSTS_SECONDS = env.integer("HSTS_SECONDS", 30 * 24 * 3600 if HTTPS else 0)
BEHIND_PROXY = env.boolean("BEHIND_PROXY")
if BEHIND_PROXY:
    # Only where a proxy sets this header on every request: a client could send it as well.
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
# Only the owner knows whether all other names of the domain are ready for HTTPS.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]

# A page of any site may use the calendar API, but never with a user's cookies for this site.
CORS_URLS_REGEX = rf"^/{BASE_PATH}calendar/"
CORS_ALLOWED_ORIGINS = env.origins("CORS_ALLOWED_ORIGINS")
CORS_ALLOW_ALL_ORIGINS = not CORS_ALLOWED_ORIGINS
CORS_ALLOW_HEADERS = [
    "accept",
    "authorization",
    "content-type",
    "idempotency-key",
    "if-match",
    "if-modified-since",
    "if-none-match",
    "x-calendar-revision",
    "x-http-method-override",
]
CORS_EXPOSE_HEADERS = [
    "X-TEC-Total",
    "X-TEC-TotalPages",
    "Link",
    "ETag",
    "Idempotent-Replayed",
    "X-Dry-Run",
    "X-Calendar-Revision",
    "X-Request-ID",
]

# --- The two APIs ----------------------------------------------------------------------------

REST_FRAMEWORK = {
    # The first one names itself in WWW-Authenticate, which makes a refusal a 401.
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "config.logins.authentication.SlowedBasicAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    # A view that is public says so.
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}
globals().update(env.group("CALENDAR_", calendar_conf.DEFAULTS))
CALENDAR_CLIENT_ADDRESS = "config.logins.authentication.address"
BACKUP_UPKEEP_IN_WORKERS = False  # our own worker command does it
# What the demo's client backs up; in production only the operator says what may be read.
BACKUP_LOCAL_ROOTS = [] if PRODUCTION else [str(DATA_DIR / data_folder.DEMO_FILES)]
globals().update(env.group("BACKUP_", backup_conf.DEFAULTS))
BACKUP_CLIENT_ADDRESS = "config.logins.authentication.address"
BACKUP_QUEUE = "backups"
BACKUP_ENGINES = backup_conf.ENGINES
globals().update(bacula.settings(env, DATABASES, BACKUP_ENGINES))
globals().update(replicas.settings(env, DATABASES, DATABASE_ROUTERS, MIDDLEWARE))
IGNORED_VARIABLES = env.ignored
# What the backup service accepts in one form; each API has limits of its own.
DATA_UPLOAD_MAX_MEMORY_SIZE = 10_000_000  # bytes
DATA_UPLOAD_MAX_NUMBER_FIELDS = 25_000  # well above BACKUP_MAX_PATHS

CALENDAR_TOPICS = {
    "events": "What happens, when and where.",
    "venues": "Places where events happen.",
    "organizers": "People and organizations behind events.",
    "categories": "Kinds of events, as a tree.",
    "tags": "Free labels for events.",
    "images": "Pictures of events, venues and organizers.",
    "namespace": "The routes of the calendar API and their OpenAPI description.",
}
BACKUP_TOPICS = {
    "jobs": "Backups, restores and verifications: run, follow, cancel.",
    "files": "Browse the folders and files of backups.",
    "restores": "Restore files, folders and databases to a machine.",
    "downloads": "Download a backup as one tar file, in chunks.",
    "clients": "The machines that are backed up.",
    "filesets": "What is backed up of a machine.",
    "storages": "Where backups are kept, and how long: zones, storages and pools.",
    "subusers": "Logins that see some of an account's machines.",
    "mailboxes": "The mailboxes found in backups.",
}
TOPICS = CALENDAR_TOPICS | BACKUP_TOPICS
SPECTACULAR_SETTINGS = {
    "TITLE": "Calendar and backup",
    "DESCRIPTION": (
        "An event calendar and a backup service. Everyone may read what the calendar publishes; "
        "everything else needs a login by HTTP Basic.\n\nBodies are JSON, or forms in PHP's array "
        "syntax (`venue[city]=Lyon`, `files[0]=/etc`). Paths may end with a slash. Every error has "
        "a sentence that names the parameter and the value."
    ),
    "VERSION": VERSION,
    "TAGS": [{"name": name, "description": text} for name, text in TOPICS.items()],
    "EXTENSIONS_ROOT": {
        "x-tagGroups": [
            {"name": "Event calendar", "tags": [*CALENDAR_TOPICS]},
            {"name": "Backup service", "tags": [*BACKUP_TOPICS]},
        ]
    },
    "SERVE_PERMISSIONS": ["rest_framework.permissions.AllowAny"],
    "SERVE_INCLUDE_SCHEMA": False,
    "ENFORCE_NON_BLANK_FIELDS": True,
    # Choices are described at the field.
    "POSTPROCESSING_HOOKS": ["drf_spectacular.hooks.postprocess_schema_enum_id_removal"],
    "SCHEMA_PATH_PREFIX": rf"/{BASE_PATH}(calendar/events/v1|api)",
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": ICON,
    "REDOC_DIST": f"/{BASE_PATH}redoc",
}
UNFOLD = {
    "SITE_TITLE": "Calendar and backup",
    "SITE_HEADER": "Calendar and backup",
    "SITE_FAVICONS": [{"rel": "icon", "href": ICON}],
    "SIDEBAR": {"navigation": "config.site.navigation.sidebar"},
}

# --- Logging ---------------------------------------------------------------------------------

LOG_LEVEL = env.choice("LOG_LEVEL", ("DEBUG", "INFO", "WARNING", "ERROR"), "INFO")
LOG_FORMAT = env.choice("LOG_FORMAT", ("text", "json"), "text")
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "text": {"()": "config.serving.logs.TextFormatter"},
        "json": {"()": "config.serving.logs.JSONFormatter"},
    },
    "handlers": {"terminal": {"class": "logging.StreamHandler", "formatter": LOG_FORMAT}},
    "root": {"handlers": ["terminal"], "level": LOG_LEVEL},
    "loggers": {
        "django": {"handlers": ["terminal"], "level": LOG_LEVEL, "propagate": False},
        # SQL holds what was sent, passwords among it, and is never logged.
        "django.db.backends": {"level": "INFO"},
        # So do the addresses of requests to others.
        "urllib3": {"level": "INFO"},
        # The access log has a line for each refused request.
        "django.request": {"level": "ERROR"},
        # Anyone can cause these; the response says what is wrong.
        "django.security": {"level": "CRITICAL"},
        # Anyone can send invalid HTTP.
        "uvicorn.error": {"level": "ERROR"},
    },
}
