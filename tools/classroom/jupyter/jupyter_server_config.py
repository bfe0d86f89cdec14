"""JupyterLab as `make formgrader` starts it, without kernels or terminals: they would have your rights.

Of nbgrader's extensions formgrader alone is on, and no other that starts a process: see the file beside this one.
"""

from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel

c = get_config()  # noqa: F821  (Jupyter provides it)


class NoKernels(KernelSpecManager):
    """Knows no kernel, and starts none by any name."""

    def find_kernel_specs(self):
        return {}

    def get_kernel_spec(self, kernel_name):
        raise NoSuchKernel(kernel_name)


c.ServerApp.kernel_spec_manager_class = NoKernels
c.ServerApp.terminals_enabled = False
c.LabApp.extension_manager = "readonly"
c.LabApp.news_url = None
c.LabApp.check_for_updates_class = "jupyterlab.NeverCheckForUpdate"
