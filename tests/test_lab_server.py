"""A JupyterLab that is told to stop stops: also in the midst of a request, and by force if it does not want to."""

import contextlib
import http.client
import json
import subprocess
import sys
import threading
import time

import psutil
import pytest

from tools.book.lab_server import GRACE, running_lab, stop

# Says when it is there; takes no notice of SIGTERM, nor does the process that it has started in a session of its own.
STUBBORN = """
import signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if sys.argv[1:] != ["child"]:
    subprocess.Popen([sys.executable, "-c", sys.argv[1], "child"], start_new_session=True)
print("here", flush=True)
time.sleep(600)
"""


def test_what_takes_no_notice_is_killed_with_all_that_it_started():
    process = subprocess.Popen([sys.executable, "-c", STUBBORN, STUBBORN], stdout=subprocess.PIPE, text=True)
    assert [process.stdout.readline() for _ in range(2)] == ["here\n"] * 2
    family = [psutil.Process(process.pid), *psutil.Process(process.pid).children()]
    assert len(family) == 2
    assert not stop(process, grace=0.5), "it says that asking was not enough"
    assert psutil.wait_procs(family, timeout=5)[1] == []


def test_what_ends_by_itself_is_asked_only():
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    assert stop(process)
    assert stop(process), "gone already"


class Visitor:
    """Asks a JupyterLab for things over one connection that stays open, as a browser does."""

    def __init__(self, place):
        address, token = place
        self.connection = http.client.HTTPConnection(address.removeprefix("http://"), timeout=60)
        self.headers = {"Authorization": f"token {token}"}

    def ask(self, path, method="GET"):
        self.connection.request(method, path, headers=self.headers)
        return json.loads(self.connection.getresponse().read())

    def keep_asking(self):
        """Ask for the list of a folder, again and again until nobody answers."""
        with contextlib.suppress(OSError, http.client.HTTPException):
            while True:
                self.ask("/api/contents")


def words_of(process):
    """The words that started a process; none for one that has ended and is only waited for."""
    with contextlib.suppress(psutil.NoSuchProcess):
        return process.cmdline()
    return []


@pytest.mark.slow
def test_a_lab_stops_in_the_midst_of_a_request(tmp_path, recwarn):
    """JupyterLab itself waits for ever for the thread that reads a folder for a request that never ends."""
    for number in range(200):
        (tmp_path / f"{number}.txt").touch()
    with running_lab(tmp_path) as place:
        assert Visitor(place).ask("/api/kernels", method="POST")["name"] == "python3"
        kernels = [one for one in psutil.Process().children(recursive=True) if "ipykernel_launcher" in words_of(one)]
        threads = [threading.Thread(target=Visitor(place).keep_asking, daemon=True) for _ in range(3)]
        for thread in threads:
            thread.start()
        time.sleep(1)
        start = time.monotonic()
    assert time.monotonic() - start < GRACE
    assert not [warning for warning in recwarn if "killed" in str(warning.message)]
    assert kernels and psutil.wait_procs(kernels, timeout=5)[1] == []
