"""Making jobs of those that engines found: years of history, and what others start today.

Imports nothing itself: a running job's ``JobRun`` uses ``new_jobs``, which ``watch`` builds on.
"""
