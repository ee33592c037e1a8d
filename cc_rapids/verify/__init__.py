"""Whether an answer is right: audits on the engine that holds it, and oracles of other libraries.

An audit shares no code with the run that it checks.
"""
