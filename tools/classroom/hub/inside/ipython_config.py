"""Every kernel in a student's cell knows `%hand_in`."""

c = get_config()  # noqa: F821  (IPython provides it)
c.InteractiveShellApp.extensions = ["desk"]
