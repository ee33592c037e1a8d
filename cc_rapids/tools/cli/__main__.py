"""``python -m cc_rapids.cli``, which is ``cc-rapids``."""

from . import main

if __name__ == "__main__":
    main()
