"""The resources that this service adds to the Director's configuration, and their files."""
