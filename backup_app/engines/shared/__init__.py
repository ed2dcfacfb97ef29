"""Shared parts of engines: open folders and their metadata, dumps, removal of jobs, versions."""
