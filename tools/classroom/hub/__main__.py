"""A hub for a class: `python -m tools.classroom.hub start | password NAME | lost | hand-back`.

`start` keeps two processes running, the hub and the proxy before it, and starts either again when it dies; students
work on meanwhile. Ctrl-C ends both and every server. `password` sets an instructor's password, or one that was
forgotten. `hand-back` shows students the feedback that `make autograde` has written.
"""

import argparse
import contextlib
import getpass
import os
import pathlib
import secrets
import shutil
import signal
import subprocess
import sys
import time
from urllib.parse import quote

from tools.classroom import bubblewrap, desk
from tools.classroom.hub import cell, room
from tools.classroom.hub.accounts import Accounts, Refused

MODULES = pathlib.Path(sys.prefix) / "proxy" / "node_modules"  # where `make hub` has npm put them
PROXY = MODULES / "configurable-http-proxy" / "bin" / "configurable-http-proxy"
KEPT_CONNECTIONS = pathlib.Path(__file__).with_name("proxy.mjs")
PROXY_SOCKET = "proxy.sock"
PAUSE = 2  # seconds before what has died is started again
QUICK, MOST_QUICK = 20, 5  # what dies within so many seconds, so often in a row, is not started again


def start(hub, course, anyone=False):
    """Run the hub and its proxy until told to stop; a sentence if it cannot run here."""
    if sentence := _trouble(course):
        return sentence
    classroom = room.opened(hub, course)
    if anyone and not classroom.settings.is_local:
        return "Anybody may sign in under any name: for tests on this machine alone. Set address to 127.0.0.1."
    cell.stage(classroom.places, course)
    _first_instructors(classroom, anyone)
    _say(classroom, anyone)
    signal.signal(signal.SIGTERM, _stop)
    old, stopped = classroom.places.sockets / PROXY_SOCKET, False
    with _Kept(_proxy(classroom), hub / "logs" / "proxy.log", _token(hub), old) as proxy:
        words = [sys.executable, "-m", "tools.classroom.hub", "--hub", hub, "--course", course, "serve"]
        with _Kept([*words, *(["--anyone"] if anyone else [])], hub / "logs" / "hub.log") as jupyterhub:
            try:
                while proxy.goes_on() and jupyterhub.goes_on():
                    time.sleep(0.5)
            except KeyboardInterrupt:
                print("The hub stops, and every server with it.", flush=True)
                stopped = True
    _end_what_is_left(classroom)
    return None if stopped else f"The hub or its proxy dies again and again: see {hub}/logs."


class _Kept:
    """A process that is started again when it dies, and asked to stop at the end. `old` is a file in its way then."""

    def __init__(self, words, log, env=None, old=None):
        self.words, self.log, self.env, self.old, self.quick = [str(word) for word in words], log, env, old, 0
        self._start()

    def _start(self):
        self.started = time.monotonic()
        if self.old:
            self.old.unlink(missing_ok=True)
        env = os.environ | (self.env or {})
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(self.words, env=env, stdout=log, stderr=log, start_new_session=True)

    def goes_on(self):
        """Whether it runs, or could be started again."""
        if self.process.poll() is None:
            return True
        self.quick = self.quick + 1 if time.monotonic() - self.started < QUICK else 0
        if self.quick >= MOST_QUICK:
            return False
        time.sleep(PAUSE)
        self._start()
        return True

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def _end_what_is_left(classroom):
    """End the servers that the hub was just starting when it was told to stop, and so did not know."""
    import psutil  # of the extra `hub`; `hand-back` does without it

    word = f"{classroom.places.sockets}/"
    left = [one for one in psutil.process_iter(["cmdline"]) if word in " ".join(one.info["cmdline"] or ())]
    for one in left:
        with contextlib.suppress(psutil.NoSuchProcess):
            one.kill()
    psutil.wait_procs(left, timeout=10)
    for home in (classroom.places.hub / "homes").glob("[!.]*"):
        classroom.groups.clear(home.name)
    classroom.groups.close()


def _stop(*_):
    raise KeyboardInterrupt


def _proxy(classroom):
    settings, door = classroom.settings, f"http+unix://{quote(str(classroom.places.door() / cell.DOOR), safe='')}"
    words = ["--ip", settings.address, "--port", settings.port, "--api-socket", classroom.places.sockets / PROXY_SOCKET]
    words += ["--error-target", f"{door}/hub/error", "--log-level", "warn"]
    return [shutil.which("node"), "--import", KEPT_CONNECTIONS.as_uri(), PROXY, *words]


def _token(hub):
    return {"CONFIGPROXY_AUTH_TOKEN": (hub / "proxy-token").read_text().strip()}


def _trouble(course):
    """Why no hub can run here, as a sentence; "" if one can."""
    if not (course / "nbgrader_config.py").exists():
        return f"There is no course in {course}: run make classroom first."
    if not shutil.which("node") or not PROXY.exists():
        return "The hub's proxy needs Node 20 or newer (Debian: apt-get install nodejs npm), and then make hub again."
    if sentence := bubblewrap.trouble():
        return f"No jail can be made here for the students' servers: {sentence}."
    return cell.unreadable() if os.geteuid() == 0 else ""


def _first_instructors(classroom, anyone):
    """An account for each instructor who has none, so that nobody else can ask for that name."""
    if anyone or classroom.settings.oauth:
        return
    accounts = Accounts(classroom.places.hub / "accounts.json")
    for name in classroom.settings.instructors:
        if name not in accounts.all():
            password = secrets.token_urlsafe(12)
            accounts.ask(name, password, admitted=True)
            print(f"An account for {name}, password {password} (shown this once; change it under /hub/password).")


def _say(classroom, anyone):
    settings = classroom.settings
    print(f"The hub: http://{settings.address}:{settings.port}; its folder: {classroom.places.hub}. Ctrl-C ends it.")
    if anyone:
        print("ANYBODY ON THIS MACHINE MAY SIGN IN UNDER ANY NAME, with any password: for tests only.")
    if not settings.is_local:
        print("It is open to the network WITHOUT encryption: docs/hub.md says how to put a proxy with TLS before it.")
    if not classroom.groups.kind:
        print(
            "No control groups can be made here: memory is bounded for each process, processor time not at all "
            "(docs/hub.md: run it as a service with Delegate=yes)."
        )
    sys.stdout.flush()


def _password(classroom, name):
    """Set a password that is typed, or make one where nobody types; a sentence if it is refused."""
    accounts = Accounts(classroom.places.hub / "accounts.json")
    typed = getpass.getpass(f"New password for {name}: ") if sys.stdin.isatty() else secrets.token_urlsafe(12)
    try:
        accounts.set_password(name, typed)
    except Refused as refused:
        return str(refused)
    if not sys.stdin.isatty():
        print(f"The password of {name} is {typed}")
    return None


def main(words=None):
    """The command line; returns a sentence where it refuses."""
    parser = argparse.ArgumentParser(prog="python -m tools.classroom.hub", description="A hub for a class.")
    parser.add_argument("--hub", type=pathlib.Path, default=pathlib.Path("hub"), help="its folder")
    parser.add_argument("--course", type=pathlib.Path, default=pathlib.Path("course"), help="the course's folder")
    commands = parser.add_subparsers(dest="command", required=True)
    anyone = "sign in under any name with any password: for tests"
    for name, what in (("start", "start the hub"), ("serve", "the hub itself, without its proxy")):
        commands.add_parser(name, help=what).add_argument("--anyone", action="store_true", help=anyone)
    commands.add_parser("password", help="set somebody's password").add_argument("name")
    returner = commands.add_parser("hand-back", help="show students the feedback that is there")
    returner.add_argument("assignments", nargs="*", help="only these")
    commands.add_parser("lost", help="say which files that were handed in are not in the course")
    chosen = parser.parse_args(words)
    hub, course = chosen.hub.resolve(), chosen.course.resolve()
    os.umask(0o077)
    try:
        if chosen.command == "start":
            return start(hub, course, chosen.anyone)
        return _other(chosen, hub, course)
    except (ValueError, PermissionError) as refused:
        return str(refused)


def _other(chosen, hub, course):
    if chosen.command == "serve":
        from tools.classroom.hub import application

        application.run(room.opened(hub, course), chosen.anyone)
    elif chosen.command == "password":
        return _password(room.opened(hub, course), chosen.name)
    elif chosen.command == "hand-back":
        pages = desk.give_back(course, hub / "returned", chosen.assignments or None)
        print(f"{pages} new pages of feedback; students see them in their folder feedback/.")
    elif gone := desk.lost(course):
        return "\n".join(gone)
    else:
        print(f"All {len(desk.receipts(course))} files that were handed in are in {course}.")
    return None


if __name__ == "__main__":
    sys.exit(main())
