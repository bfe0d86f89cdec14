// Loaded before configurable-http-proxy (node --import): its connections to unix sockets are kept and used again, as it
// does with TCP. Without that it asks a server to close after each answer, and ends each request with an empty write.
// A server that has read the whole request by then may have answered and closed, the write fails (EPIPE), and the proxy
// says 503 for a request that was done: once in four to what is answered at once.

import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const library = path.resolve(fs.realpathSync(process.argv[1]), "../../lib/configproxy.js");
const { ConfigurableProxy } = await import(pathToFileURL(library));
const { proxyOptsForTarget, handleProxyWeb } = ConfigurableProxy.prototype;
const changed = new WeakSet();

ConfigurableProxy.prototype.proxyOptsForTarget = function (target) {
  const options = proxyOptsForTarget.call(this, target);
  if (options.target.socketPath) options.agent = this.httpAgent;
  return options;
};

// What the browser, or a proxy before this one, says of its own connection (Connection: close) is not for the server.
ConfigurableProxy.prototype.handleProxyWeb = function (request, response) {
  if (!changed.has(this.proxy)) {
    const web = this.proxy.web;
    this.proxy.web = (request, response, options, failed) =>
      web(request, response, { ...options, headers: { connection: "keep-alive" } }, failed);
    changed.add(this.proxy);
  }
  return handleProxyWeb.call(this, request, response);
};
