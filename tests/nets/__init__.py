"""Nets: snapshots that a commit which only moves or renames leaves as they are.

``public.json`` holds public names, signatures, fields and design strings; ``launches.json`` what
some fifty jobs launch on a GPU, in order. ``make nets`` writes both anew, for a commit that means
to change them. ``make ptx-net BASE=HEAD~1`` compares the machine's view: the PTX of every kernel.
"""
