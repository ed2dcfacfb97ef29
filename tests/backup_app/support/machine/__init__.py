"""The machine that tests run on: its servers, processes, file systems and users."""
