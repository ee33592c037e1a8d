"""Answers: components, their labels, look-ups, scores, thresholds and plots."""
