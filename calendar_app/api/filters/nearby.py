"""Venues near a point, without a geographic extension of the database."""

from math import asin, cos, degrees, pi, radians, sin

from django.db.models import F, Q, Value
from django.db.models.functions import Cos, Radians, Sin

EARTH_RADIUS_KM = 6371.0088  # the mean radius R1 (IUGG)
MAX_RADIUS_KM = 20_016  # half the circumference, rounded up to reach the antipode
# Degrees, half a metre: keeps venues on the edge of the box in spite of rounding.
MARGIN = 5e-6


def within(venues, lat, lng, km):
    """Keep the venues at most km kilometres (great-circle distance) from the point, in degrees.

    The box uses the index on the position; the haversine formula decides.
    """
    limit = sin(min(km / (2 * EARTH_RADIUS_KM), pi / 2)) ** 2
    return (
        venues.filter(_box(lat, lng, km))
        .alias(haversine=_haversine(lat, lng))
        .filter(haversine__lte=limit)
    )


def _haversine(lat, lng):
    """Return sin² of half the angle between a venue and the point, as a database expression."""
    half_lat = Sin((Radians(F("geo_lat")) - Value(radians(lat))) / 2.0)
    half_lng = Sin((Radians(F("geo_lng")) - Value(radians(lng))) / 2.0)
    across = Cos(Radians(F("geo_lat"))) * Value(cos(radians(lat)))
    return half_lat * half_lat + across * half_lng * half_lng


def _box(lat, lng, km):
    """Return the condition that a venue lies in the smallest box around the circle."""
    angle = km / EARTH_RADIUS_KM
    height = degrees(angle) + MARGIN
    south, north = lat - height, lat + height
    box = Q(geo_lat__range=(south, north))
    # A circle around a pole contains all longitudes.
    if south <= -90 or north >= 90:
        return box & Q(geo_lng__isnull=False)
    width = degrees(asin(sin(angle) / cos(radians(lat)))) + MARGIN
    west, east = lng - width, lng + width
    longitudes = Q(geo_lng__range=(west, east))
    # Beyond the 180th meridian, longitudes continue from the other end of their range.
    if west <= -180:
        longitudes |= Q(geo_lng__gte=west + 360)
    if east >= 180:
        longitudes |= Q(geo_lng__lte=east - 360)
    return box & longitudes
