"""Choose a frame library for programs that run with and without a GPU."""

from __future__ import annotations

import importlib
from types import ModuleType

from .. import backends
from ..errors import EngineError, MissingExtraError, install_advice


def frame_library() -> ModuleType:
    """Return cuDF if it is installed and there is a GPU for it, otherwise pandas.

    Returns
    -------
    module
        ``cudf`` or ``pandas``.

    Raises
    ------
    MissingExtraError
        Neither library can be used.

    See Also
    --------
    cc_rapids.components : Find the components of a frame of either library.

    Examples
    --------
    >>> import cc_rapids
    >>> frames = cc_rapids.frame_library()
    >>> pairs = frames.DataFrame({"src": [5, 2, 9], "dst": [2, 7, 9]})
    >>> len(cc_rapids.components(pairs))
    2
    """
    try:
        backends.get("cuda")
        return importlib.import_module("cudf")
    except (EngineError, ImportError):
        pass
    try:
        return importlib.import_module("pandas")
    except ImportError:
        raise MissingExtraError(
            "neither cuDF with a GPU nor pandas was found: pip install pandas; or, where there is"
            f" a GPU, {install_advice('cu13')} (or cu12: `cc-rapids doctor` shows which one)"
        ) from None
