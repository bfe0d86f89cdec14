"""What nbval does not do, in the kernel in which it has run a page: the sliders, as one more cell. A pytest plugin.

`pytest --nbval notebooks` runs each page once: nbval compares what every cell prints with what is stored, then
`tools.book.sliders` moves each slider to its ends, and what that prints is compared in the same way.
"""

import collections
import contextlib
import functools

import jupyter_client.provisioning.local_provisioner
import nbformat
import nbval.kernel
import pytest
from nbval.plugin import IPyNbCell, IPyNbFile

from tools.book import forks, memory, sliders

nbval.kernel.pformat = lambda message: message  # it lays out every message for a log that nobody keeps: a second a page


def started(start, *args, tries=3, **kwargs):
    """What `start` starts, tried again: a kernel dies at once where another process has taken one of its ports."""
    for _ in range(tries - 1):
        with contextlib.suppress(RuntimeError):
            return start(*args, **kwargs)
    return start(*args, **kwargs)


jupyter_client.provisioning.local_provisioner.launch_kernel = forks.Forked
nbval.kernel.start_new_kernel = functools.partial(started, nbval.kernel.start_new_kernel)


class Page(IPyNbFile):
    """A page and, after its own cells, its sliders. What it is made from is known to `tools.book.changed`."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.add_marker(pytest.mark.depends(*memory.page(self.path)))

    def collect(self):
        yield from super().collect()
        source = self.path.with_suffix(".py")
        stored = nbformat.v4.new_output("stream", name="stdout", text=sliders.expected(source))
        cell = nbformat.v4.new_code_cell(sliders.cell(source), execution_count=1, outputs=[stored])
        number = sum(cell.cell_type == "code" for cell in self.nb.cells)
        options = collections.defaultdict(bool, check=True)
        yield IPyNbCell.from_parent(self, name="Sliders", cell_num=number, cell=cell, options=options)


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path, parent):
    """A notebook with a source beside it is a page."""
    collectors = yield
    found = any(isinstance(one, IPyNbFile) for one in collectors) and file_path.with_suffix(".py").exists()
    return [Page.from_parent(parent, path=file_path)] if found else collectors
