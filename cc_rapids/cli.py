"""The command line ``cc-rapids``, also available as ``python -m cc_rapids.cli``."""

from .tools.cli import main

__all__ = ["main"]

if __name__ == "__main__":
    main()
