"""Reports what an existing Bacula has, for the app to record."""
