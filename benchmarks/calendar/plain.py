"""The event list as the tutorials write it, to compare with: stock parts and nothing else."""

from rest_framework import serializers

from calendar_app.models import Category, Event, Image, Organizer, Tag, Venue

MOMENTS = ("start_date", "end_date", "start_utc", "end_utc")
PARTS = {
    "year": "%Y",
    "month": "%m",
    "day": "%d",
    "hour": "%H",
    "minutes": "%M",
    "seconds": "%S",
}


class ImageSerializer(serializers.ModelSerializer):
    class Meta:
        model = Image
        fields = ["id", "file", "width", "height", "filesize", "sizes"]


class CategorySerializer(serializers.ModelSerializer):
    class Meta:
        model = Category
        fields = ["id", "name", "slug", "description", "parent", "count"]


class TagSerializer(serializers.ModelSerializer):
    class Meta:
        model = Tag
        fields = ["id", "name", "slug", "description", "count"]


class OrganizerSerializer(serializers.ModelSerializer):
    image = ImageSerializer()

    class Meta:
        model = Organizer
        fields = (
            "id author status date date_utc modified modified_utc name description excerpt slug "
            "image phone website email global_id_lineage"
        ).split()


class VenueSerializer(serializers.ModelSerializer):
    image = ImageSerializer()

    class Meta:
        model = Venue
        fields = (
            "id author status date date_utc modified modified_utc name description excerpt slug "
            "image address city country province state zip phone website stateprovince geo_lat "
            "geo_lng show_map show_map_link global_id_lineage"
        ).split()


class EventSerializer(serializers.ModelSerializer):
    image = ImageSerializer()
    categories = CategorySerializer(many=True)
    tags = TagSerializer(many=True)
    venues = VenueSerializer(many=True)
    organizers = OrganizerSerializer(many=True)
    details = serializers.SerializerMethodField()

    class Meta:
        model = Event
        fields = (
            "id author status date date_utc modified modified_utc title description excerpt slug "
            "image all_day start_date end_date start_utc end_utc details timezone timezone_abbr "
            "cost website show_map show_map_link hide_from_listings sticky featured ticketed "
            "custom_fields global_id_lineage categories tags venues organizers"
        ).split()

    def get_details(self, event):
        return {name: _parts(getattr(event, name)) for name in MOMENTS}


EVENTS = (
    Event.objects.filter(status="publish", hide_from_listings=False)
    .select_related("image")
    .prefetch_related("categories", "tags", "venues__image", "organizers__image")
)


def _parts(moment):
    return {name: moment.strftime(form) for name, form in PARTS.items()}
