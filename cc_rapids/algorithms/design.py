"""Designs: combinations of one rule from each axis, with names that users type.

``str(Design(link="async", compress="halve"))`` is ``none+async+halve``: sample, link, compress.
``Design.parse`` is the inverse. If the link has a built-in find, the name has two words, such as
``kout+liu-tarjan(PRF)``, or one word if there is no sample.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import product
from typing import Any

from ..backends.base import SHARED_WORDS
from ..errors import DesignError, did_you_mean, nearest_words, unknown
from ..kernels.spec import AXES, CHOICES, COUNT, Spec

WORD = re.compile(r"([^()]+)(?:\((.*)\))?")
MAX_DIGITS = 9  # maximum number of digits of a count in a design's name


@dataclass(frozen=True)
class Design:
    """One algorithm for connected components.

    Parameters
    ----------
    sample, link : str
        The names of the choices, with options: ``"kout(k=3)"``.
    compress : str, optional
        The find, or the step of Rem's rules; None for links with a built-in find.

    Raises
    ------
    DesignError
        A word is unknown, or the choices cannot be combined. The error names the axis and the
        nearest words, or the reason.

    See Also
    --------
    designs : The designs by name.
    components : Run a design by its name.

    Examples
    --------
    >>> str(Design(sample="kout( k = 3 )", compress="naive"))
    'kout(k=3)+async+naive'
    >>> Design.parse("none+async+halve") == Design()
    True
    >>> str(Design.parse("liu-tarjan(PRF)"))
    'liu-tarjan(PRF)'
    """

    sample: str = "none"
    link: str = "async"
    compress: str | None = "halve"

    def __post_init__(self) -> None:
        for axis, text in zip(AXES, (self.sample, self.link, self.compress), strict=True):
            if text is not None:
                object.__setattr__(self, axis, str(parse_word(axis, text)))
        for row in EXCLUDED:
            if row.holds(self):
                raise DesignError(f"no design {self}: {row.reason}")

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by name, because the rules hold functions."""
        return type(self), (self.sample, self.link, self.compress)

    def __str__(self) -> str:
        return self._name

    @cached_property
    def _name(self) -> str:
        """Return the name, without the sample if one word suffices."""
        omits_sample = self.compress is None and starts_plainly(self)
        words = (None if omits_sample else self.sample, self.link, self.compress)
        return "+".join(word for word in words if word is not None)

    @cached_property
    def words(self) -> tuple[Word, Word, Word | None]:
        """The choices with their options."""
        compress = parse_word("compress", self.compress) if self.compress else None
        return parse_word("sample", self.sample), parse_word("link", self.link), compress

    @property
    def window(self) -> int:
        """The number of ids of a vertex block; 0 if every tree begins as a single vertex."""
        tiles = dict(self.words[0].options).get("tiles", "off")
        return 0 if tiles == "off" else int(tiles)

    @property
    def hooks_roots_only(self) -> bool:
        """True if only roots are hooked, which batches of edges require."""
        link = self.words[1]
        rule = dict(link.options).get("")  # the option without a name, as in liu-tarjan(PRF)
        return bool(link.spec.hooks_roots_only) or rule in link.spec.rooted_rules

    @property
    def phased(self) -> bool:
        """True if the queries of a batch have to wait for its insertions."""
        return splices(self) or not self.words[1].spec.is_union

    @property
    def makes_forests(self) -> bool:
        """True if the edges that hook vertices form a spanning forest."""
        if self.words[0].spec.meta or self.words[1].spec.standalone:
            return False
        return self.hooks_roots_only and not splices(self)

    @property
    def paper(self) -> str:
        """The papers in which the parts of the design were published."""
        return "; ".join(word.spec.paper for word in self.words if word)

    @property
    def needs(self) -> str:
        """The memory and inputs needed besides an edge list and 4 bytes per vertex, as text.

        The text is empty if nothing else is needed.
        """
        needs_of_words = (word.spec.asks for word in self.words if word)
        return "; ".join(dict.fromkeys(filter(None, needs_of_words)))

    @cached_property
    def takes_rows(self) -> bool:
        """True if the design needs an adjacency list, to which an edge list is converted."""
        return any(word.spec.needs_csr for word in self.words if word)

    @cached_property
    def counts_vertices(self) -> bool:
        """True if the design allocates memory for the exact number of vertices."""
        return self.takes_rows or self.words[1].spec.bytes_per_vertex_pair > 0

    @classmethod
    def parse(cls, name: str | Design) -> Design | None:
        """Return the design with a name, or None for ``"auto"`` and ``"auto(rule=...)"``.

        ``none+`` may be omitted. After one of Rem's rules, a find may replace the step:
        ``rem-cas+halve`` means ``rem-cas(find=halve)+halve-one``.

        Parameters
        ----------
        name : str or Design
            A name such as ``"kout(k=3)+rem-cas+splice"``.

        Returns
        -------
        Design or None
            None for ``"auto"`` and ``"auto(rule=...)"``.

        Raises
        ------
        DesignError
            No design has that name, and the message suggests the nearest words; or the name has two
            different finds.

        See Also
        --------
        designs : The designs by name.
        """
        if isinstance(name, Design):
            return name
        if not isinstance(name, str):
            raise DesignError(f"a design is a name such as {str(cls())!r}, not {name!r}")
        if name.partition("(")[0].strip() == "auto":
            return None
        words = [word.strip() for word in name.split("+")]
        bare = [word.partition("(")[0].strip() for word in words]
        if not _may_name_design(bare):
            raise DesignError(_unknown_words(name, bare))
        if bare[0] not in CHOICES["sample"]:
            words = ["none", *words]
        sample, link, compress = words[0], words[1], words[2] if len(words) > 2 else None
        link_word = parse_word("link", link)
        steps = link_word.spec.steps_of_finds  # empty except for Rem's rules
        if compress in steps:
            names_find = "find" in link.partition("(")[2]  # otherwise the option has its default
            if names_find and link_word["find"] != compress:
                raise DesignError(
                    f"{name!r} names two finds, {link_word['find']} and {compress}: leave out one"
                )
            options: dict[str, Any] = {**dict(link_word.options), "find": compress}
            link = str(Word(link_word.spec, tuple(options.items())))
            compress = steps[compress]
        return cls(sample, link, compress)


def _may_name_design(bare: list[str]) -> bool:
    """Return whether words, without their options, may name a design.

    Only the number of words and the sample are checked. Later, :func:`parse_word` looks up the
    other words, and its errors name the axis.
    """
    sampled = bare[0] in CHOICES["sample"]
    if len(bare) == 1:
        return bare[0] in CHOICES["link"]
    if len(bare) == 2 and not sampled:  # a link as the second word needs a sample first
        return bare[1] not in CHOICES["link"]
    return len(bare) <= (len(AXES) if sampled else len(AXES) - 1)


def _unknown_words(name: str, bare: list[str]) -> str:
    """Return the error message for words that :func:`_may_name_design` has rejected.

    Two or three words are rejected only if the first word should be a sample, but is not.
    """
    if 1 < len(bare) <= len(AXES):
        return unknown_choice("sample", bare[0])
    hint = f"a design is a name such as {str(Design())!r}"
    axes = [axis for axis in AXES if bare[0] in CHOICES[axis]]
    if len(bare) == 1 and axes:
        return f"unknown design {name!r}: it is a choice of {axes[0]}, which needs a link; {hint}"
    return f"{unknown_choice('design', name, ['auto', *CHOICES['link']])}; {hint}"


@dataclass(frozen=True)
class Exclusion:
    """A group of excluded designs, all for which ``holds`` returns True, and the reason."""

    holds: Callable[[Design], bool]
    reason: str


def _link(design: Design) -> Any:
    """Return the link's spec: a UnionSpec, RoundsSpec or StandaloneSpec."""
    return design.words[1].spec


def _calls_link(design: Design) -> bool:
    """Return whether the sample forms groups of edges, and calls the link on each, as stages do."""
    return bool(design.words[0].spec.meta)


def _sampled(design: Design) -> bool:
    """Return whether a sample of the edges is linked first."""
    return bool(design.words[0].spec.samples)


def splices(design: Design) -> bool:
    """Return whether finds move vertices between two trees before the trees are joined."""
    word = design.words[2]
    return word is not None and bool(word.spec.splices)


def _packed(design: Design) -> bool:
    """Return whether the find reads words that contain more than a parent."""
    word = design.words[2]
    return word is not None and bool(word.spec.packed)


def _sample_option(design: Design, key: str) -> int | str | None:
    """Return the value of an option of the sample, or None if there is no such option."""
    return dict(design.words[0].options).get(key)


def shares_bits(design: Design) -> bool:
    """Return whether edges wait in queues while shared memory holds the giant component's bits."""
    return _sample_option(design, "bits") == "shared"


def partitions(design: Design) -> bool:
    """Return whether the edges of a list are linked in the order of blocks of vertices."""
    return _sample_option(design, "order") == "partitioned"


def as_listed(design: Design) -> Design:
    """Return the same design with edges in listed order."""
    if not partitions(design):
        return design
    word = design.words[0]
    options = {**dict(word.options), "order": "listed"}
    return replace(design, sample=str(Word(word.spec, tuple(options.items()))))


def starts_plainly(design: Design) -> bool:
    """Return whether one phase links all edges in listed order, starting from single vertices."""
    return not (_sampled(design) or design.window or partitions(design))


def find_after_union(design: Design) -> str:
    """Return the name of the find that compresses both paths after a union.

    The link names this find by an option. The default is the find of the design, or "" without one.
    """
    return str(dict(design.words[1].options).get("find", design.compress or ""))


def _find_after_union_has(design: Design, attribute: str) -> bool:
    """Return a boolean attribute of the find after a union; False if there is no such find."""
    return bool(getattr(CHOICES["compress"].get(find_after_union(design)), attribute, False))


# An error shows the reason of the first row that applies to the design.
EXCLUDED = (
    Exclusion(
        lambda d: d.window > SHARED_WORDS,
        f"a tile is held in shared memory, which has room for at most {SHARED_WORDS:,} ids",
    ),
    Exclusion(
        lambda d: d.window > 0 and not _link(d).is_union,
        "after tiles, some vertices are in trees already; only union-find can continue from these,"
        " because rounds and standalone algorithms start with every vertex as its own tree",
    ),
    Exclusion(
        lambda d: partitions(d) and d.window > 0,
        "with tiles, edges between tiles are linked in strided order; leave out tiles or"
        " order=partitioned",
    ),
    Exclusion(
        lambda d: partitions(d) and not _sampled(d) and not _link(d).is_union,
        "rounds and standalone algorithms read edges in their own order; order=partitioned needs"
        " union-find or a sample",
    ),
    Exclusion(
        lambda d: shares_bits(d) and _link(d).iterative,
        "rounds read the giant's bits only once, to copy the edges outside the giant; shared bits"
        " need a link that reads the edges themselves",
    ),
    Exclusion(
        lambda d: _link(d).breadth_first and _sampled(d),
        "bfs-cc searches every component from its least vertex, so it cannot use a sample",
    ),
    Exclusion(
        lambda d: _link(d).bytes_per_vertex_pair > 0 and _sampled(d),
        "this algorithm searches rows or a matrix of all edges, which take n^2 bytes; it cannot"
        " continue after a sample, and stages would make the rows or the matrix for each group",
    ),
    Exclusion(
        lambda d: _calls_link(d) and _link(d).iterative and not _link(d).supports_stages,
        "stages calls only union-find and the grafting rules of Cong and Muzio; other rounds move"
        " vertices that are not roots, or read the edges in their own order",
    ),
    Exclusion(
        lambda d: _link(d).standalone and _sampled(d) and not _calls_link(d),
        "this algorithm links all edges, in its own rounds or segments; it cannot continue after a"
        " sample",
    ),
    Exclusion(
        lambda d: not _link(d).finds and d.compress is not None,
        "this link takes no find, because it climbs in its own way or has no trees; leave out the"
        " find",
    ),
    Exclusion(
        lambda d: bool(_link(d).finds) and d.compress is None,
        "this link needs a find, such as +halve, or for Rem's rules a step, such as +split-one",
    ),
    Exclusion(
        lambda d: _packed(d) and not _link(d).packed,
        "two-try-split works on jtb's words of rank and parent, and is analysed only for random"
        " ranks (Jayanti et al. 2019)",
    ),
    Exclusion(
        lambda d: _link(d).packed and d.compress not in _link(d).finds,
        "jtb is published with a plain find (naive) and with two-try-split, on words of rank and"
        " parent; other finds are not proved to keep its bounds",
    ),
    Exclusion(
        lambda d: _link(d).takes_steps and d.compress not in _link(d).finds,
        "Rem's rules take one step of a path at a time (halve-one, split-one, splice); to compress"
        " whole paths after a union, set their option find, as in rem-cas(find=halve)+halve-one",
    ),
    Exclusion(
        lambda d: bool(_link(d).finds) and d.compress not in _link(d).finds,
        "halve-one, split-one and splice are single steps for Rem's rules, which climb two paths"
        " together; this link finds one root at a time",
    ),
    Exclusion(
        lambda d: splices(d) and _find_after_union_has(d, "stores_to_root"),
        "after a splice the path no longer leads to the root that was found, and full compression"
        " would store to another root, overwriting a hook made in the meantime"
        " (tests/races/test_splices.py)",
    ),
    Exclusion(
        lambda d: _find_after_union_has(d, "needs_order") and not _link(d).root_is_min,
        "full compression ends at a vertex whose parent is not greater than the root, but this link"
        " also hooks vertices under greater ones (root_is_min=False); use halve, split or naive",
    ),
    Exclusion(
        lambda d: (_sample_option(d, "coalesce"), _sample_option(d, "reorganise")) == ("off", "on"),
        "edges are reorganised among threads that read a row together: coalesce=off also needs"
        " reorganise=off",
    ),
)


def _product() -> Iterator[tuple[str, str, str | None]]:
    """Yield all combinations of a sample, a link and a compression, valid or not."""
    samples, links = (
        [name for spec in CHOICES[axis].values() for name in spec.variants or (spec.name,)]
        for axis in ("sample", "link")
    )
    return product(samples, links, [*CHOICES["compress"], None])


def designs() -> list[Design]:
    """Return all designs with their default options, in the order of the catalog.

    Returns
    -------
    list of Design
        Each design once.

    See Also
    --------
    Design : A design, by its three choices.
    components : Run a design by its name.

    Examples
    --------
    >>> names = list(map(str, designs()))
    >>> names[:3], len(names)
    (['none+async+naive', 'none+async+halve', 'none+async+split'], 435)
    """
    valid_designs = []
    for words in _product():
        try:
            valid_designs.append(Design(*words))
        except DesignError:
            continue
    return valid_designs


@dataclass(frozen=True)
class Word:
    """A rule with the values of its options; ``str`` omits default values."""

    spec: Any  # a SamplingSpec, FindSpec, UnionSpec, RoundsSpec or StandaloneSpec, by its axis
    options: tuple[tuple[str, int | str], ...]

    def __str__(self) -> str:
        allowed = self.spec.options
        shown = [
            f"{key}={value}" if key else str(value)
            for key, value in self.options
            if not key or value != _default(allowed[key])
        ]
        return str(self.spec.name) + (f"({', '.join(shown)})" if shown else "")

    def __getitem__(self, key: str) -> Any:
        return dict(self.options)[key]


def parse_word(axis: str, text: str) -> Word:
    """Return the rule that ``text`` names, with its options.

    Raise a DesignError that names the axis and the nearest words if there is no such rule.
    """
    matched = WORD.fullmatch(text.strip())
    spec: Spec | None = CHOICES[axis].get(matched[1].strip()) if matched else None
    if matched is None or spec is None:
        raise DesignError(unknown_choice(axis, text))
    values = {key: _default(value) for key, value in spec.options.items() if key}
    for item in filter(None, (item.strip() for item in (matched[2] or "").split(","))):
        key, equals, value = (part.strip() for part in item.partition("="))
        if not equals:  # the option without a name, as in liu-tarjan(PRF)
            key, value = "", item
        if key not in spec.options:
            raise DesignError(unknown(f"option of {axis} {spec.name}", item, spec.options))
        values[key] = _parse_value(f"{axis} {spec.name}", key, value, spec.options[key])
    missing = set(spec.options) - set(values)
    if missing:  # only the option without a name has no default
        rules = spec.options[""]
        example = f"{spec.name}({rules[0]})"  # type: ignore[index]
        raise DesignError(f"{axis} {spec.name} needs one of {rules}, as in {example}")
    return Word(spec, tuple(sorted(values.items())))


def _default(allowed: int | tuple[str, ...]) -> int | str:
    """Return the default of an option: the given count, or the first of the allowed words."""
    return allowed if isinstance(allowed, int) else allowed[0]


def _parse_value(where: str, key: str, text: str, allowed: int | tuple[str, ...]) -> int | str:
    """Convert the text of an option to its value; raise a DesignError if it is not allowed.

    ``where`` names the axis and the word; ``key`` is the option, or empty for the rule of a link.
    ``allowed`` is the default count, or the allowed words; COUNT among these allows any count.
    """
    count = int(text) if text.isdecimal() and len(text) <= MAX_DIGITS else 0  # 0 is not a count
    if isinstance(allowed, tuple):
        if COUNT in allowed and count > 0:
            return count
        if text not in allowed or text == COUNT:
            raise DesignError(unknown(f"{key or 'rule'} of {where}", text, allowed))
        return text
    if count < 1:
        raise DesignError(f"{key} of {where} must be a count of at least 1, not {text!r}")
    return count


def unknown_choice(axis: str, word: str, words: Iterable[str] | None = None) -> str:
    """Return the error message for an unknown word, with the five nearest of ``words``.

    By default, ``words`` are the choices of the axis.
    """
    choices = CHOICES[axis] if words is None else words
    hint = did_you_mean(nearest_words(word, choices, 5, 0.5))
    return f"unknown {axis} {word!r}:{hint} cc_rapids.designs() lists all designs"


def check_forest_design(design: Design | None) -> None:
    """Raise a DesignError with the reason if a design cannot compute a spanning forest."""
    if design is None or design.makes_forests:  # None is "auto"
        return
    link = _link(design)
    if splices(design):
        reason = "a splice relies on unions that other threads have still to make, so the recorded"
        reason += " edges may close a cycle; use halve-one or split-one"
    elif _calls_link(design) or (link.standalone and link.iterative):
        reason = "it does not record the edges by which it hooks; use union-find, such as"
        reason += f" {Design()}"
    elif link.standalone:  # a search of rows
        reason = "it labels what it visits, and hooks nothing"
    else:
        reason = "it moves vertices that are not roots from tree to tree, so no edge corresponds to"
        reason += " a hook; use a rule of Liu and Tarjan with root updates (R)"
    raise DesignError(f"no spanning forest by {design}: {reason}")


@lru_cache(64)  # most batches have the design of the previous batch
def check_batch_design(design: str | Design) -> Design:
    """Return the design for batches; raise a DesignError if a named design cannot run on them."""
    parsed = Design.parse(design) or Design()  # "auto" uses the default design
    if not starts_plainly(parsed):
        if parsed.window:
            phase = "begins with tiles"
        else:
            phase = "samples" if _sampled(parsed) else "partitions lists"
        raise DesignError(
            f"{parsed} {phase}, but batches of edges are too short for that: leave out"
            f" {parsed.sample} (Hong et al. 2020, 3.6)"
        )
    if _link(parsed).standalone:
        reason = "is for the whole graph" if _link(parsed).iterative else "searches the whole graph"
        raise DesignError(
            f"{parsed} {reason}, but batches keep only trees, not edges: use union-find, such as"
            f" {Design()}"
        )
    if not parsed.hooks_roots_only:
        raise DesignError(
            f"{parsed} moves single vertices from tree to tree, which is right only if all edges"
            f" are read again: use a design that hooks only roots, such as {Design()},"
            " shiloach-vishkin or liu-tarjan(PRF)"
        )
    return parsed


@dataclass(frozen=True)
class Row:
    """A design and its static properties, as in :class:`Design`.

    ``compress`` is empty if the link has its own find.
    """

    name: str
    sample: str
    link: str
    compress: str
    paper: str
    needs: str


def rows() -> list[Row]:
    """Return the static properties of all designs with default options, in catalog order.

    Examples
    --------
    >>> first = rows()[0]
    >>> first.name, first.sample, first.link, first.compress, first.needs
    ('none+async+naive', 'none', 'async', 'naive', '')
    """
    listed = []
    for design in designs():
        papers = dict.fromkeys(design.paper.split("; "))
        needs = dict.fromkeys(filter(None, design.needs.split("; ")))
        choices = design.sample, design.link, design.compress or ""
        listed.append(Row(str(design), *choices, "; ".join(papers), "; ".join(needs)))
    return listed


def markdown(listed: list[Row]) -> str:
    """Return a Markdown table of the ``listed`` designs.

    Examples
    --------
    >>> len(markdown(rows()[:5]).splitlines())
    7
    """
    lines = ["| design | published | needs |", "| --- | --- | --- |"]
    for each in listed:
        lines.append(f"| `{each.name}` | {each.paper} | {each.needs} |")
    return "\n".join(lines)
