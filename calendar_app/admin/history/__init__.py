"""The history of a record in the admin, and restoring one of its versions."""
