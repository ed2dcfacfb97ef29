"""Parameters and answers of the operations, by topic; ``answer`` is the base of answers."""
