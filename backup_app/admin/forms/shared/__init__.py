"""What several forms have: fields, and how they show the errors of services."""
