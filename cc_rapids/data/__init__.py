"""The caller's input, checked and borrowed as it lies, and frames of the caller's kind."""
