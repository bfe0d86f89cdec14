"""How all tests run: pages by nbval with their sliders, what has not changed left out, the work shared out evenly."""

pytest_plugins = ["tools.book.nbval_pages", "tools.book.changed", "tools.book.shares"]
