from pathlib import PurePosixPath


def image(picture, urls):
    """Return the representation of an Image, False for None."""
    if picture is None:
        return False
    name, address = picture.file.name, urls.files(picture.file.storage)
    return {
        "url": address(name),
        "id": picture.pk,
        "extension": PurePosixPath(name).suffix[1:],
        "width": picture.width,
        "height": picture.height,
        "filesize": picture.filesize,
        "sizes": {kind: _size(size, address) for kind, size in picture.sizes.items()},
    }


def _size(size, address):
    return {
        "width": size["width"],
        "height": size["height"],
        "mime-type": size["mime-type"],
        "filesize": size["filesize"],
        "url": address(size["file"]),
    }
