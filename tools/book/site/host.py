"""The site as a static host sends it, on an address of this machine: for its tests and its benchmark."""

import contextlib
import functools
import http.server
import threading


class Silent(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        """Nothing is said of what was asked for."""


@contextlib.contextmanager
def hosted(folder, port=0, handler=Silent):
    """The address of a folder on a static host; afterwards nobody answers there any more."""
    serve = functools.partial(handler, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", port), serve) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
