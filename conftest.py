"""How all tests run: pages by nbval with their sliders, what has not changed left out, the work shared out evenly."""

import os

os.environ["DPBOOK_GUESSES"] = os.devnull  # the file of whoever runs the tests shows on no page and is not written

pytest_plugins = ["tools.book.nbval_pages", "tools.book.changed", "tools.book.shares"]
