"""Read replicas of the database: which requests read one, and which replicas are up to date."""
