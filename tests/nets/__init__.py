"""Nets: what a commit which only moves or renames leaves as it is.

``public.json`` holds public names, signatures, fields and design strings; ``make nets`` writes it
anew, for a commit that means to change them. ``make ptx-net BASE=HEAD~1`` compares the machine's
view: the PTX of every kernel.
"""
