from types import SimpleNamespace

from rest_framework import serializers

from backup_app.api.serializers.answer import Answer, RawPathField


class Thing(Answer):
    name = serializers.CharField()
    zone = serializers.CharField(source="storage.zone.name", allow_null=True)
    size = serializers.IntegerField(required=False)


def test_a_record_and_a_dict_are_represented_alike():
    values = {"name": "web", "storage": None, "size": 3}

    assert Thing.represent(values) == {"name": "web", "zone": None, "size": 3}
    assert Thing.represent(SimpleNamespace(**values)) == Thing.represent(values)


def test_a_source_is_followed():
    zone = SimpleNamespace(name="north")

    found = Thing.represent({"name": "", "storage": SimpleNamespace(zone=zone), "size": 0})

    assert found == {"name": "", "zone": "north", "size": 0}


def test_only_a_field_that_is_not_required_is_left_out():
    assert Thing.represent({"name": None, "storage": None, "size": None}) == {
        "name": None,
        "zone": None,
    }


def test_the_bytes_of_a_path_are_told_only_where_text_cannot_say_them():
    class Raw(Answer):
        path_b64 = RawPathField()

    assert Raw.represent({"path": "/föö".encode()}) == {}
    assert Raw.represent({"path": b"/\xff"}) == {"path_b64": "L/8="}
