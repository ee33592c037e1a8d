"""Replace functions of cuGraph and pylibcugraph by those of cc_rapids, and restore them.

Calls that cc_rapids cannot handle are passed to the original function and logged.
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

log: logging.Logger = logging.getLogger(__name__)


def _multi_gpu_components(input_graph: Any) -> Any:  # the parameter is named as in cuGraph
    """Return the components of a graph over several GPUs."""
    from .dask.api import weakly_connected_components  # cugraph.dask needs Dask, too

    return weakly_connected_components(input_graph)


OURS: dict[tuple[str, str], Callable[..., Any]] = {
    ("pylibcugraph", "weakly_connected_components"): pylibcugraph.weakly_connected_components,
    ("cugraph", "weakly_connected_components"): cugraph.weakly_connected_components,
    ("cugraph", "connected_components"): cugraph.connected_components,
    ("cugraph", "minimum_spanning_tree"): cugraph.minimum_spanning_tree,
    ("cugraph", "maximum_spanning_tree"): cugraph.maximum_spanning_tree,
    ("cugraph.dask", "weakly_connected_components"): _multi_gpu_components,
}
PEERS = ("pylibcugraph", "cugraph")
# Packages that may import functions of peers: there, all names of a function are replaced
HOLDERS = (*PEERS, "nx_cugraph", "cupyx", "nemo_curator")

_lock = threading.RLock()
_replaced: dict[int, tuple[Any, Any]] = {}  # id(original): the original and its replacement
_this_thread = threading.local()  # ``runs_original`` is true while an original function runs


def install() -> None:
    """Run cuGraph's functions for components and spanning trees on cc_rapids.

    The functions are ``cugraph.weakly_connected_components``, ``connected_components``,
    ``minimum_spanning_tree`` and ``maximum_spanning_tree``,
    ``cugraph.dask.weakly_connected_components`` and ``pylibcugraph.weakly_connected_components``.
    nx-cugraph, NeMo Curator and CuPy's ``cupyx.scipy.sparse.csgraph.connected_components`` call the
    last one. No library is imported: the functions of a library that is imported later are replaced
    at its import. A second call changes nothing. Names that other packages or your code imported
    before (``from cugraph import connected_components``) are not changed. Names imported while
    cc_rapids is installed call the original functions again after :func:`uninstall`.

    Calls that cc_rapids cannot handle, such as those for strong components or for spanning trees of
    graphs without weights, are passed to the original function. A log line of level INFO states the
    reason. If neither library is installed, a warning is logged.

    The ranks of an ``MGGraph`` send each other spanning forests. Install cc_rapids in the processes
    of all ranks or of none, because all ranks must run the same function.

    See Also
    --------
    cc_rapids.uninstall : Restore the original functions.
    cc_rapids.installed : Install while a context is open.

    Examples
    --------
    >>> import cc_rapids
    >>> cc_rapids.install()  # doctest: +SKIP
    >>> cc_rapids.uninstall()
    """
    with _lock:
        if _finder not in sys.meta_path:
            sys.meta_path.insert(0, _finder)
        _replace_imported()
    if not any(peer in sys.modules or find_spec(peer) for peer in PEERS):
        log.warning("neither cuGraph nor pylibcugraph is installed: nothing to replace")


def uninstall() -> None:
    """Undo :func:`install`; do nothing if it was not called.

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
        for original, ours in _replaced.values():
            _swap(ours, original)


@contextmanager
def installed() -> Iterator[None]:
    """Replace the functions while the context is open; leave an earlier installation in place.

    Yields
    ------
    None
        Nothing; the functions are replaced while the context is open.

    See Also
    --------
    cc_rapids.install : Replace the functions until :func:`cc_rapids.uninstall`.
    cc_rapids.uninstall : Undo :func:`cc_rapids.install`.

    Examples
    --------
    >>> import cc_rapids
    >>> with cc_rapids.installed():  # doctest: +SKIP
    ...     labels = cugraph.weakly_connected_components(graph)
    """
    was_installed = _finder in sys.meta_path
    install()
    try:
        yield
    finally:
        if not was_installed:
            uninstall()


def _replace_imported() -> None:
    """Replace the originals in all modules that are already imported."""
    for (home, name), ours in OURS.items():
        module = sys.modules.get(home)
        function = None if module is None else vars(module).get(name)  # no import by __getattr__
        if function is None or id(function) in _replaced:
            continue
        if not any(function is replacement for _, replacement in _replaced.values()):
            _replaced[id(function)] = function, _with_fallback(function, ours, f"{home}.{name}")
    for original, replacement in _replaced.values():
        _swap(original, replacement)


def _swap(old: Any, new: Any) -> None:
    """Replace a function by another function under all its names in the packages ``HOLDERS``."""
    for path, module in list(sys.modules.items()):
        if path.partition(".")[0] in HOLDERS and isinstance(module, ModuleType):
            for name in [name for name, value in vars(module).items() if value is old]:
                setattr(module, name, new)


def _with_fallback(original: Any, ours: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Return a function that calls ours, or the original if ours cannot handle the call."""

    @wraps(original)
    def call(*arguments: Any, **options: Any) -> Any:
        # An original function that calls another one gets the original, not ours
        if _finder not in sys.meta_path or getattr(_this_thread, "runs_original", False):
            return original(*arguments, **options)
        try:
            return ours(*arguments, **options)
        except (CapacityError, EngineError, GraphStateError) as reason:
            log.info("passed to the original %s: %s", name, reason)
        except TypeError as reason:  # an unknown argument or type of graph, or a defect of ours
            if _accepts(ours, arguments, options):
                raise
            log.info("passed to the original %s: %s", name, reason)
        _this_thread.runs_original = True
        try:
            return original(*arguments, **options)
        finally:
            _this_thread.runs_original = False

    return call


def _accepts(function: Callable[..., Any], arguments: Any, options: Any) -> bool:
    """Return whether a function accepts these arguments and the type of their graph."""
    try:
        bound_arguments = signature(function).bind(*arguments, **options).arguments
    except TypeError:
        return False
    return "G" not in bound_arguments or cugraph.is_accepted(bound_arguments["G"])


class _Finder(MetaPathFinder):
    """An import finder that delegates to others, and replaces functions once a module is loaded."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if all(fullname != home for home, _ in OURS):
            return None
        other_finders = (finder for finder in sys.meta_path if finder is not self)
        specs = (finder.find_spec(fullname, path, target) for finder in other_finders)
        spec = next((spec for spec in specs if spec is not None), None)
        if spec is not None and spec.loader is not None:
            original_exec = spec.loader.exec_module

            def exec_module(module: ModuleType) -> None:
                original_exec(module)
                with _lock:
                    _replace_imported()

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


_finder = _Finder()
