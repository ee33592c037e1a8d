"""Audits on the engine that holds an answer, and oracles of other libraries.

An audit shares no code with the run that it checks.
"""
