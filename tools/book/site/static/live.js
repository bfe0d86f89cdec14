// The worker of a page of the site: Python, with the page's figures at every setting. Nothing but the site is asked.
//
// It is told {page, home}; it says {loading}, {running}, {drawn: a figure, reels: its controls}, and {ready} in the end. From
// then on, and between two cells, it answers {figure, places, ratio, number} with {number, picture, caption}, or {failed}.
"use strict";

const KERNELS = new Set(["piplite", "ipykernel", "pyodide-kernel"]);  // what only JupyterLite's kernel needs
let python;

// What dpbook.js says of the bytes that have arrived is for this page alone.
self.BroadcastChannel = class { postMessage(message) { if (!message.ready) self.postMessage({ loading: message }); } };

self.onmessage = async ({ data }) => {
  try {
    if (data.page) await start(data.page, data.home);
    else await answer(data);
  } catch (error) {
    const lines = String(error.message ?? error).trim().split("\n");
    self.postMessage({ failed: lines.findLast(line => /^\w*(Error|Exception|Interrupt)\b/.test(line)) ?? lines.at(-1), number: data.number });
  }
};

async function start(page, home) {
  const given = async path => {
    const response = await fetch(home + path, { cache: "no-cache" });
    if (!response.ok) throw new Error(`${path} is not there (${response.status})`);
    return response;
  };
  const settings = (await (await given("lite/jupyter-lite.json")).json())["jupyter-config-data"];
  const kernel = settings.litePluginSettings["@jupyterlite/pyodide-kernel-extension:kernel"];
  const { env, packages } = kernel.loadPyodideOptions;
  const dpbook = new URL(kernel.pyodideUrl, `${home}lite/`);
  const indexURL = new URL("./", dpbook).href;
  importScripts(dpbook.href);
  python = await self.loadPyodide({
    indexURL, env: { ...env, DPBOOK_GUESSES: "/home/pyodide/guesses" }, packages: packages.filter(name => !KERNELS.has(name)),
  });
  const { cells, files } = await (await given(`live/${page}.json`)).json();
  python.FS.mkdirTree("/home/pyodide/notebooks");
  python.FS.chdir("/home/pyodide/notebooks");
  for (const name of files) {
    python.FS.mkdirTree(`/home/pyodide/notebooks/${name}`.replace(/\/[^/]*$/, ""));
    python.FS.writeFile(name, new Uint8Array(await (await given(`lite/files/notebooks/${name}`)).arrayBuffer()));
  }
  python.FS.writeFile("/home/pyodide/films.py", await (await given("live/films.py")).text());
  python.FS.writeFile("/home/pyodide/figures.py", await (await given("_static/live.py")).text());
  python.runPython("import os, sys\nsys.path.insert(0, '/home/pyodide')\nos.chdir('/home/pyodide/notebooks')");
  const figures = self.figures = python.pyimport("figures");
  for (const [place, [number, source]] of cells.entries()) {
    self.postMessage({ running: place + 1, all: cells.length });
    await figures.run(number, source);
    const reels = figures.reels(number);
    if (reels) self.postMessage({ drawn: number, reels: JSON.parse(reels) });
    await new Promise(done => setTimeout(done));  // what was asked meanwhile
  }
  self.postMessage({ ready: true });
}

async function answer({ figure, places, ratio, number }) {
  const found = self.figures.shot(figure, python.toPy(places), ratio);
  const [width, height, bytes, caption] = found.toJs();
  found.destroy();
  const canvas = new OffscreenCanvas(width, height);
  canvas.getContext("2d").putImageData(new ImageData(new Uint8ClampedArray(bytes), width, height), 0, 0);
  self.postMessage({ number, picture: await canvas.convertToBlob({ type: "image/png" }), caption });
}
