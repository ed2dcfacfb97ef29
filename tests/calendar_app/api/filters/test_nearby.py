import pytest

from calendar_app.api.filters.nearby import MAX_RADIUS_KM, within
from calendar_app.models import Venue

from ...support.factories import VenueFactory

pytestmark = pytest.mark.django_db

DEGREE = 111.195  # km of a great circle


def near(lat, lng, km):
    return {venue.name for venue in within(Venue.objects.all(), lat, lng, km)}


def place(name, lat, lng):
    return VenueFactory(name=name, geo_lat=lat, geo_lng=lng)


@pytest.mark.parametrize(("lat", "lng"), [(1, 0), (-1, 0), (0, 1), (0, -1)])
def test_the_radius_is_the_same_on_every_side(lat, lng):
    place("Rim", lat, lng)

    assert near(0, 0, DEGREE - 0.1) == set()
    assert near(0, 0, DEGREE + 0.1) == {"Rim"}


def test_a_corner_of_the_box_is_outside_the_circle():
    place("Corner", 0.9, 0.9)

    assert near(0, 0, DEGREE) == set()


def test_degrees_of_longitude_shrink_towards_the_poles():
    place("Oslo", 60, 10)
    place("East of Oslo", 60, 12)

    assert near(60, 10, DEGREE - 1) == {"Oslo"}
    assert near(60, 10, DEGREE) == {"Oslo", "East of Oslo"}


@pytest.mark.parametrize("lng", [179.9, -179.9, 180, -180])
def test_the_antimeridian_is_no_border(lng):
    place("West of it", -17, 179.8)
    place("East of it", -17, -179.8)
    place("On it", -17, 180)
    place("On it as well", -17, -180)
    place("Far", -17, 170)
    place("Greenwich", -17, 0)

    assert near(-17, lng, 40) == {"West of it", "East of it", "On it", "On it as well"}


@pytest.mark.parametrize("pole", [90, -90])
def test_around_a_pole_there_is_every_longitude(pole):
    sign = pole / 90
    for lng in (-180, -90, 0, 45, 180):
        place(str(lng), sign * 89.9, lng)
    place("Far", sign * 89, 0)
    place("Other pole", -pole, 0)

    assert near(pole, 123, 20) == {"-180", "-90", "0", "45", "180"}
    assert near(sign * 89.95, 0, 20) == {"-180", "-90", "0", "45", "180"}


def test_the_whole_earth_is_within_half_its_girth():
    place("Antipode", -10, -170)
    VenueFactory(name="Nowhere")

    assert near(10, 10, MAX_RADIUS_KM) == {"Antipode"}


def test_a_radius_of_nothing_is_the_point():
    place("Here", 48.8566, 2.3522)
    place("There", 48.8567, 2.3522)

    assert near(48.8566, 2.3522, 0) == {"Here"}
