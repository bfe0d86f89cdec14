"""Where a student's server hands in: `POST /hub/api/desk/<assignment>` with the bytes of the notebook."""

import asyncio
import json

from jupyterhub.apihandlers.base import APIHandler

from tools.classroom import desk


class HandIn(APIHandler):
    """Takes a file in for the student whose server's token comes with it, and for nobody else."""

    def check_xsrf_cookie(self):
        """A token is asked for below, and a page of somebody else's has none."""

    async def post(self, assignment):
        token, student = self.get_token(), self.current_user
        if token is None or student is None or token.user is None or token.user.name != student.name:
            self._answer(403, "the hub does not know this server: stop it and start it again")
            return
        room = self.settings["classroom"]
        try:
            receipt = await asyncio.to_thread(desk.take_in, room.course, student.name, assignment, self.request.body)
        except desk.NotTaken as refused:
            self._answer(409, str(refused))
        except OSError as trouble:
            self.log.error("the desk could not store a file of %s: %s", student.name, trouble)
            self._answer(507, "the course could not store the file: tell your instructor")
        else:
            self._answer(200, str(receipt))

    def _answer(self, status, message):
        self.set_status(status)
        self.set_header("Content-Type", "application/json")
        self.finish(json.dumps({"message": message}))
