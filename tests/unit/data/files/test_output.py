"""Files are written whole or not at all; devices and pipes are written through, not replaced."""

import errno
import os
import stat
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from cc_rapids import errors
from cc_rapids.data.files.write import check_place, make_folder, replacing, replacing_folder


def write(path, content=b"new", **options):
    with replacing(path, **options) as stream:
        stream.write(content)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


class TestSpecial:
    """Devices, pipes and descriptors stay what they are, and get what is written."""

    def test_a_full_device_stays_a_device(self, full_device):
        said = f"cannot write {full_device}: No space"
        with pytest.raises(errors.OutputError, match=said) as caught:
            write(full_device)
        assert full_device.is_char_device()
        assert caught.value.errno == errno.ENOSPC
        assert caught.value.filename == str(full_device)

    @pytest.mark.parametrize("pack", ["", ".gz", ".zst"])
    def test_a_link_to_a_full_device(self, tmp_path, full_device, pack):
        link = tmp_path / "link"
        link.symlink_to(full_device)
        with pytest.raises(OSError, match="No space left"):
            write(link, os.urandom(1 << 17), pack=pack)
        assert link.is_symlink()
        assert full_device.is_char_device()
        assert names(tmp_path) == ["link"]

    def test_a_device_takes_all(self, null_device):
        write(null_device)
        assert null_device.is_char_device()

    def test_a_fifo_hands_it_on(self, tmp_path):
        fifo = tmp_path / "fifo"
        os.mkfifo(fifo)
        with open(os.open(fifo, os.O_RDONLY | os.O_NONBLOCK), "rb") as reader:
            write(fifo, b"x" * (1 << 14))
            assert reader.read() == b"x" * (1 << 14)
        assert stat.S_ISFIFO(fifo.stat().st_mode)
        assert names(tmp_path) == ["fifo"]

    def test_a_pipe_whose_reader_has_gone(self, tmp_path):
        fifo = tmp_path / "fifo"
        os.mkfifo(fifo)
        reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)

        def write_after_it():
            with replacing(fifo) as stream:
                os.close(reader)
                stream.write(b"new")

        with pytest.raises(errors.OutputError, match="Broken pipe"):
            write_after_it()
        assert stat.S_ISFIFO(fifo.stat().st_mode)

    def test_an_open_descriptor_goes_on_where_it_is(self, tmp_path):
        with open(tmp_path / "log", "wb", buffering=0) as log:
            log.write(b"before ")
            for path in (f"/dev/fd/{log.fileno()}", f"/proc/self/fd/{log.fileno()}"):
                write(path, b"in between ")
            log.write(b"after")
        assert (tmp_path / "log").read_text() == "before in between in between after"
        assert names(tmp_path) == ["log"]

    def test_standard_output(self):
        code = (
            "from cc_rapids.data.files.write import replacing\n"
            "with replacing('/dev/stdout') as stream: stream.write(b'new')"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
        assert done.stdout == b"new"

    def test_it_tells_how_much_it_got_and_seeks_nowhere(self, null_device):
        with replacing(null_device) as stream:
            stream.write(b"new")
            assert stream.tell() == 3
            assert not stream.seekable()
            with pytest.raises(OSError, match="seek"):
                stream.seek(0)


class TestReplaced:
    """A regular file, or none: all of the new one, or all of the old one."""

    def test_the_target_of_a_link(self, tmp_path):
        (tmp_path / "to").mkdir()
        target, link, chain = tmp_path / "to" / "target", tmp_path / "link", tmp_path / "chain"
        link.symlink_to("to/target")
        chain.symlink_to(link)
        write(chain, b"made")  # a link may point to what is not there yet
        inode = target.stat().st_ino
        write(chain)
        assert chain.is_symlink()
        assert link.is_symlink()
        assert target.read_bytes() == b"new"
        assert target.stat().st_ino != inode  # another file took its name
        assert names(tmp_path / "to") == ["target"]

    @pytest.mark.parametrize("before", [None, b"old"])
    @pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(errno.ENOSPC, "No space left")])
    def test_on_an_error_all_is_as_it_was(self, tmp_path, before, error):
        path = tmp_path / "a.csv"
        if before:
            path.write_bytes(before)

        def write_half():
            with replacing(path) as stream:
                stream.write(b"half")
                raise error

        with pytest.raises((KeyboardInterrupt, errors.OutputError)):
            write_half()
        assert [file.read_bytes() for file in tmp_path.iterdir()] == ([before] if before else [])

    def test_an_error_that_is_not_of_the_disk_passes(self, tmp_path):
        with pytest.raises(errors.FormatError, match="too large"), replacing(tmp_path / "a"):
            raise errors.FormatError("too large")
        assert names(tmp_path) == []

    def test_a_disk_that_is_full_when_the_file_is_closed(self, tmp_path, monkeypatch):
        def full(*descriptor):
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(errors.OutputError, match="No space left"):
            write(tmp_path / "a.csv", sync=True)
        assert names(tmp_path) == []

    def test_a_limit_of_the_process(self, tmp_path):
        code = (
            "import resource, signal, sys\n"
            "from cc_rapids.data.files.write import replacing\n"
            "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
            "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
            "with replacing(sys.argv[1]) as stream: stream.write(bytes(5000))\n"
        )
        done = subprocess.run([sys.executable, "-c", code, tmp_path / "a"], capture_output=True)
        assert b"OutputError: cannot write" in done.stderr
        assert b"File too large" in done.stderr
        assert names(tmp_path) == []

    def test_mode_owner_and_group_are_those_of_the_file_before(self, tmp_path):
        path = tmp_path / "a.csv"
        write(path)
        path.chmod(0o640)
        ours = (os.getuid(), os.getgid())
        theirs = (1234, 2345) if ours[0] == 0 else ours
        os.chown(path, *theirs)
        write(path, b"newer")
        now = path.stat()
        assert (now.st_mode & 0o777, now.st_uid, now.st_gid) == (0o640, *theirs)
        assert path.read_bytes() == b"newer"

    def test_rights_of_a_group_are_not_for_another_one(self, tmp_path, monkeypatch):
        path = tmp_path / "a.csv"
        write(path)
        path.chmod(0o664)

        def refuse(*arguments):
            raise PermissionError(errno.EPERM, "not yours")

        now = list(os.stat(path))
        now[5] += 1  # st_gid
        monkeypatch.setattr(os, "fstat", lambda opened: os.stat_result(now))
        monkeypatch.setattr(os, "fchown", refuse)
        write(path)
        assert path.stat().st_mode & 0o777 == 0o644

    def test_a_new_file_is_as_open_as_the_umask_says(self, tmp_path):
        mask = os.umask(0o027)
        try:
            write(tmp_path / "a.csv")
        finally:
            os.umask(mask)
        assert (tmp_path / "a.csv").stat().st_mode & 0o777 == 0o640

    def test_names_as_long_as_they_may_be(self, tmp_path):
        write(tmp_path / ("ü" * 127))
        assert names(tmp_path) == ["ü" * 127]

    def test_threads_that_write_at_once(self, tmp_path):
        path, start = tmp_path / "a.csv", threading.Barrier(4)

        def often(thread):
            start.wait()
            for _ in range(30):
                write(path, bytes([thread]) * 1000)
                assert len(set(path.read_bytes())) == 1

        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(often, range(4))) == [None] * 4
        assert len(path.read_bytes()) == 1000
        assert names(tmp_path) == ["a.csv"]

    def test_no_descriptor_stays_open(self, tmp_path):
        before = os.listdir("/proc/self/fd")
        write(tmp_path / "a.csv", sync=True)
        assert len(os.listdir("/proc/self/fd")) == len(before)


class TestRefused:
    """What can never be written is refused ahead, by the name that was given, and why."""

    @pytest.mark.parametrize("attempt", [check_place, write])
    @pytest.mark.parametrize(
        ("name", "reason"),
        [
            ("folder", "it is a directory"),
            ("none/a.csv", "there is no directory"),
            ("a.csv/b.csv", "Not a directory"),
            ("loop", "Too many levels of symbolic links"),
            ("x" * 300, "File name too long"),
            ("to_none", "there is no directory"),
        ],
    )
    def test_no_place_for_a_file(self, tmp_path, attempt, name, reason):
        (tmp_path / "folder").mkdir()
        (tmp_path / "a.csv").write_text("old")
        (tmp_path / "loop").symlink_to("loop")
        (tmp_path / "to_none").symlink_to("none/a.csv")
        before = names(tmp_path)
        with pytest.raises(errors.OutputError, match=reason) as caught:
            attempt(tmp_path / name)
        assert str(tmp_path / name) in str(caught.value)
        assert names(tmp_path) == before

    @pytest.mark.parametrize(
        ("closed", "reason"),
        [("a.csv", "the existing file is not writable"), ("", "directory .* is not writable")],
    )
    def test_closed_to_writing(self, tmp_path, monkeypatch, closed, reason):
        (tmp_path / "a.csv").write_text("old")
        access = os.access
        monkeypatch.setattr(
            os, "access", lambda path, mode: path != tmp_path / closed and access(path, mode)
        )
        with pytest.raises(errors.OutputError, match=reason):
            write(tmp_path / "a.csv")
        assert (tmp_path / "a.csv").read_text() == "old"

    def test_a_folder_that_cannot_be_made(self, tmp_path):
        (tmp_path / "file").write_text("old")
        make_folder(tmp_path)  # is there
        for name in ("file", "none/folder"):
            with pytest.raises(errors.OutputError, match=f"cannot write {tmp_path / name}"):
                make_folder(tmp_path / name)

    def test_a_folder_with_other_files_keeps_all_of_its_files(self, tmp_path):
        for name in ("part-0", "notes"):
            (tmp_path / name).write_text("old")
        refusal = pytest.raises(errors.OutputError, match="not empty")
        with refusal, replacing_folder(tmp_path, ["part-0"]) as partial:
            (partial / "part-1").write_text("new")
        assert sorted(path.name for path in tmp_path.iterdir()) == ["notes", "part-0"]

    def test_a_descriptor_that_is_not_open_for_writing(self):
        with open(os.devnull, "rb") as file, pytest.raises(errors.OutputError, match="descriptor"):
            write(f"/dev/fd/{file.fileno()}")
