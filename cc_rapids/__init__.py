"""Connected components on GPU dataframes, and on CPU threads where there is no GPU.

>>> import pandas as pd, cc_rapids
>>> edges = pd.DataFrame({"src": [1, 2, 8], "dst": [2, 3, 9]})
>>> len(cc_rapids.components(edges))
2

Names are imported when they are first used, so that ``import cc_rapids`` imports nothing else.
"""

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0.dev0"

_HOMES = {
    "components": "api",
    "connected_components": "api",
    "Components": "result",
    "Design": "design",
    "designs": "design",
    "CcRapidsError": "errors",
    "CapacityError": "errors",
    "ColumnTypeError": "errors",
    "DesignError": "errors",
    "EngineError": "errors",
    "FormatError": "errors",
    "InputError": "errors",
    "MissingColumnError": "errors",
    "NullsError": "errors",
    "UnknownVertexError": "errors",
    "VerificationError": "errors",
    "generators": "",
    "oracle": "",
}

__all__ = [
    "CapacityError",
    "CcRapidsError",
    "ColumnTypeError",
    "Components",
    "Design",
    "DesignError",
    "EngineError",
    "FormatError",
    "InputError",
    "MissingColumnError",
    "NullsError",
    "UnknownVertexError",
    "VerificationError",
    "__version__",
    "components",
    "connected_components",
    "designs",
    "generators",
    "oracle",
]

if TYPE_CHECKING:
    from . import generators, oracle
    from .api import components, connected_components
    from .design import Design, designs
    from .errors import (
        CapacityError,
        CcRapidsError,
        ColumnTypeError,
        DesignError,
        EngineError,
        FormatError,
        InputError,
        MissingColumnError,
        NullsError,
        UnknownVertexError,
        VerificationError,
    )
    from .result import Components


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'cc_rapids' has no attribute {name!r}")
    home = _HOMES[name]
    value = (
        getattr(importlib.import_module(f".{home}", __name__), name)
        if home
        else importlib.import_module(f".{name}", __name__)
    )
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(_HOMES))
