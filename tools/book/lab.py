"""JupyterLab that ends when told to, whatever it is doing: `python -m tools.book.lab` with the options of jupyter lab.

A request that is under way when the server stops never ends, nor does the thread that reads a file for it; Python waits
for that thread for ever, all its threads on a lock (jupyterlab issue 10442). When `main` returns the kernels are gone
and what was saved is on the disk: there is nothing to wait for.
"""

import os
import sys

from jupyterlab.labapp import main

if __name__ == "__main__":
    main()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
