"""JupyterHub with the settings of a class: who signs in how, what is started, where files go."""

import os
import pathlib
from urllib.parse import quote

from jupyterhub.app import JupyterHub
from traitlets.config import Config

from tools.classroom.hub import cell
from tools.classroom.hub.accounts import Accounts
from tools.classroom.hub.receiving import HandIn
from tools.classroom.hub.sign_in import ByAccount
from tools.classroom.hub.spawner import FIRST_PAGE, Spawner

HERE = pathlib.Path(__file__).parent


def configured(room, anyone=False):
    """The settings of JupyterHub for this class. `anyone` lets anybody in under any name, for tests on this machine."""
    c, hub, places = Config(), room.places.hub, room.places
    host = f"[{room.settings.address}]" if ":" in room.settings.address else room.settings.address
    c.JupyterHub.bind_url = f"http://{host}:{room.settings.port}"
    c.JupyterHub.hub_bind_url = c.JupyterHub.hub_connect_url = _url(places.door() / cell.DOOR)
    c.JupyterHub.hub_socket_mode = 0o666  # the folders above it, and the cells, say who comes to it
    c.ConfigurableHTTPProxy.api_url = _url(places.sockets / "proxy.sock")
    c.ConfigurableHTTPProxy.should_start = False
    c.ConfigurableHTTPProxy.auth_token = (hub / "proxy-token").read_text().strip()
    c.JupyterHub.db_url = f"sqlite:///{hub / 'jupyterhub.sqlite'}"
    c.JupyterHub.cookie_secret_file = str(hub / "cookie-secret")
    c.JupyterHub.cleanup_proxy = False
    c.JupyterHub.template_paths = [str(HERE / "templates")]
    c.JupyterHub.extra_handlers = [(r"/api/desk/([\w-]+)", HandIn)]
    c.JupyterHub.tornado_settings = {"classroom": room}
    c.JupyterHub.admin_access = False
    c.JupyterHub.concurrent_spawn_limit = 0  # a class comes all at once: `Spawner` lets it in by turns
    c.JupyterHub.spawner_class = Spawner
    c.JupyterHub.log_level = "WARN"
    c.Spawner.classroom = room
    c.Spawner.default_url = FIRST_PAGE
    c.Spawner.http_timeout = 180
    c.Spawner.start_timeout = 1800  # with the wait for a turn
    c.Spawner.poll_interval = 10
    c.Authenticator.admin_users = set(room.settings.instructors)
    c.Authenticator.username_pattern = r"^[a-z0-9][a-z0-9_.@+-]{0,63}\Z"
    _sign_in(c, room, anyone)
    return c


def _sign_in(c, room, anyone):
    """By accounts of the hub's own, by OAuth where `hub.toml` says so, or, for tests, by nothing."""
    if anyone:
        c.JupyterHub.authenticator_class = "dummy"
        c.Authenticator.allow_all = True
    elif room.settings.oauth:
        kind = room.settings.oauth["class"]
        c.JupyterHub.authenticator_class = kind
        for name, value in room.settings.oauth.items():
            if name != "class":
                c[kind.rpartition(".")[2]][name] = set(value) if name.startswith("allowed_") else value
    else:
        c.JupyterHub.authenticator_class = ByAccount
        c.Authenticator.allow_all = True  # all whom `ByAccount` lets in
        c.ByAccount.accounts = Accounts(room.places.hub / "accounts.json")


def _url(path):
    return f"http+unix://{quote(str(path), safe='')}"


def run(room, anyone=False):
    """Be the hub, until told to stop. `jupyterhub_config.py` in the hub's folder, if there is one, comes last."""
    os.chdir(room.places.hub)
    JupyterHub.instance(config=configured(room, anyone))
    JupyterHub.launch_instance([])
