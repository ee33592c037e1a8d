"""The IPython extension: ``%load_ext cc_rapids`` calls :func:`cc_rapids.install`."""

from __future__ import annotations

from typing import Any

from .install import install, uninstall


def load_ipython_extension(shell: Any) -> None:
    """Run :func:`cc_rapids.install` for ``%load_ext cc_rapids``."""
    install()


def unload_ipython_extension(shell: Any) -> None:
    """Run :func:`cc_rapids.uninstall` for ``%unload_ext cc_rapids``."""
    uninstall()
