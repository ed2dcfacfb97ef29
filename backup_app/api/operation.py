"""Declares an operation of the API: its method, who may call it, its parameters and answer."""

from contextlib import nullcontext
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any

from django.http import HttpResponseBase
from drf_spectacular.utils import OpenApiParameter
from rest_framework import exceptions, serializers
from rest_framework.permissions import IsAuthenticated
from rest_framework.response import Response
from rest_framework.views import APIView

from ..accounts import access, audit
from ..accounts.authentication import BackupAuthentication
from ..exceptions import Forbidden
from ..lib.durations import Durations
from . import errors
from .openapi import BackupAutoSchema
from .parsers import FormParser, JSONParser, MultiPartParser, require_readable
from .renderers import HEADERS, AlwaysJSON, JSONRenderer
from .serializers.fields import Options

REFUSED = {403, 404}
ENGINE_REFUSED = {502, 503}  # part of a write may have been done before these
NAMED = "subuser client login name ip path cmd".split()  # kept in the audit log
DURATIONS = Durations(size=36)  # by the name of the operation
measured = DURATIONS.measured if find_spec("prometheus_client") else nullcontext


@dataclass(frozen=True, kw_only=True)
class Operation:
    """The arguments of ``@operation``; ``openapi.py`` describes the API from them."""

    number: int  # in the specification's table
    method: str
    topic: str
    answer: Any  # represents what the function returns, a record or a dict
    options: type[serializers.Serializer] = Options
    subusers: bool = False  # whether a subuser's login may use it
    writes: bool = False  # whether each success leaves an audit row
    # Whether ``subuser`` in the body limits the operation to that subuser's clients, instead of
    # being a parameter of it.
    on_behalf: bool = True
    refusals: tuple[int, ...] = (404,)  # statuses beyond those that any operation may answer
    headers: tuple[OpenApiParameter, ...] = ()  # of requests and answers, for the description
    name: str
    description: str

    @property
    def summary(self) -> str:
        """The first line of the description without its full stop: ``Cancel a job``."""
        return self.description.partition("\n")[0].rstrip(".")

    @property
    def verb_phrase(self) -> str:
        """The summary as a part of a sentence."""
        return self.summary[:1].lower() + self.summary[1:]


class OperationView(APIView):
    """One function of a views module behind authentication, validation and audit."""

    operation: Operation
    function: Any
    authentication_classes = [BackupAuthentication]
    permission_classes = [IsAuthenticated]
    parser_classes = [FormParser, JSONParser, MultiPartParser]
    renderer_classes = [JSONRenderer]
    content_negotiation_class = AlwaysJSON
    schema = BackupAutoSchema()

    def get_exception_handler(self):
        return errors.handle

    def dispatch(self, request, *args, **kwargs):
        with measured(self.operation.name):
            response = super().dispatch(request, *args, **kwargs)
            return response.render() if isinstance(response, Response) else response

    def initial(self, request, *args, **kwargs):
        if request.method not in self.allowed_methods:
            raise exceptions.MethodNotAllowed(request.method)
        super().initial(request, *args, **kwargs)
        request.caller = request.auth
        if request.caller.subuser and not self.operation.subusers:
            raise Forbidden(f"A subuser's login may not {self.operation.verb_phrase}.")
        request.options = self.validated(request)

    def permission_denied(self, request, message=None, code=None):
        raise exceptions.NotAuthenticated("Log in with HTTP Basic authentication.")

    def validated(self, request):
        """Return the parameters of the body; notes on whose behalf the request is made."""
        require_readable(request.META)
        # Parameters of a GET come as a query, since many programs cannot send it with a body.
        query = request.query_params.dict() if request.method == "GET" else {}
        serializer = self.operation.options(
            data={**query, **request.data}, context={"request": request}
        )
        serializer.is_valid(raise_exception=True)
        options = dict(serializer.validated_data)
        login = options.pop("subuser", "") if self.operation.on_behalf else ""
        if login:
            behalf = access.on_behalf_of(request.caller, login)
            request.caller = replace(request.caller, behalf=behalf)
        return options

    def answer(self, request, **kwargs):
        found = self.function(request, **kwargs)
        if isinstance(found, HttpResponseBase):
            return found
        return Response(self.operation.answer.represent(found))

    def finalize_response(self, request, response, *args, **kwargs):
        response = super().finalize_response(request, response, *args, **kwargs)
        for name, value in HEADERS.items():
            response[name] = value
        # Not request.auth: reading it would check refused credentials a second time.
        if caller := getattr(request, "caller", None):
            self.note(request, caller, response)
        return response

    def note(self, request, caller, response):
        status, writes = response.status_code, self.operation.writes
        refused = status in REFUSED or (writes and status in ENGINE_REFUSED)
        if not refused and not (writes and status < 300):
            return
        audit.note(
            account=caller.account,
            login=caller.login,
            address=caller.address,
            operation=self.operation.name,
            target=" ".join(
                [*map(str, self.kwargs.values()), *self.named_targets(request, caller)]
            ),
            outcome=audit.Outcome.REFUSED if refused else audit.Outcome.DONE,
            detail=response.data.get("error", "") if refused else "",
        )

    def named_targets(self, request, caller):
        """Return what the body names, for the audit log: no secrets and no long lists."""
        behalf = [f"for {caller.behalf.login}"] if caller.behalf else []
        options = getattr(request, "options", {})
        named = [options[name] for name in NAMED if options.get(name)]
        return behalf + [
            each.decode(errors="replace") if isinstance(each, bytes) else str(each)
            for each in named
        ]


def operation(number, method="POST", **declared):
    """Make a view of a function ``(request, **path)``; ``declared`` are fields of ``Operation``.

    The function finds validated parameters in ``request.options``, who asks in ``request.caller``.
    It returns a response, or what ``answer`` represents.
    Its docstring is the operation's description: a summary, then details.
    """

    def decorate(function):
        name, description = function.__name__, function.__doc__ or ""
        made = Operation(
            number=number, method=method, name=name, description=description, **declared
        )
        DURATIONS.add(name)
        members = {
            "operation": made,
            "function": staticmethod(function),
            "http_method_names": [method.lower()],
            method.lower(): OperationView.answer,
            "__doc__": function.__doc__,
        }
        view = type(name, (OperationView,), members).as_view()
        view.operation = made
        return view

    return decorate
