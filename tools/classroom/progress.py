"""How far the grading is: a bar on a terminal, and elsewhere (a log, a pipe) a line now and then."""

import sys
import time

from tqdm import tqdm

EVERY = 30  # seconds between two lines where there is no terminal


def progress(work, total, title, out=None, every=EVERY, clock=time.monotonic):
    """What `work` yields, `total` of it, and meanwhile on `out` (standard error) how much of it is done."""
    out = sys.stderr if out is None else out
    if out.isatty():
        yield from tqdm(work, total=total, unit="submission", desc=title, file=out)
        return
    started = last = clock()
    for done, one in enumerate(work, start=1):
        yield one
        now = clock()
        if now - last >= every or done == total:
            rest = (now - started) / done * (total - done)
            ahead = f", about {rest / 60:.0f} minutes to go" if done < total else ""
            print(f"{title}: {done} of {total} in {now - started:.0f} s{ahead}", file=out, flush=True)
            last = now
