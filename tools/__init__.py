"""What the Makefile, the tests and the benchmarks call: notebooks built, a browser found, a JupyterLab started."""
