"""The parts of a hub that need no hub: what is handed in and back, accounts, settings, limits, what a cell shows.

`tests/test_hub_running.py` (`make hub-test`) tries a real one.
"""

import concurrent.futures
import copy
import datetime
import errno
import json
import os
import pathlib
import re
import subprocess
import sys
import threading

import pytest
import yaml

from tools.classroom import collect, desk
from tools.classroom.hub import accounts, cell, limits, settings

ROOT = pathlib.Path(__file__).parents[1]
STEM = "03_laplace"
NOON = datetime.datetime(2026, 11, 3, 12, tzinfo=datetime.UTC)
pytestmark = pytest.mark.depends("tests/test_hub.py", "tools/classroom", "docs")


@pytest.fixture
def course(tmp_path):
    """A course with one assignment, as far as the desk knows it."""
    (tmp_path / "assignments").mkdir()
    (tmp_path / "assignments" / f"{STEM}.py").touch()
    return tmp_path


def submitted(course, student="ada"):
    return course / "submitted" / student / STEM / f"{STEM}.ipynb"


# The desk.


def test_what_is_handed_in_lies_where_the_grader_looks_with_its_time(course):
    receipt = desk.take_in(course, "ada", STEM, b"{}", NOON)
    assert submitted(course).read_bytes() == b"{}"
    assert collect.submissions(course, STEM) == [submitted(course)] and not collect.unmatched(course, [STEM])
    assert submitted(course).stat().st_mtime == NOON.timestamp()
    assert submitted(course).with_name("timestamp.txt").read_text() == "2026-11-03 12:00:00.000000 UTC\n"
    assert str(receipt).startswith("03_laplace of ada was handed in on 2026-11-03 at 12:00:00 UTC (number 1, 44136fa")


def test_nbgrader_reads_the_time(course):
    from nbgrader.utils import parse_utc

    desk.take_in(course, "ada", STEM, b"{}", NOON)
    assert parse_utc(submitted(course).with_name("timestamp.txt").read_text().strip()) == NOON.replace(tzinfo=None)


def test_the_file_of_before_is_kept_with_its_time(course):
    for hour, text in enumerate((b"one", b"two", b"three")):
        desk.take_in(course, "ada", STEM, text, NOON + datetime.timedelta(hours=hour))
    earlier = course / "earlier" / "ada" / STEM
    assert [(earlier / f"{k}.ipynb").read_bytes() for k in (1, 2)] == [b"one", b"two"]
    assert [(earlier / f"{k}.ipynb").stat().st_mtime - NOON.timestamp() for k in (1, 2)] == [0, 3600]
    assert submitted(course).read_bytes() == b"three" and [one.number for one in desk.receipts(course)] == [1, 2, 3]


def test_the_same_file_again_has_the_receipt_that_it_had(course):
    first = desk.take_in(course, "ada", STEM, b"{}", NOON)
    assert desk.take_in(course, "ada", STEM, b"{}", NOON + datetime.timedelta(days=1)) == first
    assert not (course / "earlier").exists() and len(desk.receipts(course)) == 1


def test_many_at_once_lose_nothing(course):
    """Eight students, five files each, from eight threads: the journal, the last file and the earlier ones agree."""
    names = [f"s{k}" for k in range(8)]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        files = [(name, STEM, f"{name} {k}".encode()) for k in range(5) for name in names]
        given = list(pool.map(lambda file: desk.take_in(course, *file), files))
    assert not desk.lost(course) and len({(one.student, one.number) for one in given}) == 40
    assert {(one.student, one.sha256) for one in desk.receipts(course)} == {(one.student, one.sha256) for one in given}
    for name in names:
        last = [one for one in desk.receipts(course) if one.student == name][-1]
        assert desk._digest(submitted(course, name)) == last.sha256
    assert not list((course / desk.ARRIVING).iterdir())


def test_what_is_missing_is_said(course):
    desk.take_in(course, "ada", STEM, b"one")
    desk.take_in(course, "ada", STEM, b"two")
    assert not desk.lost(course)
    (course / "earlier" / "ada" / STEM / "1.ipynb").unlink()
    [line] = desk.lost(course)
    assert "number 1" in line and "no such file" in line


def test_until_a_file_is_whole_the_one_of_before_is_there(course, monkeypatch):
    desk.take_in(course, "ada", STEM, b"one")
    monkeypatch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError("the disk is full")))
    with pytest.raises(OSError, match="full"):
        desk.take_in(course, "ada", STEM, b"two")
    assert submitted(course).read_bytes() == b"one" and len(desk.receipts(course)) == 1
    assert not list((course / desk.ARRIVING).iterdir())


def test_a_receipt_is_for_what_is_on_the_disk(course, monkeypatch):
    """The file, its time, their names and the line of the journal: each is asked to be there before it is given."""
    synced = []
    monkeypatch.setattr(os, "fsync", lambda number: synced.append(pathlib.Path(f"/proc/self/fd/{number}").readlink()))
    desk.take_in(course, "ada", STEM, b"one")
    place = submitted(course).parent
    arriving = course / desk.ARRIVING
    synced = [arriving if one.parent == arriving else one for one in synced]
    assert synced == [arriving, place, arriving, place, course / desk.JOURNAL]


def test_a_line_that_a_power_cut_left_half_written_spoils_no_other(course):
    desk.take_in(course, "ada", STEM, b"one")
    with open(course / desk.JOURNAL, "a") as journal:
        journal.write('{"student": "ada", "assi')
    desk.take_in(course, "bob", STEM, b"two")
    assert [one.student for one in desk.receipts(course)] == ["ada", "bob"]


@pytest.mark.parametrize("student", ["", "../eve", "Ada", "a/b", ".ada", "a" * 65, "ada\n", "ada\0"])
def test_a_name_that_leads_elsewhere_is_no_student(course, student):
    with pytest.raises(ValueError, match="student must be a name"):
        desk.take_in(course, student, STEM, b"{}")
    assert not (course / "submitted").exists()


@pytest.mark.parametrize("assignment", ["", "../..", "04_none", "03_laplace.ipynb", "*"])
def test_only_what_was_given_out_is_taken(course, assignment):
    with pytest.raises(desk.NotTaken, match="there is no assignment"):
        desk.take_in(course, "ada", assignment, b"{}")


def test_too_much_is_refused(course, monkeypatch):
    monkeypatch.setattr(desk, "LARGEST", 10)
    monkeypatch.setattr(desk, "MOST", 2)
    with pytest.raises(desk.NotTaken, match="has 11 bytes and may have 10: clear its outputs"):
        desk.take_in(course, "ada", STEM, b"x" * 11)
    for text in (b"1", b"2"):
        desk.take_in(course, "ada", STEM, text)
    with pytest.raises(desk.NotTaken, match="2 files for 03_laplace are enough"):
        desk.take_in(course, "ada", STEM, b"3")
    desk.take_in(course, "bob", STEM, b"3")
    monkeypatch.setattr(desk, "ROOM", 10)
    with pytest.raises(desk.NotTaken, match="have more than 10 bytes in all"):
        desk.take_in(course, "bob", STEM, b"x" * 10)
    desk.take_in(course, "bob", STEM, b"x" * 9)


def test_feedback_is_given_back_once_and_only_what_is_asked_for(course, tmp_path):
    for stem in (STEM, "08_histograms"):
        page = course / "feedback" / "ada" / stem / f"{stem}.html"
        page.parent.mkdir(parents=True)
        page.write_text(f"<p>{stem}")
        os.utime(page, (10**9, 10**9))
    back = tmp_path / "returned"
    (back / "ada").mkdir(mode=0o700, parents=True)
    assert desk.give_back(course, back, [STEM]) == 1 and (back / "ada").stat().st_mode & 0o777 == 0o755
    assert [one.name for one in (back / "ada").iterdir()] == [f"{STEM}.html"]
    assert desk.give_back(course, back) == 1 and desk.give_back(course, back) == 0
    given = back / "ada" / f"{STEM}.html"
    assert given.stat().st_mode & 0o777 == 0o644 and given.stat().st_mtime == 10**9
    page.write_text("graded by hand")
    assert desk.give_back(course, back) == 1


# Accounts.


@pytest.fixture
def people(tmp_path):
    clock = [0.0]
    found = accounts.Accounts(tmp_path / "accounts.json", clock=lambda: clock[0])
    found.now = clock
    return found


def test_who_was_admitted_comes_in_and_nobody_else(people):
    asked = people.ask("ada", "a good sentence")
    assert not people.right("ada", "a good sentence"), "not yet"
    assert not people.admit("ada", "no number") and not people.admit("eve", asked.number)
    assert people.admit("ada", asked.number) and people.right("ada", "a good sentence")
    assert not people.right("ada", "a good sentencf") and not people.right("eve", "a good sentence")
    assert people.remove("ada") and not people.right("ada", "a good sentence")


def test_no_password_is_stored(people):
    people.ask("ada", "a good sentence")
    people.ask("bob", "a good sentence")
    text = people.path.read_text()
    assert "sentence" not in text and people.path.stat().st_mode & 0o777 == 0o600
    assert len({one["hash"] for one in json.loads(text)}) == 2, "each has a salt of its own"


def test_a_name_that_stands_is_not_given_twice(people):
    people.ask("instructor", "a good sentence", admitted=True)
    with pytest.raises(accounts.Refused, match="taken"):
        people.ask("instructor", "another sentence")
    assert people.right("instructor", "a good sentence")


@pytest.mark.parametrize("name, password", [("Ada", "a good sentence"), ("../x", "a good sentence"), ("ada", "short")])
def test_what_makes_no_account(people, name, password):
    with pytest.raises(accounts.Refused):
        people.ask(name, password)
    assert not people.all()


def test_wrong_passwords_make_a_name_wait_and_no_other(people):
    for name in ("ada", "bob"):
        people.ask(name, "a good sentence", admitted=True)
    for _ in range(accounts.FREE):
        people.right("ada", "wrong")
    assert people.waits("ada") == 4 and not people.right("ada", "a good sentence"), "even the right one"
    assert people.right("bob", "a good sentence")
    people.now[0] += 4
    assert people.right("ada", "a good sentence") and people.waits("ada") == 0


def test_guesses_at_the_same_moment_are_counted_too(people, monkeypatch):
    """Twenty at once: five are looked at, and the others refused."""
    looked_at, together = [], threading.Barrier(accounts.FREE)

    def slowly(password, salt):
        looked_at.append(password)
        together.wait(timeout=10)
        return "another hash"

    monkeypatch.setattr(accounts, "_hash", slowly)
    with concurrent.futures.ThreadPoolExecutor(20) as pool:
        assert not any(pool.map(lambda k: people.right("ada", f"guess number {k}"), range(20)))
    assert len(looked_at) == accounts.FREE and people.waits("ada") == 4


def test_a_copy_of_the_settings_has_the_same_accounts(people):
    """JupyterHub copies all of its settings before it starts; a lock would not let itself be copied."""
    for _ in range(accounts.FREE):
        people.right("ada", "wrong")
    assert copy.deepcopy({"accounts": people})["accounts"].waits("ada") == 4


def test_the_right_password_of_who_is_not_admitted_forgets_no_guess(people):
    people.ask("eve", "a good sentence")
    for _ in range(3):
        people.right("eve", "a wrong sentence")
    assert not people.right("eve", "a good sentence") and people.failures["eve"][0] == 3


def test_nobody_waits_longer_than_a_quarter_of_an_hour_however_many_words_were_wrong(people):
    people.failures["ada"] = accounts.FREE + 2000, people.now[0]
    assert people.waits("ada") == accounts.LONGEST_WAIT == 900
    people.failures["ada"] = accounts.FREE + 3, people.now[0]
    assert people.waits("ada") == 32 and accounts.FREE == 5


def test_no_more_ask_than_may_wait_and_who_was_admitted_does_not_count(people, monkeypatch):
    monkeypatch.setattr(accounts, "MOST_ASKING", 2)
    people.ask("eve", "a good sentence", admitted=True)
    for name in ("ada", "bob"):
        people.ask(name, "a good sentence")
    with pytest.raises(accounts.Refused, match="too many accounts are waiting"):
        people.ask("cy", "a good sentence")
    people.ask("dan", "a good sentence", admitted=True)
    assert people.admit("ada", people.all()["ada"].number)
    people.ask("cy", "a good sentence")
    assert sorted(people.all()) == ["ada", "bob", "cy", "dan", "eve"]


def test_a_new_password_takes_the_place_of_the_old(people):
    people.ask("ada", "a good sentence", admitted=True)
    people.set_password("ada", "a better sentence")
    assert people.right("ada", "a better sentence") and not people.right("ada", "a good sentence")


# Settings.


def test_the_first_settings_are_those_that_are_explained(tmp_path):
    assert settings.read(tmp_path / "hub.toml") == settings.Settings(instructors=["instructor"])
    assert (tmp_path / "hub.toml").stat().st_mode & 0o777 == 0o600 and settings.Settings().is_local


@pytest.mark.parametrize(
    "line, says",
    [
        ('address = "hub.example.org"', "address must be an IP address"),
        ("port = 0", "port must be a whole number from 1 to 65535; got 0"),
        ("port = true", "port must be a whole number"),
        ("instructors = []", "instructors must be a list of names"),
        ('instructors = "ada"', "instructors must be a list of names"),
        ("megabytes = 100", "megabytes must be 512 or more"),
        ("processes = 10", "processes must be 100 or more"),
        ("processors = 0", "processors must be a number above 0; got 0"),
        ("idle_minutes = nan", "idle_minutes must be a number above 0; got nan"),
        ('oauth = {client_id = "x"}', "oauth must name its class"),
        ("memory = 5", "memory: no such setting; there are address"),
        ("port = ", "hub.toml: Invalid value"),
    ],
)
def test_a_wrong_setting_is_named(tmp_path, line, says):
    (tmp_path / "hub.toml").write_text(line)
    with pytest.raises(ValueError, match=re.escape(says)):
        settings.read(tmp_path / "hub.toml")


# Limits.


def test_groups_of_version_2_bound_memory_processor_and_processes(tmp_path):
    """On files in place of the kernel's: which are written, with what, and that the hub has made room for them."""
    (tmp_path / "own").write_text("1:name=systemd:/elsewhere\n0::/system.slice/hub.service\n")
    base = tmp_path / "system.slice" / "hub.service"
    base.mkdir(parents=True)
    (tmp_path / "cgroup.controllers").write_text("cpuset cpu io memory pids\n")
    groups = limits.found("ours", tmp_path, tmp_path / "own", process=42)
    files = groups.group("ada", settings.Settings(megabytes=600, processors=1.5, processes=100))
    ada = base / "ours" / "ada"
    assert files == [f"{ada}/cgroup.procs"] and (base / "hub" / "cgroup.procs").read_text() == "42"
    written = {file.name: file.read_text() for file in ada.iterdir()}
    assert written == {"memory.max": str(600 * 2**20), "cpu.max": "150000 100000", "pids.max": "100"}
    for folder in (base, base / "ours"):
        assert (folder / "cgroup.subtree_control").read_text() == "+memory +cpu +pids"


def test_limits_of_version_1_can_be_raised_and_lowered(tmp_path, monkeypatch):
    """On files that refuse what the kernel refuses: memory alone above memory with swap, at any moment."""
    for controller in ("memory", "cpu", "pids"):
        (tmp_path / controller).mkdir()
        (tmp_path / controller / "cgroup.procs").touch()
    groups = limits.found("ours", tmp_path, tmp_path / "none")
    assert (tmp_path / "cpu" / "ours" / "cpu.shares").read_text() == "20480"
    ada = tmp_path / "memory" / "ours" / "ada"
    ada.mkdir()
    alone, swapped = ada / "memory.limit_in_bytes", ada / "memory.memsw.limit_in_bytes"
    before = pathlib.Path.write_text

    def kernel(path, text):
        new = {one: int(one.read_text()) for one in (alone, swapped)} | {path: int(text.split()[0])}
        if path in (alone, swapped) and new[alone] > new[swapped]:
            raise OSError(errno.EINVAL, "Invalid argument")
        return before(path, text)

    for path in (alone, swapped):
        path.write_text(str(2**62))
    monkeypatch.setattr(pathlib.Path, "write_text", kernel)
    for megabytes in (900, 1536, 600):
        groups.group("ada", settings.Settings(megabytes=megabytes))
        assert alone.read_text() == swapped.read_text() == str(megabytes * 2**20)


def test_without_groups_nothing_is_promised(tmp_path):
    groups = limits.found("ours", tmp_path, tmp_path / "none")
    assert not groups.kind and groups.group("ada", settings.Settings()) == []


def test_a_server_is_in_its_group_before_it_runs(tmp_path):
    (tmp_path / "with space").mkdir()
    file = tmp_path / "with space" / "cgroup.procs"
    done = subprocess.run(limits.joined([str(file)], ["/bin/sh", "-c", f"cat '{file}'; exit 7"]), capture_output=True)
    assert done.returncode == 7 and done.stdout.strip().isdigit()
    outside = limits.joined(["/no/such/group"], ["touch", str(tmp_path / "ran")])
    assert subprocess.run(outside, stderr=subprocess.DEVNULL).returncode
    assert not (tmp_path / "ran").exists()


# The cell.


@pytest.fixture
def places(tmp_path):
    found = cell.Places(tmp_path / "hub", tmp_path / "sockets")
    for folder in (found.hub, found.door(), found.given(), found.sockets / "old"):
        folder.mkdir(parents=True, exist_ok=True)
    return found


def looks(places, name, script):
    """What a program in the cell of this student prints."""
    words = cell.command(places, name, None, [])
    words = [*words[: words.index("--") + 1], sys.executable, "-c", script]
    env = cell.surroundings(name, {})
    return subprocess.run(words, env=env, capture_output=True, text=True, umask=0o022, check=True).stdout


def test_a_cell_shows_the_own_home_and_no_other_and_no_course(places, course):
    """The jail itself, without a hub and without another user, looked at from inside."""
    for name in ("ada", "bob"):
        cell.prepare(places, name, course, as_root=False)
        (places.home(name) / "diary.txt").write_text(f"the diary of {name}")
    for name in ("gradebook.db", "secret", "solutions.txt"):
        (course / name).write_text("the course's secret")
    hidden = [str(path) for path in (places.home("bob"), course / "secret", ROOT / "exercises", ROOT / "tests")]
    script = (
        "import os, pathlib, socket\n"
        "found = [pathlib.Path(folder, one) for folder, _, files in os.walk('/home') for one in files]\n"
        "print([path.read_text() for path in found])\n"
        f"for path in {hidden}:\n"
        "    print(os.path.exists(path))\n"
        "print(os.listdir('/sys') if os.path.exists('/sys') else 'no /sys', len(socket.if_nameindex()))\n"
        "print(sorted(int(one) for one in os.listdir('/proc') if one.isdigit())[-1] < 10)\n"
        "try: open('/usr/x', 'w')\n"
        "except OSError as error: print(error.errno)\n"
        "import dpbook.laplace; print(pathlib.Path.home(), 'HOME' in os.environ, 'SECRET' in os.environ)\n"
    )
    assert looks(places, "ada", script).splitlines() == [
        "['the diary of ada']", "False", "False", "False", "False", "no /sys 1", "True", "30", "/home/ada True False",
    ]  # fmt: skip


def test_a_home_stays_as_it_is_and_sockets_are_new(places, course):
    cell.prepare(places, "ada", course, as_root=False)
    (places.home("ada") / "work.txt").write_text("mine")
    (places.own("ada") / cell.SOCKET).touch()
    assert cell.prepare(places, "ada", course, as_root=False) is None
    assert (places.home("ada") / "work.txt").read_text() == "mine" and not list(places.own("ada").iterdir())
    assert places.home("ada").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("name", ["arriving", "hub", "proxy"])
def test_a_name_whose_folder_or_log_would_be_the_hubs_own_is_nobodys(places, course, people, name):
    """Feedback on its way to others lies in returned/arriving, and the logs of the hub in hub.log and proxy.log."""
    with pytest.raises(accounts.Refused, match="the hub's own"):
        people.ask(name, "a good sentence")
    with pytest.raises(ValueError, match="no student's"):
        cell.prepare(places, name, course, as_root=False)
    assert not places.home(name).exists() and desk.ARRIVING in cell.TAKEN


def test_two_names_never_share_a_socket(places):
    names = ["a", "ab", "a_b", "a.b", "a" * 63, "a" * 64, "a" * 40 + "b", "a" * 40 + "c"]
    assert len({places.own(name) for name in names}) == len(names)
    assert all(re.fullmatch("[0-9a-f]{24}", places.own(name).name) for name in names)


def laid_out(given, variants, home):
    """Run `lay_out` of the first program in a cell, on these folders."""
    namespace = {"__name__": "start"}
    exec(compile((cell.INSIDE / "start.py").read_text(), "start.py", "exec"), namespace)
    namespace |= {"GIVEN": given, "VARIANTS": variants, "RETURNED": str(home)}
    namespace["lay_out"].__globals__.update(namespace)
    namespace["lay_out"](home)


def test_the_book_is_laid_out_and_what_a_student_wrote_stays(tmp_path):
    given, variants, home = (tmp_path / name for name in ("given", "variants", "home"))
    for folder in (given / "notebooks", given / "assignments", variants, home):
        folder.mkdir(parents=True)
    page, task = given / "notebooks" / "03_laplace.ipynb", given / "assignments" / "06_meaning.ipynb"
    page.write_text("first"), task.write_text("everybody's"), (variants / task.name).write_text("ada's own")
    laid_out(given, variants, home)
    assert (home / "notebooks" / page.name).read_text() == "first"
    assert (home / "assignments" / task.name).read_text() == "ada's own"
    (home / "assignments" / task.name).write_text("ada's answers")
    page.write_text("second"), (variants / task.name).write_text("mended")
    laid_out(given, variants, home)
    assert (home / "notebooks" / page.name).read_text() == "second", "a page that nobody touched is renewed"
    assert (home / "assignments" / task.name).read_text() == "ada's answers"


@pytest.mark.parametrize("record", ["[]", "[1]", "7", "null", '"ab"', "[" * 100_000, "not json"])
def test_a_record_that_its_owner_has_made_strange_stops_no_server(tmp_path, record):
    given, variants, home = (tmp_path / name for name in ("given", "variants", "home"))
    for folder in (given / "notebooks", variants, home / ".dpbook"):
        folder.mkdir(parents=True)
    (given / "notebooks" / "03_laplace.ipynb").write_text("first")
    (home / ".dpbook" / "given.json").write_text(record)
    laid_out(given, variants, home)
    assert (home / "notebooks" / "03_laplace.ipynb").read_text() == "first"


# What stands in the docs.


def test_the_values_for_kubernetes_say_what_the_settings_say():
    values = yaml.safe_load((ROOT / "docs" / "kubernetes-values.yaml").read_text())
    here = settings.Settings()
    assert values["singleuser"]["memory"]["limit"] == f"{here.megabytes}M"
    assert values["singleuser"]["cpu"]["limit"] == here.processors
    assert values["cull"]["timeout"] == 60 * here.idle_minutes
    assert values["hub"]["config"]["JupyterHub"]["authenticator_class"] not in ("dummy", "nativeauthenticator")


def test_the_proxy_is_pinned_and_its_lock_names_no_host():
    folder = ROOT / "tools" / "classroom" / "hub"
    wanted = json.loads((folder / "package.json").read_text())["dependencies"]
    lock = json.loads((folder / "package-lock.json").read_text())["packages"]
    for name, version in wanted.items():
        assert lock[f"node_modules/{name}"]["version"] == version
    inside = [one for name, one in lock.items() if name]
    assert len(inside) > 10 and all("resolved" not in one and one["integrity"].startswith("sha512-") for one in inside)
