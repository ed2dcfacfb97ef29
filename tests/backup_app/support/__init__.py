"""Records, engines, clients of the API and backups that tests of the backup app use."""
