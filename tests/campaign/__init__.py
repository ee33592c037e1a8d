"""A campaign of random trials that runs for as long as it is told: python -m campaign --help."""
