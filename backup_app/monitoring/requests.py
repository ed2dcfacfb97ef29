"""How long requests to the API take, on this host since the server started."""

from prometheus_client.core import HistogramMetricFamily
from prometheus_client.utils import floatToGoString

from ..api.operation import DURATIONS
from ..lib.durations import BOUNDS

BUCKETS = [floatToGoString(bound) for bound in (*BOUNDS, float("inf"))]


def families():
    """Yield the metrics of requests, without a query."""
    family = HistogramMetricFamily(
        "backup_api_request_duration_seconds",
        "How long requests to the backup API took.",
        labels=["operation"],
    )
    for operation, (counts, seconds) in DURATIONS.read().items():
        family.add_metric([operation], list(zip(BUCKETS, counts, strict=True)), seconds)
    yield family
