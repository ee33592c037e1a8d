"""What is found of an answer: its paths, bridges, merges, reports and numbers."""
