from django.core.management.base import BaseCommand

from ...services import counts


class Command(BaseCommand):
    help = "Count the events of all categories and tags anew, as after SQL written by hand."

    def handle(self, **options):
        wrong = counts.recount()
        self.stdout.write(f"Corrected {wrong} counts." if wrong else "All counts were right.")
