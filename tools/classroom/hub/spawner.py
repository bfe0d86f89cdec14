"""How the hub starts a server: a student's in a cell, an instructor's in the course, each behind its own socket."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
from urllib.parse import quote

from jupyterhub.spawner import LocalProcessSpawner
from traitlets import Any

from tools.classroom.desk import STUDENT
from tools.classroom.hub import cell, limits

FIRST_PAGE = "/lab/tree/notebooks/00_start_here.ipynb"
INSIDE_DOOR = f"/hub/door/{cell.DOOR}"
AT_ONCE = 2 * (os.cpu_count() or 1)  # servers that start; of a class that comes all at once the others wait their turn
LONGEST = 300  # seconds that one may take before the next has its turn
TOLD = ("JUPYTERHUB_", "JPY_", "MEM_", "CPU_")  # variables that tell a server who it is, and nothing of the hub's own


class Spawner(LocalProcessSpawner):
    """Servers that outlive the hub: a hub that starts again finds them by the number of their process.

    Twenty that start together on two cores all take longer than anybody waits; in turns the first are there soon.
    """

    classroom = Any(help="the `Classroom` of this hub").tag(config=True)
    turns = asyncio.Semaphore(AT_ONCE)

    @property
    def server(self):
        """The server's address: its socket, for which the database has no column."""
        server = LocalProcessSpawner.server.fget(self)
        if server is not None:
            place = quote(str(self._socket), safe="")
            server.connect_url = f"http+unix://{place}"
            server.connect_addr = place
        return server

    @server.setter
    def server(self, server):
        LocalProcessSpawner.server.fset(self, server)

    @property
    def _socket(self):
        return self.classroom.places.own(self.user.name) / cell.SOCKET

    @property
    def _is_instructor(self):
        return self.user.name in self.classroom.settings.instructors

    def user_env(self, env):
        """Not the variables of the machine's own users: a student need not be one."""
        return env

    async def start(self):
        """Start the server of this user, when it is its turn; its address, once it listens there."""
        async with self.turns:
            await self._start()
            await self._listens()
        return f"http+unix://{quote(str(self._socket), safe='')}"

    async def _listens(self):
        """Wait until the server listens or has died; the hub itself finds out which."""
        for _ in range(4 * LONGEST):
            with socket.socket(socket.AF_UNIX) as one:
                if one.connect_ex(str(self._socket)) == 0 or await self.poll() is not None:
                    return
            await asyncio.sleep(0.25)

    async def _start(self):
        name, room = self.user.name, self.classroom
        if not STUDENT.fullmatch(name):
            raise ValueError(f"a user's name has small letters, digits and _.@+- only; got {name!r}")
        told = {key: value for key, value in self.get_env().items() if key.startswith(TOLD)}
        told["JUPYTERHUB_SERVICE_URL"] = f"http://127.0.0.1:8888{self.server.base_url}"  # asked for, and not used
        if self._is_instructor:
            words, env, folder = self._instructors(told)
        else:
            outside, inside = (quote(str(one), safe="") for one in (room.places.door() / cell.DOOR, INSIDE_DOOR))
            told = {key: value.replace(outside, inside) for key, value in told.items()}
            words, env, folder = self._students(name), cell.surroundings(name, told), "/"
        with open(room.places.hub / "logs" / f"{name}.log", "ab") as log:
            pipes = {"stdin": subprocess.DEVNULL, "stdout": log, "stderr": log}
            mask = 0o077 if self._is_instructor else 0o022  # the folders that lead to a student's home are root's
            self.proc = subprocess.Popen(words, env=env, cwd=folder, umask=mask, start_new_session=True, **pipes)
        self.pid = self.proc.pid

    def _students(self, name):
        room = self.classroom
        number = cell.prepare(room.places, name, room.course, as_root=os.geteuid() == 0)
        bound = 0 if room.groups.kind else room.settings.megabytes + 2048  # addresses, of which half is never touched
        idle = round(60 * room.settings.idle_minutes)
        words = ["--ServerApp.sock=/hub/own/server.sock", "--ServerApp.sock_mode=0600", "--log-level=WARN"]
        words += [f"--ServerApp.root_dir=/home/{name}", f"--ServerApp.shutdown_no_activity_timeout={idle}"]
        kernels = {"idle_timeout": idle, "interval": min(idle, 60), "connected": True}
        words += [f"--MappingKernelManager.cull_{what}={value}" for what, value in kernels.items()]
        words += [f"--TerminalManager.cull_inactive_timeout={idle}"]
        command = cell.command(room.places, name, number, words, bound)
        return limits.joined(room.groups.group(name, room.settings), command)

    def _instructors(self, told):
        """A server with the rights of the hub, in the course, with nbgrader's pages."""
        room, own = self.classroom, self.classroom.places.own(self.user.name)
        own.mkdir(mode=0o700, exist_ok=True)
        (own / cell.SOCKET).unlink(missing_ok=True)
        root = ["--allow-root"] if os.geteuid() == 0 else []
        words = [f"--ServerApp.sock={own / cell.SOCKET}", "--ServerApp.sock_mode=0600", "--log-level=WARN", *root]
        kept = {key: os.environ[key] for key in ("HOME", "LANG", "USER", "LOGNAME", "SHELL") if key in os.environ}
        env = {**kept, "PATH": f"{os.path.dirname(sys.executable)}:{os.environ.get('PATH', os.defpath)}", **told}
        env |= {"PYTHONPATH": str(cell.PROJECT), "COURSE": str(room.course), "HUB": str(room.places.hub)}
        command = [sys.executable, "-m", "jupyterhub.singleuser", f"--ServerApp.root_dir={room.course}", *words]
        return limits.joined([], command), env, room.course

    async def stop(self, now=False):
        """End all that runs in the cell; what was saved is on the disk."""
        if self.pid:
            await self._signal(signal.SIGTERM)
            for _ in range(100):
                if await self.poll() is not None:
                    break
                await asyncio.sleep(0.05)
            else:
                await self._signal(signal.SIGKILL)
                await self.poll()
        self.clear_state()

    async def poll(self):
        """None while the server runs."""
        status = await super().poll()
        if status is not None:
            self.classroom.groups.clear(self.user.name)
        return status
