// A kernel's worker, begun while JupyterLab itself starts: Python loads, imports what every page does, and is there when
// the kernel's own code asks for it. The build puts in what is written in capitals.
"use strict";

const FIRST = `
import pyodide_kernel
import io, dpbook.live, dpbook.plots
from matplotlib.figure import Figure
Figure().add_subplot().figure.savefig(io.BytesIO())`;
const home = new URL("HOME", location.href).href;
importScripts(`${home}dpbook.js`);
self.begun = self.loadPyodide({ indexURL: home, ...OPTIONS }).then(python => {
  python.runPython(FIRST);
  return python;
});
importScripts("KERNEL");
