"""Pruning, reading again and checking backups on a schedule.

``schedule`` starts what is due, ``runs`` carries it out in a task and notes how it went, ``tasks``
are the things that can be done.
"""
