"""What engines have in common: open folders and their metadata, dumps, removal of jobs."""
