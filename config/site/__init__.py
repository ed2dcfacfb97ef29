"""The menu, media files and error pages around the two apps."""
