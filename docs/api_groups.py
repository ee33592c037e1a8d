"""Groups of methods on the API pages of large classes; the most used methods come first."""

COMPONENTS = {
    "The answer": ("labels", "sizes", "largest", "members", "size_histogram", "representatives"),
    "Single vertices and components": (
        "num_components",
        "num_vertices",
        "component_of",
        "same_component",
        "connected",
        "filter",
        "subset",
        "edges",
    ),
    "Records with their components": (
        "attach",
        "deduplicate",
        "duplicates",
        "stable_ids",
        "with_key_names",
    ),
    "Forests, paths and thresholds": ("forest", "path", "paths", "explain_pair", "dendrogram"),
    "Reports and plots": ("report", "plot", "summary", "ledger"),
    "Audits and comparison": ("audit", "audit_paths", "equals"),
    "Files": ("save", "load", "to_parquet"),
}
CONNECTIVITY = {
    "Insertion and removal": ("insert", "remove", "remove_vertices", "expire"),
    "Queries": (
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
GROUPS = {
    "Components": COMPONENTS,
    "LinkedRecords": COMPONENTS | {"Shared values": ("articulation_points",)},
    "LinkedPairs": COMPONENTS | {"Rules": ("refused",)},
    "NeighborComponents": COMPONENTS | {"Clusters": ("core", "num_noise")},
    "Connectivity": CONNECTIVITY,
}
