// The way into Pyodide: says how much of it has arrived, and loads what the book's own modules need before a cell runs.
//
// The kernel calls `loadPyodide` as it would call Pyodide's own.
import { loadPyodide as load } from "./pyodide.mjs";

const HERE = new URL("./", import.meta.url).href;
const { sizes, channel, needs } = await (await fetch(new URL("dpbook.json", HERE))).json();
const tell = new BroadcastChannel(channel);
const arriving = new Map();  // file -> bytes so far

const say = () => {
  let done = 0, all = 0;
  for (const [name, bytes] of arriving) {
    all += sizes[name];
    done += Math.min(bytes, sizes[name]);
  }
  tell.postMessage({ done, all });
};

// Every file of Pyodide comes through here.
const fetched = globalThis.fetch;
globalThis.fetch = async (what, options) => {
  const address = new URL(typeof what === "string" ? what : what.url ?? what, HERE).href;
  const name = address.startsWith(HERE) ? address.slice(HERE.length) : "";
  if (!(name in sizes)) return fetched(what, options);
  arriving.set(name, 0);
  say();
  const response = await fetched(what, options);
  if (!response.ok || !response.body) return response;
  const counted = response.body.pipeThrough(new TransformStream({
    transform(chunk, to) {
      arriving.set(name, arriving.get(name) + chunk.byteLength);
      say();
      to.enqueue(chunk);
    },
    flush() {
      arriving.set(name, sizes[name]);
      say();
    },
  }));
  return new Response(counted, { status: response.status, headers: response.headers });
};

/** The packages that the book's own modules need which a cell imports. */
function needed(code) {
  const found = new Set();
  for (const [, module, names] of code.matchAll(/^\s*from\s+(dpbook[\w.]*)\s+import\s+(\([^)]*\)|[^\n]*)/gm)) {
    for (const name of ["", ...names.matchAll(/\w+/g)]) {
      for (const need of needs[name ? `${module}.${name}` : module] ?? []) found.add(need);
    }
  }
  for (const [, module] of code.matchAll(/^\s*import\s+(dpbook[\w.]*)/gm)) {
    for (const need of needs[module] ?? []) found.add(need);
  }
  return [...found];
}

export async function loadPyodide(options) {
  const python = await load(options);
  const imports = python.loadPackagesFromImports;
  python.loadPackagesFromImports = async (code, ...others) => {
    const packages = needed(code);
    if (packages.length) await python.loadPackage(packages, ...others);
    return imports(code, ...others);
  };
  tell.postMessage({ ready: true });
  return python;
}
