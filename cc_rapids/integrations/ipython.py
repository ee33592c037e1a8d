"""``%load_ext cc_rapids`` in a notebook: :func:`cc_rapids.install`, and back again."""

from __future__ import annotations

from typing import Any

from .install import install, uninstall


def load_ipython_extension(shell: Any) -> None:
    """What ``%load_ext cc_rapids`` calls: :func:`cc_rapids.install`."""
    install()


def unload_ipython_extension(shell: Any) -> None:
    """What ``%unload_ext cc_rapids`` calls: :func:`cc_rapids.uninstall`."""
    uninstall()
