"""Telling people what went wrong, and that it is well again.

``findings`` say what was seen of a client or storage; ``rules`` decide whom that concerns and
whether it is news; ``deliveries`` send it, by ``mail`` or ``webhook``. Whatever is not done yet is
in the database, so a worker that is restarted goes on with it.
"""
