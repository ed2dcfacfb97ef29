"""The metrics of the service, in a format of Prometheus."""

from prometheus_client import CollectorRegistry, exposition
from prometheus_client.openmetrics import exposition as openmetrics
from prometheus_client.registry import Collector

from . import clients, jobs, requests, storages, upkeep


class DatabaseCollector(Collector):
    """Reads the database whenever it is asked, with as many queries for many clients as for one."""

    def describe(self):
        return []  # otherwise registering would read the database

    def collect(self):
        yield from clients.families()
        yield from jobs.families()
        yield from storages.families()
        yield from upkeep.families()
        yield from requests.families()


# Of its own: the default one has what this process alone measures, and there are several.
registry = CollectorRegistry()
registry.register(DatabaseCollector())


def render(accept):
    """Return the metrics and their content type: OpenMetrics where ``accept`` names it."""
    if "application/openmetrics-text" in accept:
        return openmetrics.generate_latest(registry), openmetrics.CONTENT_TYPE_LATEST
    return exposition.generate_latest(registry), exposition.CONTENT_TYPE_PLAIN_0_0_4
