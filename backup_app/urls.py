"""The routes of the operations, each with and without a slash at its end."""

from django.urls import URLPattern, re_path, register_converter
from django.urls.resolvers import RoutePattern

from .converters import NumberConverter
from .errors import unknown
from .views import browse, download, jobs, mail, restore

register_converter(NumberConverter, "number")


class Route(RoutePattern):
    """A route that a slash may follow, described once."""

    def match(self, path):
        return super().match(path.removesuffix("/"))


ROUTES = {
    "jobs/<str:client_ip>": jobs.backups,
    "files/<number:job_id>": browse.files,
    "nodes/<number:job_id>/<number:node_id>": browse.nodes,
    "restore/<number:job_id>/<str:client_ip>": restore.restore,
    "restorenodes/<number:job_id>/<str:client_ip>": restore.restore_nodes,
    "restoremysql/<number:job_id>/<str:db_name>": restore.restore_mysql,
    "status/<number:job_id>": jobs.status,
    "cancel/<number:job_id>": jobs.cancel,
    "restoretree/<str:client_ip>": browse.restore_tree,
    "downloadinfo/<number:job_id>/<str:client_ip>": download.download_info,
    "download/<number:job_id>/<str:client_ip>/<number:chunk>": download.download,
    "msexchange/<str:client_ip>/getemail": mail.mailbox_file,
    "msexchange/<str:client_ip>/path": mail.mailbox_path,
    "msexchange/<str:client_ip>/search": mail.mailbox_search,
    "myjobs": jobs.my_jobs,
    "backupnow/<str:client_ip>/<str:level>": jobs.backup_now,
    "joblog/<number:job_id>": jobs.job_log,
}
urlpatterns = [
    URLPattern(Route(route, view.operation.name, is_endpoint=True), view, name=view.operation.name)
    for route, view in ROUTES.items()
]
urlpatterns.append(re_path("", unknown))
