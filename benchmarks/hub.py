"""A class works on a hub: `python -m benchmarks.hub --students 20 --minutes 20`; loopback only, bounded, in its own
folder.

Each student asks for an account and is admitted, signs in, opens page 03, runs all of it, moves its sliders with pauses
as long as a person's, and hands in three times. The first works in headless Chromium, the others over the protocol.
After a third of the time the kernels of two students are killed, at half of it the hub. At the end every receipt is
compared with what lies in the course. Exit code 1 says that something was lost, that a slider did not answer, that a
lesson broke off, or that the hub of a student did not come up.
"""

import argparse
import asyncio
import hashlib
import json
import math
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

import playwright.sync_api
import psutil

from tools.book.chromium import running_chromium
from tools.classroom import course as courses
from tools.classroom import desk
from tools.classroom.hub import cell, room
from tools.classroom.hub.accounts import Accounts
from tools.classroom.hub.visitor import Died, Visitor

PROJECT = pathlib.Path(__file__).parents[1]
PAGE, STEM = "notebooks/03_laplace.ipynb", "03_laplace"
ASSIGNMENT = f"assignments/{STEM}.ipynb"
PASSWORD = "correct horse battery"
LATE = 20.0  # seconds; a slider that answers later has not answered
TRIES = 60  # of handing in, two seconds apart, while the hub is away


class Record:
    """What was seen, student by student."""

    def __init__(self):
        self.starts, self.runs, self.moves, self.unanswered, self.receipts = {}, {}, [], [], {}
        self.again, self.refused, self.memory, self.browser, self.broken = 0, 0, {}, "", []


def free_port():
    """A port of the loopback address that nobody listens on."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Hub:
    """A hub in a folder of its own, with a course of one assignment; `with Hub(folder) as hub:`."""

    def __init__(self, folder, **settings):
        self.folder, self.hub, self.course, self.port = folder, folder / "hub", folder / "course", free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self.settings = {"port": self.port, **settings}

    def __enter__(self):
        os.umask(0o077)
        courses.set_up(self.course, [PROJECT / "exercises" / f"{STEM}.py"])
        self.hub.mkdir(mode=0o700, exist_ok=True)
        lines = [f"{name} = {_toml(value)}\n" for name, value in self.settings.items()]
        (self.hub / "hub.toml").write_text("".join(lines))
        if "oauth" not in self.settings:
            Accounts(self.hub / "accounts.json").ask("instructor", PASSWORD, admitted=True)
        words = [sys.executable, "-m", "tools.classroom.hub", "--hub", self.hub, "--course", self.course, "start"]
        with open(self.folder / "start.log", "w") as log:
            self.process = subprocess.Popen([str(word) for word in words], cwd=PROJECT, stdout=log, stderr=log)
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(timeout=120)

    async def answers(self, limit=120):
        """Wait until the hub shows where to sign in."""
        until = time.monotonic() + limit
        while time.monotonic() < until:
            async with Visitor(self.address, "nobody", "") as one:
                try:
                    async with one.session.get(f"{self.address}/hub/login") as page:
                        if page.status == 200:
                            return
                except OSError:
                    pass
            if self.process.poll() is not None:
                break
            await asyncio.sleep(0.5)
        raise RuntimeError("the hub did not start:\n" + (self.folder / "start.log").read_text())

    def kill(self):
        """Kill the hub itself, not its proxy and not the students' servers, as a crash would."""
        [one] = [child for child in psutil.Process(self.process.pid).children() if "serve" in child.cmdline()]
        one.send_signal(signal.SIGKILL)

    def processes(self, student):
        """The processes in the cell of a student of this hub: another on this machine may have one of the same name."""
        own = str(cell.Places(self.hub, room.sockets(self.hub)).own(student))
        tops = [one for one in psutil.process_iter(["cmdline"]) if own in (one.info["cmdline"] or ())]
        found = {one.pid: one for top in tops for one in (top, *top.children(recursive=True))}
        return list(found.values())

    def kernels(self, student):
        return [one for one in self.processes(student) if "ipykernel_launcher" in one.cmdline()]

    def memory(self, student):
        """Megabytes that a student's processes have to themselves, with their part of what they share."""
        return sum(one.memory_full_info().pss for one in self.processes(student)) / 2**20


def _toml(value):
    """A setting as `hub.toml` has it; a table in one line."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{name} = {_toml(one)}' for name, one in value.items())}}}"
    return json.dumps(value)


async def admitted(hub, visitor):
    """An account for this visitor, asked for and admitted through the pages."""
    number = await visitor.ask()
    async with Visitor(hub.address, "instructor", PASSWORD) as instructor:
        assert await instructor.sign_in(), "the instructor was not let in"
        await instructor.admit(visitor.name, number)
    assert await visitor.sign_in(), f"{visitor.name} was not let in"


async def student(hub, name, record, until, seed):
    """One student's lesson, up to `until`."""
    chance = random.Random(seed)
    async with Visitor(hub.address, name, PASSWORD) as visitor:
        await admitted(hub, visitor)
        record.starts[name] = await visitor.start()
        page = await visitor.open(PAGE)
        record.runs[name] = await page.run_all()
        sliders = await page.answering()
        marks = sorted(chance.uniform(0.1, 0.95) for _ in range(3))
        begun, length = time.monotonic(), until() - time.monotonic()
        while (now := time.monotonic()) < until():
            if marks and now > begun + marks[0] * length:
                marks.pop(0)
                await hand_in(visitor, f"{name}, {len(marks)} to come", record)
            chosen = chance.choice(sliders)
            try:
                took = await page.move(chosen, chance.random(), LATE)
                record.moves.append(took) if took else record.unanswered.append(f"{name}: {page.sliders[chosen]}")
            except (Died, ConnectionError):
                record.again += 1  # the kernel was killed: a person opens the page again and runs it
                await page.close()
                page = await reopened(visitor)
                sliders = await page.answering()
            except TimeoutError:
                record.unanswered.append(f"{name}: no answer in {LATE} s")
            await asyncio.sleep(chance.uniform(0.5, 2.5))
        for mark in marks:
            await hand_in(visitor, f"{name}, at the end, {mark}", record)
        record.memory[name] = await asyncio.to_thread(hub.memory, name)
        await page.close()


async def reopened(visitor):
    for _ in range(TRIES):
        try:
            page = await visitor.open(PAGE)
            await page.run_all()
            return page
        except (Died, ConnectionError, RuntimeError, TimeoutError):
            await asyncio.sleep(2)
    raise RuntimeError(f"the page of {visitor.name} did not come back")


async def hand_in(visitor, text, record):
    """Write into the assignment and hand it in, again and again until there is a receipt, as a person would."""
    message = ""
    for _ in range(TRIES):
        status, model = await visitor.ask_server("GET", f"api/contents/{ASSIGNMENT}")
        if status == 200:
            model["content"]["cells"][0]["source"] = text
            what = {"type": "notebook", "format": "json", "content": model["content"]}
            status, message = await visitor.ask_server("PUT", f"api/contents/{ASSIGNMENT}", json=what)
        if status == 200:
            taken, message = await visitor.hand_in(ASSIGNMENT)
            if taken:
                record.receipts.setdefault(visitor.name, []).append((text, re.search(r", (\w{12})\)", message)[1]))
                return
        record.refused += 1
        await asyncio.sleep(2)
    raise RuntimeError(f"{visitor.name} could not hand in: {message}")


def in_browser(hub, name, record, until):
    """A student's lesson in headless Chromium: sign in, run all, the arrow keys on a slider, the button Hand in."""
    with running_chromium() as chromium:
        page = chromium.new_page(viewport={"width": 1280, "height": 900})
        page.set_default_timeout(300_000)  # of twenty who come at once the last waits long for each page
        page.goto(f"{hub.address}/hub/login")
        shot(page, "sign-in")
        page.fill("#username_input", name)
        page.fill("#password_input", PASSWORD)
        page.press("#password_input", "Enter")
        try:
            page.wait_for_selector(".dpbook-page", timeout=600_000)  # the pages before it lead on by themselves
        except playwright.sync_api.TimeoutError as late:
            shot(page, "late")
            raise TimeoutError(f"{page.url} shows {' '.join(page.inner_text('body').split())[:300]!r}") from late
        page.goto(f"{hub.address}/user/{name}/lab/tree/{PAGE}")
        seen = ".dpbook-page:not(.lm-mod-hidden)"  # the page that was open before is behind it
        page.wait_for_selector(f"{seen}[data-dpbook=ran]")
        record.browser = "its page has run"
        slider = page.locator(f"{seen} .live-figure .noUi-target:not([disabled]) .noUi-handle").first
        slider.scroll_into_view_if_needed()
        picture = slider.locator("xpath=ancestor::*[contains(@class, 'live-figure')]//img").first
        shot(page, "page")
        moves = 0
        while time.monotonic() < until():
            moves += 1
            if not moved(page, slider, picture):
                record.unanswered.append(f"{name}: the browser's picture did not change")
            page.wait_for_timeout(1000)
        page.goto(f"{hub.address}/user/{name}/lab/tree/{ASSIGNMENT}")
        page.click(".dpbook-hand-in >> text=Hand in")
        said = page.wait_for_selector(".jp-Dialog")
        page.wait_for_selector(".jp-Dialog-header")
        shot(page, "hand-in")
        record.browser = f"{moves} moves; {' '.join(said.inner_text().split())}"


def moved(page, slider, picture):
    """Whether the picture changes when an arrow key moves the slider towards its middle; a step or two may not show."""
    low, high, value = (float(slider.get_attribute(f"aria-value{one}")) for one in ("min", "max", "now"))
    key, before = "ArrowRight" if 2 * value < low + high else "ArrowLeft", picture.get_attribute("src")
    for limit in (2, 2, 2, LATE):
        slider.press(key)
        end = time.monotonic() + limit
        while time.monotonic() < end:
            if picture.get_attribute("src") != before:
                return True
            page.wait_for_timeout(50)
    return False


def shot(page, name):
    """A picture of the page into the folder SHOTS, if that variable names one."""
    if folder := os.environ.get("SHOTS"):
        page.screenshot(path=f"{folder}/{name}.png")


async def lesson(hub, count, minutes, record, browser):
    """All students at once, two killed kernels and a killed hub on the way."""
    end = [time.monotonic() + 3600]
    names = [f"student{number:02d}" for number in range(1, count + 1)]
    await hub.answers()
    tasks = [asyncio.create_task(student(hub, name, record, lambda: end[0], 100 + k)) for k, name in enumerate(names)]
    if browser:
        async with Visitor(hub.address, "browser", PASSWORD) as visitor:
            await admitted(hub, visitor)
        tasks.append(asyncio.create_task(asyncio.to_thread(in_browser, hub, "browser", record, lambda: end[0])))
    while (len(record.runs) < count or (browser and not record.browser)) and not any(task.done() for task in tasks):
        await asyncio.sleep(0.5)
    begun = time.monotonic()
    end[0] = begun + 60 * minutes
    await asyncio.sleep(20 * minutes)
    for name in names[-2:]:
        for kernel in hub.kernels(name):
            kernel.kill()
    await asyncio.sleep(10 * minutes)
    hub.kill()
    ended = await asyncio.gather(*tasks, return_exceptions=True)
    record.broken = [f"a lesson broke off: {one!r}"[:500] for one in ended if one]


def found_of(hub, record):
    """What was handed in and is not in the course as it was; a line each."""
    lines = desk.lost(hub.course)
    kept = {one.sha256[:12]: one for one in desk.receipts(hub.course)}
    for name, receipts in record.receipts.items():
        lines += [f"{name}: no line in the journal for {digest}" for _, digest in receipts if digest not in kept]
        text, digest = receipts[-1]
        file = hub.course / "submitted" / name / STEM / f"{STEM}.ipynb"
        if not hashlib.sha256(file.read_bytes()).hexdigest().startswith(digest) or text not in file.read_text():
            lines.append(f"{name}: what lies in the course is not what was handed in last")
    return lines


def table(record, lost, students):
    """The table, a line for each thing measured."""
    moves = sorted(record.moves)
    rows = [
        ("students over the protocol", students),
        ("from the click to JupyterLab, s: median, largest", spread(record.starts.values())),
        ("page 03, all cells, s: median, largest", spread(record.runs.values())),
        ("moves of sliders", len(moves)),
        ("slider to answer, ms: median", f"{1000 * statistics.median(moves or [math.nan]):.0f}"),
        ("slider to answer, ms: 95 %", f"{1000 * (moves or [math.nan])[int(0.95 * len(moves))]:.0f}"),
        ("memory a student, MB: median, largest", spread(record.memory.values(), 0)),
        ("kernels that died and were started again", record.again),
        ("handed in, with a receipt", sum(len(one) for one in record.receipts.values())),
        ("tries while the hub was away", record.refused),
        ("in Chromium", record.browser or "not tried"),
        ("sliders that did not answer", len(record.unanswered)),
        ("handed in and lost", len(lost)),
    ]
    return "\n".join(f"| {name} | {value} |" for name, value in rows)


def spread(values, places=1):
    values = sorted(values) or [math.nan]
    return f"{statistics.median(values):.{places}f}, {values[-1]:.{places}f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--students", type=int, default=20)
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--no-browser", action="store_true")
    parser.add_argument("--keep", action="store_true", help="leave the hub's folder there, to be looked at")
    chosen = parser.parse_args()
    if not (1 <= chosen.students <= 40 and 0 < chosen.minutes <= 60):
        sys.exit("at most 40 students and 60 minutes")
    folder, record = pathlib.Path(tempfile.mkdtemp(prefix="hub-")), Record()
    try:
        with Hub(folder, instructors=["instructor"], megabytes=1536) as hub:
            asyncio.run(lesson(hub, chosen.students, chosen.minutes, record, not chosen.no_browser))
        lost = found_of(hub, record)
        print(table(record, lost, chosen.students))
        print(*lost, *record.unanswered, *record.broken, sep="\n")
    finally:
        if chosen.keep:
            print(f"The hub's folder: {folder}")
        else:
            shutil.rmtree(folder)
    return 1 if lost or record.unanswered or record.broken or len(record.starts) < chosen.students else 0


if __name__ == "__main__":
    sys.exit(main())
