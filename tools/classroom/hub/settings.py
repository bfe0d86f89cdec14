"""What an instructor sets for a hub, in its `hub.toml`: read, and refused with a sentence where it makes no sense."""

import dataclasses
import ipaddress
import tomllib
from dataclasses import dataclass, field

from tools.classroom.desk import STUDENT

START = """# The hub of a class. Change a line, and start the hub again; docs/hub.md says more.
address = "127.0.0.1"          # stay behind a proxy with TLS: docs/hub.md
port = 8000
instructors = ["instructor"]   # they admit students and have the course
megabytes = 1536               # of memory, for each student
processors = 1.0               # for each student; what nobody uses is there for the others
processes = 250                # for each student, threads included
idle_minutes = 60              # then a student's kernel that nobody uses is ended, and after it the server

# Sign-in is by accounts of the hub's own. To use that of your school instead:
# [oauth]
# class = "oauthenticator.generic.GenericOAuthenticator"
# client_id = "..."
# client_secret = "..."
# oauth_callback_url = "https://hub.example.org/hub/oauth_callback"
# authorize_url = "https://login.example.org/authorize"   # these three: what your school says
# token_url = "https://login.example.org/token"
# userdata_url = "https://login.example.org/userinfo"
# username_claim = "preferred_username"
# allowed_users = ["ada", "bob"]   # or what that class has instead: without it nobody is let in
"""


@dataclass(frozen=True)
class Settings:
    """The settings of a hub, checked: `ValueError` names the one that is wrong."""

    address: str = "127.0.0.1"
    port: int = 8000
    instructors: tuple = ("instructor",)
    megabytes: int = 1536
    processors: float = 1.0
    processes: int = 250
    idle_minutes: float = 60.0
    oauth: dict = field(default_factory=dict)

    def __post_init__(self):
        try:
            ipaddress.ip_address(self.address)
        except ValueError:
            raise ValueError(f"address must be an IP address of this machine; got {self.address!r}") from None
        if not (_whole(self.port) and 1 <= self.port <= 65535):
            raise ValueError(f"port must be a whole number from 1 to 65535; got {self.port!r}")
        names = isinstance(self.instructors, (list, tuple)) and all(isinstance(one, str) for one in self.instructors)
        if not (names and self.instructors and all(STUDENT.fullmatch(one) for one in self.instructors)):
            wanted = "a list of names of small letters, digits and _.@+-"
            raise ValueError(f"instructors must be {wanted}; got {self.instructors!r}")
        if not (_whole(self.megabytes) and self.megabytes >= 512):
            raise ValueError(f"megabytes must be 512 or more (a page needs 350); got {self.megabytes!r}")
        if not (_whole(self.processes) and self.processes >= 100):
            raise ValueError(f"processes must be 100 or more (JupyterLab alone has 40 threads); got {self.processes!r}")
        for name in ("processors", "idle_minutes"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < float("inf"):
                raise ValueError(f"{name} must be a number above 0; got {value!r}")
        if self.oauth and not isinstance(self.oauth.get("class"), str):
            raise ValueError("oauth must name its class, for example oauthenticator.generic.GenericOAuthenticator")

    @property
    def is_local(self):
        """Whether only this machine can reach the hub."""
        return ipaddress.ip_address(self.address).is_loopback


def _whole(value):
    return isinstance(value, int) and not isinstance(value, bool)


def read(path):
    """The settings of the hub; the file is written with the first ones if it is not there."""
    if not path.exists():
        path.write_text(START)
        path.chmod(0o600)
    try:
        found = tomllib.loads(path.read_text())
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{path}: {error}") from None
    known = {one.name for one in dataclasses.fields(Settings)}
    if unknown := sorted(set(found) - known):
        raise ValueError(f"{path}: {', '.join(unknown)}: no such setting; there are {', '.join(sorted(known))}")
    try:
        return Settings(**found)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
