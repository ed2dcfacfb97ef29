"""What the operations accept."""
