"""The admin's menu."""

from django.contrib import admin

# Icons by model (Material Symbols), in the order of the menu; others follow by name.
ICONS = {
    "Event": "event",
    "Venue": "location_on",
    "Organizer": "groups",
    "Category": "category",
    "Tag": "sell",
    "Image": "image",
    "Change": "history",
    "Feed": "rss_feed",
    "Webhook": "webhook",
    "WebhookDelivery": "outbox",
    "Client": "computer",
    "Job": "backup",
    "Fileset": "folder_copy",
    "Pool": "inventory_2",
    "Storage": "hard_drive",
    "Zone": "hub",
    "Subuser": "supervised_user_circle",
    "ApiKey": "key",
    "Mailbox": "mail",
    "MaintenancePlan": "build",
    "AlertRule": "notifications",
    "AlertDelivery": "outgoing_mail",
    "AuditEntry": "policy",
    "AccountAccess": "visibility",
    "User": "person",
    "Group": "group",
}
FIRST = ["calendar_app", "backup_app"]
LAST = ["auth"]


def sidebar(request):
    """Return the menu of what the user may see, by app, in Unfold's format."""
    apps = admin.site.get_app_list(request)
    apps.sort(key=lambda app: _place(app["app_label"]))
    return [{"title": app["name"], "items": _items(app["models"])} for app in apps]


def _place(label):
    return label in LAST, FIRST.index(label) if label in FIRST else len(FIRST)


def _items(models):
    order = list(ICONS)
    known = [model for model in models if model["object_name"] in ICONS]
    known.sort(key=lambda model: order.index(model["object_name"]))
    others = [model for model in models if model not in known]
    return [_item(model) for model in known + others if model["admin_url"]]


def _item(model):
    icon = ICONS.get(model["object_name"], "list")
    return {"title": model["name"], "icon": icon, "link": model["admin_url"]}
