"""An emulator of PTX, so that what a compiler has made of a kernel runs without a GPU.

Each thread is a generator made of the kernel's instructions. One runs until it waits for the others
of its warp or block, or has jumped back often, then the next: threads that do not wait come one
after the other. An access beyond an array, lanes of a warp that wait for each other by different
instructions, and an unknown instruction are errors.
"""

import itertools
import operator
import re
from functools import cache

import numpy as np

WARP = 32
SLICE = 10_000  # jumps back before another thread has its turn: it may be what this one waits for
SHARED, LOCAL, FIRST_ARRAY = 1, 2, 3  # the upper halves of addresses: each memory has its own one
WORD = (1 << 64) - 1

SPECIAL = {"laneid", "dynamic_smem_size"}  # registers that are not those of an axis
COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
# What instructions make of their operands; it is cut off to the bits of their type.
MADE = {
    "add": "{0} + {1}",
    "sub": "{0} - {1}",
    "neg": "-{0}",
    "mul.lo": "{0} * {1}",
    "mul.hi": "{0} * {1} >> {bits}",
    "mul.wide": "{0} * {1}",
    "mad.lo": "{0} * {1} + {2}",
    "div": "quotient({0}, {1})",
    "rem": "{0} - {1} * quotient({0}, {1})",
    "min": "min({0}, {1})",
    "max": "max({0}, {1})",
    "and": "{0} & {1}",
    "or": "{0} | {1}",
    "xor": "{0} ^ {1}",
    "not": "~{0}",
    "shl": "{0} << min({1}, {bits})",
    "shr": "{0} >> min({1}, {bits})",
    "bfi": "inserted({0}, {1}, {2}, {3})",
    "prmt": "chosen_bytes({0}, {1}, {2})",
    "popc": "{0}.bit_count()",
    "selp": "{0} if {2} else {1}",
    "mov": "{0}",
    "cvta": "{0}",  # addresses are the same everywhere
}
BY_SIGN = {"mul.hi", "mul.wide", "div", "rem", "min", "max", "shr"}
ATOMIC = {"add": operator.add, "min": min, "max": max, "or": operator.or_}


def inserted(field, into, at, length):
    """Return a number with some bits of another one in it."""
    mask = (1 << length) - 1
    return into & ~(mask << at) | (field & mask) << at


def chosen_bytes(low, high, choice):
    """Return four of the eight bytes of two numbers."""
    both = (high << 32 | low).to_bytes(8, "little")
    numbers = [choice >> 4 * k & 15 for k in range(4)]
    assert max(numbers) < 8, "no signs are copied"
    return int.from_bytes(bytes(both[number] for number in numbers), "little")


def quotient(a, b):
    """Return a quotient, rounded towards zero."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def with_sign(value, bits):
    """Return the number with a sign that has the same bits."""
    high = 1 << bits - 1
    return (value & (1 << bits) - 1 ^ high) - high


class Memory:
    """What a thread sees: the shared memory of its block, that of its own, and the arrays."""

    def __init__(self, shared, local, arrays):
        self.parts = [b"", shared, local, *arrays]

    def place(self, address, size):
        """Return the memory in which an address is, and the place there."""
        part, at = address >> 32, address & 0xFFFFFFFF
        if part >= len(self.parts) or at + size > len(self.parts[part]):
            raise IndexError(f"address {address:#x} is beyond what a kernel may access")
        assert at % size == 0, f"address {address:#x} is not aligned"
        return self.parts[part], at

    def load(self, address, size, signed):
        part, at = self.place(address, size)
        return int.from_bytes(part[at : at + size], "little", signed=signed)

    def store(self, address, size, value):
        part, at = self.place(address, size)
        part[at : at + size] = (value & (1 << 8 * size) - 1).to_bytes(size, "little")

    def change(self, name, address, size, signed, *values):
        """Run an atomic operation; return what was there."""
        held = self.load(address, size, signed)
        if signed:
            values = [with_sign(value, 8 * size) for value in values]
        if name == "cas":
            new = values[1] if held == values[0] else held
        else:
            new = ATOMIC[name](held, *values)
        self.store(address, size, new)
        return held


class Translator:
    """The Python text of a kernel: its instructions in blocks, between which it jumps."""

    def __init__(self, ptx):
        self.symbols, self.sizes = {}, {SHARED: 0, LOCAL: 0}
        head, _, rest = ptx.partition(".entry")
        parameters, _, body = rest.partition("{\n")
        self.parameters = re.findall(r"\.param \.u64 (\S+?),?\n", parameters)
        assert len(self.parameters) == parameters.count(".param"), "all of them have 64 bits"
        body = re.sub(r"//.*", "", body.partition("\n}")[0])
        self.declare(f"{head}\n{body}")
        self.labels = {}  # the numbers of blocks, which begin at labels
        self.blocks = [[]]
        for line in map(str.strip, body.replace(";", ";\n").split("\n")):
            label = re.fullmatch(r"(\$\w+):", line)
            if label:
                self.labels[label[1]] = len(self.blocks)
                self.blocks.append([])
            elif line and not line.startswith("."):
                self.blocks[-1].append(line.rstrip(";"))

    def declare(self, text):
        """Place shared and local arrays; last, as long as the launch says, that without a size."""
        sized = r"\.(shared|local) \.align (\d+) \.b8\s+(\w+)\[(\d+)\];"
        for memory, align, name, size in re.findall(sized, text):
            part = {"shared": SHARED, "local": LOCAL}[memory]
            at = -(-self.sizes[part] // int(align)) * int(align)
            self.symbols[name], self.sizes[part] = (part << 32) + at, at + int(size)
        self.sizes[SHARED] = -(-self.sizes[SHARED] // 16) * 16
        for name in re.findall(r"\.extern \.shared .* (\w+)\[\];", text):
            self.symbols[name] = (SHARED << 32) + self.sizes[SHARED]

    def text(self):
        """Return the text of a function that makes a thread: of its memory, place and arguments."""
        lines = ["def thread(memory, dynamic_smem_size, tid, ntid, ctaid, nctaid, arguments):"]
        lines += [f"  laneid, at, left = tid % {WARP}, 0, {SLICE}", "  while True:"]
        for number, block in enumerate(self.blocks):
            lines.append(f"    if at == {number}:")
            for line in block:
                lines += [f"      {one}" for one in self.statement(line, number).split("\n")]
            lines.append(f"      at = {number + 1}")
        lines.append("  yield")  # is not reached: threads that never wait are generators, too
        return "\n".join(lines)

    def statement(self, line, block):
        """Return the statements of an instruction, which may depend on a truth value."""
        found = re.fullmatch(r"(?:@(!?)(%\w+)\s+)?(\S+)\s*(.*)", line)
        negated, predicate, name, rest = found.groups()
        made = self.made(name, re.findall(r"\{.*?\}|\[.*?\]|[^,\s]+", rest), block)
        if not predicate:
            return made
        made = made.replace("\n", "\n  ")
        return f"if {'not ' * bool(negated)}{self.value(predicate)}:\n  {made}"

    def value(self, operand, bits=64):
        """Return the expression of an operand: no number has a sign."""
        if operand.startswith("%"):
            name, _, axis = operand[1:].partition(".")
            if axis in ("y", "z"):
                return str(int(name.startswith("n")))
            return name if axis or name in SPECIAL else f"v_{name}"
        if operand in self.symbols:
            return str(self.symbols[operand])
        return str(int(operand, 0) & (1 << bits) - 1)

    def number(self, operand, kind):
        """Return the expression of a number of a type: negative, if it has a sign and is."""
        bits = int(kind[1:])
        value = self.value(operand, bits)
        return f"with_sign({value}, {bits})" if kind[0] == "s" else value

    def assign(self, to, expression, bits):
        return f"{self.value(to)} = ({expression}) & {(1 << bits) - 1}"

    def made(self, name, operands, block):
        """Return the statements of an instruction in a block of so many."""
        first, *words = name.split(".")
        kind = words[-1] if words else ""
        if first == "membar":
            return "pass"
        if first == "ret":
            return "return"
        if first == "bra":
            return self.jump(self.labels[operands[0]], block)
        if first == "bar":
            return f"yield '{'warp' if words[0] == 'warp' else 'block'}', 0, 0"
        if kind == "pred":
            return self.logic(first, *operands)
        assert not re.search(r"\.f\d", name), f"{name}: there are integers alone"
        bits = int(kind[1:])
        if first in ("ld", "st", "atom"):
            return self.access(first, words, operands, bits)
        if first == "shfl":
            to, _, there = operands[0].partition("|")
            sent = ", ".join(self.value(operand, 32) for operand in operands[1:4])
            there = self.value(there) if there else "_"
            return f"{self.value(to)}, {there} = yield 'shfl', '{words[1]}', ({sent})"
        if first == "vote":
            raised = self.value(operands[1])
            return f"{self.value(operands[0])} = yield 'vote', '{words[1]}', {raised}"
        to, *given = operands
        if first == "mov" and "{" in given[0] + to:
            return self.packed(to, given[0], bits)
        if first == "setp":
            left, right = (self.number(one, kind) for one in given)
            return f"{self.value(to)} = {left} {COMPARISONS[words[0]]} {right}"
        if first == "cvt":
            low = f"{self.value(given[0])} & {(1 << bits) - 1}"
            low = f"with_sign({low}, {bits})" if kind[0] == "s" else low
            return self.assign(to, low, int(words[0][1:]))
        short = name.removesuffix(f".{kind}")
        short = "cvta" if first == "cvta" else short
        read = self.number if short in BY_SIGN else lambda one, kind: self.value(one, bits)
        values = [read(one, kind) for one in given]
        if first in ("shl", "shr"):
            values[1] = self.value(given[1], 32)
        made = MADE[short].format(*values, bits=bits)
        return self.assign(to, made, 2 * bits if short == "mul.wide" else bits)

    def packed(self, to, given, bits):
        """Return the statement that makes one number of two, or two of one."""
        half = bits // 2
        low, high = re.findall(r"[%\w]+", to if "{" in to else given)
        if "{" in given:
            return self.assign(to, f"{self.value(low)} | {self.value(high)} << {half}", bits)
        whole, names = self.value(given), [one.replace("%", "v_") for one in (low, high)]
        return f"{', '.join(names)} = {whole} & {(1 << half) - 1}, {whole} >> {half}"

    def jump(self, target, block):
        """Return the statements of a jump: one back may be to wait for another thread."""
        go = f"at = {target}\ncontinue"
        if target > block:
            return go
        return f"left -= 1\nif not left:\n  left = {SLICE}\n  yield None\n{go}"

    def logic(self, name, to, *operands):
        """Return the statement of an instruction on truth values."""
        values = [self.value(one) if one.startswith("%") else f"{one != '0'}" for one in operands]
        made = f"not {values[0]}" if name == "not" else MADE[name].format(*values)
        return f"{self.value(to)} = {made}"

    def access(self, first, words, operands, bits):
        """Return the statements of a load, a store or an atomic operation."""
        size, signed = bits // 8, words[-1][0] == "s"
        if words[0] == "param":
            place = self.parameters.index(operands[1].strip("[]"))
            return f"{self.value(operands[0])} = arguments[{place}]"
        address, register = operands if first == "st" else (operands[1], operands[0])
        base, _, more = address.strip("[]").partition("+")
        where = f"({self.value(base)} + {int(more or 0)} & {WORD})"
        if first == "atom":
            given = ", ".join(self.value(value, bits) for value in operands[2:])
            call = f"memory.change('{words[-2]}', {where}, {size}, {signed}, {given})"
            return self.assign(register, call, bits)
        made = []
        for k, part in enumerate(register.strip("{}").replace(",", " ").split()):
            place = f"{where} + {k * size}, {size}"
            made.append(
                f"memory.store({place}, {self.value(part, bits)})"
                if first == "st"
                else f"{self.value(part)} = memory.load({place}, {signed}) & {WORD}"
            )
        return "\n".join(made)


@cache
def translated(ptx):
    """Return a function that makes a thread of a kernel, and what its translator knows."""
    made = Translator(ptx)
    names = dict(globals())
    exec(compile(made.text(), "<ptx>", "exec"), names)
    return names["thread"], made


class Schedule:
    """The threads of all blocks, and what each waits for."""

    def __init__(self, blocks):
        self.blocks = [dict(enumerate(threads)) for threads in blocks]  # those that are not over
        self.asked = [dict.fromkeys(threads) for threads in self.blocks]
        self.given = [{} for _ in blocks]

    def run(self):
        """Give each thread its turn until all are over."""
        while any(self.blocks):
            # Not before all blocks have had their turn: one may wait for what another one does.
            moved = [self.turns(*block) for block in self.each()]
            met = [self.meet(*block) for block in self.each()]
            assert any(moved + met), "the threads wait for each other"

    def each(self):
        return zip(self.blocks, self.asked, self.given, strict=True)

    def turns(self, threads, asked, given):
        """Let all threads run that wait for nothing; return whether there were some."""
        ready = [t for t in threads if asked[t] is None]
        for t in ready:
            try:
                asked[t] = threads[t].send(given.pop(t, None))
            except StopIteration:
                del threads[t]
        return bool(ready)

    def meet(self, threads, asked, given):
        """Let threads go on that have waited for each other; return whether there were some."""
        if threads and all(asked[t] == ("block", 0, 0) for t in threads):
            asked.update(dict.fromkeys(threads))
            return True
        met = False
        for _, lanes in itertools.groupby(threads, lambda t: t // WARP):
            waiting = {t: asked[t] for t in lanes}
            kinds = {one and one[:2] for one in waiting.values()}
            if None in kinds or ("block", 0) in kinds:
                continue
            [kind] = kinds  # else they wait for each other by different instructions
            sent = {t: values for t, (_, _, values) in waiting.items()}
            given.update(exchanged(*kind, sent))
            asked.update(dict.fromkeys(sent))
            met = True
        return met


def exchanged(kind, how, sent):
    """Return what each lane of a warp gets for what all have sent."""
    if kind == "warp":
        return {}
    if kind == "vote":
        assert how == "ballot"
        return dict.fromkeys(sent, sum(1 << t % WARP for t, raised in sent.items() if raised))
    found = {}
    for t, (value, distance, clamp) in sent.items():
        assert clamp == WARP - 1, "whole warps shuffle"
        source = {"down": t + distance, "bfly": t ^ distance}[how]
        there = source // WARP == t // WARP
        found[t] = (sent[source][0] if there and source in sent else value), there
    return found


def run(ptx, words, arrays, *, threads, blocks=1, shared_bytes=0):
    """Run a kernel on arrays, which are given as writable bytes.

    ``words`` are its arguments, and ``shared_bytes`` the length of the memory that the threads of a
    block share if the launch says it.
    """
    thread, made = translated(ptx)
    assert len(words) == len(made.parameters), "a launch passes all arguments"
    running = []
    for block in range(blocks):
        shared = bytearray(made.sizes[SHARED] + shared_bytes)
        of_threads = [Memory(shared, bytearray(made.sizes[LOCAL]), arrays) for _ in range(threads)]
        places = ((shared_bytes, t, threads, block, blocks, words) for t in range(threads))
        running.append(list(map(lambda own, place: thread(own, *place), of_threads, places)))
    Schedule(running).run()


def launch(ptx, n, arguments, **how):
    """Run the PTX that numba-cuda made of a kernel on arrays and integers, as a launch does."""
    words, parts = [n], []
    for argument in arguments:
        if isinstance(argument, int):
            words.append(argument & WORD)
            continue
        size, item, address = argument.size, argument.itemsize, FIRST_ARRAY + len(parts) << 32
        step = argument.strides[0] // item  # what lies between elements stays out of sight
        parts.append(np.zeros((size, max(step, 1)), argument.dtype))
        parts[-1][:, 0] = argument
        words += 0, 0, size, item, address, size, step * item
    run(ptx, words, [memoryview(part.reshape(-1).view(np.uint8)) for part in parts], **how)
    arrays = (argument for argument in arguments if not isinstance(argument, int))
    for array, part in zip(arrays, parts, strict=True):
        array[:] = part[:, 0]
