from calendar_app.api.serializers import EventSerializer


def test_each_serializer_has_fields_of_its_own():
    first, second = EventSerializer(), EventSerializer()

    first.fields["title"].required = False

    assert second.fields["title"].required
    assert all(field.parent is first for field in first.fields.values())
    assert EventSerializer().fields["title"].required
