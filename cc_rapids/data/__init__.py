"""What the caller gave, checked and borrowed as it lies, and frames of the caller's kind."""
