"""The memory of a machine, and of containers, which have a limit of their own."""

import os

import pytest

import cc_rapids
from cc_rapids import CapacityError, backends, host_memory
from cc_rapids.data import memory_budget

MIB = 1 << 20


def group(folder, limit, used, cached=0, version=2):
    """Write the files of a control group."""
    names = {
        2: ("memory.max", "memory.current"),
        1: ("memory.limit_in_bytes", "memory.usage_in_bytes"),
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / names[version][0]).write_text(f"{limit}\n")
    (folder / names[version][1]).write_text(f"{used}\n")
    word = {2: "inactive_file", 1: "total_inactive_file"}[version]
    (folder / "memory.stat").write_text(f"anon {used - cached}\n{word} {cached}\n")


@pytest.fixture
def groups(tmp_path, monkeypatch):
    """Say which groups this process is in."""

    def say(lines):
        found = tuple(host_memory.groups_in(tmp_path, lines))
        monkeypatch.setattr(host_memory, "groups", lambda: found)
        return found

    return say


def test_a_machine_without_groups_has_what_is_available(groups):
    groups("")
    total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert host_memory.total_bytes() == total
    assert 0 < host_memory.free_bytes() <= total
    assert (
        host_memory.free_bytes() >= os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    )


@pytest.mark.parametrize(
    ("version", "lines", "folder"),
    [
        (2, "0::/\n", ""),  # a container that sees its group at the root
        (2, "0::/user.slice/run.scope\n", "user.slice/run.scope"),
        (2, "0::/user.slice/run.scope\n", "user.slice"),  # the limit is that of a group above
        (1, "4:memory:/\n0::/\n", "memory"),
        (1, "3:cpu:/x\n4:memory,hugetlb:/pods/a\n", "memory/pods/a"),
        (1, "4:memory:/docker/1f00\n", "memory"),  # whose path is that of the host
    ],
)
def test_a_container_has_what_its_limit_leaves(groups, tmp_path, version, lines, folder):
    group(tmp_path / folder, 100 * MIB, 70 * MIB, 20 * MIB, version)
    assert len(groups(lines)) == 1
    assert host_memory.free_bytes() == 50 * MIB == backends.get("threads").free_bytes()
    assert host_memory.total_bytes() == 100 * MIB
    assert memory_budget.bytes_of(None) == 25 * MIB


@pytest.mark.parametrize("limit", ["max", "9223372036854771712"])
def test_a_group_without_a_limit_is_none(groups, tmp_path, limit):
    group(tmp_path, limit, 70 * MIB)
    group(tmp_path / "memory", limit, 70 * MIB, version=1)
    assert groups("0::/\n4:memory:/\n") == ()


def test_the_least_of_nested_groups_counts(groups, tmp_path):
    group(tmp_path / "a", 90 * MIB, 80 * MIB)
    group(tmp_path / "a" / "b", 60 * MIB, 20 * MIB)
    assert len(groups("0::/a/b\n")) == 2
    assert host_memory.free_bytes() == 10 * MIB
    assert host_memory.total_bytes() == 60 * MIB


def test_a_group_that_is_gone_leaves_what_the_machine_has(groups, tmp_path):
    group(tmp_path, 100 * MIB, 10 * MIB)
    groups("0::/\n")
    (tmp_path / "memory.current").unlink()
    assert host_memory.free_bytes() > 100 * MIB


def test_a_run_that_does_not_fit_into_a_container_is_refused(groups, tmp_path):
    group(tmp_path, 2 * MIB, MIB)
    groups("0::/\n")
    rows = 200_000
    edges = [k << 20 for k in range(rows)], [k << 21 for k in range(rows)]
    with pytest.raises(CapacityError, match="GiB are free"):
        cc_rapids.components(edges, engine="threads")
