// The way into Pyodide: it says how much of it has arrived. The kernel calls `loadPyodide` as it would call Pyodide's own.
import { loadPyodide as load } from "./pyodide.mjs";

const HERE = new URL("./", import.meta.url).href;
const { sizes, channel } = await (await fetch(new URL("dpbook.json", HERE))).json();
const tell = new BroadcastChannel(channel);
const arriving = new Map();  // file -> bytes so far
let ready = false;

const say = () => {
  let done = 0, all = 0;
  for (const [name, bytes] of arriving) {
    all += sizes[name];
    done += Math.min(bytes, sizes[name]);
  }
  tell.postMessage({ done, all, ready });
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

export async function loadPyodide(options) {
  try {
    const python = await load(options);
    ready = true;
    say();
    return python;
  } catch (error) {
    tell.postMessage({ failed: String(error.message ?? error) });
    throw error;
  }
}
