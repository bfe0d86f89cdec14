"""The hub's own accounts: who asked for one, whom an instructor has admitted, and no password but its hash (scrypt).

Somebody who asks chooses a name and a password and is shown a number; the instructor sees the same number beside the
name, and admits who can tell it. A name that stands cannot be asked for again. After five wrong passwords in a row a
name waits, longer each time.
"""

import base64
import contextlib
import fcntl
import hashlib
import hmac
import json
import os
import secrets
import threading
import time
from dataclasses import asdict, dataclass

from tools.classroom.desk import STUDENT
from tools.classroom.hub.cell import TAKEN

COST = {"n": 2**14, "r": 8, "p": 1, "maxmem": 2**26, "dklen": 32}  # 16 MB and about 50 ms a try
SHORTEST = 10  # characters of a password
FREE, LONGEST_WAIT = 5, 900  # wrong passwords before a name waits; seconds
MOST_ASKING = 500  # accounts that wait to be admitted: a loop that asks fills no disk


class Refused(ValueError):
    """Why an account was not made, in a sentence for whoever asked."""


@dataclass(frozen=True)
class Account:
    """One account. `number` is what the student tells the instructor, who sees it too."""

    name: str
    salt: str
    hash: str
    number: str
    admitted: bool


class Accounts:
    """The accounts in a file that its owner alone can read; each change is whole or not there."""

    def __init__(self, path, clock=time.monotonic):
        self.path, self.clock, self.failures, self.counting = path, clock, {}, threading.Lock()

    def __deepcopy__(self, memo):
        """JupyterHub copies its settings: these stay the accounts that they are, with what is counted."""
        return self

    def all(self):
        """The accounts, by their names."""
        if not self.path.exists():
            return {}
        return {one["name"]: Account(**one) for one in json.loads(self.path.read_text())}

    def ask(self, name, password, admitted=False):
        """A new account, which waits to be admitted; `Refused` says what is wrong with the name or the password."""
        if not STUDENT.fullmatch(name):
            raise Refused("a name has small letters, digits and _.@+-, begins with a letter or digit, and is not long")
        if name in TAKEN:
            raise Refused(f"the name {name} is the hub's own: choose another")
        if len(password) < SHORTEST:
            raise Refused(f"a password has {SHORTEST} characters or more; a sentence is a good one")
        if name in password.lower() and len(password) < len(name) + SHORTEST:
            raise Refused("a password is not made of the name")
        account = _made(name, password, admitted)
        with self._changing() as accounts:
            if name in accounts:
                raise Refused(f"the name {name} is taken: choose another, or ask your instructor")
            if not admitted and sum(not one.admitted for one in accounts.values()) >= MOST_ASKING:
                raise Refused("too many accounts are waiting: ask your instructor")
            accounts[name] = account
        return account

    def admit(self, name, number):
        """Let in whoever asked for this name and was shown this number; whether there was one."""
        with self._changing() as accounts:
            account = accounts.get(name)
            if account is None or not hmac.compare_digest(account.number.encode(), number.encode()):
                return False
            accounts[name] = Account(**asdict(account) | {"admitted": True})
        return True

    def remove(self, name):
        """Take the account away; whether there was one. What the student has written stays."""
        with self._changing() as accounts:
            return accounts.pop(name, None) is not None

    def set_password(self, name, password):
        """Another password for an account, which stays as admitted as it was; `Refused` if it is too short."""
        if len(password) < SHORTEST:
            raise Refused(f"a password has {SHORTEST} characters or more; a sentence is a good one")
        with self._changing() as accounts:
            if name not in accounts:
                raise Refused(f"there is no account {name}")
            accounts[name] = _made(name, password, accounts[name].admitted)

    def waits(self, name):
        """How many seconds this name has to wait after wrong passwords; 0 if it need not."""
        count, last = self.failures.get(name, (0, 0.0))
        if count < FREE:
            return 0.0
        wait = min(2 ** min(count - FREE + 2, 30), LONGEST_WAIT)  # 2.0 ** 1024 would be too large for a float
        return max(0.0, last + wait - self.clock())

    def right(self, name, password):
        """Whether this is the password of an admitted account; takes as long for a name that nobody has."""
        with self.counting:  # before the hash, which takes time: guesses at the same moment are counted, too
            if self.waits(name):
                return False
            if len(self.failures) > 10_000:
                self.failures.clear()  # names that nobody has; a list of them is no reason to run out of memory
            before = self.failures.get(name)
            self.failures[name] = (before[0] + 1 if before else 1, self.clock())
        account = self.all().get(name)
        salt = base64.b64decode(account.salt) if account else b"nobody has this."
        same = hmac.compare_digest(_hash(password, salt), account.hash if account else "no hash is like this")
        if same:
            with self.counting:
                self.failures.pop(name, None)
                if before and not account.admitted:
                    self.failures[name] = before
        return same and account.admitted

    @contextlib.contextmanager
    def _changing(self):
        """The accounts, to be changed by one at a time; stored at the end, if nothing was raised."""
        with open(self.path.with_suffix(".lock"), "a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            accounts = self.all()
            yield accounts
            new = self.path.with_suffix(".new")
            new.unlink(missing_ok=True)
            with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
                json.dump([asdict(one) for one in accounts.values()], file, indent=1)
                file.flush()
                os.fsync(file.fileno())
            os.replace(new, self.path)


def _made(name, password, admitted):
    salt = secrets.token_bytes(16)
    number = f"{secrets.randbelow(10**6):06d}"
    return Account(name, base64.b64encode(salt).decode(), _hash(password, salt), number, admitted)


def _hash(password, salt):
    return base64.b64encode(hashlib.scrypt(password.encode(), salt=salt, **COST)).decode()
