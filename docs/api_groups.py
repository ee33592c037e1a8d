"""The methods of classes with many, in the groups of their API pages: first what is called most."""

COMPONENTS = {
    "The answer": ("labels", "sizes", "largest", "members", "size_histogram", "representatives"),
    "Some vertices and components": (
        "num_components",
        "num_vertices",
        "component_of",
        "same_component",
        "connected",
        "filter",
        "subset",
        "edges",
    ),
    "Records with their components": ("attach", "deduplicate", "stable_ids", "with_key_names"),
    "Forests, paths and thresholds": ("forest", "path", "paths", "dendrogram"),
    "Look at it": ("report", "plot", "summary", "ledger"),
    "Prove and compare it": ("audit", "audit_paths", "equals"),
    "Files": ("save", "load", "to_parquet"),
}
CONNECTIVITY = {
    "Edges in and out": ("insert", "remove", "remove_vertices", "expire"),
    "Ask": (
        "components",
        "connected",
        "same_component",
        "process",
        "num_components",
        "num_vertices",
        "ledger",
    ),
    "Files": ("save", "load"),
}
GROUPS = {"Components": COMPONENTS, "LinkedRecords": COMPONENTS, "Connectivity": CONNECTIVITY}
