"""Analysis of an answer: paths, bridges, merges, reports, numbers and plots."""
