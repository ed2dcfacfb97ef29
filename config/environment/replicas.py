"""The settings of read replicas, each a database of its own beside the primary."""

from typing import Any

from config.environment import services
from config.environment.variables import Environment, wrong

NAME = "DATABASE_REPLICA_URLS"
PRIMARY = "default"
ENGINE = "django.db.backends.postgresql"
ROUTER = "config.databases.router.Router"
MIDDLEWARE = "config.databases.middleware.ReplicaMiddleware"
# Of a host that is gone a request hears within seconds, in the middle of a query too.
OPTIONS = {
    "connect_timeout": 2,
    "tcp_user_timeout": 2000,  # milliseconds
    "keepalives_idle": 1,
    "keepalives_interval": 1,
    "keepalives_count": 2,
}


def settings(
    env: Environment, databases: dict[str, Any], routers: list[str], middleware: list[str]
) -> dict[str, Any]:
    """Return the settings with the replicas added, unless there are none.

    Raises ``ImproperlyConfigured`` for an address of which no replica can be.
    """
    urls = env.names(NAME)
    if not urls:
        return {}
    if databases[PRIMARY]["ENGINE"] != ENGINE:
        shown = ",".join(map(services.shown, urls))
        raise wrong(NAME, shown, "is of use only beside a DATABASE_URL of PostgreSQL")
    replicas = {f"replica{number}": replica(url) for number, url in enumerate(urls, 1)}
    return {
        "DATABASES": databases | replicas,
        "DATABASE_REPLICAS": list(replicas),
        "DATABASE_ROUTERS": [ROUTER, *routers],
        "MIDDLEWARE": [*middleware, MIDDLEWARE],
    }


def replica(url: str) -> dict[str, Any]:
    """Return the entry of DATABASES for the URL of a replica."""
    entry = services.postgresql(NAME, url, OPTIONS)
    # A request whose connection is broken is answered from the primary: no query tries it first.
    return entry | {"CONN_HEALTH_CHECKS": False, "TEST": {"MIRROR": PRIMARY}}
