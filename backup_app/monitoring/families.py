"""Makes metrics in which what is unknown is absent, as Prometheus expects it."""

from prometheus_client.core import GaugeMetricFamily


def gauge(name, description, labels, values):
    """Return a gauge with the known ones of ``values``, by the values of the labels."""
    family = GaugeMetricFamily(name, description, labels=labels)
    for of_labels, value in values.items():
        if value is not None:
            family.add_metric(of_labels, value)
    return family


def timestamp(moment):
    return moment and moment.timestamp()
