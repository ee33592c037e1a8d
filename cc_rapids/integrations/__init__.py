"""Integrations with other libraries: one file each, imported when it is used."""
