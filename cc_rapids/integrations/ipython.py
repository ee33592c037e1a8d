"""``%load_ext cc_rapids`` in a notebook: :func:`cc_rapids.install`, and back again."""

from __future__ import annotations

from typing import Any

from .install import install, uninstall


def load_ipython_extension(shell: Any) -> None:
    """Run :func:`cc_rapids.install` for ``%load_ext cc_rapids``."""
    install()


def unload_ipython_extension(shell: Any) -> None:
    """Run :func:`cc_rapids.uninstall` for ``%unload_ext cc_rapids``."""
    uninstall()
