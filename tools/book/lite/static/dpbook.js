// The way into Pyodide, loaded by the kernel's worker instead of pyodide.js: it says how much of Python has arrived.
// What ahead.js has begun is taken over.
"use strict";

self.loadPyodide = async options => {
  if (self.begun) return self.begun;
  const home = new URL(options.indexURL, location.href).href;
  const { sizes, packed, channel } = await (await fetch(`${home}dpbook.json`)).json();
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
  const fetched = self.fetch;
  self.fetch = async (what, how) => {
    const address = new URL(what.url ?? what, home).href;
    const asked = address.startsWith(home) ? address.slice(home.length) : "";
    const name = packed[asked] ?? asked;
    if (!(name in sizes)) return fetched(what, how);
    arriving.set(name, 0);
    say();
    const response = await (name === asked ? fetched(what, how) : fetched(home + name));
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
    if (name === asked) return new Response(counted, { status: response.status, headers: response.headers });
    const whole = counted.pipeThrough(new DecompressionStream("gzip"));
    return new Response(whole, { headers: { "Content-Type": "application/wasm" } });
  };

  try {
    importScripts(`${home}pyodide.js`);  // its own loadPyodide takes this one's place
    const python = await self.loadPyodide(options);
    python.runPython(`import os\nos.environ.update(${JSON.stringify(options.env ?? {})})`);
    python.runPython("import dpbook_later\ndpbook_later.install()");
    ready = true;
    say();
    return python;
  } catch (error) {
    tell.postMessage({ failed: String(error.message ?? error) });
    throw error;
  }
};
