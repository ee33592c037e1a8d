"""The caller's input, checked and borrowed in place, and frames of the caller's kind."""
