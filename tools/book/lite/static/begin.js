// In JupyterLab's page, before anything else: where the browser has kept this page's Python, a notebook's kernel begins
// at once. The build puts in what is written in capitals.
(async () => {
  if (!navigator.serviceWorker?.controller || crossOriginIsolated || !/[?&]path=[^&]*\.ipynb/.test(location.search)) return;
  if (!await caches.match(new URL("HOMEdpbook.json", location))) return;
  const Usual = window.Worker;
  const begun = new Usual(new URL("AHEAD", location));
  // JupyterLite asks for its kernel's worker: the first gets this one.
  window.Worker = function (address, options) {
    if (!new URL(address, location).pathname.endsWith("/KERNEL")) return new Usual(address, options);
    window.Worker = Usual;
    return begun;
  };
  window.Worker.prototype = Usual.prototype;
})();
