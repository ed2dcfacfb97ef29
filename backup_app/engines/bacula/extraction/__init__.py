"""Downloads: gets files out of volumes, or by a restore to this host, into a tar."""
