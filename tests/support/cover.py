"""A few of many cases, in which all occurs that occurs in any of them."""


def cover(marks):
    """Greedily, the case with the most marks that no earlier one has, and the first of equal ones.

    ``marks`` are those of each case.
    """
    left = {case: set(own) for case, own in marks.items()}
    chosen = []
    while any(left.values()):
        best = max(left, key=lambda case: len(left[case]))
        chosen.append(best)
        met = left.pop(best)
        for rest in left.values():
            rest -= met
    return chosen
