"""What NetworkX is told of the backend before anything is imported."""

from __future__ import annotations

from typing import Any

FUNCTIONS = (
    "connected_components",
    "is_connected",
    "is_weakly_connected",
    "node_connected_component",
    "number_connected_components",
    "number_weakly_connected_components",
    "weakly_connected_components",
)


def get_info() -> dict[str, Any]:
    """The entry point ``networkx.backend_info``."""
    return {
        "backend_name": "cc_rapids",
        "project": "cc_rapids",
        "package": "cc_rapids",
        "short_summary": "Connected components on the GPU, or on CPU threads.",
        "functions": {
            name: {"additional_docs": "Any graph; the nodes come back as they are."}
            for name in FUNCTIONS
        },
    }
