"""Readers of graph files as two columns of ids, and writers of edges and labels."""
