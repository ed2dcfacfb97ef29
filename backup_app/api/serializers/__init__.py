"""What the operations accept and answer, by topic; ``answer`` makes the answers."""
