"""A union rule for tests."""

from cc_rapids.kernels import none_of


def by_swap(upwards):
    """Return a rule that hooks the smaller of two roots if ``upwards``, otherwise the larger."""

    def rule(on, vertex, find):
        """Hook a root under another by compare-and-swap; retry from the new parent."""
        cas, none = on.atomic_cas, none_of(vertex)

        @on.device
        def link(parent, aux, u, v):
            u, v = find(parent, u), find(parent, v)
            while u != v:
                if (u > v) == upwards:
                    u, v = v, u
                current = cas(parent, u, u, v)
                if current == u:
                    return u
                u, v = find(parent, current), find(parent, v)
            return none

        return link

    return rule
