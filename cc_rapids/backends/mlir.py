"""The successor of numba-cuda, numba-cuda-mlir, as a second compiler of the same kernels.

It takes the same source. What release 0.6.0 refuses or gets wrong is put right here, in its tables
of lowerings and in seven of its functions, when the compiler is first used:

- The minimum and maximum of unsigned integers, by themselves and as atomic operations, compared
  signed ones, and those of three numbers were missing, as was a memory fence.
- Compare-and-swap was a loop around the instruction of that name.
- A shuffle between the lanes of a warp sent the low half of a number of 64 bits, and its sign.
- Atomic operations took each array that a function is passed for one in global memory.
- An index of 32 bits without a sign was widened as if it had one.
- Memory that a device function shares between threads was lost where the function was called, and
  that whose length the launch says was one byte.
- Constants of 64 bits without a sign, and ``*arguments`` passed on, were refused.
"""

from __future__ import annotations

import itertools
import re
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from .base import Kernel

Capability = tuple[int, int]

INTRINSICS = Path(__file__).with_name("cuda_intrinsics.py")

_ANY_MEMORY, _SHARED = 0, 3  # address spaces

_numbers = itertools.count()  # of shared arrays
_known: dict[Capability, dict[str, Any]] = {}  # the parts compiled so far


def to_ptx(
    kernel: Kernel, signature: tuple[str, ...], capability: Capability, launch_bounds: int | None
) -> str:
    """Return the PTX of a kernel for arguments of the types of a signature."""
    from numba_cuda_mlir import cuda, tools, types
    from numba_cuda_mlir.numba_cuda.types import StarArgTuple

    tools._cached_cc = capability  # else it asks for the current device
    own = _intrinsics()
    # Device functions are left to MLIR to inline: the earlier pass refuses ``*arguments``.
    jit = cuda.jit(device=True, inline="never")
    body = kernel.part.compiled(jit, own.ATOMS, _known.setdefault(capability, {}))
    taken = StarArgTuple.from_types([_type(word) for word in signature])
    ptx, _ = cuda.compile(
        own.SHAPES[kernel.shape](body),
        types.void(types.uint64, taken),
        device=False,
        abi="numba",
        cc=capability,
        output="ptx",
        launch_bounds=launch_bounds,
    )
    return _with_steps(_with_dynamic_memory(_without_unused(str(ptx))), signature)


def _without_unused(ptx: str) -> str:
    """Return PTX without the functions that are nowhere called, as all are where it inlines them.

    The linker keeps them, and reports what they need as if the kernel needed it.
    """
    mark = "\t// .globl\t"
    head, *functions = ptx.split(mark)
    named = {text.partition("\n")[0].strip(): text for text in functions}
    reached = [name for name, text in named.items() if ".entry" in text]
    for name in reached:
        called = set(re.findall(r"[\w$]+", named[name])) & named.keys()
        reached.extend(called.difference(reached))
    return mark.join([head, *(text for name, text in named.items() if name in reached)])


def _with_dynamic_memory(ptx: str) -> str:
    """Return PTX in which shared memory is as long as the launch says, not a byte of its own."""
    found = set(re.findall(r"\n\s*\.shared (.* __dynamic_shmem__\d+);", ptx))
    declared = "".join(f"\n.extern .shared {name}[];" for name in sorted(found))
    for name in found:
        ptx = ptx.replace(f".shared {name};", "")
    return ptx.replace("\n.address_size 64", f"\n.address_size 64{declared}", 1)


def _with_steps(ptx: str, signature: tuple[str, ...]) -> str:
    """Return PTX that knows the offset and the step of contiguous arrays: 0, and 1 element.

    It reads them from the arguments, and multiplies each index by the step. The linker folds that.
    """
    known: dict[int, int] = {}
    place = 1  # after the number of indices
    for word in signature:
        if word.endswith("[::1]"):
            known |= {place + 2: 0, place + 4: 1}
        place += 5 if "[" in word else 1

    def load(found: re.Match[str]) -> str:
        value = known.get(int(found[2]))
        return found[0] if value is None else f"mov.u64 \t{found[1]}, {value};"

    return re.sub(r"ld\.param\.u64 \t(%rd\d+), \[\w+_param_(\d+)\];", load, ptx)


def _type(word: str) -> Any:
    from numba_cuda_mlir import types

    if "[" not in word:
        return types.int64
    dtype, layout = word.split("[")
    return types.Array(getattr(types, dtype), 1, "C" if layout == "::1]" else "A")


@cache
def _intrinsics() -> ModuleType:
    """Return ``cuda_intrinsics`` with this compiler in place of numba-cuda."""
    _mend()
    text = INTRINSICS.read_text(encoding="utf-8")
    ours = text.replace(
        "from numba import cuda, int64, uint32",
        "from numba_cuda_mlir import cuda\nfrom numba_cuda_mlir.types import int64, uint32",
    )
    module = ModuleType(f"{__package__}.{INTRINSICS.stem}_mlir")
    exec(compile(ours, INTRINSICS, "exec"), module.__dict__)
    return module


def _mend() -> None:
    """Put right what release 0.6.0 refuses or gets wrong."""
    from numba_cuda_mlir import cuda, extending, lowering_utilities, mlir_lowering, types
    from numba_cuda_mlir._mlir.dialects import arith
    from numba_cuda_mlir.lowering import cuda as cuda_lowering
    from numba_cuda_mlir.lowering import numpy as array_lowering

    lower = extending.lower_builtin
    for name in ("min", "max"):
        for numbers in (2, 3):
            lower({"min": min, "max": max}[name], *[types.Integer] * numbers)(_extreme(name))
        operation = getattr(cuda.atomic, name)
        lower(operation, types.Array, types.Integer, types.Integer)(_atomic_extreme(name))
    lower(cuda.atomic.cas, types.Array, *[types.Integer] * 3)(_compare_and_swap)
    lower(cuda.threadfence)(_fence)
    extending.refresh_registries()
    lowering = mlir_lowering.MLIRLower
    arith.constant = _constants_of_64_bits(arith.constant)
    lowering_utilities.memref_llvm_address_space = _space(
        lowering_utilities.memref_llvm_address_space
    )
    lowering.load_var = _groups_of_variables(lowering.load_var)
    cuda_lowering.cuda_static_shared_memory = _shared_memory
    cuda_lowering._shfl_sync_lowering = _shuffle(cuda_lowering._shfl_sync_lowering)
    array_lowering._normalize_negative_index = _unsigned_index(
        array_lowering._normalize_negative_index
    )


def _extreme(name: str) -> Any:
    """Return the lowering of a minimum or maximum of integers."""
    from numba_cuda_mlir._mlir.dialects import arith

    def lower(builder: Any, target: Any, args: Any, kwargs: Any) -> None:
        kind = builder.get_numba_type(target.name)
        operation = getattr(arith, f"{name}{'s' if kind.signed else 'u'}i")
        own = builder.get_mlir_type(kind)
        found, *others = (_widened(builder, arg, own) for arg in args)
        for other in others:
            found = operation(found, other)
        builder.store_var(target, found)

    return lower


def _atomic_extreme(name: str) -> Any:
    """Return the lowering of an atomic minimum or maximum of integers."""
    from numba_cuda_mlir._mlir.dialects import llvm

    def lower(builder: Any, target: Any, args: Any, kwargs: Any) -> None:
        signed = builder.get_numba_type(args[0].name).dtype.signed
        operation = getattr(llvm.AtomicBinOp, name if signed else f"u{name}")
        pointer, [value] = _element(builder, *args)
        found = llvm.atomicrmw(operation, pointer, value, llvm.AtomicOrdering.monotonic)
        builder.store_var(target, found)

    return lower


def _compare_and_swap(builder: Any, target: Any, args: Any, kwargs: Any) -> None:
    from numba_cuda_mlir._mlir import ir
    from numba_cuda_mlir._mlir.dialects import llvm

    pointer, (old, new) = _element(builder, *args)
    order = llvm.AtomicOrdering.monotonic
    swapped = llvm.cmpxchg(pointer, old, new, order, order)
    first = ir.DenseI64ArrayAttr.get([0])
    builder.store_var(target, llvm.extractvalue(old.type, swapped, first))


def _fence(builder: Any, target: Any, args: Any, kwargs: Any) -> None:
    from numba_cuda_mlir._mlir.dialects import llvm

    llvm.inline_asm(None, [], "membar.gl;", "~{memory}", has_side_effects=True)
    builder.store_var(target, None)


def _shuffle(shuffle: Any) -> Any:
    """Send integers of 64 bits as two halves, as the instruction takes 32 bits."""
    from numba_cuda_mlir._mlir.dialects import arith, nvvm
    from numba_cuda_mlir._mlir.extras import types as mlir_types
    from numba_cuda_mlir.lowering_utilities import convert

    def shuffle_both_halves(builder: Any, target: Any, args: Any, kwargs: Any, kind: Any) -> None:
        value, whole, half = builder.load_var(args[1]), mlir_types.i64(), mlir_types.i32()
        if value.type != whole:
            shuffle(builder, target, args, kwargs, kind)
            return
        mask, offset = (convert(builder.load_var(args[k]), half) for k in (0, 2))
        last_lane = arith.constant(half, 0 if kind == nvvm.ShflKind.up else 31)
        width = arith.constant(whole, 32)

        def sent(part: Any) -> Any:
            part = arith.trunci(half, part)
            return arith.extui(whole, nvvm.shfl_sync(mask, part, offset, last_lane, kind))

        high = arith.shli(sent(arith.shrui(value, width)), width)
        builder.store_var(target, arith.ori(sent(value), high))

    return shuffle_both_halves


def _element(builder: Any, array: Any, index: Any, *values: Any) -> tuple[Any, list[Any]]:
    """Return the address of an element, and values of its type."""
    from numba_cuda_mlir._mlir.extras import types as mlir_types
    from numba_cuda_mlir.lowering_utilities import index_of, memref_to_llvm_ptr

    memory = builder.load_var(array)
    own = memory.type.element_type
    place = index_of(_widened(builder, index, mlir_types.i64()))
    return memref_to_llvm_ptr(memory, [place], own), [_widened(builder, v, own) for v in values]


def _widened(builder: Any, variable: Any, own: Any) -> Any:
    """Return a variable as an integer of another width: by its own sign, if it has one."""
    from numba_cuda_mlir.lowering_utilities import convert

    signed = builder.get_numba_type(variable.name).signed
    return convert(builder.load_var(variable), own, signed=signed)


def _space(own: Any) -> Any:
    """Leave it to LLVM in which memory an array is whose type does not say it.

    A function that is passed the array is inlined before, so that LLVM knows where it comes from.
    """

    def space(memory: Any) -> int:
        return _ANY_MEMORY if memory.memory_space is None else int(own(memory))

    return space


def _shared_memory(lower: Any, target: Any, shape: Any, dtype: Any, alignas: Any) -> None:
    """Share an array between the threads of a block, as a global of the kind that calls bring."""
    from numba_cuda_mlir._mlir import ir
    from numba_cuda_mlir._mlir.dialects import arith, builtin, llvm
    from numba_cuda_mlir._mlir.extras import types as mlir_types
    from numba_cuda_mlir.lowering import cuda as cuda_lowering

    [size] = shape
    own = lower.get_storage_type(cuda_lowering._resolve_numba_dtype(lower, dtype))
    name = f"shared_{next(_numbers)}"
    with ir.InsertionPoint(lower.mlir_gpu_module.bodyRegion.blocks[0]):
        llvm.GlobalOp(
            ir.TypeAttr.get(ir.Type.parse(f"!llvm.array<{size} x {own}>")),
            ir.StringAttr.get(name),
            ir.Attribute.parse("#llvm.linkage<internal>"),
            addr_space=_SHARED,
        )
    pointer = llvm.mlir_addressof(llvm.PointerType.get(_SHARED), name)
    kind = ir.Type.parse(
        f"!llvm.struct<(ptr<{_SHARED}>, ptr<{_SHARED}>, i64, array<1 x i64>, array<1 x i64>)>"
    )
    memory = llvm.UndefOp(kind).result
    numbers = [arith.constant(mlir_types.i64(), number) for number in (0, size, 1)]
    for value, *place in zip(
        [pointer, pointer, *numbers], ([0], [1], [2], [3, 0], [4, 0]), strict=True
    ):
        memory = llvm.insertvalue(memory, value, ir.DenseI64ArrayAttr.get(*place))
    space = ir.Attribute.parse("#gpu.address_space<workgroup>")
    array = mlir_types.memref(size, element_type=own, memory_space=space)
    lower.store_var(target, builtin.unrealized_conversion_cast([array], [memory]))


def _constants_of_64_bits(constant: Any) -> Any:
    """Make a constant without a sign that of the same bits, as MLIR takes it."""

    def constant_of_any_sign(result: Any, value: Any, **rest: Any) -> Any:
        if isinstance(value, int) and value >> 63 == 1:
            value -= 1 << 64
        return constant(result, value, **rest)

    return constant_of_any_sign


def _groups_of_variables(load: Any) -> Any:
    """Let the variables that a call passes as ``*arguments`` be loaded together."""

    def load_var(self: Any, variable: Any) -> Any:
        if isinstance(variable, tuple):
            return tuple(self.load_var(own) for own in variable)
        return load(self, variable)

    return load_var


def _unsigned_index(normalize: Any) -> Any:
    """Widen an index without a sign by zeros."""
    from numba_cuda_mlir import types
    from numba_cuda_mlir._mlir import ir
    from numba_cuda_mlir._mlir.extras import types as mlir_types
    from numba_cuda_mlir.lowering_utilities import convert, index_of

    def normalize_negative_index(array: Any, index: Any, dim: int, kind: Any = None) -> Any:
        if isinstance(kind, types.Integer) and not kind.signed and isinstance(index, ir.Value):
            return index_of(convert(index, mlir_types.i64(), signed=False))
        return normalize(array, index, dim, kind)

    return normalize_negative_index
