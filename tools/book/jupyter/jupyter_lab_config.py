"""JupyterLab as `make lab` starts it: no delay between a slider and its picture, and no pop-ups."""

import os

from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection

c = get_config()  # noqa: F821  (Jupyter provides it)


class PromptConnection(ZMQChannelsWebsocketConnection):
    """Send each small message at once; by default the system holds one back until the last is acknowledged (Nagle)."""

    def connect(self):
        self.websocket_handler.set_nodelay(True)
        return super().connect()


# Kernels inherit this: without it each slider's value is first sent back to the browser that it came from.
os.environ.setdefault("JUPYTER_WIDGETS_ECHO", "0")

c.ServerApp.kernel_websocket_connection_class = PromptConnection
c.LabApp.news_url = None
c.LabApp.check_for_updates_class = "jupyterlab.NeverCheckForUpdate"
