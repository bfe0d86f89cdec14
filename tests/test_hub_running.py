"""A hub as `make hub` starts it, with two students and an instructor: what each can do, and what none can.

For `make hub-test`, in an environment with the extra `hub`; `make test` leaves it out. Everything is on the loopback
address, in a folder of its own.
"""

import asyncio
import hashlib
import json
import pathlib
import textwrap
import threading
import time
from urllib.parse import quote, urlencode

import pytest

pytestmark = pytest.mark.hub
PASSWORD = "correct horse battery"
STEM = "03_laplace"


@pytest.fixture(scope="module")
def hub(tmp_path_factory):
    """A running hub (`benchmarks.hub.Hub`)."""
    from benchmarks.hub import Hub

    with Hub(tmp_path_factory.mktemp("hub"), megabytes=900, processes=150) as running:
        asyncio.run(running.answers())
        yield running


def at(hub, name, work, start=True):
    """What `work(visitor, page)` gives, for a student who has signed in; `page` is a kernel for page 03."""
    from benchmarks.hub import PAGE, admitted
    from tools.classroom.hub.accounts import Accounts
    from tools.classroom.hub.visitor import Visitor

    async def visit():
        async with Visitor(hub.address, name, PASSWORD) as visitor:
            if name in Accounts(hub.hub / "accounts.json").all():
                assert await visitor.sign_in()
            else:
                await admitted(hub, visitor)
            page = None
            if start:
                await visitor.start()
                page = await visitor.open(PAGE)
            try:
                return await work(visitor, page)
            finally:
                if page:
                    await page.close()

    return asyncio.run(visit())


def inside(hub, name, code):
    """What this code prints in a kernel of this student."""
    return at(hub, name, lambda visitor, page: page.run(textwrap.dedent(code)))


def test_the_proxy_has_an_answer_to_each_request_that_was_done(tmp_path):
    """A thousand posts to a server that answers at once; without `proxy.mjs` one in four gets 503 for an answer.

    Every other one says `Connection: close`, as a web server before the hub may.
    """
    import aiohttp
    from aiohttp import web

    from benchmarks.hub import free_port
    from tools.classroom.hub import __main__ as command
    from tools.classroom.hub import room

    hub, port, done, answers = tmp_path / "hub", free_port(), [], []
    hub.mkdir(mode=0o700)
    (hub / "hub.toml").write_text(f"port = {port}\n")
    classroom = room.opened(hub, tmp_path)
    api, behind = classroom.places.sockets / command.PROXY_SOCKET, classroom.places.sockets / "behind.sock"

    async def answer(request):
        done.append(await request.json())
        return web.json_response({}, status=201)

    async def ask():
        pages = web.Application()
        pages.add_routes([web.post("/user/ada/api", answer)])
        runner = web.AppRunner(pages)
        await runner.setup()
        await web.UnixSite(runner, str(behind)).start()
        token = {"Authorization": f"token {(hub / 'proxy-token').read_text()}"}
        async with aiohttp.ClientSession(connector=aiohttp.UnixConnector(str(api)), headers=token) as session:
            for _ in range(100):
                try:
                    route = {"target": f"http+unix://{quote(str(behind), safe='')}"}
                    async with session.post("http://proxy/api/routes/user/ada", json=route) as made:
                        assert made.status == 201
                        break
                except OSError:
                    await asyncio.sleep(0.2)
        async with aiohttp.ClientSession() as session:
            for number in range(1000):
                headers = {"Connection": "close"} if number % 2 else {}
                address = f"http://127.0.0.1:{port}/user/ada/api"
                async with session.post(address, json={"number": number}, headers=headers) as answered:
                    answers.append(answered.status)
        await runner.cleanup()

    with command._Kept(command._proxy(classroom), hub / "logs" / "proxy.log", command._token(hub)):
        asyncio.run(ask())
    assert [one["number"] for one in done] == list(range(1000)) and set(answers) == {201}


def test_nobody_comes_in_without_being_admitted(hub):
    from tools.classroom.hub.visitor import Visitor

    async def try_to():
        async with Visitor(hub.address, "mallory", PASSWORD) as visitor:
            number = await visitor.ask()
            assert not await visitor.sign_in(), "not admitted yet"
            status, _, _ = await visitor.admit("mallory", number)
            assert status in (302, 403), "sent to sign in"
            assert not await visitor.sign_in(), "nor by the own hand"
            visitor.name = "instructor"
            with pytest.raises(RuntimeError, match="the name instructor is taken"):
                await visitor.ask()
            visitor.password = "wrong"
            assert not await visitor.sign_in()

    asyncio.run(try_to())


def test_a_student_who_admits_is_refused(hub):
    async def try_to(visitor, _):
        await visitor.admit("mallory", "000000")
        async with visitor.session.get(f"{hub.address}/hub/admit") as page:
            return page.status

    assert at(hub, "eve", try_to, start=False) == 403


def test_a_page_of_somebody_elses_admits_nobody(hub):
    """A form without the hub's own token is refused, though the instructor's cookies come with it."""

    async def try_to(visitor, _):
        fields = {"name": "mallory", "number": "000000", "what": "admit"}
        async with visitor.session.post(f"{hub.address}/hub/admit", data=fields, allow_redirects=False) as answer:
            return answer.status

    assert at(hub, "instructor", try_to, start=False) == 403


def test_from_a_kernel_no_other_home_no_course_and_no_solution_can_be_seen(hub):
    """Every file that eve can reach is read: none has ada's words, the course's secret, or a line of a solution."""
    inside(hub, "ada", "open('/home/ada/diary.txt', 'w').write('the diary of ada')")
    (hub.course / "gradebook.db").write_bytes(b"the gradebook itself")
    found = inside(
        hub,
        "eve",
        """
        import os, pathlib
        wanted = [b"the diary " + b"of ada", b"the gradebook " + b"itself"]
        wanted += [b"BEGIN " + b"SOLUTION", b"HIDDEN " + b"TESTS"]
        roots = [one for one in os.listdir("/") if one not in ("proc", "dev", "usr")]
        seen = 0
        for root in roots:
            for folder, folders, files in os.walk(f"/{root}"):
                folders[:] = [one for one in folders if one not in ("site-packages", "lib", "include", "node_modules")]
                for name in files:
                    path = pathlib.Path(folder, name)
                    try:
                        text = path.read_bytes() if path.is_file() else b""
                    except OSError:
                        continue
                    seen += 1
                    if any(one in text for one in wanted):
                        print("FOUND", path)
        print(seen > 100)
        """,
    )
    assert found == "True\n"


@pytest.mark.parametrize("place", ["home", "course", "hub", "exercises", "sockets"])
def test_the_paths_that_an_attacker_would_try_lead_nowhere(hub, place):
    from tools.classroom.hub import room

    path = {
        "home": hub.hub / "homes" / "ada",
        "course": hub.course / "secret",
        "hub": hub.hub / "accounts.json",
        "exercises": pathlib.Path(__file__).parents[1] / "exercises",
        "sockets": room.sockets(hub.hub) / "proxy.sock",
    }[place]
    assert path.exists()
    look = f"import os\nprint(os.path.lexists({str(path)!r}), os.path.lexists('/home/ada'))"
    assert inside(hub, "eve", look) == "False False\n"


def test_a_kernel_sees_no_process_and_no_port_of_anybody_else(hub):
    inside(hub, "ada", "print()")
    said = inside(
        hub,
        "eve",
        f"""
        import os, pathlib, socket
        others = [pathlib.Path("/proc", one, "environ") for one in os.listdir("/proc") if one.isdigit()]
        def text(path):
            try:
                return path.read_bytes()
            except OSError:
                return b""
        print(any(b"HOME=/home/ada" in text(path) for path in others), len(others) < 20)
        for port in ({hub.port}, 8081, 8001):
            with socket.socket() as one:
                print(one.connect_ex(("127.0.0.1", port)) == 0)
        print(len(socket.if_nameindex()), os.getuid() > 200_000, os.path.exists("/hub/door/hub.sock"))
        """,
    )
    assert said == "False True\nFalse\nFalse\nFalse\n1 True True\n"


def test_the_hub_answers_a_students_token_with_the_students_own_and_nothing_more(hub):
    """Through the socket that the cell has: who am I, who else is here, start and look into somebody else's server."""
    said = inside(
        hub,
        "eve",
        """
        import json, os
        from desk import Door
        def ask(method, path, text=None):
            door = Door("/hub/door/hub.sock")
            door.request(method, path, text, {"Authorization": "token " + os.environ["JUPYTERHUB_API_TOKEN"]})
            answer = door.getresponse()
            return answer.status, answer.read()
        for name in ("03_laplace", "none"):
            print(ask("POST", "/hub/api/desk/" + name, b"by eve")[0])
        for method, path in [("GET", "users"), ("GET", "users/ada"), ("POST", "users/ada/server"),
                             ("DELETE", "users/ada/server"), ("GET", "proxy"), ("POST", "users/ada/tokens")]:
            print(ask(method, "/hub/api/" + path)[0])
        print(ask("POST", "/hub/api/desk/03_laplace?student=ada&user=ada", b"again by eve")[0])
        """,
    ).split()
    assert said[:2] == ["200", "409"] and len(said) == 9 and set(said[2:-1]) <= {"403", "404"} and said[-1] == "200"
    assert (hub.course / "submitted" / "eve" / STEM / f"{STEM}.ipynb").read_bytes() == b"again by eve"
    assert b"by eve" not in b"".join(path.read_bytes() for path in hub.course.glob("submitted/ada/*/*"))


def test_without_a_token_nothing_is_taken(hub):
    async def try_to(visitor, _):
        async with visitor.session.post(f"{hub.address}/hub/api/desk/{STEM}", data=b"by nobody") as answer:
            return answer.status

    assert at(hub, "eve", try_to, start=False) == 403, "a cookie alone, as a foreign page could send it"


def test_a_link_hands_in_only_what_a_student_can_read(hub):
    """The file is read in the cell: a link to the course leads nowhere there."""
    target = hub.course / "secret"
    said = inside(
        hub,
        "eve",
        f"""
        import os, pathlib
        link = pathlib.Path("/home/eve/assignments/03_laplace.ipynb")
        link.rename("/home/eve/kept.ipynb")
        link.symlink_to({str(target)!r})
        get_ipython().run_line_magic("hand_in", "03_laplace")
        link.unlink()
        pathlib.Path("/home/eve/kept.ipynb").rename(link)
        """,
    )
    assert said.startswith("NOT handed in: there is no file")


def test_all_three_ways_hand_in_and_the_last_counts(hub):
    from tools.classroom import desk

    async def by_three(visitor, page):
        said = [await visitor.hand_in(f"assignments/{STEM}.ipynb")]
        said.append(await page.run(f"%hand_in {STEM}"))
        said.append(await page.run(f"!hand-in {STEM} && hand-in nothing"))
        return said

    button, magic, command = at(hub, "ada", by_three)
    [receipt] = [one for one in desk.receipts(hub.course) if one.student == "ada"]
    assert button == (True, str(receipt)) and magic == f"Handed in: {receipt}\n"
    assert str(receipt) in command and "NOT handed in: there is no file /home/ada/assignments/nothing.ipynb" in command
    page = inside(hub, "ada", "%hand_in /home/ada/notebooks/03_laplace.ipynb")
    assert page.startswith("NOT handed in: /home/ada/notebooks/03_laplace.ipynb is no assignment")
    kept = hub.course / "submitted" / "ada" / STEM / f"{STEM}.ipynb"
    assert kept.read_bytes() == (hub.hub / "homes" / "ada" / "assignments" / f"{STEM}.ipynb").read_bytes()
    assert abs(kept.stat().st_mtime - time.time()) < 600
    assert hashlib.sha256(kept.read_bytes()).hexdigest() == receipt.sha256


def test_a_home_survives_a_restart_and_feedback_comes_back(hub):
    from tools.classroom.hub.__main__ import main

    page = hub.course / "feedback" / "ada" / STEM / f"{STEM}.html"
    page.parent.mkdir(parents=True)
    page.write_text("4 of 5 points")
    assert main(["--hub", str(hub.hub), "--course", str(hub.course), "hand-back"]) is None

    async def restart(visitor, kernel):
        await kernel.run("open('/home/ada/kept.txt', 'w').write('mine')")
        async with visitor.session.get(f"{hub.address}/hub/home") as home:
            await home.read()
        token = visitor.session.cookie_jar.filter_cookies(f"{hub.address}/hub/")["_xsrf"].value
        stop = f"{hub.address}/hub/api/users/ada/server"
        headers = {"X-XSRFToken": token, "Referer": f"{hub.address}/hub/home"}
        async with visitor.session.delete(stop, headers=headers) as one:
            assert one.status in (202, 204), await one.text()
        await asyncio.sleep(2)
        assert not hub.processes("ada")
        await visitor.start()
        again, own = await visitor.open("notebooks/03_laplace.ipynb"), "/home/ada"
        return await again.run(f"print(open('{own}/kept.txt').read(), open('{own}/feedback/03_laplace.html').read())")

    assert at(hub, "ada", restart) == "mine 4 of 5 points\n"
    assert inside(hub, "eve", "import os; print(os.listdir('/home/eve/feedback'))") == "[]\n"
    assert "PermissionError" in inside(hub, "ada", "open('/home/ada/feedback/03_laplace.html', 'w')") or (
        "Read-only" in inside(hub, "ada", "open('/home/ada/feedback/x.html', 'w')")
    )


def test_who_takes_too_much_loses_it_and_disturbs_nobody(hub):
    """Memory beyond the bound ends the kernel or raises MemoryError; processes beyond the bound cannot be made."""
    from tools.classroom.hub.visitor import Died

    async def greedy(visitor, page):
        try:
            return await page.run("all = [bytearray(2**20) for _ in range(3000)]\nprint('GOT 3 GB')", limit=60)
        except (Died, TimeoutError):
            return "the kernel was ended"

    assert "GOT" not in at(hub, "eve", greedy)
    many = """
        import subprocess
        found = []
        try:
            while len(found) < 1000:
                found.append(subprocess.Popen(["sleep", "30"]))
        except OSError as error:
            print(type(error).__name__)
        print(len(found) < 150)
        for one in found:
            one.kill(), one.wait()
    """
    assert inside(hub, "eve", many) == "BlockingIOError\nTrue\n"
    assert inside(hub, "ada", "print(1 + 1)") == "2\n"


def test_the_instructor_has_the_course(hub):
    """The instructor's server shows the course's folder, and its terminal has what grades."""
    from tools.classroom.hub.visitor import Visitor

    async def look():
        async with Visitor(hub.address, "instructor", PASSWORD) as visitor:
            assert await visitor.sign_in()
            await visitor.start()
            status, model = await visitor.ask_server("GET", "api/contents/")
            assert status == 200
            return {one["name"] for one in model["content"]}

    assert {"release", "solutions", "assignments", "nbgrader_config.py"} <= asyncio.run(look())


def test_a_student_cannot_come_into_another_server(hub):
    async def try_to(visitor, _):
        name, visitor.name = visitor.name, "ada"
        answer = await visitor.ask_server("GET", "api/contents/diary.txt")
        visitor.name = name
        return answer

    inside(hub, "ada", "print()")
    status, said = at(hub, "eve", try_to)
    assert status in (403, 404) and "diary of ada" not in json.dumps(said)


def test_what_nobody_uses_is_ended(tmp_path):
    from benchmarks.hub import Hub

    with Hub(tmp_path, idle_minutes=0.2) as running:
        asyncio.run(running.answers())
        inside(running, "eve", "print()")
        until = time.monotonic() + 240
        while running.processes("eve") and time.monotonic() < until:
            time.sleep(2)
        assert not running.processes("eve")


# Sign-in by OAuth, with a provider of our own on the loopback address.


class School:
    """A provider of OAuth 2: whoever is `who` is signed in there, and is called so in what it tells the hub."""

    client, secret = "dpbook", "the hub's own secret"

    def __init__(self):
        self.who = "nobody"

    async def authorize(self, request):
        from aiohttp import web

        assert request.query["client_id"] == self.client and request.query["response_type"] == "code"
        answer = {"code": f"code of {self.who}", "state": request.query["state"]}
        raise web.HTTPFound(f"{request.query['redirect_uri']}?{urlencode(answer)}")

    async def token(self, request):
        from aiohttp import web

        form = await request.post()
        if (form["client_id"], form["client_secret"]) != (self.client, self.secret):
            return web.json_response({"error": "invalid_client"}, status=401)
        return web.json_response({"access_token": form["code"].replace("code", "token"), "token_type": "bearer"})

    async def user(self, request):
        from aiohttp import web

        return web.json_response({"username": request.headers["Authorization"].removeprefix("Bearer token of ")})

    def settings(self, port):
        """The section `[oauth]` of `hub.toml` for a hub on this port."""
        where = {name: f"{self.address}/{name.removesuffix('_url')}" for name in ("authorize_url", "token_url")}
        return where | {
            "class": "oauthenticator.generic.GenericOAuthenticator",
            "client_id": self.client,
            "client_secret": self.secret,
            "oauth_callback_url": f"http://127.0.0.1:{port}/hub/oauth_callback",
            "userdata_url": f"{self.address}/user",
            "username_claim": "username",
            "allowed_users": ["ada"],
        }


@pytest.fixture
def school():
    """A `School` that answers on a port of the loopback address."""
    from aiohttp import web

    from benchmarks.hub import free_port

    found, port, loop = School(), free_port(), asyncio.new_event_loop()
    found.address = f"http://127.0.0.1:{port}"
    pages = web.Application()
    pages.add_routes([web.get("/authorize", found.authorize), web.post("/token", found.token)])
    pages.add_routes([web.get("/user", found.user)])
    runner = web.AppRunner(pages)
    loop.run_until_complete(runner.setup())
    loop.run_until_complete(web.TCPSite(runner, "127.0.0.1", port).start())
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    yield found
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.run_until_complete(runner.cleanup())
    loop.close()


def test_who_the_school_knows_and_the_settings_allow_comes_in_and_nobody_else(tmp_path, school):
    from benchmarks.hub import PAGE, Hub
    from tools.classroom.hub.visitor import Visitor

    async def status(address, who):
        """What the hub's own page answers to whom the school says this is, and whether it names them."""
        school.who = who
        async with Visitor(address, who, "") as visitor:
            async with visitor.session.get(f"{address}/hub/oauth_login?next=/hub/home") as page:
                return page.status, page.url.path, f'user: "{who}"' in await page.text()

    async def look(address):
        assert await status(address, "ada") == (200, "/hub/home", True)
        for who in ("eve", "Ada Lovelace", "a/../b", ""):
            answered, _, named = await status(address, who)
            assert answered in (400, 403, 500) and not named, who
        async with Visitor(address, "eve", "") as visitor:
            callback = f"{address}/hub/oauth_callback?code=code+of+ada&state=made+up"
            async with visitor.session.get(callback) as answer:
                assert answer.status in (400, 403), "an answer that nobody asked the school for"
            for page in ("ask", "login"):
                async with visitor.session.get(f"{address}/hub/{page}") as answer:
                    assert 'type="password"' not in await answer.text(), "there are no accounts beside the school's"
        for who, expected in (("ada", 403), ("instructor", 200)):
            school.who = who
            async with Visitor(address, who, "") as visitor:
                async with visitor.session.get(f"{address}/hub/oauth_login?next=/hub/admin") as page:
                    assert page.status == expected, who
                if who == "ada":
                    await visitor.start()
                    kernel = await visitor.open(PAGE)
                    assert await kernel.run("import os; print(os.getcwd())") == "/home/ada/notebooks\n"
                    await kernel.close()

    hub = Hub(tmp_path)
    hub.settings["oauth"] = school.settings(hub.port)
    with hub as running:
        asyncio.run(running.answers())
        asyncio.run(look(running.address))
    assert "password" not in (tmp_path / "start.log").read_text()
    assert school.secret not in "".join(path.read_text() for path in (tmp_path / "hub" / "logs").iterdir())
