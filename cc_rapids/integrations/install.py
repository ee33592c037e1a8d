"""Replace functions of cuGraph and pylibcugraph by those of cc_rapids, and restore them.

Calls that cc_rapids cannot handle are passed to the original, with a log line.
"""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from inspect import signature
from types import ModuleType
from typing import Any

from ..errors import CapacityError, EngineError, GraphStateError
from . import cugraph, pylibcugraph

log = logging.getLogger(__name__)


def _of_workers(input_graph: Any) -> Any:
    """Return the components of a graph over several GPUs, under the argument's name in cuGraph."""
    from .dask.api import weakly_connected_components  # Dask is there where cugraph.dask is

    return weakly_connected_components(input_graph)


OURS: dict[tuple[str, str], Callable[..., Any]] = {
    ("pylibcugraph", "weakly_connected_components"): pylibcugraph.weakly_connected_components,
    ("cugraph", "weakly_connected_components"): cugraph.weakly_connected_components,
    ("cugraph", "connected_components"): cugraph.connected_components,
    ("cugraph", "minimum_spanning_tree"): cugraph.minimum_spanning_tree,
    ("cugraph", "maximum_spanning_tree"): cugraph.maximum_spanning_tree,
    ("cugraph.dask", "weakly_connected_components"): _of_workers,
}
PEERS = ("pylibcugraph", "cugraph")
# Packages that may hold these functions under names of their own
HOLDERS = (*PEERS, "nx_cugraph", "cupyx", "nemo_curator")

_lock = threading.RLock()
_put: dict[int, tuple[Any, Any]] = {}  # of each original's id: the original, and ours in its place
_within = threading.local()


def install() -> None:
    """Let cuGraph's functions of components and spanning trees run on cc_rapids.

    These are ``cugraph.weakly_connected_components``, ``connected_components``,
    ``minimum_spanning_tree`` and ``maximum_spanning_tree``, and
    ``cugraph.dask.weakly_connected_components``. This includes
    ``pylibcugraph.weakly_connected_components``, and with it nx-cugraph, NeMo Curator and CuPy's
    ``cupyx.scipy.sparse.csgraph.connected_components``. Nothing is imported: in a library that is
    imported later, functions are replaced at its import. A second call changes nothing. Names that
    other packages imported before (``from cugraph import connected_components``) are not changed;
    names imported while installed call the original again after :func:`uninstall`.

    Calls for strong components, trees of graphs without weights, and anything else that cc_rapids
    cannot handle are passed to the original, with a log line at level INFO that says why. If
    neither library is installed, a warning is logged.

    The ranks of an ``MGGraph`` send each other spanning forests, and all of them or none get the
    answer of cc_rapids; so install it in the process of every rank, or of none.

    See Also
    --------
    cc_rapids.uninstall : Restore the original functions.
    cc_rapids.installed : Install for as long as a context is open.

    Examples
    --------
    >>> import cc_rapids
    >>> cc_rapids.install()  # doctest: +SKIP
    >>> cc_rapids.uninstall()
    """
    with _lock:
        if _finder not in sys.meta_path:
            sys.meta_path.insert(0, _finder)
        _reach()
    if not any(peer in sys.modules or find_spec(peer) for peer in PEERS):
        log.warning("neither cuGraph nor pylibcugraph is installed: nothing to replace")


def uninstall() -> None:
    """Undo :func:`install`; without it, nothing happens.

    See Also
    --------
    cc_rapids.install : Replace the functions.

    Examples
    --------
    >>> import cc_rapids
    >>> cc_rapids.uninstall()
    """
    with _lock:
        if _finder in sys.meta_path:
            sys.meta_path.remove(_finder)
        for original, ours in _put.values():
            _swap(ours, original)


@contextmanager
def installed() -> Iterator[None]:
    """Install while the context is open; an earlier installation stays.

    Yields
    ------
    None
        The functions are replaced while the context is open.

    See Also
    --------
    cc_rapids.install : Install until :func:`cc_rapids.uninstall`.
    cc_rapids.uninstall : Undo :func:`cc_rapids.install`.

    Examples
    --------
    >>> import cc_rapids
    >>> with cc_rapids.installed():  # doctest: +SKIP
    ...     labels = cugraph.weakly_connected_components(graph)
    """
    before = _finder in sys.meta_path
    install()
    try:
        yield
    finally:
        if not before:
            uninstall()


def _reach() -> None:
    """Replace the originals in all modules that are already imported."""
    for (home, name), ours in OURS.items():
        original = vars(sys.modules.get(home, ModuleType(home))).get(name)
        if original is None or any(original is put for _, put in _put.values()):
            continue
        if id(original) not in _put:
            _put[id(original)] = original, _in_place_of(original, ours, f"{home}.{name}")
    for original, put in _put.values():
        _swap(original, put)


def _swap(old: Any, new: Any) -> None:
    """Replace one function by another under all its names in the given packages."""
    for path, module in list(sys.modules.items()):
        if path.partition(".")[0] in HOLDERS and isinstance(module, ModuleType):
            for name in [name for name, value in vars(module).items() if value is old]:
                setattr(module, name, new)


def _in_place_of(original: Any, ours: Callable[..., Any], name: str) -> Callable[..., Any]:
    @wraps(original)
    def call(*arguments: Any, **options: Any) -> Any:
        # originals call each other: what one was handed stays with it
        if _finder not in sys.meta_path or getattr(_within, "original", False):
            return original(*arguments, **options)
        try:
            return ours(*arguments, **options)
        except (CapacityError, EngineError, GraphStateError) as reason:
            log.info("handed to the original %s: %s", name, reason)
        except TypeError as reason:
            if _takes(ours, arguments, options):
                raise
            log.info("handed to the original %s: %s", name, reason)
        _within.original = True
        try:
            return original(*arguments, **options)
        finally:
            _within.original = False

    return call


def _takes(function: Callable[..., Any], arguments: Any, options: Any) -> bool:
    """Return whether a function accepts such arguments and this kind of graph."""
    try:
        named = signature(function).bind(*arguments, **options).arguments
    except TypeError:
        return False
    return "G" not in named or cugraph.is_known(named["G"])


class _Finder(MetaPathFinder):
    """Import finder that delegates to others, and replaces functions after a module has loaded."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if all(fullname != module for module, _ in OURS):
            return None
        others = (finder for finder in sys.meta_path if finder is not self)
        specs = (finder.find_spec(fullname, path, target) for finder in others)
        spec = next((spec for spec in specs if spec is not None), None)
        if spec is not None and spec.loader is not None:
            run = spec.loader.exec_module

            def exec_module(module: ModuleType) -> None:
                run(module)
                with _lock:
                    _reach()

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


_finder = _Finder()
