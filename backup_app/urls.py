"""The routes of the operations, each with and without a slash at its end."""

from django.urls import URLPattern, re_path, register_converter
from django.urls.converters import IntConverter, StringConverter
from django.urls.resolvers import RoutePattern

from .api.errors import not_found
from .api.views import (
    browse,
    clients,
    download,
    filesets,
    jobs,
    mail,
    restore,
    storages,
    subusers,
)


class NumberConverter(IntConverter):
    """A number that fits into 63 bits; a longer one matches no route, which is a 404."""

    regex = "[0-9]{1,18}"


class TextConverter(StringConverter):
    """A name or an address; one with a NUL matches no route, since PostgreSQL rejects it."""

    regex = "[^/\\0]+"


register_converter(NumberConverter, "number")
register_converter(TextConverter, "text")


class Route(RoutePattern):
    """A route that a slash may follow, described once."""

    def match(self, path):
        return super().match(path.removesuffix("/"))


ROUTES = {
    "jobs/<text:client_ip>": jobs.backups,
    "files/<number:job_id>": browse.files,
    "nodes/<number:job_id>/<number:node_id>": browse.nodes,
    "restore/<number:job_id>/<text:client_ip>": restore.restore,
    "restorenodes/<number:job_id>/<text:client_ip>": restore.restore_nodes,
    "restoremysql/<number:job_id>/<text:db_name>": restore.restore_mysql,
    "status/<number:job_id>": jobs.status,
    "run/<text:client_ip>": clients.run,
    "cancel/<number:job_id>": jobs.cancel,
    "system/<text:server_ip>": clients.system,
    "restoretree/<text:client_ip>": browse.restore_tree,
    "downloadinfo/<number:job_id>/<text:client_ip>": download.download_info,
    "download/<number:job_id>/<text:client_ip>/<number:chunk>": download.download,
    "getclientnamebyip/<text:client_ip>": clients.client_name_by_ip,
    "msexchange/<text:client_ip>/getemail": mail.mailbox_file,
    "msexchange/<text:client_ip>/path": mail.mailbox_path,
    "msexchange/<text:client_ip>/search": mail.mailbox_search,
    "getbaaszones": storages.zones,
    "storages": storages.list_storages,
    "servers": clients.list_servers,
    "myjobs": jobs.my_jobs,
    "supportedsystems": storages.supported_systems,
    "backupnow/<text:client_ip>/<text:level>": jobs.backup_now,
    "getconfig/<text:client_ip>/<text:system>": clients.get_config,
    "genconfig/<text:system>": clients.generate_config,
    "backupoptions/<text:client_ip>/<text:system>": clients.backup_options,
    "getpool/<text:pool_name>": storages.get_pool,
    "savepool": storages.save_pool,
    "subuser/add": subusers.add_subuser,
    "subuser/grant": subusers.grant_access,
    "subuser/password": subusers.set_password,
    "subuser/check": subusers.subuser_exists,
    "subuser/bmr": subusers.bare_metal_restore,
    "deleteclient/<text:client_name>": clients.delete_client,
    "joblog/<number:job_id>": jobs.job_log,
    "savefileset": filesets.save_fileset,
}
urlpatterns = [
    URLPattern(Route(route, view.operation.name, is_endpoint=True), view, name=view.operation.name)
    for route, view in ROUTES.items()
]
urlpatterns.append(re_path("", not_found))
