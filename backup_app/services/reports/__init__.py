"""What operators read of clients, jobs and storages, and the samples that this takes."""
