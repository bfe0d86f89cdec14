// What the reader's browser keeps of the live part, and how its Python reads the reader's files.
//
// Files whose names say what is in them, and Python, whose folder's name does, come from the store; everything else from the
// site, whatever the browser has kept of it, and from the store where the site cannot be reached. So a page gets its own
// Python, also from a worker that is older than the page. When another Python comes, the one before is kept no longer.
"use strict";

const STORE = "dpbook files";
const PYTHON = /^(.*\/static\/)python-[^/]*\//;
const NAMED = /\/(build|extensions)\/.*[.-][0-9a-f]{7,}\.[^/]*$|\.(woff2?|ttf|eot)$/;
const kernels = new BroadcastChannel("/sw-api.v1");  // JupyterLite's own name for it

self.addEventListener("activate", event => event.waitUntil((async () => {
  for (const name of await caches.keys()) if (/^(dpbook |precache$)/.test(name) && name !== STORE) await caches.delete(name);
  await self.clients.claim();
})()));

self.addEventListener("fetch", event => {
  const address = new URL(event.request.url);
  if (address.origin !== location.origin) return;
  if (address.pathname === "/api/service-worker-heartbeat") event.respondWith(new Response("ok"));
  else if (/\/api\/(drive|stdin\/)/.test(address.pathname)) event.respondWith(asked(event.request, address));
  else if (event.request.method === "GET") event.respondWith(answer(event.request, address.pathname));
});

/** A file, from the store first where it cannot have changed. */
async function answer(request, path) {
  const python = path.match(PYTHON), fixed = python || NAMED.test(path);
  const store = await caches.open(STORE);
  const kept = () => store.match(request, { ignoreSearch: request.mode === "navigate" });
  if (fixed) {
    const found = await kept();
    if (found) return found;
  }
  try {
    const response = await fetch(request, fixed ? {} : { cache: "no-cache" });
    if (response.ok && response.status === 200) {
      await store.put(request, response.clone());
      if (python && path.endsWith("/dpbook.json")) await forgetOthers(store, python);
    }
    return response;
  } catch (error) {
    const found = await kept();
    if (found) return found;
    throw error;
  }
}

/** Drop what is kept of other Pythons of this site. */
async function forgetOthers(store, [python, site]) {
  for (const request of await store.keys()) {
    const other = new URL(request.url).pathname.match(PYTHON);
    if (other && other[1] === site && other[0] !== python) await store.delete(request);
  }
}

const last = new Map();  // tab -> its last question
const pause = milliseconds => new Promise(done => setTimeout(done, milliseconds));

/** Python asks for one of the reader's files, or for what the reader types: a tab has them. An answer does not say which
 *  question it answers, so that two kernels of one tab would take each other's: a question about a file waits for the one
 *  before, though not for ever. What is typed is known by its type, and no file waits for it. */
async function asked(request, address) {
  const question = await request.json();
  const tab = question.browsingContextId;
  const answered = Promise.race([last.get(tab), pause(5000)]).then(() => answerOf({ ...question, pathname: address.pathname }));
  if (address.pathname.includes("/api/drive")) last.set(tab, answered);
  return new Response(JSON.stringify(await answered));
}

function answerOf(question) {
  const types = question.pathname.includes("/api/stdin/");
  const answered = new Promise(tell => {
    const listen = ({ data }) => {
      if (data.browsingContextId !== question.browsingContextId || typed(data.response) !== types) return;
      kernels.removeEventListener("message", listen);
      tell(data.response);
    };
    kernels.addEventListener("message", listen);
  });
  kernels.postMessage(question);
  return answered;
}

const typed = answer => answer?.header?.msg_type === "input_reply";
