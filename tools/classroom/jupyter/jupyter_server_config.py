"""JupyterLab as `make formgrader` starts it, without kernels: a student's cell would have your rights there."""

from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel

c = get_config()  # noqa: F821  (Jupyter provides it)


class NoKernels(KernelSpecManager):
    """Knows no kernel, and starts none by any name."""

    def find_kernel_specs(self):
        return {}

    def get_kernel_spec(self, kernel_name):
        raise NoSuchKernel(kernel_name)


c.ServerApp.kernel_spec_manager_class = NoKernels
c.LabApp.news_url = None
c.LabApp.check_for_updates_class = "jupyterlab.NeverCheckForUpdate"
