from django.core.management.base import CommandError

from ...conf import conf
from ...engines import get_engine
from ...engines.bacula import BaculaEngine
from ...jobs.adoption.installation import Adoption
from ...lib.formatting import counted
from ...models import Zone
from ..base import BackupCommand
from ..lookup import account_named
from ..terminal import watched


class Command(BackupCommand):
    help = (
        "Adopt what an existing Bacula has into an account: storages, pools, filesets, clients and "
        "all their jobs. Bacula's own configuration stays as it is. May be repeated, which adds "
        "what is new and removes jobs that Bacula has pruned, and interrupted at any time."
    )
    examples = (
        "sync_bacula --account ann@example.org --dry-run",
        "sync_bacula --account ann@example.org --client web1-fd --format json",
    )
    failure = "It was refused, or something could not be adopted; the messages say why."

    def add_arguments(self, parser):
        super().add_arguments(parser)
        parser.add_argument(
            "--account", metavar="EMAIL", required=True, help="E-mail address of the account."
        )
        parser.add_argument(
            "--zone", metavar="NAME", help="Zone of the Bacula; needed if there are several."
        )
        parser.add_argument(
            "--client",
            action="append",
            default=[],
            metavar="NAME",
            help="Adopt only this client, by its name in Bacula; can be repeated.",
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="Show what would be adopted, and store nothing."
        )

    def handle(self, *, account, zone, client, dry_run, **options):
        zone = _zone(zone)
        engine, account = get_engine(zone.engine), account_named(account)
        adoption = Adoption(engine, account, zone, client, dry_run=dry_run)
        _through(watched(adoption.find(), "Clients"))
        adoption.store()
        _through(watched(adoption.adopt_jobs(), "Jobs"))
        _through(watched(adoption.find_mailboxes(), "Backups searched for mailboxes"))
        self.answer(_record(adoption.report, dry_run), "\n".join(_lines(adoption.report, dry_run)))
        self.fail_if(adoption.report.problems)


def _zone(name):
    """Return the zone of a Bacula with a name, or the only one."""
    aliases = [alias for alias in conf.engines if isinstance(get_engine(alias), BaculaEngine)]
    zones = Zone.objects.filter(engine__in=aliases)
    found = list(zones.filter(name=name) if name else zones)
    if len(found) == 1:
        return found[0]
    if found:
        raise CommandError("Several zones use a Bacula engine: choose one with --zone NAME.")
    if name:
        raise CommandError(f"No zone named '{name}' uses a Bacula engine.")
    raise CommandError("No zone uses a Bacula engine: create one with add_zone first.")


def _through(items):
    for _ in items:
        pass


def _record(report, dry_run):
    return {
        "adopted": report.adopted,
        "updated": report.updated,
        "jobs": {verb: report.jobs[verb] for verb in ("adopted", "corrected", "removed", "purged")},
        "remarks": [*report.remarks, *report.remarks_on_jobs],
        "problems": report.problems,
        "dry_run": dry_run,
    }


def _lines(report, dry_run):
    """Return lines of text on what was done."""
    things = {"adopt": report.adopted, "update": report.updated}
    lines = [
        f"{_done(verb, dry_run)} {kind} '{name}'."
        for verb, found in things.items()
        for kind, names in found.items()
        for name in names
    ]
    lines += [*report.remarks, *report.remarks_on_jobs]
    lines.append(f"{_done('adopt', dry_run)} {counted(report.jobs['adopted'], 'job')}.")
    if number := report.jobs["corrected"]:
        lines.append(f"Corrected {counted(number, 'job')}, which had failed here only.")
    if number := report.jobs["removed"]:
        gone = "which Bacula has pruned"
        lines.append(f"{_done('remove', dry_run)} {counted(number, 'job')}, {gone}.")
    if number := report.jobs["purged"]:
        lines.append(
            f"{counted(number, 'job')} can no longer be read: Bacula has purged their files."
        )
    return lines


def _done(verb, dry_run):
    return f"Would {verb}" if dry_run else f"{verb.capitalize().rstrip('e')}ed"
