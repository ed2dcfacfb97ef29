from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower

from .post import Post

US_NAMES = {"", "us", "usa", "united states", "united states of america"}


class Venue(Post):
    name = models.CharField(max_length=255)
    address = models.CharField(max_length=255, blank=True)
    city = models.CharField(max_length=255, blank=True)
    country = models.CharField(max_length=255, blank=True)
    province = models.CharField(max_length=255, blank=True)
    state = models.CharField(max_length=255, blank=True)
    zip = models.CharField(max_length=64, blank=True)
    phone = models.CharField(max_length=64, blank=True)
    website = models.URLField(max_length=2000, blank=True)
    stateprovince = models.CharField(
        "state or province", max_length=255, blank=True, help_text="Follows the country when empty."
    )
    geo_lat = models.FloatField("latitude", null=True, blank=True, help_text="degrees, -90 to 90")
    geo_lng = models.FloatField(
        "longitude", null=True, blank=True, help_text="degrees, -180 to 180"
    )
    show_map = models.BooleanField(default=True)
    show_map_link = models.BooleanField(default=True)

    title_field = "name"

    class Meta(Post.Meta):
        ordering = ["-date_utc", "-id"]
        permissions = [
            ("publish_venue", "Can publish venues"),
            ("edit_others_venue", "Can edit the venues of others"),
        ]
        constraints = [
            *Post.Meta.constraints,
            models.CheckConstraint(
                condition=Q(geo_lat=None, geo_lng=None)
                | Q(geo_lat__range=(-90, 90), geo_lng__range=(-180, 180)),
                name="calendar_venue_position_on_earth",
            ),
        ]
        indexes = [
            *Post.Meta.indexes,
            models.Index(Lower("name"), name="calendar_venue_name"),
            models.Index(fields=["status", "-date_utc", "-id"], name="calendar_venue_list"),
            models.Index(fields=["geo_lat", "geo_lng"], name="calendar_venue_position"),
        ]

    def clean(self) -> None:
        """Raise ValidationError for an incomplete position, or one out of range."""
        super().clean()
        if (self.geo_lat is None) != (self.geo_lng is None):
            missing = "geo_lat" if self.geo_lat is None else "geo_lng"
            raise ValidationError({missing: "geo_lat and geo_lng belong together: give both."})
        if self.geo_lat is not None:
            _require_range("geo_lat", self.geo_lat, 90)
            _require_range("geo_lng", self.geo_lng, 180)

    @property
    def region(self) -> str:
        """The state of a venue in the US or without a country, the province of any other.

        If that field is empty, it is the other of the two.
        """
        in_us = self.country.strip().lower() in US_NAMES
        own, other = (self.state, self.province) if in_us else (self.province, self.state)
        return self.stateprovince or own or other


def _require_range(name: str, degrees: float, most: int) -> None:
    # Not "abs(degrees) > most", which is False for NaN.
    if not -most <= degrees <= most:
        raise ValidationError({name: f"{name} must be from -{most} to {most}, not {degrees}."})
