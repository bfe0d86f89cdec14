"""A student over the protocol, for tests and measurements: signs in, opens a page, runs it, moves sliders, hands in.

What a browser would do with the hub, through its proxy, without the browser: forms with their tokens, OAuth, the
kernel's websocket, the messages of the widgets.
"""

import asyncio
import json
import math
import re
import time
import uuid

import aiohttp

SLIDERS = ("FloatSliderModel", "IntSliderModel", "FloatLogSliderModel", "SelectionSliderModel")


class Died(Exception):
    """The kernel is not there any more."""


class Visitor:
    """Somebody with a browser's cookies: `async with Visitor(address, name, password) as one:`."""

    def __init__(self, address, name, password):
        self.address, self.name, self.password = address, name, password

    async def __aenter__(self):
        jar = aiohttp.CookieJar(unsafe=True)  # also for addresses that are numbers
        self.session = aiohttp.ClientSession(cookie_jar=jar, timeout=aiohttp.ClientTimeout(total=300))
        return self

    async def __aexit__(self, *_):
        await self.session.close()

    async def form(self, path, **fields):
        """Send the form on this page of the hub; the status, the address and the text that come of it."""
        async with self.session.get(f"{self.address}{path}") as page:
            token = re.search(r'name="_xsrf" value="([^"]*)"', await page.text())
        fields["_xsrf"] = token[1] if token else ""
        async with self.session.post(f"{self.address}{path}", data=fields, allow_redirects=False) as answer:
            return answer.status, answer.headers.get("Location", ""), await answer.text()

    async def ask(self):
        """Ask for an account; the number that is shown."""
        _, _, text = await self.form("/hub/ask", username=self.name, password=self.password, again=self.password)
        found = re.search(r'id="number">(\d+)<', text)
        if not found:
            raise RuntimeError(re.sub(r"<[^>]*>|\s+", " ", text)[-400:])
        return found[1]

    async def admit(self, name, number):
        """Let somebody in; for instructors."""
        return await self.form("/hub/admit", name=name, number=number, what="admit")

    async def sign_in(self):
        """Whether the hub let us in."""
        status, _, _ = await self.form("/hub/login", username=self.name, password=self.password)
        return status == 302

    async def start(self, limit=600):
        """Start the server and come into it; the seconds that took."""
        begun, asked = time.monotonic(), -math.inf
        while time.monotonic() < begun + limit:
            if time.monotonic() > asked + 60:  # as a person would: the hub may have died with the request
                asked = time.monotonic()
                async with self.session.get(f"{self.address}/hub/spawn") as answer:
                    await answer.read()
            async with self.session.get(f"{self.address}/user/{self.name}/lab") as answer:
                if answer.status == 200 and answer.url.path.startswith(f"/user/{self.name}/lab"):
                    return time.monotonic() - begun
            await asyncio.sleep(1)
        raise TimeoutError(f"the server of {self.name} did not start in {limit} s")

    async def ask_server(self, method, path, **options):
        """The status and the answer, read as JSON if it is, of this user's server."""
        cookies = self.session.cookie_jar.filter_cookies(f"{self.address}/user/{self.name}/")
        headers = {"X-XSRFToken": cookies["_xsrf"].value} if "_xsrf" in cookies else {}
        address = f"{self.address}/user/{self.name}/{path}"
        async with self.session.request(method, address, headers=headers, **options) as answer:
            text = await answer.text()
        try:
            return answer.status, json.loads(text)
        except ValueError:
            return answer.status, text

    async def open(self, path):
        """A kernel for the notebook at this path: a `Page`."""
        status, model = await self.ask_server("GET", f"api/contents/{path}")
        if status != 200:
            raise RuntimeError(f"{path}: {status} {model}")
        what = {"path": path, "type": "notebook", "name": "", "kernel": {"name": "python3"}}
        status, session = await self.ask_server("POST", "api/sessions", json=what)
        if status != 201:
            raise RuntimeError(f"{path}: {status} {session}")
        page = Page(self, session["kernel"]["id"], session["id"], model["content"])
        await page.connect()
        return page

    async def hand_in(self, path):
        """What JupyterLab's button gets: whether the file was taken, and the sentence."""
        status, said = await self.ask_server("POST", "dpbook/hand-in", json={"path": path})
        return (said["taken"], said["message"]) if status == 200 else (False, f"{status}: {said}")


class Page:
    """A notebook and its kernel."""

    def __init__(self, visitor, kernel, session, notebook):
        self.visitor, self.kernel, self.session, self.notebook = visitor, kernel, session, notebook
        self.sliders = {}

    async def connect(self):
        """Speak to the kernel, after it has died too: then it is a new one."""
        words = f"/user/{self.visitor.name}/api/kernels/{self.kernel}/channels?session_id={uuid.uuid4().hex}"
        self.socket = await self.visitor.session.ws_connect(f"{self.visitor.address}{words}", max_msg_size=0)

    async def send(self, kind, content, channel="shell"):
        """The number of the message that was sent."""
        number = uuid.uuid4().hex
        header = {"msg_id": number, "msg_type": kind, "username": "", "session": self.session, "version": "5.3"}
        message = {"header": header, "parent_header": {}, "metadata": {}, "content": content, "channel": channel}
        await self.socket.send_str(json.dumps(message | {"buffers": []}))
        return number

    async def replies(self, number, limit=120):
        """What the kernel says to this message, until it is idle again."""
        async with asyncio.timeout(limit):
            while True:
                message = await self.socket.receive()
                if message.type not in (aiohttp.WSMsgType.TEXT, aiohttp.WSMsgType.BINARY):
                    raise Died(str(message.type))
                said = json.loads(message.data) if message.type == aiohttp.WSMsgType.TEXT else unpacked(message.data)
                if said["msg_type"] == "status" and said["content"]["execution_state"] in ("restarting", "dead"):
                    raise Died(said["content"]["execution_state"])
                if said["parent_header"].get("msg_id") != number:
                    continue
                if said["msg_type"] == "status" and said["content"]["execution_state"] == "idle":
                    return
                self._meet(said)
                yield said

    def _meet(self, said):
        """Remember each slider that the kernel makes."""
        if said["msg_type"] == "comm_open" and said["content"].get("target_name") == "jupyter.widget":
            state = said["content"]["data"]["state"]
            if state.get("_model_name") in SLIDERS:
                self.sliders[said["content"]["comm_id"]] = state

    async def run(self, code, limit=120):
        """Run a cell; what it prints, with the name of an error at the end, if there was one."""
        what = {"code": code, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False}
        number, text = await self.send("execute_request", what | {"stop_on_error": True}), ""
        async for said in self.replies(number, limit):
            if said["msg_type"] == "stream":
                text += said["content"]["text"]
            elif said["msg_type"] == "error":
                text += f"{said['content']['ename']}: {said['content']['evalue']}"
        return text

    async def run_all(self):
        """Run every cell of the notebook; the seconds that took."""
        begun = time.monotonic()
        self.sliders.clear()
        for cell in self.notebook["cells"]:
            if cell["cell_type"] == "code" and "".join(cell["source"]).strip():
                await self.run("".join(cell["source"]))
        return time.monotonic() - begun

    async def move(self, slider, share, limit=60):
        """Move a slider to this share of its way; the seconds until the kernel has answered, None if no picture came.

        A slider that stands there already is moved to the other side.
        """
        state = self.sliders[slider]
        value = _value(state, share)
        if all(state.get(name) == one for name, one in value.items()):
            value = _value(state, (share + 0.5) % 1)
        begun, pictures = time.monotonic(), 0
        data = {"method": "update", "state": value, "buffer_paths": []}
        number = await self.send("comm_msg", {"comm_id": slider, "data": data})
        async for said in self.replies(number, limit):
            if said["msg_type"] == "comm_msg" and said["content"]["comm_id"] != slider:
                pictures += 1
        state.update(value)
        return time.monotonic() - begun if pictures else None

    async def answering(self):
        """The sliders that move a picture: some of a page's set what is guessed, and nothing else."""
        return [one for one in list(self.sliders) if await self.move(one, 0.2) or await self.move(one, 0.9)]

    async def close(self):
        """Leave the page as a browser does that closes its tab."""
        await self.socket.close()


def _value(state, share):
    """What a slider in this state sends when it is moved to this share of its way."""
    if "_options_labels" in state:
        return {"index": round(share * (len(state["_options_labels"]) - 1))}
    width = state["max"] - state["min"]
    steps = max(round(width / (state.get("step") or 1)), 1)
    value = state["min"] + round(share * steps) * width / steps
    return {"value": round(value) if state["_model_name"] == "IntSliderModel" else value}


def unpacked(data):
    """The message in a binary frame, without its buffers (the notebook server's own format)."""
    count = int.from_bytes(data[:4], "big")
    ends = [int.from_bytes(data[4 * k : 4 * k + 4], "big") for k in range(1, count + 1)]
    return json.loads(data[ends[0] : ends[1] if count > 1 else len(data)])
