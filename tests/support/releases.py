"""Releases of other libraries, of which `make test-oldest` takes old ones that can do less."""

from importlib.metadata import version

from packaging.version import Version


def before(library, release):
    """Whether the installed release of a library is older than another one."""
    return Version(version(library)) < Version(release)
