"""A hub for a class: everybody's JupyterLab on one machine, each in a jail; `python -m tools.classroom.hub`."""
