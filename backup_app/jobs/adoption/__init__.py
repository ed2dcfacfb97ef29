"""Creates jobs for those that engines report: years of history, and what others start.

Imports nothing itself: a running job's ``JobRun`` uses ``new_jobs``, which ``watch`` builds on.
"""
