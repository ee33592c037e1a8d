"""The doors to other libraries: each file is one of them, imported when it is used."""
