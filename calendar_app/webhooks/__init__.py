"""Webhooks tell other programs of events, as Standard Webhooks says.

A write notes what happened to events (``changes``) and queues one task. The worker makes a message
for each webhook that wants to know (``messages``) and sends it until it arrives (``deliveries``).
"""
