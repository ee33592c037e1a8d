"""Files for the tests of readers and writers."""

import pytest
from support.edge_files import read_edges

from cc_rapids.errors import FormatError


@pytest.fixture(params=[16 << 20, 40], ids=["one block", "many blocks"])
def blocks(request, tuned):
    """A test that takes it runs on whole files and on files cut into blocks of 40 bytes."""
    tuned(text_block_bytes=request.param)


@pytest.fixture
def read(tmp_path):
    """Write a file of that name and content, read it, and give ``(columns, types, file)``."""

    def write_and_read(name, content, **options):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        file = read_edges(path, **options)
        pairs = list(zip(*(column.to_pylist() for column in file.table.columns), strict=True))
        return pairs, [str(kind) for kind in file.table.schema.types], file

    return write_and_read


@pytest.fixture
def refusal(read):
    """What is said of a file of that name and content; it names the file."""

    def read_in_vain(name, content, error=FormatError, **options):
        with pytest.raises(error) as caught:
            read(name, content, **options)
        assert name in str(caught.value)
        return str(caught.value)

    return read_in_vain
