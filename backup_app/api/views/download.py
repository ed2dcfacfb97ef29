"""Downloads: all that a backup holds as one plain tar, in chunks."""

from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse
from rest_framework.response import Response

from ...accounts import access
from ...exceptions import NotFound, WrongState
from ...services import downloads
from .. import ranges
from ..operation import operation
from ..serializers.download import DownloadPreparing, DownloadReady

OCTETS = "application/octet-stream"
RETRY_SECONDS = "5"


def header(name, description, statuses=(), kind=str):
    """Describe a header of a request, or of answers with these statuses."""
    response = list(statuses) if statuses else False
    return OpenApiParameter(name, kind, "header", description=description, response=response)


@operation(
    12,
    topic="downloads",
    answer={200: DownloadReady, 202: DownloadPreparing},
    subusers=True,
    refusals=(404, 409, 502, 503),
    headers=(header("Retry-After", "Seconds to wait before asking again.", [202], int),),
)
def download_info(request, job_id, client_ip):
    """Prepare a download.

    The name, size and number of chunks of a plain tar with everything that a full restore of this
    backup would bring back. While it is being prepared the answer is 202: ask again after the
    seconds in ``Retry-After``.
    """
    backup = _backup(request, job_id, client_ip)
    download = downloads.prepared(backup)
    if not download.is_ready:
        waiting = {"file_name": downloads.file_name(backup), "state": download.state}
        answer = DownloadPreparing.represent(waiting)
        return Response(answer, status=202, headers={"Retry-After": RETRY_SECONDS})
    ready = {
        "file_name": downloads.file_name(backup),
        "size": download.size,
        "chunks": downloads.chunks(download),
        "chunk_size": downloads.chunk_size(),
        "state": download.state,
    }
    return Response(DownloadReady.represent(ready))


@operation(
    13,
    topic="downloads",
    answer={
        (200, OCTETS): OpenApiResponse(OpenApiTypes.BINARY, description="The chunk."),
        (206, OCTETS): OpenApiResponse(OpenApiTypes.BINARY, description="A range of the chunk."),
    },
    subusers=True,
    refusals=(404, 409, 416, 502, 503),
    headers=(
        header("Range", "A part of the chunk: bytes=0-1023, bytes=1024- or bytes=-512."),
        header("If-Range", "ETag of the chunk; if it has changed, the whole chunk is sent."),
        header("ETag", "Changes with the content of the chunk.", [200, 206]),
        header("X-Chunk-SHA256", "SHA-256 of the whole chunk, in hexadecimal.", [200, 206]),
        header("Content-Range", "Range that is sent, such as bytes 0-1023/8388608.", [206]),
    ),
)
def download(request, job_id, client_ip, chunk):
    """Download a chunk.

    All chunks in their order are the file; they can be fetched in any order. ``X-Chunk-SHA256`` is
    the hash of the whole chunk, also when ``Range`` asks for a part of it.
    """
    backup = _backup(request, job_id, client_ip)
    prepared = downloads.prepared(backup)
    if not prepared.is_ready:
        raise WrongState(f"The download of job {job_id} is still being prepared.")
    extent = downloads.extent(prepared, chunk)
    part = ranges.requested(request.headers.get("Range", ""), len(extent))
    content = downloads.read(backup, prepared, extent)
    tag = f'"{content.sha256}"'
    if request.headers.get("If-Range", tag) != tag:
        part = None
    return _streamed(content, part, tag)


def _streamed(content, part, tag):
    start, stop = part or (0, content.size)
    response = StreamingHttpResponse(
        content.blocks(start, stop), status=206 if part else 200, content_type=OCTETS
    )
    response["Content-Length"] = str(stop - start)
    response["Accept-Ranges"] = "bytes"
    response["ETag"] = tag
    response["X-Chunk-SHA256"] = content.sha256
    if part:
        response["Content-Range"] = f"bytes {start}-{stop - 1}/{content.size}"
    return response


def _backup(request, job_id, client_ip):
    backup = access.readable_backup(request.caller, job_id)
    if access.client(request.caller, ip=client_ip) != backup.client:
        raise NotFound(f"There is no job {job_id} of the client with the address '{client_ip}'.")
    return backup
