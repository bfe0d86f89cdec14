"""Signing in by the hub's own accounts: the pages where one asks for an account, and where an instructor admits."""

import asyncio

from jupyterhub.auth import Authenticator
from jupyterhub.handlers import BaseHandler
from tornado import web
from traitlets import Any

from tools.classroom.hub.accounts import Refused

MOST = 200  # characters of what somebody types


class ByAccount(Authenticator):
    """Lets in whoever knows the password of an account that an instructor has admitted."""

    accounts = Any(help="the `Accounts` of this hub").tag(config=True)

    async def authenticate(self, handler, data):
        """The name, or None. The hashing is done beside the hub's own work."""
        name, password = data["username"].strip(), data["password"][: 5 * MOST]
        return name if await asyncio.to_thread(self.accounts.right, name, password) else None

    def normalize_username(self, username):
        return username

    def get_handlers(self, app):
        return [*super().get_handlers(app), ("/ask", Ask), ("/admit", Admit), ("/password", Password)]

    def delete_user(self, user):
        """Who is taken out of the hub has no account either."""
        self.accounts.remove(user.name)
        super().delete_user(user)


class Ask(BaseHandler):
    """Where somebody asks for an account."""

    async def get(self):
        self.finish(await self.render_template("ask.html", said="", number="", asked=""))

    async def post(self):
        name, said, number = self.get_body_argument("username", "")[:MOST], "", ""
        password, again = (self.get_body_argument(one, "", strip=False)[: 5 * MOST] for one in ("password", "again"))
        if password != again:
            said = "the two passwords differ"
        else:
            try:
                number = (await asyncio.to_thread(self.authenticator.accounts.ask, name, password)).number
            except Refused as refused:
                said = str(refused)
        self.finish(await self.render_template("ask.html", said=said, number=number, asked=name))


class Admit(BaseHandler):
    """Where an instructor sees who has asked, and admits or turns away."""

    @web.authenticated
    async def get(self):
        self._instructors_only()
        accounts = sorted(self.authenticator.accounts.all().values(), key=lambda one: (one.admitted, one.name))
        self.finish(await self.render_template("admit.html", accounts=accounts))

    @web.authenticated
    async def post(self):
        self._instructors_only()
        name, number = self.get_body_argument("name"), self.get_body_argument("number", "")
        if self.get_body_argument("what") == "admit":
            self.authenticator.accounts.admit(name, number)
        elif name != self.current_user.name:
            account = self.authenticator.accounts.all().get(name)
            if account is not None and not account.admitted:
                self.authenticator.accounts.remove(name)
        self.redirect(self.hub.base_url + "admit")

    def _instructors_only(self):
        if not self.current_user.admin:
            raise web.HTTPError(403, "this page is for instructors")


class Password(BaseHandler):
    """Where everybody changes the own password."""

    @web.authenticated
    async def get(self):
        self.finish(await self.render_template("password.html", said="", done=False))

    @web.authenticated
    async def post(self):
        typed = [self.get_body_argument(one, "", strip=False) for one in ("old", "password", "again")]
        old, new, again = (words[: 5 * MOST] for words in typed)
        name, accounts, said = self.current_user.name, self.authenticator.accounts, ""
        if new != again:
            said = "the two new passwords differ"
        elif not await asyncio.to_thread(accounts.right, name, old):
            said = "the old password is another"
        else:
            try:
                await asyncio.to_thread(accounts.set_password, name, new)
            except Refused as refused:
                said = str(refused)
        self.finish(await self.render_template("password.html", said=said, done=not said))
