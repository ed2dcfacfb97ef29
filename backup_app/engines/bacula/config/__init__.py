"""What this service adds to the Director's configuration, as texts and files."""
